"""The figures of people, computed in a child process: seconds of Python beside which a window stays quick."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

from annotator.process_call import call_in_process
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
    from annotator.quality.people_figures import PeopleFigures

    progress.begin(PHASE)
    return call_in_process(send_figures, project, kind=PeopleFigures, progress=progress)


def send_figures(project: Path, *, progress: Progress) -> PeopleFigures:
    """Measure a project; what the child process does."""
    from annotator.quality.people_figures import people_figures
    from annotator.queries.reader import Reader

    progress.raise_if_cancelled()
    with contextlib.closing(Reader.open(project)) as reader:
        return people_figures(reader)
