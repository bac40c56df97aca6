"""The agreement of two boxes: overlap, distance of the centres, and ratio of the sides."""

from __future__ import annotations

import math

import msgspec

from annotator.domain.region import Box

# Source: SpatialUAV, eval_spatialuav.py: no side and no diagonal counts as shorter than this.
SHORTEST = 1e-6


class BoxMatch(msgspec.Struct, frozen=True, kw_only=True):
    """The agreement of a box with that of the answer key, each part from 0 to 1.

    Attributes:
        iou: Intersection over union.
        center: 1 less the distance of the centres in diagonals of the key's box, at least 0.
        size: Mean of the ratios of widths and of heights, the smaller over the larger.
    """

    iou: float
    center: float
    size: float

    @property
    def composite(self) -> float:
        """Half the overlap and a quarter of each of the others, in the published order of operations."""
        return 0.5 * self.iou + 0.25 * self.center + 0.25 * self.size


def match_boxes(guess: Box, *, truth: Box) -> BoxMatch:
    """Compare two boxes as the published script does, with its order of operations."""
    guess_width, guess_height = _sides(guess)
    truth_width, truth_height = _sides(truth)
    distance = math.hypot(
        (guess.x1 + guess.x2) / 2.0 - (truth.x1 + truth.x2) / 2.0,
        (guess.y1 + guess.y2) / 2.0 - (truth.y1 + truth.y2) / 2.0,
    )
    diagonal = max(math.hypot(truth_width, truth_height), SHORTEST)
    width_ratio = min(guess_width, truth_width) / max(guess_width, truth_width)
    height_ratio = min(guess_height, truth_height) / max(guess_height, truth_height)
    return BoxMatch(
        iou=_iou(guess, truth),
        center=max(0.0, 1.0 - distance / diagonal),
        size=(width_ratio + height_ratio) / 2.0,
    )


def _iou(one: Box, other: Box) -> float:
    width = max(0, min(one.x2, other.x2) - max(one.x1, other.x1))
    height = max(0, min(one.y2, other.y2) - max(one.y1, other.y1))
    shared = width * height
    union = _area(one) + _area(other) - shared
    return 0.0 if union <= 0 else shared / union


def _area(box: Box) -> float:
    return max(0, box.x2 - box.x1) * max(0, box.y2 - box.y1)


def _sides(box: Box) -> tuple[float, float]:
    return max(box.x2 - box.x1, SHORTEST), max(box.y2 - box.y1, SHORTEST)
