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
        timeline_view: The timeline view.
    """

    def __init__(self, timeline_view: TimelineView) -> None:
        self._timeline_view = timeline_view

    @property
    def lane_index(self) -> int | None:
        """Index of the only displayed lane among all lanes, or None if all are displayed."""
        timeline_view, front = self._timeline_view, self._timeline_view.front
        if not timeline_view.only_front or front is None or len(timeline_view.lanes) < 2:
            return None
        return timeline_view.lanes.index(front)

    def has(self, at: QPointF) -> bool:
        """Return whether the switch is displayed and contains a point."""
        return self.lane_index is not None and at.x() < NAME_PX and at.y() < RULER_PX

    def step(self, step: int) -> None:
        """Go to the next or previous lane; the view of a lane that has no room becomes the front one."""
        timeline_view, index = self._timeline_view, self.lane_index
        if index is None:
            timeline_view.chosen = min(
                max(0, timeline_view.chosen + step), max(0, len(timeline_view.lanes) - 1)
            )
            timeline_view.update()
        else:
            timeline_view.lane_requested.emit(
                timeline_view.video_of(timeline_view.lanes[(index + step) % len(timeline_view.lanes)])
            )
