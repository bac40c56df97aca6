"""Ticks of the ruler: minutes, seconds and fractions; single frames if they are far enough apart."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from widgets.timeline.time_scale import TimeScale

STEPS_S = (0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1200, 1800, 3600)
"""Possible distances of labelled ticks, seconds."""
PARTS = {0.1: 1, 0.2: 2, 0.5: 5, 1: 5, 2: 4, 5: 5, 10: 5, 15: 3, 30: 3, 60: 4, 120: 4, 300: 5, 600: 5}
"""Number of parts into which unlabelled ticks divide each distance."""
FRAME_STEPS = (1, 2, 5, 10, 20, 50)
WORDS_PX, LEAST_PX = 76, 7
"""Minimum distance of labelled ticks, and of any two ticks, pixels."""
FRAME_PX = 18
"""Width of a frame from which the ruler counts frames instead of seconds, pixels."""


@dataclass(frozen=True, kw_only=True)
class Tick:
    """A line of the ruler.

    Attributes:
        x: Pixels from the left edge of the timeline view.
        text: Label, "" for a short line.
    """

    x: float
    text: str = ""


def ticks(scale: TimeScale, *, frames_s: NDArray[np.float64]) -> list[Tick]:
    """Return the visible ticks.

    Args:
        scale: Time scale.
        frames_s: float64 (frames,), clock times of the front view's frames, seconds; can be empty.
    """
    if len(frames_s) > 1:
        frame_px = float(frames_s[-1] - frames_s[0]) / (len(frames_s) - 1) * scale.px_per_s
        if frame_px >= FRAME_PX:
            return _frame_ticks(scale, frames_s, frame_px=frame_px)
    return _time_ticks(scale)


def clock_text(time_s: float, *, digits: int = 3) -> str:
    """Return a time as minutes and seconds, with hours only if needed: ``00:13.733``.

    Args:
        time_s: Seconds; negative before the beginning.
        digits: Number of decimal places.
    """
    unit = 10**digits
    whole, part = divmod(round(abs(time_s) * unit), unit)
    minutes, seconds = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    text = f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes:02}:{seconds:02}"
    sign = "−" if time_s < 0 and (whole or part) else ""
    return f"{sign}{text}.{part:0{digits}}" if digits else f"{sign}{text}"


def _time_ticks(scale: TimeScale) -> list[Tick]:
    step_s = next((step for step in STEPS_S if step * scale.px_per_s >= WORDS_PX), STEPS_S[-1])
    parts = PARTS.get(step_s, 6)
    if step_s / parts * scale.px_per_s < LEAST_PX:
        parts = 1
    small_s = step_s / parts
    digits = 0 if step_s >= 1 else 1
    numbers = range(math.ceil(scale.left_s / small_s - 1e-6), math.floor(scale.right_s / small_s + 1e-6) + 1)
    return [
        Tick(
            x=scale.x_of(number * small_s),
            text="" if number % parts else clock_text(number * small_s, digits=digits),
        )
        for number in numbers
    ]


def _frame_ticks(scale: TimeScale, frames_s: NDArray[np.float64], *, frame_px: float) -> list[Tick]:
    step = next((step for step in FRAME_STEPS if step * frame_px >= WORDS_PX), FRAME_STEPS[-1])
    first, last = np.searchsorted(frames_s, (scale.left_s - 1e-9, scale.right_s)).tolist()
    return [
        Tick(x=scale.x_of(float(frames_s[number])), text="" if number % step else f"f {number:,}")
        for number in range(first, last)
    ]
