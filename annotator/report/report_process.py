"""Reports in a child process, for a window."""

from __future__ import annotations

from annotator.child_call import call_in_process
from annotator.errors import EnvironmentFailure
from annotator.progress import Progress
from annotator.report.report_order import ReportOrder


def report_in_process(order: ReportOrder, *, progress: Progress) -> None:
    """Write a report.

    Raises:
        UserError: The release cannot be used.
        EnvironmentFailure: A file cannot be read or written, or the process cannot be started or has ended
            early.
        Cancelled: The user cancelled it; a file that is not complete is not there.
    """
    progress.begin("Starting the report")
    try:
        call_in_process(_write, order, name="vantage-report", progress=progress)
    except OSError as error:
        raise EnvironmentFailure(f"The report cannot be made: {error.strerror}.") from error
    except EOFError as error:
        raise EnvironmentFailure(
            "The process that makes the report has ended early.",
            hint="Close other programs to free memory, then try again.",
        ) from error


def _write(order: ReportOrder, progress: Progress) -> None:
    from annotator.report.write import write_report

    write_report(order, progress=progress)
