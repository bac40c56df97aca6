"""Boxes of one image as arrays: overlaps and non-maximum suppression."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from annotator.model_api import Detection

Boxes = NDArray[np.float64]
BLOCK = 256
"""Boxes compared with all others per step: the full matrix for 30,000 boxes would take 7 GB."""
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

    def select(self, places: NDArray[np.int64] | NDArray[np.bool_]) -> BoxArrays:
        """Return a selection of the boxes, by indices in their order or by a mask."""
        return BoxArrays(boxes=self.boxes[places], scores=self.scores[places], classes=self.classes[places])

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

    Greedy non-maximum suppression, as in the evaluation of the YOLO families. Of boxes with equal scores, the
    first one is kept.

    Args:
        found: Boxes in any order; of more than ``MOST_CANDIDATES`` only those of highest score are used.
        most_overlap: Intersection over union above which two boxes of a category are one object, 0..1.
        most: Maximum number of boxes returned.
    """
    left = found.select(np.argsort(-found.scores, kind="stable")[:MOST_CANDIDATES])
    parts = []
    for number in np.unique(left.classes):
        places = np.nonzero(left.classes == number)[0]
        parts.append(places[_select_boxes(left.boxes[places], most_overlap=most_overlap, most=most)])
    # Places are in order of score, so that sorting them puts the categories into one such order.
    kept = np.sort(np.concatenate(parts)) if parts else np.zeros(0, np.int64)
    return left.select(kept[:most])


def _select_boxes(boxes: Boxes, *, most_overlap: float, most: int) -> NDArray[np.int64]:
    """Return the indices of the boxes that no earlier kept box overlaps too much.

    Block by block: one matrix against what is kept so far, and a small one within the block. Box by box it
    takes five times as long for tens of thousands.
    """
    kept = np.zeros(0, np.int64)
    for begin in range(0, len(boxes), BLOCK):
        block = boxes[begin : begin + BLOCK]
        is_free = (iou(block, second=boxes[kept]) <= most_overlap).all(axis=1)
        numbers = np.nonzero(is_free)[0]
        covers = iou(block[numbers], second=block[numbers]) > most_overlap
        is_kept = np.ones(len(numbers), np.bool_)
        for place in range(len(numbers)):
            if is_kept[place]:
                is_kept[place + 1 :] &= ~covers[place, place + 1 :]
        kept = np.concatenate([kept, numbers[is_kept] + begin])
        # In order of score: no later box can be among the first.
        if len(kept) >= most:
            break
    return kept
