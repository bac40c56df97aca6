"""Placement of region labels: outside their box, and not on smaller boxes."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import numpy as np
import numpy.typing as npt

CELL_PX = 4
"""Side of a cell of the occupancy grid: fine enough for text, coarse enough to be fast."""
MOST_LABELS = 200
"""Maximum number of labels: more would hide the image. Zooming in or hovering shows the others."""
MIDDLE_PX = 4
"""Distance by which a point's centre is smaller than its ring on each side."""
Floats = npt.NDArray[np.float64]


class LabelPlacement(msgspec.Struct, frozen=True, kw_only=True):
    """Position of a label.

    Attributes:
        index: Index of its box.
        x: Left edge, pixels.
        y: Upper edge, pixels.
    """

    index: int
    x: int
    y: int


def place_labels(
    boxes: Floats,
    sizes: npt.NDArray[np.int64],
    *,
    view: tuple[int, int],
    smallest_px: float,
    is_point: npt.NDArray[np.bool_] | None = None,
    tops: Floats | None = None,
    is_later: npt.NDArray[np.bool_] | None = None,
    taken: Floats | None = None,
) -> list[LabelPlacement]:
    """Return positions for labels; labels without a free position are omitted.

    Args:
        boxes: float64 (n, 4), x1 y1 x2 y2, pixels of the view, at least partly inside it.
        sizes: int64 (n, 2), width and height of each label, pixels.
        view: Width and height of the view, pixels.
        smallest_px: Boxes whose longer side is smaller have no label.
        is_point: bool (n,), whether each box is the ring of a point. Points count as smaller than any
            box, and have labels despite their size.
        tops: float64 (n,), x of each outline's highest point; by default the left edge.
        is_later: bool (n,), whether a label yields to all other labels and their boxes.
        taken: float64 (n, 4), x1 y1 x2 y2, pixels of the view that no label may cover.
    """
    points = np.zeros(len(boxes), bool) if is_point is None else is_point
    sides = boxes[:, 2:] - boxes[:, :2]
    areas = np.where(points, 0.0, sides.prod(axis=1))
    is_wanted = points | (sides.max(axis=1, initial=0) >= smallest_px)
    if not is_wanted.any():
        return []
    later = np.zeros(len(boxes), bool) if is_later is None else is_later
    order = np.lexsort((areas, later, is_wanted))
    least = max(len(order) - MOST_LABELS, len(order) - int(is_wanted.sum()))
    squares = _squares(boxes, view=view)
    # Boxes without a label are marked first, then boxes from the smallest: each occupies its area before the
    # labels of larger boxes are placed. Points are equal in size, so all labels avoid the centres of all
    # points.
    middles = _squares(boxes[points] + MIDDLE_PX * np.array((1, 1, -1, -1)), view=view)
    others = _squares(np.empty((0, 4)) if taken is None else taken, view=view)
    covered = _OccupiedCells(np.concatenate([squares[order[:least]], middles, others]), view=view)
    anchored = np.column_stack([boxes[:, 0] if tops is None else tops, boxes])
    return _place_in_order(order[least:], anchored, sizes, squares, covered=covered)


def _place_in_order(
    order: npt.NDArray[np.intp],
    anchored: Floats,
    sizes: npt.NDArray[np.int64],
    squares: npt.NDArray[np.int64],
    *,
    covered: _OccupiedCells,
) -> list[LabelPlacement]:
    """Place one label after the other where there is room, and occupy its box.

    Args:
        order: int64 (k,), indices of the boxes, first the one whose label is placed first.
        anchored: float64 (n, 5), x of the highest point of an outline, then its box, pixels of the view.
        sizes: int64 (n, 2), width and height of each label, pixels.
        squares: int64 (n, 4), the cells of each box.
        covered: The occupied cells; those of labels and boxes are added.
    """
    positions: list[LabelPlacement] = []
    whole = np.rint(anchored[order]).astype(np.int64).tolist()
    for index, box, (width, height), own in zip(
        order.tolist(), whole, sizes[order].tolist(), squares[order].tolist(), strict=True
    ):
        for x, y in _candidates(*box, width=width, height=height):
            if covered.take_free(x, y, width=width, height=height):
                positions.append(LabelPlacement(index=index, x=x, y=y))
                break
        covered.take(*own)
    return positions


class _OccupiedCells:
    """Occupied cells of the view: one integer per row, with one bit per cell.

    For the few cells of a label, Python integers are four times as fast as arrays.
    """

    def __init__(self, squares: npt.NDArray[np.int64], *, view: tuple[int, int]) -> None:
        self._width, self._height = view
        self._rows = _covered(squares, view=view) if len(squares) else [0] * _grid(view)[1]

    def take_free(self, x: int, y: int, *, width: int, height: int) -> bool:
        """Occupy a rectangle if it lies in the view and is free; return whether it was occupied."""
        if x < 0 or y < 0 or x + width > self._width or y + height > self._height:
            return False
        left, right = x // CELL_PX, (x + width - 1) // CELL_PX + 1
        top, bottom = y // CELL_PX, (y + height - 1) // CELL_PX + 1
        # One bit per cell from left to right - 1, so that a row is tested with one operation.
        bits = (1 << right) - (1 << left)
        # An explicit loop is twice as fast as any().
        for row in self._rows[top:bottom]:
            if row & bits:
                return False
        self.take(left, top, right, bottom)
        return True

    def take(self, left: int, top: int, right: int, bottom: int) -> None:
        """Occupy cells; right and bottom are exclusive."""
        bits, rows = (1 << right) - (1 << left), self._rows
        for row in range(top, bottom):
            rows[row] |= bits


def _candidates(
    top: int, x1: int, y1: int, x2: int, y2: int, *, width: int, height: int
) -> Iterator[tuple[int, int]]:
    """Yield candidate positions around a box, best first: above its highest point, below, then beside it."""
    yield top - 1, y1 - height - 2
    for x in (x1 - 1, x2 - width + 1):
        yield x, y1 - height - 2
        yield x, y2 + 3
    yield x2 + 3, y1 - 1
    yield x1 - width - 3, y1 - 1


def _grid(view: tuple[int, int]) -> tuple[int, int]:
    """Return the number of columns and rows of cells in a view."""
    return view[0] // CELL_PX + 2, view[1] // CELL_PX + 2


def _squares(boxes: Floats, *, view: tuple[int, int]) -> npt.NDArray[np.int64]:
    """Return the cells covered by boxes, int64 (n, 4), left top right bottom, right and bottom exclusive."""
    first = np.clip(boxes[:, :2] // CELL_PX, 0, _grid(view)).astype(np.int64)
    last = np.clip((boxes[:, 2:] - 1) // CELL_PX + 1, 0, _grid(view)).astype(np.int64)
    return np.concatenate([first, np.maximum(last, first)], axis=1)


def _covered(squares: npt.NDArray[np.int64], *, view: tuple[int, int]) -> list[int]:
    """Return rows of cells that are covered by at least one box."""
    columns, rows = _grid(view)
    left, top, right, bottom = squares.T
    # Prefix sums of a difference array: +1 where a box begins, -1 where it ends.
    steps = np.zeros((rows + 1, columns + 1), np.int32)
    for y, x, step in ((top, left, 1), (bottom, right, 1), (top, right, -1), (bottom, left, -1)):
        np.add.at(steps, (y, x), step)
    covered = steps.cumsum(axis=0).cumsum(axis=1)[:rows, :columns] > 0
    packed = np.packbits(covered, axis=1, bitorder="little")
    return [int.from_bytes(row.tobytes(), "little") for row in packed]
