"""Boxes of one image as arrays: overlaps and non-maximum suppression."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotator.model_api import Detection

Boxes = NDArray[np.float64]
PARTS = 4
"""How many candidates for each wanted box are compared first; so many times more where that is too few."""
MOST_CANDIDATES = 30_000
"""Upper limit of candidates; a model with more of them is faulty."""


@dataclass(frozen=True, kw_only=True, eq=False)
class BoxArrays:
    """Boxes of one image, with scores and classes in the same order.

    Attributes:
        boxes: float64 (n, 4), x1 y1 x2 y2, image pixels, x2 and y2 exclusive.
        scores: float64 (n,), 0..1.
        classes: int64 (n,), numbers of categories.
    """

    boxes: Boxes
    scores: NDArray[np.float64]
    classes: NDArray[np.int64]

    @classmethod
    def empty(cls) -> BoxArrays:
        """Return no boxes."""
        return cls(boxes=np.zeros((0, 4)), scores=np.zeros(0), classes=np.zeros(0, np.int64))

    @classmethod
    def concatenate(cls, parts: Sequence[BoxArrays]) -> BoxArrays:
        """Return the boxes of several, one after the other."""
        if not parts:
            return cls.empty()
        return cls(
            boxes=np.concatenate([part.boxes for part in parts]),
            scores=np.concatenate([part.scores for part in parts]),
            classes=np.concatenate([part.classes for part in parts]),
        )

    def __len__(self) -> int:
        """Return the number of boxes."""
        return len(self.scores)

    def select(self, indices: NDArray[np.int64] | NDArray[np.bool_]) -> BoxArrays:
        """Return a selection of the boxes, by indices in their order or by a mask."""
        return BoxArrays(
            boxes=self.boxes[indices], scores=self.scores[indices], classes=self.classes[indices]
        )

    def clip(self, *, width_px: int, height_px: int) -> BoxArrays:
        """Return the boxes clipped to the image, without those that lie outside."""
        edges = np.array([width_px, height_px, width_px, height_px], np.float64)
        boxes = np.clip(self.boxes, 0.0, edges)
        cut = BoxArrays(boxes=boxes, scores=self.scores, classes=self.classes)
        return cut.select((boxes[:, 2] > boxes[:, 0]) & (boxes[:, 3] > boxes[:, 1]))

    def detections(self, names: Sequence[str]) -> list[Detection]:
        """Return the boxes as detections, in the same order."""
        return [
            Detection(
                box=(float(box[0]), float(box[1]), float(box[2]), float(box[3])),
                category=names[number] if number < len(names) else f"class {number}",
                score=float(score),
            )
            for box, score, number in zip(self.boxes, self.scores, self.classes, strict=True)
        ]


def areas(boxes: Boxes) -> NDArray[np.float64]:
    """Return the area of each box, square pixels: float64 (n,)."""
    sides: NDArray[np.float64] = np.clip(boxes[:, 2:] - boxes[:, :2], 0.0, None)
    product: NDArray[np.float64] = sides[:, 0] * sides[:, 1]
    return product


def intersection_areas(first: Boxes, *, second: Boxes) -> NDArray[np.float64]:
    """Return how much each of n boxes shares with each of m, square pixels: float64 (n, m)."""
    width = np.minimum(first[:, None, 2], second[:, 2]) - np.maximum(first[:, None, 0], second[:, 0])
    height = np.minimum(first[:, None, 3], second[:, 3]) - np.maximum(first[:, None, 1], second[:, 1])
    shared: NDArray[np.float64] = np.clip(width, 0.0, None) * np.clip(height, 0.0, None)
    return shared


def iou(first: Boxes, *, second: Boxes) -> NDArray[np.float64]:
    """Return the intersection over union of each of n boxes with each of m: float64 (n, m), 0..1."""
    shared = intersection_areas(first, second=second)
    union = areas(first)[:, None] + areas(second) - shared
    # Two boxes without area have the undefined IoU 0 / 0, which counts as 0.
    found: NDArray[np.float64] = np.divide(shared, union, out=np.zeros_like(shared), where=union > 0)
    return found


def nms(found: BoxArrays, *, most_overlap: float, most: int) -> BoxArrays:
    """Return the box of highest score of each overlapping group per category, highest score first.

    Greedy non-maximum suppression, as in the evaluation of the YOLO families, by OpenCV. Of boxes with equal
    scores, the first one is kept.

    Args:
        found: Boxes in any order; of more than ``MOST_CANDIDATES`` only those of highest score are used.
        most_overlap: Intersection over union above which two boxes of a category are one object, 0..1.
        most: Maximum number of boxes returned.
    """
    left = found.select(np.argsort(-found.scores, kind="stable")[:MOST_CANDIDATES])
    if not len(left):
        return left
    # What a part of the best candidates leaves is the beginning of what all of them leave: most images have
    # enough in the first part, and OpenCV compares each candidate with everything kept so far.
    count = PARTS * most
    kept = _kept(left, most_overlap=most_overlap, count=count)
    while len(kept) < most and count < len(left):
        count *= PARTS
        kept = _kept(left, most_overlap=most_overlap, count=count)
    return left.select(kept[:most])


def _kept(found: BoxArrays, *, most_overlap: float, count: int) -> NDArray[np.int64]:
    """Return the indices of the boxes that stay among the first ones, by OpenCV."""
    import cv2

    part = found.select(np.arange(min(count, len(found))))
    # Any: the stubs of OpenCV know lists alone, where arrays are accepted.
    # OpenCV lays the categories side by side, where left of 0 one would reach into the next.
    corners = part.boxes[:, :2] - part.boxes[:, :2].min()
    sides = part.boxes[:, 2:] - part.boxes[:, :2]
    rectangles: Any = np.concatenate([corners, sides], axis=1)
    # Their order, since equal scores of 32 bits must not change it.
    scores: Any = np.arange(len(part), 0, -1, dtype=np.float32)
    classes: Any = part.classes.astype(np.int32)
    indices = cv2.dnn.NMSBoxesBatched(rectangles, scores, classes, 0.0, most_overlap)
    return np.asarray(indices, np.int64).reshape(-1)
