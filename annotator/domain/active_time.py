"""Counts the seconds that a person works on a record: without idle time, and without other windows. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

IDLE_LIMIT_S = 60.0
"""After so long without input nobody is at work. The published lead times of AirCopBench, which count the
nights as well, go up to 27 hours."""


class ActiveTime:
    """A clock per record, of which that of the displayed record runs while there is input.

    Time after an input counts up to the idle limit; time before ``resume`` and after ``pause`` never counts.

    Attributes:
        idle_limit_s: Seconds without input after which the clock stands still.
    """

    def __init__(self, clock: Callable[[], float], *, idle_limit_s: float = IDLE_LIMIT_S) -> None:
        """Begin without a record, paused.

        Args:
            clock: Returns seconds that never go back.
            idle_limit_s: Seconds without input after which the clock stands still.
        """
        self.idle_limit_s = idle_limit_s
        self._clock = clock
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._record, self._is_running = "", False
        self._counted_at = self._input_at = 0.0

    def show(self, record: str) -> None:
        """Let the clock of another record run, "" for none; to show a record is an input."""
        if record != self._record:
            self._count()
            self._record = record
            self._restart()

    def note_input(self) -> None:
        """Count the time up to an input of the person."""
        self._count()
        self._input_at = self._counted_at = self._clock()

    def pause(self) -> None:
        """Stop all clocks, because the window is not active."""
        self._count()
        self._is_running = False

    def resume(self) -> None:
        """Let the clock of the displayed record run again, because the window is active."""
        if not self._is_running:
            self._is_running = True
            self._restart()

    def pending_s(self, record: str) -> float:
        """Return the seconds of a record that were not taken yet."""
        self._count()
        return self._seconds.get(record, 0.0)

    def take(self, record: str) -> float:
        """Return the seconds of a record that were not taken yet, and begin at 0 again."""
        self._count()
        return self._seconds.pop(record, 0.0)

    def give_back(self, record: str, seconds: float) -> None:
        """Add seconds that were taken and could not be saved."""
        self._seconds[record] += seconds

    def _restart(self) -> None:
        self._counted_at = self._input_at = self._clock()

    def _count(self) -> None:
        now = self._clock()
        if self._is_running and self._record:
            end = min(now, self._input_at + self.idle_limit_s)
            self._seconds[self._record] += max(0.0, end - self._counted_at)
        self._counted_at = now
