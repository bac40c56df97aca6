"""Mouse gestures of the timeline: scrub, drag a mark, move a key frame of a flight, shift a view, pan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QPointF, Qt

from widgets.stage.video_playback import VideoPlayback
from widgets.timeline.hit_tester import is_name

if TYPE_CHECKING:
    from widgets.timeline.lanes import TimelineLane
    from widgets.timeline.timeline_view import TimelineView

CLICK_PX = 3
"""A press that moves at most this far is a click."""


class Gesture:
    """Base class of gestures; it does nothing.

    Args:
        timeline_view: The timeline view under the pointer.
        at: Position of the press, device-independent pixels of the timeline view.
    """

    def __init__(self, timeline_view: TimelineView, *, at: QPointF) -> None:
        self.timeline_view, self.begin = timeline_view, at
        self.has_moved = False

    def move(self, x: float) -> None:
        """Handle a pointer move."""
        self.has_moved = self.has_moved or abs(x - self.begin.x()) > CLICK_PX

    def release(self, x: float) -> None:
        """Commit the gesture."""

    def give_up(self) -> None:
        """Undo the gesture."""


class Scrub(Gesture):
    """Shows the nearest key frames while the pointer moves, and the exact frame on release."""

    def __init__(self, timeline_view: TimelineView, *, at: QPointF) -> None:
        super().__init__(timeline_view, at=at)
        self._before_s = timeline_view.player.time_s
        timeline_view.player.scrub(timeline_view.time_at(at.x()))

    def move(self, x: float) -> None:
        """Continue scrubbing; the view scrolls by a page when the pointer leaves it."""
        super().move(x)
        time_s = self.timeline_view.time_at(x)
        self.timeline_view.player.scrub(time_s)
        self.timeline_view.follow(time_s)

    def release(self, x: float) -> None:
        """Show the exact frame; a click on a flag or a segment activates it instead."""
        # A drag that ends on a flag must not activate it.
        if self.has_moved or not self.timeline_view.hits.click(self.begin):
            self.timeline_view.player.seek(self.timeline_view.time_at(x))

    def give_up(self) -> None:
        """Return to the initial time."""
        self.timeline_view.player.seek(self._before_s)


class MarkDrag(Gesture):
    """Moves the in or out mark by whole frames of the front view; it stops at the other mark."""

    def __init__(self, timeline_view: TimelineView, *, at: QPointF, which: Literal["in", "out"]) -> None:
        super().__init__(timeline_view, at=at)
        self._which = which
        self._before = timeline_view.player.in_s, timeline_view.player.out_s

    def move(self, x: float) -> None:
        """Set the mark at the pointer."""
        super().move(x)
        player = self.timeline_view.player
        time_s = self.timeline_view.frame_time_at(x)
        if self._which == "in" and (player.out_s is None or time_s < player.out_s):
            player.set_marks(time_s, out_s=player.out_s)
        elif self._which == "out" and (player.in_s is None or time_s > player.in_s):
            player.set_marks(player.in_s, out_s=time_s)

    def give_up(self) -> None:
        """Restore the mark."""
        self.timeline_view.player.set_marks(self._before[0], out_s=self._before[1])


class KeyFrameDrag(Gesture):
    """Moves a key frame of a flight; the video shows the frame at the pointer. A click shows its frame."""

    def __init__(
        self, timeline_view: TimelineView, *, at: QPointF, lane: TimelineLane, time_s: float
    ) -> None:
        super().__init__(timeline_view, at=at)
        self._lane, self._time_s, self._before_s = lane, time_s, timeline_view.player.time_s

    def move(self, x: float) -> None:
        """Show the frame at the pointer."""
        super().move(x)
        if self.has_moved:
            self.timeline_view.player.scrub(self.timeline_view.time_at(x))

    def release(self, x: float) -> None:
        """Report the move, or show the frame of the key frame."""
        lane, view = self._lane, self.timeline_view
        if not self.has_moved:
            view.player.seek(lane.offset_s + self._time_s)
            return
        to_s = float(lane.video.times_s[lane.number_at(view.time_at(x))])
        view.player.seek(lane.offset_s + to_s)
        view.key_frame_moved.emit(lane.view, self._time_s, to_s)

    def give_up(self) -> None:
        """Return to the initial time."""
        self.timeline_view.player.seek(self._before_s)


class LaneShift(Gesture):
    """Shifts a video on the clock, immediately on the stage; one command is sent at the end."""

    def __init__(self, timeline_view: TimelineView, *, at: QPointF, video: VideoPlayback) -> None:
        super().__init__(timeline_view, at=at)
        self._video, self._before_s = video, video.offset_s

    def move(self, x: float) -> None:
        """Shift the video by the pointer's distance."""
        super().move(x)
        if self.has_moved:
            self.timeline_view.player.place(self._video, offset_s=self._offset_s(x))

    def release(self, x: float) -> None:
        """Send the new offset."""
        if self.has_moved:
            self.timeline_view.player.shift(self._video, self._offset_s(x))

    def give_up(self) -> None:
        """Restore the offset."""
        self.timeline_view.player.place(self._video, offset_s=self._before_s)

    def _offset_s(self, x: float) -> float:
        # Milliseconds are displayed and typed, and are finer than any frame.
        return round(self._before_s + (x - self.begin.x()) / self.timeline_view.scale.px_per_s, 3)


class Pan(Gesture):
    """Pans the visible time range."""

    def __init__(self, timeline_view: TimelineView, *, at: QPointF) -> None:
        super().__init__(timeline_view, at=at)
        self._before = timeline_view.scale

    def move(self, x: float) -> None:
        """Keep the time of the press under the pointer."""
        super().move(x)
        self.timeline_view.show_scale(self._before.panned(x - self.begin.x()))

    def give_up(self) -> None:
        """Restore the visible time range."""
        self.timeline_view.show_scale(self._before)


def gesture_at(timeline_view: TimelineView, at: QPointF, *, keys: Qt.KeyboardModifier) -> Gesture | None:
    """Return the gesture that a press of the left button begins, or None.

    Args:
        timeline_view: The timeline view.
        at: Position of the press, device-independent pixels.
        keys: Pressed modifier keys; Alt shifts a lane anywhere, as dragging its name does.
    """
    geometry = timeline_view.hits.lane_at(at)
    if geometry is not None:
        timeline_view.choose(geometry.lane)
        if is_name(at) or keys & Qt.KeyboardModifier.AltModifier:
            return LaneShift(timeline_view, at=at, video=timeline_view.video_of(geometry.lane))
    if is_name(at):
        return None
    key_frame_s = timeline_view.hits.key_frame(at)
    if geometry is not None and key_frame_s is not None:
        return KeyFrameDrag(timeline_view, at=at, lane=geometry.lane, time_s=key_frame_s)
    which = timeline_view.hits.mark(at)
    return MarkDrag(timeline_view, at=at, which=which) if which is not None else Scrub(timeline_view, at=at)
