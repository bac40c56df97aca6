"""The player of a stage: playing, and every way to go to another frame."""

from __future__ import annotations

import time

from PySide6.QtCore import QObject, Signal

from annotator.media.video.clock import TimeRange
from annotator.media.video.video import TIME_TOLERANCE_S
from widgets.stage.playback_clock import PlaybackController
from widgets.stage.video_playback import VideoPlayback

PATIENCE_S = 0.3
"""So long a step waits for the one before to be painted."""


class Player(PlaybackController):
    """Plays, steps and scrubs the films of a stage, all by one clock.

    Signals:
        shifted: A person moved a view's film on the clock; carries the view's name and its offset in seconds.

    Attributes:
        front: The film whose frames are counted; None for the first one.
    """

    shifted = Signal(str, float)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.front: VideoPlayback | None = None
        self._stepped_at = 0.0

    @property
    def loop(self) -> TimeRange | None:
        """What plays over and over, the frame of the out mark with the rest; None for nothing."""
        loop = super().loop
        film = self._leader_at(loop.last_s) if loop is not None else None
        if loop is None or film is None:
            return loop
        # A mark is the time at which its frame begins: ended there, the loop would never show it. A moment
        # before the next frame begins, by more than what is taken for its beginning.
        end_s = film.end_of(film.number_at(loop.last_s)) - 2 * TIME_TOLERANCE_S
        return TimeRange(first_s=loop.first_s, last_s=max(loop.last_s, end_s))

    def step(self, frames: str) -> None:
        """Go on by so many frames of the film in front, or back where there is a minus.

        Nothing happens while the step before is not painted: a key that is held follows the picture.
        """
        film = self.leader()
        if film is not None and not self._is_awaited(film):
            self._step_to(film, film.number_at(self.time_s) + int(frames))

    def step_key(self, step: str) -> None:
        """Go to the next key frame ("1") of the film in front, or the one before ("-1")."""
        film = self.leader()
        if film is None or film.film is None or self._is_awaited(film):
            return
        keys, number = film.film.key_frames, film.number_at(self.time_s)
        found = keys[keys > number][:1] if int(step) > 0 else keys[keys < number][-1:]
        if len(found):
            self._step_to(film, int(found[0]))

    def step_second(self, step: str) -> None:
        """Go on by so many seconds of the clock, or back where there is a minus."""
        self.pause()
        self.seek(self.time_s + float(step))

    def go_end(self, which: str) -> None:
        """Go to the first moment ("-1"), or to the last ("1")."""
        self.pause()
        self.seek(self.span.first_s if int(which) < 0 else self.span.last_s)

    def seek(self, time_s: float) -> None:
        """Show the frames of a time of the clock; playing goes on from there."""
        self._go(time_s, is_preview=False)

    def scrub(self, time_s: float) -> None:
        """Stop, show the nearest key frames of a time at once, and its own frames as they come."""
        self.pause()
        self._go(time_s, is_preview=True)

    def hold(self, film: VideoPlayback) -> None:
        """Stop at the frame of a film that is on the screen, also where others were asked for since."""
        self._clock.pause()
        if film.painted >= 0 and film.painted != film.number_at(self.time_s):
            self._clock.seek(film.time_of(film.painted))
        if self.is_playing:
            self._wait()
        else:
            self._show()

    def shift(self, film: VideoPlayback, offset_s: float) -> None:
        """Let a film begin at another time of the clock because a person wants to."""
        self.place(film, offset_s=offset_s)
        self.shifted.emit(film.view, offset_s)

    def leader(self) -> VideoPlayback | None:
        """Return the film whose frames are counted: the one in front, unless only another one runs now."""
        return self._leader_at(self.time_s)

    def _leader_at(self, time_s: float) -> VideoPlayback | None:
        films = [film for film in (self.front, *self.films) if film in self.films and film.film is not None]
        return next(
            (film for film in films if film.phase_at(time_s) == "during"), films[0] if films else None
        )

    def _step_to(self, film: VideoPlayback, number: int) -> None:
        self.pause()
        self.seek(film.time_of(number))
        self._stepped_at = time.monotonic()

    def _is_awaited(self, film: VideoPlayback) -> bool:
        return film.is_late and time.monotonic() - self._stepped_at < PATIENCE_S
