"""Layout of the views: the rows and columns that show the largest images, or a layout chosen by the user."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, get_args

from PySide6.QtCore import QRect, QSize

Layout = Literal["best", "row", "column", "columns-2", "columns-3", "front"]
"""Largest total image area; one row; one column; two or three columns; one large view with a strip."""
LAYOUTS: tuple[Layout, ...] = get_args(Layout)
GAP_PX = 2
STRIP_SHARES = (0.16, 0.2, 0.25, 0.3)
"""Fraction of the stage for the strip beside the large view."""
STRIP_WEIGHT = 0.5
"""Weight of a pixel in the strip relative to one of the large view."""
FINEST_STEP_PX = 4
"""Screen scales are multiples of a quarter: every fourth position in a window is a whole device pixel."""


@dataclass(frozen=True, kw_only=True)
class PixelGrid:
    """The positions in a window that coincide with whole device pixels.

    An image painted between two device pixels is blurred, and gaps between views become uneven.

    Attributes:
        step: Distance between two such positions, device-independent pixels.
        x: Left edge of the stage in its window.
        y: Upper edge of the stage in its window.
    """

    step: int = 1
    x: int = 0
    y: int = 0


def layouts_for(count: int) -> tuple[Layout, ...]:
    """Return the layouts that differ for a number of views, ``best`` first."""
    least = {"row": 2, "column": 2, "front": 2, "columns-2": 3, "columns-3": 4}
    return tuple(layout for layout in LAYOUTS if count >= least.get(layout, 0))


def pixel_grid(ratio: float, *, x: int = 0, y: int = 0) -> PixelGrid:
    """Return the pixel grid of a screen.

    Args:
        ratio: Device pixel ratio of the screen.
        x: Left edge of the stage in its window.
        y: Upper edge of the stage in its window.
    """
    step = Fraction(ratio).limit_denominator(64).denominator
    # At a scale that is not a multiple of a quarter, whole device pixels are too far apart to align to.
    return PixelGrid(step=step, x=x, y=y) if step <= FINEST_STEP_PX else PixelGrid()


def arrange(
    space: QSize,
    shapes: Sequence[QSize],
    *,
    layout: Layout = "best",
    main: int = 0,
    grid: PixelGrid | None = None,
) -> list[QRect]:
    """Return the rectangles of the views in order.

    Args:
        space: Size of the stage.
        shapes: Sizes of the images.
        layout: The layout; ``best`` is used if there are too few views for it.
        main: Index of the large view in the layout ``front``.
        grid: Pixel grid to which all edges are aligned.
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
        return max(tried, key=lambda positions: _weighed_area(positions, shapes, main=min(main, count - 1)))
    tried = [_cells(room, count, columns=columns, grid=grid) for columns in _columns(layout, count=count)]
    return max(tried, key=lambda positions: _shown_area(positions, shapes))


def _columns(layout: Layout, *, count: int) -> Sequence[int]:
    fixed = {"row": count, "column": 1, "columns-2": 2, "columns-3": 3}
    return [fixed[layout]] if layout in fixed else range(1, count + 1)


def _room(space: QSize, *, grid: PixelGrid) -> QRect:
    """Return the part of the stage whose edges are aligned to the grid."""
    # Distance to the next whole device pixel of the window.
    left, top = -grid.x % grid.step, -grid.y % grid.step
    wide, high = (side - side % grid.step for side in (space.width() - left, space.height() - top))
    return QRect(left, top, max(1, wide), max(1, high))


def _cells(room: QRect, count: int, *, columns: int, grid: PixelGrid) -> list[QRect]:
    rows, gap = -(-count // columns), _gap(grid)
    xs = _edges(room.width(), columns, grid=grid)
    ys = _edges(room.height(), rows, grid=grid)
    positions = []
    for at in range(count):
        column, row = at % columns, at // columns
        # The last view of an incomplete row takes the remaining columns.
        end = columns if at == count - 1 else column + 1
        positions.append(
            QRect(
                room.left() + xs[column],
                room.top() + ys[row],
                max(1, xs[end] - xs[column] - gap),
                max(1, ys[row + 1] - ys[row] - gap),
            )
        )
    return positions


def _with_strip(
    room: QRect, count: int, *, main: int, share: float, is_beside: bool, grid: PixelGrid
) -> list[QRect]:
    """Return the large view with the others in a column beside it, or in a row below it."""
    gap, side = _gap(grid), room.width() if is_beside else room.height()
    # Rounded to the grid, so that the edges of both parts are aligned.
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
    # The length includes a gap after the last cell, so that all cells are treated alike.
    whole = (length + _gap(grid)) / grid.step
    return [grid.step * round(at * whole / count) for at in range(count)] + [length + _gap(grid)]


def _gap(grid: PixelGrid) -> int:
    return grid.step * math.ceil(GAP_PX / grid.step)


def _shown_area(positions: Sequence[QRect], shapes: Sequence[QSize]) -> float:
    return sum(_areas(positions, shapes))


def _weighed_area(positions: Sequence[QRect], shapes: Sequence[QSize], *, main: int) -> float:
    areas = _areas(positions, shapes)
    return areas[main] + STRIP_WEIGHT * (sum(areas) - areas[main])


def _areas(positions: Sequence[QRect], shapes: Sequence[QSize]) -> list[float]:
    areas = []
    for rect, shape in zip(positions, shapes, strict=True):
        zoom = min(rect.width() / max(1, shape.width()), rect.height() / max(1, shape.height()))
        areas.append(zoom * zoom * shape.width() * shape.height())
    return areas
