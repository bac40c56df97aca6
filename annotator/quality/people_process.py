"""The figures of people, computed in a child process: seconds of Python beside which a window stays quick."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

from annotator.child_call import call_in_process
from annotator.errors import EnvironmentFailure
from annotator.progress import Progress

if TYPE_CHECKING:
    from annotator.quality.people_figures import PeopleFigures

PHASE = "Measure agreement"


def measure_in_process(project: Path, *, progress: Progress) -> PeopleFigures:
    """Return the figures of a project.

    Raises:
        UserError: The project cannot be read.
        EnvironmentFailure: The process cannot be started, or has ended early.
        Cancelled: The user cancelled it; the process is ended.
    """
    progress.begin(PHASE)
    try:
        figures = call_in_process(_measure, project, name="vantage-people", progress=progress)
    except OSError as error:
        raise EnvironmentFailure(f"The agreement cannot be measured: {error.strerror}.") from error
    except EOFError as error:
        raise EnvironmentFailure(
            "The process that measures agreement has ended early.",
            hint="Close other programs to free memory, then try again.",
        ) from error
    progress.end()
    return figures


def _measure(project: Path, _progress: Progress) -> PeopleFigures:
    from annotator.quality.people_figures import people_figures
    from annotator.store.reader import Reader

    with contextlib.closing(Reader.open(project)) as reader:
        return people_figures(reader)
