"""The settings of runs as a kind of work reads them, each read once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from annotator.domain.run import Run
from annotator.errors import UserError
from annotator.jobs.job_type import WorkerContext

S = TypeVar("S")


class RunSettings(Generic[S]):
    """Settings of runs, which never change: a list of many items is not read again for each job.

    For any thread: should two read the same run's at once, both get what the first one keeps.

    Args:
        read: Makes the settings of a run.
    """

    def __init__(self, read: Callable[[Run], S]) -> None:
        self._read = read
        self._known: dict[str, S] = {}

    def at(self, worker_context: WorkerContext, run_id: str) -> S:
        """Return the settings of a run.

        Raises:
            UserError: There is no such run, or its settings cannot be understood.
        """
        known = self._known.get(run_id)
        if known is None:
            run = worker_context.reader.runs.get(run_id)
            if run is None:
                raise UserError("There is no such run.", hint="List them with: runs list PROJECT")
            known = self._known.setdefault(run_id, self._read(run))
        return known
