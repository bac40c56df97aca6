"""Boxes that are being drawn or moved: how they are reckoned and painted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen, QPolygonF

from annotator.commands.regions import Point, moved_outline
from annotator.domain.region import Box, Region
from widgets import theme
from widgets.stage.overlay_painter import line_pens

if TYPE_CHECKING:
    from widgets.stage.canvas import StageCanvas

HANDLES = ("nw", "n", "ne", "e", "se", "s", "sw", "w")
"""Corners and edges of a box by the directions of the compass."""
CORNERS = ("nw", "ne", "se", "sw")
HANDLE_PX = 7
AROUND_PX, FAR_AROUND_PX = 4, 9
"""From a box to the middles of its handles; from a small one, whose surroundings stay in sight."""
SMALL_PX = 32
"""Boxes with a shorter side have handles at their corners alone, pixels of the window."""
SLIP_PX = 3
"""A press that moves no more is a click, pixels of the window."""
POINT_PX = 6.0
"""Radius of the ring around a point."""
MOST_HALOS = 200
"""More boxes at once are painted in thin lines."""
SMALLEST_IMG = 1.0
"""Least side of a region, image pixels."""


def box_between(one: tuple[float, float], other: tuple[float, float]) -> Box:
    """Return the box with two opposite corners, whole image pixels."""
    (x1, x2), (y1, y2) = (sorted(map(round, pair)) for pair in zip(one, other, strict=True))
    return Box(x1=float(x1), y1=float(y1), x2=float(x2), y2=float(y2))


def moved(box: Box, dx: float, dy: float) -> Box:
    """Return a box that lies elsewhere."""
    return Box(x1=box.x1 + dx, y1=box.y1 + dy, x2=box.x2 + dx, y2=box.y2 + dy)


def held_move(boxes: Iterable[Box], dx: float, dy: float, *, size: tuple[int, int]) -> tuple[float, float]:
    """Return a move cut so that all boxes stay in a picture."""
    known = list(boxes)
    return (
        min(max(dx, -min(box.x1 for box in known)), size[0] - max(box.x2 for box in known)),
        min(max(dy, -min(box.y1 for box in known)), size[1] - max(box.y2 for box in known)),
    )


def resized(box: Box, handle: str, *, to: tuple[float, float]) -> Box:
    """Return a box one of whose corners or edges was pulled to a point; it never turns inside out."""
    x, y = to
    return Box(
        x1=min(x, box.x2 - SMALLEST_IMG) if "w" in handle else box.x1,
        y1=min(y, box.y2 - SMALLEST_IMG) if "n" in handle else box.y1,
        x2=max(x, box.x1 + SMALLEST_IMG) if "e" in handle else box.x2,
        y2=max(y, box.y1 + SMALLEST_IMG) if "s" in handle else box.y2,
    )


def box_rect(canvas: StageCanvas, box: Box) -> QRectF:
    """Return where a box lies in a view, device pixels."""
    x1, y1 = canvas.view_point(box.x1, box.y1)
    x2, y2 = canvas.view_point(box.x2, box.y2)
    return QRectF(x1, y1, x2 - x1, y2 - y1)


def handle_rects(canvas: StageCanvas, box: Box) -> dict[str, QRectF]:
    """Return the squares to pull a box by, device pixels: around it, so that a small one is seen."""
    ratio, rect = canvas.ratio(), box_rect(canvas, box)
    is_small = min(rect.width(), rect.height()) < SMALL_PX * ratio
    around = (FAR_AROUND_PX if is_small else AROUND_PX) * ratio
    rect.adjust(-around, -around, around, around)
    side = HANDLE_PX * ratio
    columns = {"w": rect.left(), "e": rect.right()}
    rows = {"n": rect.top(), "s": rect.bottom()}
    middle = rect.center()
    made = {}
    for handle in CORNERS if is_small else HANDLES:
        x = next((columns[part] for part in handle if part in columns), middle.x())
        y = next((rows[part] for part in handle if part in rows), middle.y())
        made[handle] = QRectF(x - side / 2, y - side / 2, side, side)
    return made


def paint_draft(painter: QPainter, rect: QRectF, *, ratio: float) -> None:
    """Paint a box that is being drawn or moved."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for pen in line_pens(theme.load("dark").color("accent"), ratio=ratio):
        painter.setPen(pen)
        painter.drawRect(rect)


def paint_point(painter: QPainter, canvas: StageCanvas, point: Box) -> None:
    """Paint a point that is being set or moved: a ring with a cross-hair.

    Args:
        painter: Counts device pixels.
        canvas: The view.
        point: A box without extent.
    """
    ratio = canvas.ratio()
    middle, radius = QPointF(*canvas.view_point(point.x1, point.y1)), POINT_PX * ratio
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for pen in line_pens(theme.load("dark").color("accent"), ratio=ratio):
        painter.setPen(pen)
        painter.drawEllipse(middle, radius, radius)
        for away in (QPointF(radius, 0), QPointF(0, radius)):
            painter.drawLine(middle + away / 2, middle + away * 1.5)
            painter.drawLine(middle - away / 2, middle - away * 1.5)


def paint_moved(painter: QPainter, canvas: StageCanvas, moved: Iterable[tuple[Region, Box]]) -> None:
    """Paint regions at other places: boxes in one go, since there may be thousands.

    Args:
        painter: Counts device pixels.
        canvas: The view.
        moved: Each region with its new box.
    """
    boxes = []
    for region, box in moved:
        if region.is_point:
            paint_point(painter, canvas, box)
        elif region.polygon:
            corners = moved_outline(region.polygon, before=region.box, after=box)
            paint_outline(painter, canvas, corners)
        else:
            boxes.append(box)
    painter.save()
    painter.setBrush(Qt.BrushStyle.NoBrush)
    # Upright lines need no smoothing, which is what takes long.
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    accent, rects = theme.load("dark").color("accent"), _rects(canvas, boxes)
    # A line of one pixel is what Qt draws fast: five times as fast as with its halo.
    pens = line_pens(accent, ratio=canvas.ratio()) if len(boxes) <= MOST_HALOS else (QPen(accent, 0),)
    for pen in pens:
        painter.setPen(pen)
        painter.drawRects(rects)
    painter.restore()


def _rects(canvas: StageCanvas, boxes: list[Box]) -> list[QRectF]:
    """Return where boxes lie in a view, device pixels; reckoned all at once."""
    corners = np.array([(box.x1, box.y1, box.x2, box.y2) for box in boxes], np.float64).reshape(-1, 2, 2)
    places = canvas.lens.to_view(corners).reshape(-1, 4)
    return [QRectF(x1, y1, x2 - x1, y2 - y1) for x1, y1, x2, y2 in places.tolist()]


def paint_outline(painter: QPainter, canvas: StageCanvas, corners: Iterable[Point]) -> None:
    """Paint a closed line through corners, image pixels."""
    places = canvas.lens.to_view(np.array(list(corners), np.float64))
    line = QPolygonF([QPointF(x, y) for x, y in places.tolist()])
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for pen in line_pens(theme.load("dark").color("accent"), ratio=canvas.ratio()):
        painter.setPen(pen)
        painter.drawPolygon(line)


def paint_handles(painter: QPainter, canvas: StageCanvas, box: Box) -> None:
    """Paint the squares to pull a box by."""
    painter.setPen(QPen(theme.load("dark").color("bg"), canvas.ratio()))
    painter.setBrush(Qt.GlobalColor.white)
    painter.drawRects(list(handle_rects(canvas, box).values()))
    painter.setBrush(Qt.BrushStyle.NoBrush)
