"""Geometry and painting of boxes that are being drawn or moved."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen, QPolygonF

from annotator.commands.regions import Point, moved_outline
from annotator.domain.region import Box, Region
from widgets import theme
from widgets.stage.path_painter import line_pens

if TYPE_CHECKING:
    from widgets.stage.canvas import StageCanvas
    from widgets.stage.tool import Pointer

HANDLES = ("nw", "n", "ne", "e", "se", "s", "sw", "w")
"""Handles at the corners and edges of a box, named by compass directions."""
HANDLE_CURSORS = {
    "nw": Qt.CursorShape.SizeFDiagCursor,
    "se": Qt.CursorShape.SizeFDiagCursor,
    "ne": Qt.CursorShape.SizeBDiagCursor,
    "sw": Qt.CursorShape.SizeBDiagCursor,
    "n": Qt.CursorShape.SizeVerCursor,
    "s": Qt.CursorShape.SizeVerCursor,
    "e": Qt.CursorShape.SizeHorCursor,
    "w": Qt.CursorShape.SizeHorCursor,
}
"""Pointer shapes of the handles."""
CORNERS = ("nw", "ne", "se", "sw")
HANDLE_PX = 7
AROUND_PX, FAR_AROUND_PX = 4, 9
"""Distance from a box to the centres of its handles; larger for a small box, which must stay visible."""
SMALL_PX = 32
"""Boxes with a shorter side below this have handles at the corners only, device-independent pixels."""
SLIP_PX = 3
"""A press that moves at most this far is a click, device-independent pixels."""
POINT_PX = 6.0
"""Radius of the ring around a point."""
MOST_HALOS = 200
"""Number of boxes above which lines are thin and have no halo."""
SMALLEST_IMG = 1.0
"""Minimum side of a region, image pixels."""


def box_between(one: tuple[float, float], other: tuple[float, float]) -> Box:
    """Return the box with two opposite corners, rounded to whole image pixels."""
    (x1, x2), (y1, y2) = (sorted(map(round, pair)) for pair in zip(one, other, strict=True))
    return Box(x1=float(x1), y1=float(y1), x2=float(x2), y2=float(y2))


def moved(box: Box, dx: float, dy: float) -> Box:
    """Return a translated box."""
    return Box(x1=box.x1 + dx, y1=box.y1 + dy, x2=box.x2 + dx, y2=box.y2 + dy)


def held_move(boxes: Iterable[Box], dx: float, dy: float, *, size: tuple[int, int]) -> tuple[float, float]:
    """Return a translation limited so that all boxes stay inside an image."""
    known = list(boxes)
    return (
        min(max(dx, -min(box.x1 for box in known)), size[0] - max(box.x2 for box in known)),
        min(max(dy, -min(box.y1 for box in known)), size[1] - max(box.y2 for box in known)),
    )


def resized(box: Box, handle: str, *, to: tuple[float, float]) -> Box:
    """Return a box after dragging a corner or an edge to a point; sides never become negative."""
    x, y = to
    return Box(
        x1=min(x, box.x2 - SMALLEST_IMG) if "w" in handle else box.x1,
        y1=min(y, box.y2 - SMALLEST_IMG) if "n" in handle else box.y1,
        x2=max(x, box.x1 + SMALLEST_IMG) if "e" in handle else box.x2,
        y2=max(y, box.y1 + SMALLEST_IMG) if "s" in handle else box.y2,
    )


def box_rect(canvas: StageCanvas, box: Box) -> QRectF:
    """Return the rectangle of a box in a view, device pixels."""
    x1, y1 = canvas.view_point(box.x1, box.y1)
    x2, y2 = canvas.view_point(box.x2, box.y2)
    return QRectF(x1, y1, x2 - x1, y2 - y1)


def handle_rects(canvas: StageCanvas, box: Box) -> dict[str, QRectF]:
    """Return the handle rectangles of a box, device pixels; outside, so that a small box stays visible."""
    ratio, rect = canvas.ratio(), box_rect(canvas, box)
    is_small = min(rect.width(), rect.height()) < SMALL_PX * ratio
    around = (FAR_AROUND_PX if is_small else AROUND_PX) * ratio
    rect.adjust(-around, -around, around, around)
    side = HANDLE_PX * ratio
    columns = {"w": rect.left(), "e": rect.right()}
    rows = {"n": rect.top(), "s": rect.bottom()}
    middle = rect.center()
    made = {}
    # On a small box, edge handles would overlap those of the corners.
    for handle in CORNERS if is_small else HANDLES:
        x = next((columns[part] for part in handle if part in columns), middle.x())
        y = next((rows[part] for part in handle if part in rows), middle.y())
        made[handle] = QRectF(x - side / 2, y - side / 2, side, side)
    return made


def handle_at(at: Pointer, box: Box) -> str:
    """Return the handle of a box under the pointer, or ""."""
    ratio = at.canvas.ratio()
    point, slack = QPointF(at.view) * ratio, HANDLE_PX * ratio / 4
    for handle, rect in handle_rects(at.canvas, box).items():
        if QRectF(rect).adjusted(-slack, -slack, slack, slack).contains(point):
            return handle
    return ""


def paint_draft(painter: QPainter, rect: QRectF, *, ratio: float) -> None:
    """Paint a box that is being drawn or moved."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for pen in line_pens(theme.load("dark").color("accent"), ratio=ratio):
        painter.setPen(pen)
        painter.drawRect(rect)


def paint_point(painter: QPainter, canvas: StageCanvas, point: Box) -> None:
    """Paint a point that is being set or moved: a ring with a cross-hair.

    Args:
        painter: Painter with device pixels as unit.
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
    """Paint moved regions; boxes with one call, because there can be thousands.

    Args:
        painter: Painter with device pixels as unit.
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
    # Axis-aligned lines need no antialiasing, which dominates the painting time.
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    accent, rects = theme.load("dark").color("accent"), _rects(canvas, boxes)
    # Qt draws a line of one pixel five times as fast as a line with its halo.
    pens = line_pens(accent, ratio=canvas.ratio()) if len(boxes) <= MOST_HALOS else (QPen(accent, 0),)
    for pen in pens:
        painter.setPen(pen)
        painter.drawRects(rects)
    painter.restore()


def _rects(canvas: StageCanvas, boxes: list[Box]) -> list[QRectF]:
    """Return the rectangles of boxes in a view, device pixels, computed with one array operation."""
    corners = np.array([(box.x1, box.y1, box.x2, box.y2) for box in boxes], np.float64).reshape(-1, 2, 2)
    positions = canvas.transform.to_view(corners).reshape(-1, 4)
    return [QRectF(x1, y1, x2 - x1, y2 - y1) for x1, y1, x2, y2 in positions.tolist()]


def paint_outline(painter: QPainter, canvas: StageCanvas, corners: Iterable[Point]) -> None:
    """Paint a closed polyline, corners in image pixels."""
    positions = canvas.transform.to_view(np.array(list(corners), np.float64))
    line = QPolygonF([QPointF(x, y) for x, y in positions.tolist()])
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for pen in line_pens(theme.load("dark").color("accent"), ratio=canvas.ratio()):
        painter.setPen(pen)
        painter.drawPolygon(line)


def paint_handles(painter: QPainter, canvas: StageCanvas, box: Box) -> None:
    """Paint the handles of a box."""
    painter.setPen(QPen(theme.load("dark").color("bg"), canvas.ratio()))
    painter.setBrush(Qt.GlobalColor.white)
    painter.drawRects(list(handle_rects(canvas, box).values()))
    painter.setBrush(Qt.BrushStyle.NoBrush)
