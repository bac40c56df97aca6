"""Where the ids of regions stand: outside of their box, on nothing that is smaller."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

CELL_PX = 4
"""Places are taken in squares of this side: fine enough for letters, coarse enough to be quick."""
MOST_LABELS = 200
"""More ids at once would hide the picture; a larger zoom shows the others, and a pointer each of them."""
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class LabelPlace:
    """Where a label stands.

    Attributes:
        index: Place of its box in the list.
        x: Left edge.
        y: Upper edge.
    """

    index: int
    x: int
    y: int


def place_labels(
    boxes: Floats, sizes: npt.NDArray[np.int64], *, view: tuple[int, int], smallest_px: float
) -> list[LabelPlace]:
    """Find places for labels; those that find none are left out.

    Args:
        boxes: float64 (n, 4), x1 y1 x2 y2, pixels of the view, at least partly in it.
        sizes: int64 (n, 2), width and height of each label.
        view: Width and height of the view.
        smallest_px: Boxes whose longer side is less have no label.
    """
    sides = boxes[:, 2:] - boxes[:, :2]
    areas = sides.prod(axis=1)
    is_wanted = sides.max(axis=1, initial=0) >= smallest_px
    if not is_wanted.any():
        return []
    order = np.argsort(areas + is_wanted * areas.max(initial=0), kind="stable")
    least = max(len(order) - MOST_LABELS, len(order) - int(is_wanted.sum()))
    # Those without a label at once, then from the smallest: each takes its ground before larger ones' labels.
    taken = _covered(boxes[order[:least]], view=view)
    places: list[LabelPlace] = []
    for index in order[least:].tolist():
        x1, y1, x2, y2 = boxes[index].tolist()
        width, height = sizes[index].tolist()
        found = _free_place(
            taken, (round(x1), round(y1), round(x2), round(y2)), size=(width, height), view=view
        )
        if found is not None:
            _take(taken, found[0], found[1], found[0] + width, found[1] + height)
            places.append(LabelPlace(index=index, x=found[0], y=found[1]))
        _take(taken, x1, y1, x2, y2)
    return places


def _covered(boxes: Floats, *, view: tuple[int, int]) -> npt.NDArray[np.bool_]:
    """Return the squares that boxes cover, bool (rows, columns)."""
    rows, columns = view[1] // CELL_PX + 2, view[0] // CELL_PX + 2
    first = np.clip(boxes[:, :2] // CELL_PX, 0, (columns, rows)).astype(np.int64)
    last = np.clip((boxes[:, 2:] - 1) // CELL_PX + 1, 0, (columns, rows)).astype(np.int64)
    last = np.maximum(last, first)
    # One up where a box begins, one down where it ends; the running sum is how many lie on a square.
    steps = np.zeros((rows + 1, columns + 1), np.int32)
    for y, x, step in ((first, first, 1), (last, last, 1), (first, last, -1), (last, first, -1)):
        np.add.at(steps, (y[:, 1], x[:, 0]), step)
    return np.asarray(steps.cumsum(axis=0).cumsum(axis=1)[:rows, :columns] > 0)


def _free_place(
    taken: npt.NDArray[np.bool_],
    box: tuple[int, int, int, int],
    *,
    size: tuple[int, int],
    view: tuple[int, int],
) -> tuple[int, int] | None:
    x1, y1, x2, y2 = box
    width, height = size
    for x, y in (
        (x1 - 1, y1 - height - 2),
        (x1 - 1, y2 + 3),
        (x2 - width + 1, y1 - height - 2),
        (x2 - width + 1, y2 + 3),
        (x2 + 3, y1 - 1),
        (x1 - width - 3, y1 - 1),
    ):
        if x < 0 or y < 0 or x + width > view[0] or y + height > view[1]:
            continue
        part = taken[
            y // CELL_PX : (y + height - 1) // CELL_PX + 1, x // CELL_PX : (x + width - 1) // CELL_PX + 1
        ]
        if not part.any():
            return x, y
    return None


def _take(taken: npt.NDArray[np.bool_], x1: float, y1: float, x2: float, y2: float) -> None:
    left, top = max(0, int(x1) // CELL_PX), max(0, int(y1) // CELL_PX)
    taken[top : max(0, int(y2 - 1) // CELL_PX + 1), left : max(0, int(x2 - 1) // CELL_PX + 1)] = True
