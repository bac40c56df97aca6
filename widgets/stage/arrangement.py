"""Where views stand: in the rows and columns that show the most picture, or as a person fixed it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, get_args

from PySide6.QtCore import QRect, QSize

Layout = Literal["best", "row", "column", "columns-2", "columns-3", "front"]
"""The grid that shows most; one row; one column; two or three columns; one large, the others in a strip."""
LAYOUTS: tuple[Layout, ...] = get_args(Layout)
GAP_PX = 2
STRIP_SHARES = (0.16, 0.2, 0.25, 0.3)
"""Of the room, for the strip beside the large view."""
STRIP_WEIGHT = 0.5
"""What a pixel of the strip counts against one of the large view."""
FINEST_STEP_PX = 4
"""Screens are scaled by quarters: every fourth pixel of a window is a whole one of the screen."""


@dataclass(frozen=True, kw_only=True)
class PixelGrid:
    """Which pixels of a window are whole pixels of its screen.

    A picture painted between two pixels of the screen is smeared, and gaps between views come out uneven.

    Attributes:
        step: Every so many pixels of the window are.
        x: Where the room begins in its window.
        y: Where the room begins in its window.
    """

    step: int = 1
    x: int = 0
    y: int = 0


def layouts_for(count: int) -> tuple[Layout, ...]:
    """Return the layouts that are different from each other for so many views, ``best`` first."""
    least = {"row": 2, "column": 2, "front": 2, "columns-2": 3, "columns-3": 4}
    return tuple(layout for layout in LAYOUTS if count >= least.get(layout, 0))


def pixel_grid(ratio: float, *, x: int = 0, y: int = 0) -> PixelGrid:
    """Return the grid of a screen.

    Args:
        ratio: Pixels of the screen per pixel of the window.
        x: Where the room begins in its window.
        y: Where the room begins in its window.
    """
    step = Fraction(ratio).limit_denominator(64).denominator
    # A scale that is no quarter has no whole pixels near enough to each other to stand on.
    return PixelGrid(step=step, x=x, y=y) if step <= FINEST_STEP_PX else PixelGrid()


def arrange(
    space: QSize,
    shapes: Sequence[QSize],
    *,
    layout: Layout = "best",
    main: int = 0,
    grid: PixelGrid | None = None,
) -> list[QRect]:
    """Return the places of views in their order.

    Args:
        space: Room for all of them.
        shapes: Sizes of their pictures.
        layout: How they stand; one that needs more views than there are counts as ``best``.
        main: Place of the large view in the layout ``front``.
        grid: Whole pixels of the screen, on which all edges are put.
    """
    count = len(shapes)
    if not count:
        return []
    grid = grid or PixelGrid()
    room = _room(space, grid=grid)
    if layout not in layouts_for(count):
        layout = "best"
    if layout == "front":
        tried = [
            _with_strip(room, count, main=min(main, count - 1), share=share, is_beside=is_beside, grid=grid)
            for share in STRIP_SHARES
            for is_beside in (True, False)
        ]
        return max(tried, key=lambda places: _weighed_area(places, shapes, main=min(main, count - 1)))
    tried = [_cells(room, count, columns=columns, grid=grid) for columns in _columns(layout, count=count)]
    return max(tried, key=lambda places: _shown_area(places, shapes))


def _columns(layout: Layout, *, count: int) -> Sequence[int]:
    fixed = {"row": count, "column": 1, "columns-2": 2, "columns-3": 3}
    return [fixed[layout]] if layout in fixed else range(1, count + 1)


def _room(space: QSize, *, grid: PixelGrid) -> QRect:
    """Return the part of the space whose edges are whole pixels of the screen."""
    left, top = -grid.x % grid.step, -grid.y % grid.step
    wide, high = (side - side % grid.step for side in (space.width() - left, space.height() - top))
    return QRect(left, top, max(1, wide), max(1, high))


def _cells(room: QRect, count: int, *, columns: int, grid: PixelGrid) -> list[QRect]:
    rows, gap = -(-count // columns), _gap(grid)
    xs = _edges(room.width(), columns, grid=grid)
    ys = _edges(room.height(), rows, grid=grid)
    places = []
    for at in range(count):
        column, row = at % columns, at // columns
        # The last view of a row that is not full has the rest of it.
        end = columns if at == count - 1 else column + 1
        places.append(
            QRect(
                room.left() + xs[column],
                room.top() + ys[row],
                max(1, xs[end] - xs[column] - gap),
                max(1, ys[row + 1] - ys[row] - gap),
            )
        )
    return places


def _with_strip(
    room: QRect, count: int, *, main: int, share: float, is_beside: bool, grid: PixelGrid
) -> list[QRect]:
    """Return the large view with the others beside it one below the other, or below it in a row."""
    gap, side = _gap(grid), room.width() if is_beside else room.height()
    strip = max(1, grid.step * round(share * side / grid.step))
    large, rest = QRect(room), QRect(room)
    if is_beside:
        large.setWidth(max(1, side - strip - gap))
        rest.setLeft(large.right() + 1 + gap)
    else:
        large.setHeight(max(1, side - strip - gap))
        rest.setTop(large.bottom() + 1 + gap)
    others = _cells(rest, count - 1, columns=1 if is_beside else count - 1, grid=grid)
    return [*others[:main], large, *others[main:]]


def _edges(length: int, count: int, *, grid: PixelGrid) -> list[int]:
    whole = (length + _gap(grid)) / grid.step
    return [grid.step * round(at * whole / count) for at in range(count)] + [length + _gap(grid)]


def _gap(grid: PixelGrid) -> int:
    return grid.step * math.ceil(GAP_PX / grid.step)


def _shown_area(places: Sequence[QRect], shapes: Sequence[QSize]) -> float:
    return sum(_areas(places, shapes))


def _weighed_area(places: Sequence[QRect], shapes: Sequence[QSize], *, main: int) -> float:
    areas = _areas(places, shapes)
    return areas[main] + STRIP_WEIGHT * (sum(areas) - areas[main])


def _areas(places: Sequence[QRect], shapes: Sequence[QSize]) -> list[float]:
    areas = []
    for place, shape in zip(places, shapes, strict=True):
        zoom = min(place.width() / max(1, shape.width()), place.height() / max(1, shape.height()))
        areas.append(zoom * zoom * shape.width() * shape.height())
    return areas
