"""Progress, rate and cancel of long work, the same for the window and the command line."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from annotator.command_summary import CommandSummary
from annotator.errors import Cancelled

REPORT_EVERY_S = 0.1


@dataclass(frozen=True)
class ProgressUpdate:
    """State of one piece of long work at one moment.

    Attributes:
        what: The phase, for instance "Reading Real2_Sample.json"; that of a command is its summary.
        done: Units finished in this phase.
        total: Units of this phase, or None where it is not known.
        elapsed_s: Seconds since the phase began.
        is_left_reported: Whether who does the work says how long the rest takes, since its pace does not
            tell.
        reported_left_s: What it says, None where it cannot.
    """

    what: str | CommandSummary
    done: int
    total: int | None
    elapsed_s: float
    is_left_reported: bool = False
    reported_left_s: float | None = None

    @property
    def rate(self) -> float:
        """Units per second so far, 0.0 before the first unit."""
        return self.done / self.elapsed_s if self.elapsed_s > 0 else 0.0

    @property
    def left_s(self) -> float | None:
        """Seconds that the rest will take, at this rate unless told; None where it cannot be said."""
        if self.is_left_reported:
            return self.reported_left_s
        if self.total is None or not self.rate:
            return None
        return max(0, self.total - self.done) / self.rate


class Progress:
    """A counter that long work advances and a token that its user can cancel.

    ``cancel`` may be called from any thread; the work notices at its next ``step``.
    """

    def __init__(self, report: Callable[[ProgressUpdate], None] | None = None) -> None:
        self._report = report
        self._cancelled = threading.Event()
        self._what, self._done, self._total = "", 0, None
        self._is_left_told, self._left_s = False, None
        self._began = self._reported_at = time.monotonic()

    _what: str | CommandSummary
    _total: int | None
    _left_s: float | None

    def begin(self, what: str | CommandSummary, *, total: int | None = None) -> None:
        """Start a phase and tell it at once."""
        self._what, self._done, self._total = what, 0, total
        self._is_left_told, self._left_s = False, None
        self._began = time.monotonic()
        self._notify()
        self.raise_if_cancelled()

    def step(self, n: int = 1) -> None:
        """Count n more units.

        Raises:
            Cancelled: The user asked to stop.
        """
        self._done += n
        if self._cancelled.is_set():
            raise Cancelled
        if self._report is not None and time.monotonic() - self._reported_at >= REPORT_EVERY_S:
            self._notify()

    def set_time_left(self, left_s: float | None) -> None:
        """Say how long the rest of the phase takes, where several work on it and each at a pace of its own.

        Args:
            left_s: Seconds, None where it cannot be said; told with the next step.
        """
        self._is_left_told, self._left_s = True, left_s

    def end(self) -> None:
        """Tell the last count of the phase, which the throttle may have held back."""
        self._notify()

    def cancel(self) -> None:
        """Ask the work to stop at its next step."""
        self._cancelled.set()

    def wait(self, seconds: float) -> None:
        """Wait, and stop as soon as the user asks for it.

        Raises:
            Cancelled: The user asked to stop.
        """
        self._cancelled.wait(seconds)
        self.raise_if_cancelled()

    @property
    def is_cancelled(self) -> bool:
        """Whether the work was asked to stop."""
        return self._cancelled.is_set()

    def raise_if_cancelled(self) -> None:
        """Stop here where the user asked for it.

        Raises:
            Cancelled: The user asked to stop.
        """
        if self._cancelled.is_set():
            raise Cancelled

    def _notify(self) -> None:
        self._reported_at = time.monotonic()
        if self._report is not None:
            elapsed_s = self._reported_at - self._began
            self._report(
                ProgressUpdate(
                    self._what, self._done, self._total, elapsed_s, self._is_left_told, self._left_s
                )
            )
