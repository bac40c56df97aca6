"""Counts failures in a row, to stop a run whose server is gone, silent, or another one."""

from __future__ import annotations

from dataclasses import dataclass

from annotator.domain.profile import ModelProfile
from annotator.model_api import CallFailed

CALLS_IN_FLIGHT = 2
"""A run stops after so many equal failures for each call that may be in flight."""
LEAST = 4
"""Of one call at a time: two items in a row can be too long for a model."""
MIXED = 4
"""A run stops after so many times as many failures of several kinds, as servers behind a balancer have."""
UNCOUNTED = frozenset({"rate", "key", "material", "cluster"})
"""Failures that say that the server is there, that stop a run at once, that are the item's, or of a lost
scheduler, without which the worker ends."""


@dataclass
class _Streak:
    """Failures in a row: of the same kind as the last one, and of any kind."""

    alike: tuple[str, int]
    count: int = 0
    total: int = 0


class FailureStreaks:
    """The failures in a row of each model of each run, without one success between them."""

    def __init__(self) -> None:
        self._streaks: dict[tuple[str, str], _Streak] = {}

    def note(self, run: str, error: CallFailed | None, *, profile: ModelProfile) -> str:
        """Note how a call ended, and return why its run stops, "" where it goes on.

        Args:
            run: Id of the run.
            error: The failure, None for an answer.
            profile: The model.
        """
        location = (run, profile.name)
        if error is None:
            self._streaks.pop(location, None)
            return ""
        if error.kind in UNCOUNTED:
            return ""
        alike = (error.kind, error.status)
        streak = self._streaks.setdefault(location, _Streak(alike))
        if streak.alike != alike:
            streak.alike, streak.count = alike, 0
        streak.count += 1
        streak.total += 1
        most = max(LEAST, CALLS_IN_FLIGHT * profile.in_flight)
        if streak.count < most and streak.total < MIXED * most:
            return ""
        # After a resume the count begins anew.
        del self._streaks[location]
        if streak.count < most:
            return f"{streak.total} calls in a row failed in several ways. {error.message}"
        return stop_message(streak.count, error)


def stop_message(count: int, error: CallFailed) -> str:
    """Return why a run stops whose calls fail alike."""
    return f"{count} calls in a row failed in the same way. {error.message}"
