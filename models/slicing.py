"""Slicing of large images for small targets, and merging of the detections of slices.

An object in the zone that two slices share is detected in both. Two boxes are the same object if their parts
inside the zone overlap. An object no larger than the overlap lies entirely in at least one slice; a larger
one is merged from its parts, unless the pass over the whole image found it in one piece.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
import numpy as np
from numpy.typing import NDArray

from annotator.errors import UserError
from models.boxes import BoxArrays, Boxes, areas, intersection_areas, iou, nms

LEAST_SLICE_PX = 64
MOST_OVERLAP = 0.75
MOST_SLICES = 4_096
"""An image of 32,000 x 32,000 pixels in slices of 640 has nearly this number, each one a model call."""
SAME_SEEN = 0.5
"""Overlap in the shared zone above which boxes of two slices are one object, 0..1."""
EDGE_PX = 2.0
"""A box that ends this close to the edge of its slice counts as cut; models round to about a pixel."""
CONTAINED = 0.8
"""Share of a cut part that must lie in the box of the whole object, 0..1."""


class Slices(msgspec.Struct, frozen=True, kw_only=True):
    """How a picture is sliced.

    Attributes:
        slice_px: Side of a slice, 0 for no slices.
        overlap: Share of the side that neighbours have in common, 0..0.75.
        with_whole: Detect in the whole image as well, for objects larger than the overlap.
    """

    slice_px: int = 0
    overlap: float = 0.2
    with_whole: bool = True

    def require_sound(self) -> None:
        """Refuse invalid slice settings.

        Raises:
            UserError: Side or overlap are out of bounds.
        """
        if self.slice_px and self.slice_px < LEAST_SLICE_PX:
            raise UserError(
                f"Slices of {self.slice_px} pixels are too small.", hint="Set slice_px to 64 or more."
            )
        if not 0 <= self.overlap <= MOST_OVERLAP:
            raise UserError(
                f"Slices cannot overlap by {self.overlap:g}.", hint="Set overlap to a value from 0 to 0.75."
            )


@dataclass(frozen=True, kw_only=True)
class Slice:
    """A part of a picture, pixels; right and bottom exclusive."""

    left: int
    top: int
    right: int
    bottom: int


@dataclass(frozen=True, kw_only=True)
class SliceResult:
    """The detections of one slice.

    Attributes:
        slice: The slice.
        found: Boxes in pixels of the whole picture.
    """

    slice: Slice
    found: BoxArrays


def slices_of(slices: Slices, *, width_px: int, height_px: int) -> list[Slice]:
    """Return the slices of a picture row by row, then the whole where it is wanted and more than one slice.

    Raises:
        UserError: There would be too many; use larger slices.
    """
    whole = Slice(left=0, top=0, right=width_px, bottom=height_px)
    if not slices.slice_px or (width_px <= slices.slice_px and height_px <= slices.slice_px):
        return [whole]
    columns, rows = _starts(slices, length=width_px), _starts(slices, length=height_px)
    if len(columns) * len(rows) > MOST_SLICES:
        raise UserError(
            f"An image of {width_px:,} x {height_px:,} has {len(columns) * len(rows):,} slices, too many.",
            hint="Set a larger slice_px.",
        )
    made = [
        Slice(
            left=left,
            top=top,
            right=min(width_px, left + slices.slice_px),
            bottom=min(height_px, top + slices.slice_px),
        )
        for top, left in itertools.product(rows, columns)
    ]
    return [*made, whole] if slices.with_whole else made


def merge_slices(
    slices: Sequence[SliceResult], *, width_px: int, height_px: int, most_overlap: float, most: int
) -> BoxArrays:
    """Return the objects of an image, each once, highest score first.

    Args:
        slices: Detections of the slices, each object once per slice.
        width_px: Of the picture.
        height_px: The same.
        most_overlap: Intersection over union above which two boxes of a category are one thing.
        most: At most so many.
    """
    if len(slices) == 1:
        # Nothing was detected twice, and the detector has applied its own suppression.
        return slices[0].found.select(np.argsort(-slices[0].found.scores, kind="stable")[:most])
    whole = Slice(left=0, top=0, right=width_px, bottom=height_px)
    groups = _Groups([len(one.found) for one in slices])
    cuts = [_cut(one, whole=whole) for one in slices]
    for first, second in _same(slices, cuts=cuts):
        groups.join(first, second=second)
    everything = BoxArrays.concatenate([one.found for one in slices])
    is_cut = np.concatenate(cuts)
    is_whole = np.concatenate([np.full(len(one.found), one.slice == whole) for one in slices])
    merged, is_partial = _merged(everything, groups=groups.members(), is_cut=is_cut, is_whole=is_whole)
    return nms(_without_parts(merged, is_partial=is_partial), most_overlap=most_overlap, most=most)


def _starts(slices: Slices, *, length: int) -> list[int]:
    """Return the start positions of slices: evenly spaced, the last one ending at the edge."""
    last = max(0, length - slices.slice_px)
    step = max(1, int(slices.slice_px * (1 - slices.overlap)))
    return [*range(0, last, step), last]


def _same(slices: Sequence[SliceResult], *, cuts: Sequence[NDArray[np.bool_]]) -> list[tuple[int, int]]:
    """Return pairs of boxes of different slices that show one object, best overlap first.

    Boxes are numbered through all slices.
    """
    begins = np.cumsum([0, *(len(one.found) for one in slices)])
    firsts, seconds, values = [], [], []
    for a, b in itertools.combinations(range(len(slices)), 2):
        agreement = _agreement(slices[a], other=slices[b])
        if agreement is None:
            continue
        # Two complete objects that leave the zone on different sides may have the same part inside it.
        are_whole = ~cuts[a][:, None] & ~cuts[b]
        full = iou(slices[a].found.boxes, second=slices[b].found.boxes)
        agreement = np.where(are_whole, np.minimum(agreement, full), agreement)
        rows, columns = np.nonzero(agreement >= SAME_SEEN)
        firsts.append(rows + begins[a])
        seconds.append(columns + begins[b])
        values.append(agreement[rows, columns])
    if not firsts:
        return []
    order = np.argsort(-np.concatenate(values), kind="stable")
    first, second = np.concatenate(firsts)[order], np.concatenate(seconds)[order]
    return list(zip(first.tolist(), second.tolist(), strict=True))


def _agreement(one: SliceResult, *, other: SliceResult) -> NDArray[np.float64] | None:
    """Return the overlap of the boxes of two slices in their shared zone: float64 (n, m), 0..1."""
    left, top = max(one.slice.left, other.slice.left), max(one.slice.top, other.slice.top)
    right, bottom = min(one.slice.right, other.slice.right), min(one.slice.bottom, other.slice.bottom)
    if left >= right or top >= bottom or not len(one.found) or not len(other.found):
        return None
    low, high = np.array([left, top] * 2, np.float64), np.array([right, bottom] * 2, np.float64)
    first, second = np.clip(one.found.boxes, low, high), np.clip(other.found.boxes, low, high)
    is_same = one.found.classes[:, None] == other.found.classes
    return np.where(is_same, iou(first, second=second), 0.0)


class _Groups:
    """Boxes of one object, at most one per slice: two boxes of one slice are different objects.

    Args:
        counts: Number of boxes of each slice.
    """

    def __init__(self, counts: Sequence[int]) -> None:
        indices = [index for index, count in enumerate(counts) for _ in range(count)]
        self._group = list(range(len(indices)))
        self._boxes = {box: [box] for box in self._group}
        self._slices = {box: {index} for box, index in enumerate(indices)}

    def join(self, first: int, *, second: int) -> None:
        """Make the groups of two boxes one, unless some slice has boxes in both."""
        a, b = self._group[first], self._group[second]
        if a == b or self._slices[a] & self._slices[b]:
            return
        for box in self._boxes[b]:
            self._group[box] = a
        self._boxes[a] += self._boxes.pop(b)
        self._slices[a] |= self._slices.pop(b)

    def members(self) -> list[list[int]]:
        """Return the boxes of each group."""
        return list(self._boxes.values())


def _cut(result: SliceResult, *, whole: Slice) -> NDArray[np.bool_]:
    """Return which boxes end at an edge of their slice that is not an edge of the image."""
    part, boxes = result.slice, result.found.boxes
    cut = np.zeros(len(boxes), np.bool_)
    if part.left > whole.left:
        cut |= boxes[:, 0] <= part.left + EDGE_PX
    if part.top > whole.top:
        cut |= boxes[:, 1] <= part.top + EDGE_PX
    if part.right < whole.right:
        cut |= boxes[:, 2] >= part.right - EDGE_PX
    if part.bottom < whole.bottom:
        cut |= boxes[:, 3] >= part.bottom - EDGE_PX
    return cut


def _merged(
    found: BoxArrays,
    *,
    groups: Sequence[Sequence[int]],
    is_cut: NDArray[np.bool_],
    is_whole: NDArray[np.bool_],
) -> tuple[BoxArrays, NDArray[np.bool_]]:
    """Return one box per group, and which of them consist of parts only."""
    # A slice has a higher resolution than the scaled whole image, so its box is more precise.
    # Scores are at most 1: they decide only between boxes that are alike in both respects.
    rank = found.scores - 2.0 * is_cut - 1.0 * is_whole
    boxes, best = [], []
    for group in groups:
        members = np.array(group)
        first = members[rank[members].argmax()]
        best.append(first)
        boxes.append(_around(found.boxes[members]) if is_cut[first] else found.boxes[first])
    chosen = np.array(best, np.int64)
    scores = np.array([found.scores[np.array(group)].max() for group in groups])
    shape = np.array(boxes).reshape(-1, 4)
    return BoxArrays(boxes=shape, scores=scores, classes=found.classes[chosen]), is_cut[chosen]


def _around(boxes: Boxes) -> Boxes:
    return np.concatenate([boxes[:, :2].min(axis=0), boxes[:, 2:].max(axis=0)])


def _without_parts(found: BoxArrays, *, is_partial: NDArray[np.bool_]) -> BoxArrays:
    """Remove parts that lie in a larger box of their category, since the rest was detected elsewhere."""
    size = areas(found.boxes)
    # A cut sliver is so thin that rounding alone can place it beside its object.
    grown = found.boxes + np.array([-EDGE_PX, -EDGE_PX, EDGE_PX, EDGE_PX])
    is_kept = np.ones(len(found), np.bool_)
    for index in np.nonzero(is_partial)[0]:
        shared = intersection_areas(found.boxes[index : index + 1], second=grown)[0]
        is_around = (found.classes == found.classes[index]) & (size > size[index])
        is_kept[index] = not (is_around & (shared >= CONTAINED * size[index])).any()
    return found.select(is_kept)
