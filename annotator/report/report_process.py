"""Reports in a child process, for a window."""

from __future__ import annotations

from annotator.process_call import call_in_process
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
    call_in_process(make_report, order, kind=bool, progress=progress)


def make_report(order: ReportOrder, *, progress: Progress) -> bool:
    """Write a report; what the child process does."""
    from annotator.report.write import write_report

    write_report(order, progress=progress)
    return True
