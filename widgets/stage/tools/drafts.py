"""Boxes that are being drawn or moved: how they are reckoned and painted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from annotator.domain.region import Box
from widgets import theme
from widgets.stage.overlay import line_pens

if TYPE_CHECKING:
    from widgets.stage.canvas import Canvas

HANDLES = ("nw", "n", "ne", "e", "se", "s", "sw", "w")
"""Corners and edges of a box by the directions of the compass."""
HANDLE_PX = 7
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


def box_rect(canvas: Canvas, box: Box) -> QRectF:
    """Return where a box lies in a view, device pixels."""
    x1, y1 = canvas.view_point(box.x1, box.y1)
    x2, y2 = canvas.view_point(box.x2, box.y2)
    return QRectF(x1, y1, x2 - x1, y2 - y1)


def handle_rects(canvas: Canvas, box: Box) -> dict[str, QRectF]:
    """Return the squares to pull a box by, device pixels: around it, so that a small one is seen."""
    ratio = canvas.ratio()
    around = 4 * ratio
    rect = box_rect(canvas, box).adjusted(-around, -around, around, around)
    side = HANDLE_PX * ratio
    columns = {"w": rect.left(), "e": rect.right()}
    rows = {"n": rect.top(), "s": rect.bottom()}
    middle = rect.center()
    made = {}
    for handle in HANDLES:
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


def paint_handles(painter: QPainter, canvas: Canvas, box: Box) -> None:
    """Paint the squares to pull a box by."""
    painter.setPen(QPen(theme.load("dark").color("bg"), canvas.ratio()))
    painter.setBrush(Qt.GlobalColor.white)
    for rect in handle_rects(canvas, box).values():
        painter.drawRect(rect)
    painter.setBrush(Qt.BrushStyle.NoBrush)
