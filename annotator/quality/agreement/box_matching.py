"""How far two people agree on the boxes that they drew in one image."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from annotator.domain.answers.base import Score
from annotator.domain.event_label import PercentBox
from annotator.domain.region import Box
from annotator.domain.rotated_box import rotate_box

MIN_IOU = 0.5
"""Overlap (intersection over union) from which two boxes are the same. Source: PASCAL VOC."""


def match_boxes(one: Sequence[PercentBox], other: Sequence[PercentBox], *, min_iou: float = MIN_IOU) -> Score:
    """Return the F1 of the boxes of two people, matched one to one with the largest overlap first.

    ``details`` has ``matched_boxes``, and ``iou``, the mean overlap of the matched boxes, if there are any.
    Two people who drew nothing agree.

    Args:
        one: Boxes of one person.
        other: Boxes of the other.
        min_iou: Overlap from which two boxes are the same, 0 to 1.
    """
    # Reshaped, because the array of an empty list has one axis only.
    overlaps = np.array([[overlap(first, second) for second in other] for first in one]).reshape(
        len(one), len(other)
    )
    matched: list[float] = []
    while overlaps.size and overlaps.max() >= min_iou:
        row, column = np.unravel_index(overlaps.argmax(), overlaps.shape)
        matched.append(float(overlaps[row, column]))
        # Below every limit, 0 included: each box is matched once.
        overlaps[row, :] = overlaps[:, column] = -1.0
    total = len(one) + len(other)
    f1 = 2 * len(matched) / total if total else 1.0
    details = {"matched_boxes": float(len(matched))}
    if matched:
        details["iou"] = sum(matched) / len(matched)
    return Score(score=f1, is_correct=f1 == 1.0, details=details)


def overlap(one: PercentBox, other: PercentBox) -> float:
    """Return the intersection over union of two boxes of one image, 0 to 1."""
    first, second = _corners(one), _corners(other)
    shared = float(cv2.intersectConvexConvex(first, second)[0])
    union = float(cv2.contourArea(first)) + float(cv2.contourArea(second)) - shared
    return shared / union if union > 0 else 0.0


def _corners(box: PercentBox) -> NDArray[np.float32]:
    """Return the four corners in pixels, or in percent where the size of the image is unknown."""
    # A rotation is an angle in pixels: in percent it would shear the box.
    width, height = (box.image_width_px or 100) / 100, (box.image_height_px or 100) / 100
    left, top = box.x * width, box.y * height
    box_px = Box(x1=left, y1=top, x2=left + box.width * width, y2=top + box.height * height)
    corners = rotate_box(box_px, degrees=box.rotation, about=(left, top))
    return np.array(corners, dtype=np.float32)
