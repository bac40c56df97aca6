"""One clock for all views of a scene: plays, stops, goes backwards, loops; the views follow it."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

SLOWEST, FASTEST = 0.1, 8.0
SPEEDS = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
"""The steps of the speed keys; negative ones go backwards."""


@dataclass(frozen=True, kw_only=True)
class TimeRange:
    """A stretch of the clock's time, in seconds; ``last_s`` is the last moment that still belongs to it."""

    first_s: float
    last_s: float


class PlaybackClock:
    """Time in seconds that all views of a scene share; several threads may ask it.

    A view whose video begins ``offset_s`` later on the clock shows the frame of ``time_s() - offset_s``.

    Args:
        span: First and last moment: the earliest first frame and the latest last one.
        now: Seconds that only rise; real time unless a test gives its own.
    """

    def __init__(self, span: TimeRange, *, now: Callable[[], float] = time.monotonic) -> None:
        self._span, self._now = span, now
        self._loop: TimeRange | None = None
        self._at, self._since = span.first_s, now()
        self._speed, self._is_playing = 1.0, False
        self._lock = threading.Lock()

    @property
    def span(self) -> TimeRange:
        """First and last moment."""
        return self._span

    @property
    def speed(self) -> float:
        """Pace set, negative for backwards, whether it plays or not."""
        return self._speed

    @property
    def loop(self) -> TimeRange | None:
        """What plays over and over, None for nothing."""
        return self._loop

    @property
    def is_playing(self) -> bool:
        """Whether time passes: it stands at either end of the span."""
        with self._lock:
            self._settle()
            return self._is_playing

    def time_s(self) -> float:
        """Return the time now."""
        with self._lock:
            self._settle()
            return self._at

    def play(self, speed: float | None = None) -> None:
        """Start the clock. At the end of the range in the direction of play it starts from the other end.

        Args:
            speed: 0.1 to 8, negative for backwards, clamped to these limits; None for the previous speed.
        """
        with self._lock:
            self._settle()
            if speed is not None:
                self._speed = _within_limits(speed)
            bounds = self._loop or self._span
            end = bounds.last_s if self._speed > 0 else bounds.first_s
            # At the end of a loop it begins anew by itself.
            if self._at == end and self._loop is None:
                self._at = bounds.first_s if self._speed > 0 else bounds.last_s
            self._is_playing = True

    def pause(self) -> None:
        """Stop time."""
        with self._lock:
            self._settle()
            self._is_playing = False

    def seek(self, time_s: float) -> None:
        """Set the time, within the span; it passes on if it did before."""
        with self._lock:
            self._since = self._now()
            self._at = min(max(time_s, self._span.first_s), self._span.last_s)

    def set_loop(self, loop: TimeRange | None) -> None:
        """Play a segment over and over, or with None no longer; one without any length is none."""
        with self._lock:
            self._settle()
            # The time is not changed: before the loop, playback runs into it; after it, it jumps to its
            # start.
            self._loop = None if loop is None or loop.last_s <= loop.first_s else loop

    def set_span(self, span: TimeRange) -> None:
        """Change first and last moment: a view came, went, or was shifted."""
        with self._lock:
            self._settle()
            self._span = span
            self._at = min(max(self._at, span.first_s), span.last_s)

    def _settle(self) -> None:
        """Bring the time up to date."""
        now = self._now()
        passed_s, self._since = now - self._since, now
        if not self._is_playing:
            return
        # From the last moment asked for, not from where playing began: speed and loop may have changed since.
        at = self._at + passed_s * self._speed
        if self._loop is not None:
            self._at = _wrap_in_loop(at, loop=self._loop, is_forward=self._speed > 0)
            return
        self._at = min(max(at, self._span.first_s), self._span.last_s)
        # It stops where it ran into an end.
        self._is_playing = self._at == at


def span_of(views: list[tuple[float, float]]) -> TimeRange:
    """Return the clock's span over views.

    Args:
        views: Offset and time of the last frame of each video, both in seconds; at least one.
    """
    return TimeRange(
        first_s=min(offset_s for offset_s, _ in views),
        last_s=max(offset_s + last_s for offset_s, last_s in views),
    )


def faster(speed: float, *, is_forward: bool) -> float:
    """Return the speed that J or L gives, pressed at a speed: the next step of that direction, or its first.

    Args:
        speed: The speed at which it plays, 0 where it stands.
        is_forward: L rather than J.
    """
    sign = 1 if is_forward else -1
    if speed * sign <= 0:
        return float(sign)
    return sign * next((step for step in SPEEDS if step > abs(speed) + 1e-9), FASTEST)


def _within_limits(speed: float) -> float:
    return math.copysign(min(max(abs(speed), SLOWEST), FASTEST), speed)


def _wrap_in_loop(at: float, *, loop: TimeRange, is_forward: bool) -> float:
    """Return a time brought back into a loop once it has left it at the end it runs towards."""
    length = loop.last_s - loop.first_s
    if is_forward and at > loop.last_s:
        return loop.first_s + (at - loop.first_s) % length
    if not is_forward and at < loop.first_s:
        return loop.last_s - (loop.last_s - at) % length
    return at
