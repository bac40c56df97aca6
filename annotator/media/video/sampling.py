"""Selects the frames that represent a video in model runs and releases."""

from __future__ import annotations

import math

# UrbanVideo-Bench's number, see below; runs and releases must take the same frames to be comparable.
FRAMES_OF_A_RUN = 32


def evenly_spaced(frame_count: int, *, most: int = FRAMES_OF_A_RUN) -> tuple[int, ...]:
    """Return the numbers of up to ``most`` frames at even distances, the first frame among them.

    Source: UrbanVideo-Bench, run.py: of a video of n frames every ceil(n / 32)-th one goes to the model.
    So 33 frames give 17, not 32; and the last frame is seldom among them.

    Args:
        frame_count: Number of frames of the video, at least 0.
        most: Limit, at least 1.
    """
    return tuple(range(0, frame_count, max(1, math.ceil(frame_count / most))))
