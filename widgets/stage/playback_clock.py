"""A common clock for all videos of a stage, with playback speed, in and out marks and loop."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QObject, Qt, QTimer, Signal

from annotator.media.video.clock import SPEEDS, PlaybackClock, TimeRange, faster, span_of
from widgets.stage.video_playback import VideoPlayback

TICK_MS = 8
"""Timer interval at half the period of a 60 Hz screen.

At the full period, a frame that begins just after a tick would miss its screen refresh.
"""
WATCH_MS = 200
"""Interval at which the decoded ranges are updated while decoding."""


class PlaybackController(QObject):
    """Drives all videos of a stage with one clock and one timer.

    Signals:
        moved: A view has painted another frame, or the clock time has changed.
        changed: Videos, speed, playing state, loop, marks, offsets or the decoded ranges have changed.

    Attributes:
        videos: The videos, in order of their views.
        in_s: Clock time of the in mark, seconds; None if it is not set.
        out_s: Clock time of the out mark, seconds; None if it is not set.
        is_looping: Whether the marked segment, or the whole span, is repeated.
    """

    moved = Signal()
    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.videos: tuple[VideoPlayback, ...] = ()
        self.in_s: float | None = None
        self.out_s: float | None = None
        self.is_looping = False
        self._clock = PlaybackClock(TimeRange(first_s=0.0, last_s=0.0))
        self._speed = 1.0
        self._has_begun = False
        self._ready: list[list[tuple[int, int]]] = []
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(TICK_MS)
        self._timer.timeout.connect(self._on_timer_timeout)
        self._watch = QTimer(self)
        self._watch.setInterval(WATCH_MS)
        self._watch.timeout.connect(self._on_watch_timeout)

    @property
    def has_videos(self) -> bool:
        """Whether any video is open."""
        return any(video.video is not None for video in self.videos)

    @property
    def is_playing(self) -> bool:
        """Whether playback is running."""
        return self._timer.isActive()

    @property
    def speed(self) -> float:
        """Playback speed, negative for reverse; while paused, the speed used by the next playback."""
        return self._speed

    @property
    def time_s(self) -> float:
        """Clock time, seconds; a video without an offset begins at 0."""
        return self._clock.time_s()

    @property
    def span(self) -> TimeRange:
        """Span of the clock: from the earliest first frame to the end of the latest last one."""
        return self._clock.span

    @property
    def loop(self) -> TimeRange | None:
        """Repeated time range, or None."""
        if not self.is_looping:
            return None
        first_s = self.span.first_s if self.in_s is None else self.in_s
        last_s = self.span.last_s if self.out_s is None else self.out_s
        return TimeRange(first_s=first_s, last_s=last_s)

    def show_videos(self, videos: Sequence[VideoPlayback]) -> None:
        """Replace the videos, and go to their beginning."""
        self.pause()
        self._watch.stop()
        for video in self.videos:
            # A late signal of a replaced video would change the span of the new ones.
            video.opened.disconnect(self._on_video_opened)
        self.videos = tuple(videos)
        self.in_s = self.out_s = None
        self.is_looping = self._has_begun = False
        self._clock = PlaybackClock(TimeRange(first_s=0.0, last_s=0.0))
        for video in self.videos:
            video.opened.connect(self._on_video_opened)
        self._emit_change()

    def play_or_pause(self) -> None:
        """Toggle playback at the last speed."""
        if self.is_playing:
            self.pause()
        else:
            self._play(self._speed)

    def play_faster(self, step: str) -> None:
        """Play forward ("1") or in reverse ("-1"); if already playing in that direction, play faster."""
        self._play(faster(self._speed if self.is_playing else 0.0, is_forward=int(step) > 0))

    def slower(self) -> None:
        """Play at the next slower speed in the same direction."""
        # The tolerance absorbs rounding of the speed.
        at = next((index for index, speed in enumerate(SPEEDS) if speed >= abs(self._speed) - 1e-9), 0)
        # SPEEDS has no signs: copysign keeps the direction.
        self._speed = float(np.copysign(SPEEDS[max(0, at - 1)], self._speed))
        if self.is_playing:
            self._play(self._speed)
        else:
            self._emit_change()

    def pause(self) -> None:
        """Pause; every view shows the frame at the current time."""
        if self.is_playing:
            self._clock.pause()
            self._wait()

    def mark_in(self) -> None:
        """Set the in mark at the current time; an earlier out mark is removed."""
        here = self.time_s
        self.set_marks(here, out_s=None if self.out_s is not None and self.out_s <= here else self.out_s)

    def mark_out(self) -> None:
        """Set the out mark at the current time; a later in mark is removed."""
        here = self.time_s
        self.set_marks(None if self.in_s is not None and self.in_s >= here else self.in_s, out_s=here)

    def set_marks(self, in_s: float | None, *, out_s: float | None) -> None:
        """Set in and out mark, clock time in seconds; None removes a mark."""
        self.in_s, self.out_s = in_s, out_s
        self._take_loop()

    def clear_marks(self) -> None:
        """Remove in and out mark."""
        self.set_marks(None, out_s=None)

    def toggle_loop(self) -> None:
        """Toggle the loop over the marked segment, or over the whole span if there are no marks."""
        self.is_looping = not self.is_looping
        self._take_loop()

    def place(self, video: VideoPlayback, *, offset_s: float) -> None:
        """Set the offset of a video on the clock."""
        video.offset_s = offset_s
        self._take_span()
        self._take_loop()
        self._show()

    def note_painted(self) -> None:
        """Emit ``moved``, because a view has painted another frame."""
        self.moved.emit()

    def _play(self, speed: float) -> None:
        if self.has_videos:
            self._speed, self._has_begun = speed, True
            self._clock.play(speed)
            self._timer.start()
            self._take_loop()
            self._show()

    def _wait(self) -> None:
        self._timer.stop()
        for video in self.videos:
            video.pause()
        self._show()
        self._emit_change()

    def _go(self, time_s: float, *, is_preview: bool) -> None:
        self._has_begun = True
        self._clock.seek(time_s)
        self._show(is_preview=is_preview)
        self.moved.emit()

    def _show(self, *, is_preview: bool = False) -> None:
        # Read the time once: read for each video, it would advance in between, and views would not be
        # synchronous.
        time_s = self.time_s
        for video in self.videos:
            # A view hidden behind an enlarged one would consume decoding time; it is updated while paused.
            if not (video.is_aside and self.is_playing):
                video.show_time(time_s, is_preview=is_preview)
        # Showing a frame can start decoding; the watch timer stops itself when all decoders are idle.
        if not self._watch.isActive() and self.has_videos:
            self._watch.start()

    def _take_span(self) -> None:
        videos = [video for video in self.videos if video.video is not None]
        if videos:
            span = span_of([(video.offset_s, video.last_s - video.offset_s) for video in videos])
            self._clock.set_span(span)
            # Videos are opened one after another, and a later one can begin earlier: the clock stays at the
            # beginning until the user has moved it.
            if not self._has_begun:
                self._clock.seek(span.first_s)

    def _take_loop(self) -> None:
        loop = self.loop
        self._clock.set_loop(loop)
        for video in self.videos if self.is_playing else ():
            ends = None if loop is None else (video.number_at(loop.first_s), video.number_at(loop.last_s))
            video.play(self._speed, loop=ends)
        self._emit_change()

    def _emit_change(self) -> None:
        # Kept for comparison, so that the watch timer emits only when the decoded ranges differ.
        self._ready = [video.buffered() for video in self.videos]
        self.changed.emit()

    def _on_video_opened(self) -> None:
        self._take_span()
        self._take_loop()
        self._show()

    def _on_timer_timeout(self) -> None:
        if self._clock.is_playing:
            self._show()
            self.moved.emit()
        else:
            # Playback has reached an end of the span, where the clock stops by itself.
            self._wait()

    def _on_watch_timeout(self) -> None:
        if not any(video.is_busy() for video in self.videos):
            self._watch.stop()
        if [video.buffered() for video in self.videos] != self._ready:
            self._emit_change()
