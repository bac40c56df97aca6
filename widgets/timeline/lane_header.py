"""The lane switch of a low timeline: displays which lane is shown, and steps through the lanes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF

from widgets.timeline.lane_painter import NAME_PX, RULER_PX

if TYPE_CHECKING:
    from widgets.timeline.timeline_view import TimelineView


class LaneHeader:
    """Steps from lane to lane when there is room for only one.

    Args:
        strip: The timeline view.
    """

    def __init__(self, strip: TimelineView) -> None:
        self._strip = strip

    @property
    def place(self) -> int | None:
        """Index of the only displayed lane among all lanes, or None if all are displayed."""
        strip, front = self._strip, self._strip.front
        if not strip.only_front or front is None or len(strip.lanes) < 2:
            return None
        return strip.lanes.index(front)

    def has(self, at: QPointF) -> bool:
        """Return whether the switch is displayed and contains a point."""
        return self.place is not None and at.x() < NAME_PX and at.y() < RULER_PX

    def step(self, step: int) -> None:
        """Go to the next or previous lane; the view of a lane that has no room becomes the front one."""
        strip, place = self._strip, self.place
        if place is None:
            strip.chosen = min(max(0, strip.chosen + step), max(0, len(strip.lanes) - 1))
            strip.update()
        else:
            strip.lane_asked.emit(strip.film_of(strip.lanes[(place + step) % len(strip.lanes)]))
