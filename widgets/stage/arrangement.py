"""Where views stand: in the rows and columns that show the most picture."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRect, QSize

GAP_PX = 2


def arrange(space: QSize, shapes: Sequence[QSize]) -> list[QRect]:
    """Return the places of views in order, row by row.

    Args:
        space: Room for all of them.
        shapes: Sizes of their pictures.
    """
    if not shapes:
        return []
    return max(
        (_grid(space, len(shapes), columns=columns) for columns in range(1, len(shapes) + 1)),
        key=lambda places: _shown_area(places, shapes),
    )


def _grid(space: QSize, count: int, *, columns: int) -> list[QRect]:
    rows = -(-count // columns)
    xs = [round(at * (space.width() + GAP_PX) / columns) for at in range(columns + 1)]
    ys = [round(at * (space.height() + GAP_PX) / rows) for at in range(rows + 1)]
    places = []
    for at in range(count):
        column, row = at % columns, at // columns
        # The last view of a row that is not full has the rest of it.
        end = columns if at == count - 1 else column + 1
        places.append(
            QRect(
                xs[column],
                ys[row],
                max(1, xs[end] - xs[column] - GAP_PX),
                max(1, ys[row + 1] - ys[row] - GAP_PX),
            )
        )
    return places


def _shown_area(places: Sequence[QRect], shapes: Sequence[QSize]) -> float:
    area = 0.0
    for place, shape in zip(places, shapes, strict=True):
        zoom = min(place.width() / max(1, shape.width()), place.height() / max(1, shape.height()))
        area += zoom * zoom * shape.width() * shape.height()
    return area
