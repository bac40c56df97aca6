"""The player of a stage: playback and all navigation between frames."""

from __future__ import annotations

import time

from PySide6.QtCore import QObject, Signal

from annotator.media.video.clock import TimeRange
from annotator.media.video.video import TIME_TOLERANCE_S
from widgets.stage.playback_clock import PlaybackController
from widgets.stage.video_playback import VideoPlayback

PATIENCE_S = 0.3
"""Maximum time that a step waits for the previous one to be painted."""


class Player(PlaybackController):
    """Plays, steps and scrubs the videos of a stage on one clock.

    Signals:
        shifted: The user moved a video on the clock; carries the view's name and the offset in seconds.

    Attributes:
        front: The video whose frames are counted; None for the first one.
    """

    shifted = Signal(str, float)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.front: VideoPlayback | None = None
        self._stepped_at = 0.0

    @property
    def loop(self) -> TimeRange | None:
        """Repeated time range including the frame of the out mark, or None."""
        loop = super().loop
        video = self._leader_at(loop.last_s) if loop is not None else None
        if loop is None or video is None:
            return loop
        # The out mark is the time at which its frame begins: a loop that ended there would never show the
        # frame. The end is just before the next frame, by more than the tolerance within which a time counts
        # as its beginning.
        end_s = video.end_of(video.number_at(loop.last_s)) - 2 * TIME_TOLERANCE_S
        return TimeRange(first_s=loop.first_s, last_s=max(loop.last_s, end_s))

    def step(self, frames: str) -> None:
        """Step by a signed number of frames of the front video.

        The step is ignored until the previous one is painted: a held key must not run ahead of the display.
        """
        video = self.leader()
        if video is not None and not self._is_awaited(video):
            self._step_to(video, video.number_at(self.time_s) + int(frames))

    def step_key(self, step: str) -> None:
        """Go to the next ("1") or the previous ("-1") key frame of the front video."""
        video = self.leader()
        if video is None or video.video is None or self._is_awaited(video):
            return
        keys, number = video.video.key_frames, video.number_at(self.time_s)
        found = keys[keys > number][:1] if int(step) > 0 else keys[keys < number][-1:]
        if len(found):
            self._step_to(video, int(found[0]))

    def step_to_multiple(self, step: str, *, of: int) -> None:
        """Go to the next ("1") or previous ("-1") frame whose number is a multiple of another one."""
        video = self.leader()
        if video is not None and not self._is_awaited(video):
            number = video.number_at(self.time_s)
            self._step_to(video, (number // of + 1) * of if int(step) > 0 else (number - 1) // of * of)

    def step_second(self, step: str) -> None:
        """Step by a signed number of seconds of the clock."""
        self.pause()
        self.seek(self.time_s + float(step))

    def go_end(self, which: str) -> None:
        """Go to the start ("-1") or the end ("1") of the span."""
        self.pause()
        self.seek(self.span.first_s if int(which) < 0 else self.span.last_s)

    def seek(self, time_s: float) -> None:
        """Go to a clock time; running playback continues from there."""
        self._go(time_s, is_preview=False)

    def scrub(self, time_s: float) -> None:
        """Pause, and show the nearest key frames at once, then the exact frames when they are decoded."""
        self.pause()
        self._go(time_s, is_preview=True)

    def hold(self, video: VideoPlayback) -> None:
        """Pause at the painted frame of a video, even if other frames have been requested since."""
        self._clock.pause()
        # Annotations are drawn on the frame that the user sees, not on a requested one.
        if video.painted >= 0 and video.painted != video.number_at(self.time_s):
            self._clock.seek(video.time_of(video.painted))
        if self.is_playing:
            self._wait()
        else:
            self._show()

    def shift(self, video: VideoPlayback, offset_s: float) -> None:
        """Set the offset of a video on request of the user."""
        self.place(video, offset_s=offset_s)
        self.shifted.emit(video.view, offset_s)

    def leader(self) -> VideoPlayback | None:
        """Return the video whose frames are counted: the front one, unless only another one runs now."""
        return self._leader_at(self.time_s)

    def _leader_at(self, time_s: float) -> VideoPlayback | None:
        videos = [
            video for video in (self.front, *self.videos) if video in self.videos and video.video is not None
        ]
        return next(
            (video for video in videos if video.phase_at(time_s) == "during"), videos[0] if videos else None
        )

    def _step_to(self, video: VideoPlayback, number: int) -> None:
        self.pause()
        self.seek(video.time_of(number))
        self._stepped_at = time.monotonic()

    def _is_awaited(self, video: VideoPlayback) -> bool:
        # The time limit prevents an undecodable frame from blocking all further steps.
        return video.is_late and time.monotonic() - self._stepped_at < PATIENCE_S
