"""The sign in the corner of a low strip: which of the lanes is shown, and that there are more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF

from widgets.timeline.lane_painter import NAME_PX, RULER_PX

if TYPE_CHECKING:
    from widgets.timeline.timeline_view import TimelineView


class LaneHeader:
    """Leads from lane to lane where there is room for one alone.

    Args:
        strip: The strip.
    """

    def __init__(self, strip: TimelineView) -> None:
        self._strip = strip

    @property
    def place(self) -> int | None:
        """Place among all lanes of the only one that is shown, None where all are."""
        strip, front = self._strip, self._strip.front
        if not strip.only_front or front is None or len(strip.lanes) < 2:
            return None
        return strip.lanes.index(front)

    def has(self, at: QPointF) -> bool:
        """Tell whether the sign is there, and a point of the strip lies on it."""
        return self.place is not None and at.x() < NAME_PX and at.y() < RULER_PX

    def step(self, step: int) -> None:
        """Go to the next lane, or the one before; one that is not in sight comes forward with its view."""
        strip, place = self._strip, self.place
        if place is None:
            strip.chosen = min(max(0, strip.chosen + step), max(0, len(strip.lanes) - 1))
            strip.update()
        else:
            strip.lane_asked.emit(strip.film_of(strip.lanes[(place + step) % len(strip.lanes)]))
