"""The progress of runs, read from the project, including the answers of other workers."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from annotator.domain.failure_titles import failure_title
from annotator.progress import Progress
from annotator.queries.reader import Reader

CHECK_EVERY_S = 0.5
"""Counting the jobs of a run takes about 20 ms for 10^5 jobs."""


class RunProgressBar:
    """Advances a bar by the jobs of some runs that were answered, and says how calls fail, each way once.

    Otherwise nothing would be printed about an unreachable server until the last attempt of the first job has
    failed.

    Args:
        reader: Of the calling thread.
        runs: Ids of the runs.
        progress: Begun by this.
        tell: Receives the message of the first call that fails in each way.
    """

    def __init__(
        self, reader: Reader, *, runs: Sequence[str], progress: Progress, report: Callable[[str], None]
    ) -> None:
        self._reader, self._runs, self._progress, self._tell = reader, runs, progress, report
        self._began_at = reader.runs.newest_attempt()
        self._failures: set[tuple[str, str]] = set()
        self._answered, left, _ = self._status()
        self._checked_at = time.monotonic()
        progress.begin("Asking", total=left or None)

    def update(self) -> None:
        """Say what fails, and advance the bar where that was not done a moment ago.

        Raises:
            Cancelled: The user asked to stop.
        """
        self._report_failures()
        if time.monotonic() - self._checked_at >= CHECK_EVERY_S:
            self._advance()

    def end(self) -> None:
        """Advance the bar to where it ends."""
        self._advance()
        self._progress.end()

    def _advance(self) -> None:
        before = self._answered
        self._answered, _, left_s = self._status()
        self._progress.set_time_left(left_s)
        # Failed and cancelled jobs are finished without an answer.
        self._progress.step(self._answered - before)
        self._checked_at = time.monotonic()

    def _status(self) -> tuple[int, int, float | None]:
        """Return how many jobs are answered and open, and in how many seconds the last run is through."""
        progresses = [self._reader.runs.progress(run) for run in self._runs]
        left = [(progress.waiting + progress.in_flight, progress.left_s) for progress in progresses]
        answered = sum(progress.done for progress in progresses)
        left_s = _longest([left_s for count, left_s in left if count])
        return answered, sum(count for count, _ in left), left_s

    def _report_failures(self) -> None:
        for run in self._runs:
            for kind, message in self._reader.runs.first_failures(run, after=self._began_at).items():
                if (run, kind) not in self._failures:
                    self._failures.add((run, kind))
                    self._tell(f"A call failed ({failure_title(kind).lower()}): {message}")


def _longest(times_s: Sequence[float | None]) -> float | None:
    """Return the longest of some times, None where there is none or one is unknown."""
    known = [time_s for time_s in times_s if time_s is not None]
    return max(known) if known and len(known) == len(times_s) else None
