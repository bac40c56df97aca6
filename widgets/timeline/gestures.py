"""What the mouse does on the timeline while a button is down: scrub, drag a mark, shift a view, pan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QPointF, Qt

from widgets.stage.video_playback import VideoPlayback
from widgets.timeline.hit_tester import is_name

if TYPE_CHECKING:
    from widgets.timeline.timeline_view import TimelineView

CLICK_PX = 3
"""A press that moves no further than this was a click."""


class Gesture:
    """One gesture; this one does nothing.

    Args:
        strip: The strip under the pointer.
        at: Where the button went down, pixels of the strip.
    """

    def __init__(self, strip: TimelineView, *, at: QPointF) -> None:
        self.strip, self.begin = strip, at
        self.has_moved = False

    def move(self, x: float) -> None:
        """Follow the pointer."""
        self.has_moved = self.has_moved or abs(x - self.begin.x()) > CLICK_PX

    def release(self, x: float) -> None:
        """Keep what was done."""

    def give_up(self) -> None:
        """Take back what was done."""


class Scrub(Gesture):
    """Shows the nearest key frames while the pointer moves, and the exact frame when the button is let go."""

    def __init__(self, strip: TimelineView, *, at: QPointF) -> None:
        super().__init__(strip, at=at)
        self._before_s = strip.player.time_s
        strip.player.scrub(strip.time_at(at.x()))

    def move(self, x: float) -> None:
        """Scrub on; the strip turns its page where the pointer leaves it."""
        super().move(x)
        time_s = self.strip.time_at(x)
        self.strip.player.scrub(time_s)
        self.strip.follow(time_s)

    def release(self, x: float) -> None:
        """Show the exact frame; a click on a flag or a segment means that."""
        if self.has_moved or not self.strip.hits.click(self.begin):
            self.strip.player.seek(self.strip.time_at(x))

    def give_up(self) -> None:
        """Go back to where it began."""
        self.strip.player.seek(self._before_s)


class MarkDrag(Gesture):
    """Moves the in or the out mark, from frame to frame of the view in front; never past the other one."""

    def __init__(self, strip: TimelineView, *, at: QPointF, which: Literal["in", "out"]) -> None:
        super().__init__(strip, at=at)
        self._which = which
        self._before = strip.player.in_s, strip.player.out_s

    def move(self, x: float) -> None:
        """Set the mark at the pointer."""
        super().move(x)
        player = self.strip.player
        time_s = self.strip.frame_time_at(x)
        if self._which == "in" and (player.out_s is None or time_s < player.out_s):
            player.set_marks(time_s, out_s=player.out_s)
        elif self._which == "out" and (player.in_s is None or time_s > player.in_s):
            player.set_marks(player.in_s, out_s=time_s)

    def give_up(self) -> None:
        """Put the mark back."""
        self.strip.player.set_marks(self._before[0], out_s=self._before[1])


class LaneShift(Gesture):
    """Lets a film begin earlier or later on the clock, at once on the stage; one command at the end."""

    def __init__(self, strip: TimelineView, *, at: QPointF, film: VideoPlayback) -> None:
        super().__init__(strip, at=at)
        self._film, self._before_s = film, film.offset_s

    def move(self, x: float) -> None:
        """Shift the film by as much as the pointer moved."""
        super().move(x)
        if self.has_moved:
            self.strip.player.place(self._film, offset_s=self._offset_s(x))

    def release(self, x: float) -> None:
        """Keep the offset."""
        if self.has_moved:
            self.strip.player.shift(self._film, self._offset_s(x))

    def give_up(self) -> None:
        """Put the film back."""
        self.strip.player.place(self._film, offset_s=self._before_s)

    def _offset_s(self, x: float) -> float:
        # Milliseconds: what is shown and typed, and finer than any frame.
        return round(self._before_s + (x - self.begin.x()) / self.strip.scale.px_per_s, 3)


class Pan(Gesture):
    """Moves what is in sight."""

    def __init__(self, strip: TimelineView, *, at: QPointF) -> None:
        super().__init__(strip, at=at)
        self._before = strip.scale

    def move(self, x: float) -> None:
        """Let the moment under the pointer follow it."""
        super().move(x)
        self.strip.show_scale(self._before.panned(x - self.begin.x()))

    def give_up(self) -> None:
        """Look at what was in sight before."""
        self.strip.show_scale(self._before)


def gesture_at(strip: TimelineView, at: QPointF, *, keys: Qt.KeyboardModifier) -> Gesture | None:
    """Return the gesture that the left button begins at a place, None for none.

    Args:
        strip: The strip.
        at: Pixels of the strip.
        keys: Keys that are held: with Alt a lane is shifted as by its name.
    """
    place = strip.hits.place(at)
    if place is not None:
        strip.choose(place.lane)
        if is_name(at) or keys & Qt.KeyboardModifier.AltModifier:
            return LaneShift(strip, at=at, film=strip.film_of(place.lane))
    if is_name(at):
        return None
    which = strip.hits.mark(at)
    return MarkDrag(strip, at=at, which=which) if which is not None else Scrub(strip, at=at)
