"""Films that follow one clock: how they are played, and what of them plays over and over."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QObject, Qt, QTimer, Signal

from annotator.media.video.clock import SPEEDS, PlaybackClock, TimeRange, faster, span_of
from widgets.stage.video_playback import VideoPlayback

TICK_MS = 8
"""A screen shows 60 pictures a second. Asked twice as often, or a frame that begins just behind a tick would
miss the picture that it is due for."""
WATCH_MS = 200
"""So often the ranges that are ready are looked at while frames are decoded."""


class PlaybackController(QObject):
    """One clock for all films of a stage, and one timer that lets them follow it.

    Signals:
        moved: A view painted another frame, or the clock moved.
        changed: Films were opened or closed; speed, playing, loop, marks, offsets or what is ready changed.

    Attributes:
        films: The films, in order of their views.
        in_s: Where the marked segment begins, seconds of the clock; None where nobody said.
        out_s: Where it ends.
        is_looping: Whether the segment, or all where none is marked, plays over and over.
    """

    moved = Signal()
    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.films: tuple[VideoPlayback, ...] = ()
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
    def has_films(self) -> bool:
        """Whether any film is open."""
        return any(film.film is not None for film in self.films)

    @property
    def is_playing(self) -> bool:
        """Whether time passes."""
        return self._timer.isActive()

    @property
    def speed(self) -> float:
        """Pace of playing, negative for backwards; while nothing plays, that of the next time."""
        return self._speed

    @property
    def time_s(self) -> float:
        """Time of the clock, seconds; a film without an offset begins at 0."""
        return self._clock.time_s()

    @property
    def span(self) -> TimeRange:
        """First and last moment of the clock: the earliest first frame, the latest last one."""
        return self._clock.span

    @property
    def loop(self) -> TimeRange | None:
        """What plays over and over, None for nothing."""
        if not self.is_looping:
            return None
        first_s = self.span.first_s if self.in_s is None else self.in_s
        last_s = self.span.last_s if self.out_s is None else self.out_s
        return TimeRange(first_s=first_s, last_s=last_s)

    def show_films(self, films: Sequence[VideoPlayback]) -> None:
        """Play other films from now on, from their beginning."""
        self.pause()
        self._watch.stop()
        for film in self.films:
            film.opened.disconnect(self._on_film_opened)
        self.films = tuple(films)
        self.in_s = self.out_s = None
        self.is_looping = self._has_begun = False
        self._clock = PlaybackClock(TimeRange(first_s=0.0, last_s=0.0))
        for film in self.films:
            film.opened.connect(self._on_film_opened)
        self._emit_change()

    def play_or_pause(self) -> None:
        """Play at the last pace, or stop."""
        if self.is_playing:
            self.pause()
        else:
            self._play(self._speed)

    def play_faster(self, step: str) -> None:
        """Play forward ("1") or backwards ("-1"), or faster where it does so already."""
        self._play(faster(self._speed if self.is_playing else 0.0, is_forward=int(step) > 0))

    def slower(self) -> None:
        """Take the next slower pace of the same direction."""
        at = next((place for place, speed in enumerate(SPEEDS) if speed >= abs(self._speed) - 1e-9), 0)
        self._speed = float(np.copysign(SPEEDS[max(0, at - 1)], self._speed))
        if self.is_playing:
            self._play(self._speed)
        else:
            self._emit_change()

    def pause(self) -> None:
        """Stop; every view shows the frame of that moment."""
        if self.is_playing:
            self._clock.pause()
            self._wait()

    def mark_in(self) -> None:
        """Begin the segment here; an end that lies before is taken away."""
        here = self.time_s
        self.set_marks(here, out_s=None if self.out_s is not None and self.out_s <= here else self.out_s)

    def mark_out(self) -> None:
        """End the segment here; a beginning that lies behind is taken away."""
        here = self.time_s
        self.set_marks(None if self.in_s is not None and self.in_s >= here else self.in_s, out_s=here)

    def set_marks(self, in_s: float | None, *, out_s: float | None) -> None:
        """Say where the segment begins and ends, seconds of the clock; None where nobody says."""
        self.in_s, self.out_s = in_s, out_s
        self._take_loop()

    def clear_marks(self) -> None:
        """Take the marks of the segment away."""
        self.set_marks(None, out_s=None)

    def toggle_loop(self) -> None:
        """Play the segment, or all where none is marked, over and over, or no longer."""
        self.is_looping = not self.is_looping
        self._take_loop()

    def place(self, film: VideoPlayback, *, offset_s: float) -> None:
        """Let a film begin at another time of the clock."""
        film.offset_s = offset_s
        self._take_span()
        self._take_loop()
        self._show()

    def note_painted(self) -> None:
        """Tell that a view painted another frame."""
        self.moved.emit()

    def _play(self, speed: float) -> None:
        if self.has_films:
            self._speed, self._has_begun = speed, True
            self._clock.play(speed)
            self._timer.start()
            self._take_loop()
            self._show()

    def _wait(self) -> None:
        self._timer.stop()
        for film in self.films:
            film.pause()
        self._show()
        self._emit_change()

    def _go(self, time_s: float, *, is_preview: bool) -> None:
        self._has_begun = True
        self._clock.seek(time_s)
        self._show(is_preview=is_preview)
        self.moved.emit()

    def _show(self, *, is_preview: bool = False) -> None:
        # Read once for all: asked for each film, time would pass between them, and views be out of step.
        time_s = self.time_s
        for film in self.films:
            # Views behind a large one would take its decoder's time; at rest they are brought up to date.
            if not (film.is_aside and self.is_playing):
                film.show_time(time_s, is_preview=is_preview)
        if not self._watch.isActive() and self.has_films:
            self._watch.start()

    def _take_span(self) -> None:
        films = [film for film in self.films if film.film is not None]
        if films:
            span = span_of([(film.offset_s, film.last_s - film.offset_s) for film in films])
            self._clock.set_span(span)
            # Films open one after the other, and a later one may begin earlier: until a person has gone
            # somewhere, the clock stays at the beginning.
            if not self._has_begun:
                self._clock.seek(span.first_s)

    def _take_loop(self) -> None:
        loop = self.loop
        self._clock.set_loop(loop)
        for film in self.films if self.is_playing else ():
            ends = None if loop is None else (film.number_at(loop.first_s), film.number_at(loop.last_s))
            film.play(self._speed, loop=ends)
        self._emit_change()

    def _emit_change(self) -> None:
        self._ready = [film.buffered() for film in self.films]
        self.changed.emit()

    def _on_film_opened(self) -> None:
        self._take_span()
        self._take_loop()
        self._show()

    def _on_timer_timeout(self) -> None:
        if self._clock.is_playing:
            self._show()
            self.moved.emit()
        else:
            # It ran into an end, where the clock stops by itself.
            self._wait()

    def _on_watch_timeout(self) -> None:
        if not any(film.is_busy() for film in self.films):
            self._watch.stop()
        if [film.buffered() for film in self.films] != self._ready:
            self._emit_change()
