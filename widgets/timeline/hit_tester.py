"""Hit testing on the timeline, and the effect of a click."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QPointF

from widgets.stage.segments import SceneSegment
from widgets.timeline.lane_painter import NAME_PX, LaneGeometry, flag_rects
from widgets.timeline.lanes import LaneFlag, segment_text
from widgets.translation import tr, trn

if TYPE_CHECKING:
    from widgets.timeline.timeline_view import TimelineView

KEY_FRAME_REACH_PX = 4
REACH_PX = 6
"""Hit distance around a mark."""
FLAG_REACH_PX = 3


def is_name(at: QPointF) -> bool:
    """Return whether a point lies in the name column, which shifts lanes when dragged."""
    return at.x() < NAME_PX


class HitTester:
    """Finds the object at a point of the timeline view.

    Args:
        timeline_view: The timeline view.
    """

    def __init__(self, timeline_view: TimelineView) -> None:
        self._timeline_view = timeline_view

    def lane_at(self, at: QPointF) -> LaneGeometry | None:
        """Return the lane at a point, or None."""
        return next(
            (one for one in self._timeline_view.lane_geometries() if one.top <= at.y() < one.bottom), None
        )

    def mark(self, at: QPointF) -> Literal["in", "out"] | None:
        """Return the in or out mark at a point, or None; marks are dragged in the ruler."""
        if self.lane_at(at) is not None:
            return None
        player = self._timeline_view.player
        reach_in, reach_out = self._distance_to(at, player.in_s), self._distance_to(at, player.out_s)
        if min(reach_in, reach_out) > REACH_PX:
            return None
        return "in" if reach_in <= reach_out else "out"

    def flags(self, at: QPointF) -> list[LaneFlag]:
        """Return the flags at a point; beside a lane's name, all flags on the whole video."""
        geometry = self.lane_at(at)
        if geometry is None:
            return []
        # Flag symbols are small targets.
        room = (-FLAG_REACH_PX, -FLAG_REACH_PX, FLAG_REACH_PX, FLAG_REACH_PX)
        found = [
            one
            for one, rect in flag_rects(geometry, self._timeline_view.scale)
            if rect.adjusted(*room).contains(at)
        ]
        # They share one symbol, so all of them are reported.
        if any(one.number is None for one in found):
            return [one for one in geometry.lane.flags if one.number is None]
        return found

    def segment(self, at: QPointF) -> SceneSegment | None:
        """Return the segment whose band is at a point, or None."""
        geometry = self.lane_at(at)
        if geometry is None or is_name(at):
            return None
        # Segments are stored in the time of the video, not of the clock.
        time_s = self._timeline_view.scale.time_at(at.x() - NAME_PX) - geometry.lane.offset_s
        for segment in geometry.lane.segments:
            top, height = geometry.band(segment)
            if segment.first_s <= time_s < segment.last_s and top <= at.y() < top + height:
                return segment
        return None

    def key_frame(self, at: QPointF) -> float | None:
        """Return the time of the flight's key frame at a point, seconds since the first frame, or None.

        Key frames lie where segments meet. Only the lower bands are handles: tasks are selected above them.
        """
        geometry = self.lane_at(at)
        if geometry is None or is_name(at) or not self._timeline_view.can_move_key_frames:
            return None
        between = [one for one in geometry.lane.segments if not one.name][1:]
        apart = {one.first_s: self._distance_to(at, geometry.lane.offset_s + one.first_s) for one in between}
        nearest = min(apart, key=apart.__getitem__, default=None)
        if nearest is None or apart[nearest] > KEY_FRAME_REACH_PX:
            return None
        top, height = geometry.band(between[0])
        return nearest if top <= at.y() < top + height else None

    def mark_segment(self, at: QPointF) -> bool:
        """Set in and out marks to the segment at a point; return whether there is one."""
        geometry, segment = self.lane_at(at), self.segment(at)
        if geometry is None or segment is None:
            return False
        offset_s = geometry.lane.offset_s
        self._timeline_view.player.set_marks(offset_s + segment.first_s, out_s=offset_s + segment.last_s)
        return True

    def click(self, at: QPointF) -> bool:
        """Execute the effect of a click at a point; return whether there is one."""
        geometry = self.lane_at(at)
        number = next((one.number for one in self.flags(at) if one.number is not None), None)
        if geometry is not None and number is not None:
            self._timeline_view.player.seek(
                geometry.lane.offset_s + float(geometry.lane.video.times_s[number])
            )
            return True
        return self.mark_segment(at)

    def tool_tip(self, at: QPointF) -> str:
        """Return the tool tip for a point, or ""."""
        if self._timeline_view.sign.has(at):
            return tr("Only one lane fits here. Press Up or Down to show the others.")
        geometry, flags, segment = self.lane_at(at), self.flags(at), self.segment(at)
        if flags:
            return "\n".join(one.text for one in flags)
        if self.key_frame(at) is not None:
            return tr("Key frame of the flight: drag to move it, click to show it")
        if segment is not None:
            return tr("{name}: click to select, double-click to loop", name=segment_text(segment))
        if geometry is None:
            return self._mark_text(at)
        if is_name(at):
            return tr("Drag to change the time offset of this view, or double-click to enter it")
        return self._frame_text(geometry, at)

    def _mark_text(self, at: QPointF) -> str:
        which = None if is_name(at) else self.mark(at)
        if which is None:
            return ""
        if which == "in":
            return tr("Drag to move the in point, or double-click to enter it")
        return tr("Drag to move the out point, or double-click to enter it")

    def _frame_text(self, geometry: LaneGeometry, at: QPointF) -> str:
        lane = geometry.lane
        number = lane.number_at(self._timeline_view.time_at(at.x()))
        found = (lane.marked == number).nonzero()[0]
        marks = trn("{n} annotation", "{n} annotations", n=int(lane.counts[found[0]])) if len(found) else ""
        return "  ·  ".join(filter(None, (tr("frame {n}", n=f"{number:,}"), marks)))

    def _distance_to(self, at: QPointF, time_s: float | None) -> float:
        """Return the horizontal distance of a point from a time, pixels; infinity without a time."""
        if time_s is None:
            return float("inf")
        return abs(NAME_PX + self._timeline_view.scale.x_of(time_s) - at.x())
