"""How far runs are, told by the project: what other workers answered counts as well."""

from __future__ import annotations

import time
from collections.abc import Sequence

from annotator.progress import Progress
from annotator.store.reader import Reader

LOOK_EVERY_S = 0.5


class Tally:
    """Advances a bar by the jobs of some runs that ended.

    Args:
        reader: Of the calling thread.
        runs: Ids of the runs.
        progress: Begun by this.
    """

    def __init__(self, reader: Reader, *, runs: Sequence[str], progress: Progress) -> None:
        self._reader, self._runs, self._progress = reader, runs, progress
        self._left = self._open()
        self._looked_at = time.monotonic()
        progress.begin("Asking", total=self._left or None)

    def look(self) -> None:
        """Advance the bar, where that was not done a moment ago.

        Raises:
            Cancelled: The user asked to stop.
        """
        if time.monotonic() - self._looked_at >= LOOK_EVERY_S:
            self._advance()

    def end(self) -> None:
        """Advance the bar to where it ends."""
        self._advance()
        self._progress.end()

    def _advance(self) -> None:
        before, self._left = self._left, self._open()
        # More than before: a person let what had failed wait again.
        self._progress.step(max(0, before - self._left))
        self._looked_at = time.monotonic()

    def _open(self) -> int:
        standings = map(self._reader.run_progress, self._runs)
        return sum(standing.waiting + standing.in_flight for standing in standings)
