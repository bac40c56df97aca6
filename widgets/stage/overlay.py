"""The marks over a picture, painted in one pass: boxes from arrays, the few other things after them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QImage, QPainter, QPen, QPolygonF

from annotator.domain.path import Path
from annotator.media.render import Rendering, arrow_head
from widgets import theme
from widgets.region_colours import region_colour
from widgets.stage.label_places import place_labels
from widgets.stage.lens import Lens
from widgets.stage.outlines import draw_boxes
from widgets.stage.view_marks import ViewMarks
from widgets.translation import language

SMALLEST_LABELLED_PX = 14
"""A region with a shorter longer side shows its number only under the pointer."""
ARROW_PX = 9
CENTRE = int(Qt.AlignmentFlag.AlignCenter)


@dataclass(frozen=True, kw_only=True)
class OverlayState:
    """How marks are shown.

    Attributes:
        rendering: Which marks, and in whose colours.
        ratio: Device pixels per pixel of the window.
        has_labels: Whether numbers are written.
        hidden: Ids of marks that a tool draws itself at the moment.
    """

    rendering: Rendering
    ratio: float
    has_labels: bool = True
    hidden: frozenset[str] = frozenset()


def paint_marks(ground: QImage, marks: ViewMarks, *, lens: Lens, state: OverlayState) -> None:
    """Paint all marks of a view into a picture of it.

    Args:
        ground: What the view shows so far, Format_RGB32, device pixels.
        marks: The marks.
        lens: What is seen of the picture.
        state: How they are shown.
    """
    if state.rendering == "clean":
        return
    boxes = box_lines(marks, lens)
    shown = marks.seen(state.hidden) & np.all(boxes[:, 2:] >= 0, axis=1)
    shown &= (boxes[:, 0] < ground.width()) & (boxes[:, 1] < ground.height())
    colours = marks.colours(state.rendering)
    pixels = np.ndarray((ground.height(), ground.bytesPerLine() // 4), np.uint32, buffer=ground.bits())
    plain = shown & marks.is_plain
    draw_boxes(pixels, boxes[plain], colours=colours[plain], line_px=max(1, round(1.4 * state.ratio)))
    painter = QPainter(ground)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for place in np.flatnonzero(shown & ~marks.is_plain).tolist():
        corners = _polygon(marks.marks.regions[place].polygon, lens)
        for pen in line_pens(QColor(int(colours[place])), ratio=state.ratio):
            painter.setPen(pen)
            painter.drawPolygon(corners)
    if state.rendering == "annotated":
        for place, path in enumerate(marks.marks.paths):
            if path.id not in state.hidden:
                paint_path(painter, path, lens=lens, colour=region_colour(place), ratio=state.ratio)
    if state.has_labels:
        _paint_numbers(painter, marks, boxes, shown=shown, state=state)
    painter.end()


def box_lines(marks: ViewMarks, lens: Lens) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    """Return the pixels of the view that the lines of boxes go through, int64 (n, 4), both ends inclusive."""
    corners = lens.to_view(marks.boxes.reshape(-1, 2, 2)).reshape(-1, 4)
    lines = np.floor(np.clip(corners, -1e6, 1e6)).astype(np.int64)
    # The lower right corner is exclusive in the picture.
    lines[:, 2:] = np.maximum(lines[:, 2:] - 1, lines[:, :2])
    return lines


def line_pens(colour: QColor, *, ratio: float) -> tuple[QPen, QPen]:
    """Return the pen of a dark halo and the pen of the line over it."""
    halo = theme.load("dark").color("bg")
    return QPen(halo, 3.4 * ratio), QPen(colour, 1.4 * ratio)


def paint_path(painter: QPainter, path: Path, *, lens: Lens, colour: QColor, ratio: float) -> None:
    """Paint a way with an arrow at its end, and its label at its beginning."""
    points = lens.to_view(np.array(path.points, np.float64))
    line = QPolygonF([QPointF(x, y) for x, y in points.tolist()])
    for pen in line_pens(colour, ratio=ratio):
        painter.setPen(pen)
        painter.drawPolyline(line)
    whole = np.rint(points).astype(np.int32)
    if np.any(whole != whole[0]):
        head = arrow_head(whole, length=ARROW_PX * ratio)
        painter.setPen(QPen(theme.load("dark").color("bg"), ratio))
        painter.setBrush(colour)
        painter.drawPolygon(QPolygonF([QPointF(x, y) for x, y in head.tolist()]))
        painter.setBrush(Qt.BrushStyle.NoBrush)
    if path.label:
        x, y = points[0].tolist()
        paint_plate(painter, path.label, x=round(x + 6 * ratio), y=round(y + 6 * ratio), ratio=ratio)


def label_font(ratio: float) -> QFont:
    """Return the type of labels on pictures, in device pixels."""
    return _label_font(round(11 * ratio), language())


@cache
def _label_font(size_px: int, _language: str) -> QFont:
    # Kept, since Qt takes longer to make a font than to write with it.
    font = theme.font("label")
    font.setPixelSize(size_px)
    return font


def plate_size(text: str, *, ratio: float) -> tuple[int, int]:
    """Return width and height of a label's plate, device pixels."""
    return QFontMetrics(label_font(ratio)).horizontalAdvance(text) + round(6 * ratio), round(14 * ratio)


def paint_plate(painter: QPainter, text: str, *, x: int, y: int, ratio: float) -> None:
    """Write on a dark plate that reads on any picture."""
    width, height = plate_size(text, ratio=ratio)
    _paint_plates(painter, [(text, QRectF(x, y, width, height))], ratio=ratio)


def _paint_plates(painter: QPainter, plates: list[tuple[str, QRectF]], *, ratio: float) -> None:
    ground = theme.load("dark").color("bg")
    ground.setAlpha(205)
    painter.setPen(theme.load("dark").color("text"))
    painter.setFont(label_font(ratio))
    for text, plate in plates:
        painter.fillRect(plate, ground)
        painter.drawText(plate, CENTRE, text)


def _paint_numbers(
    painter: QPainter,
    marks: ViewMarks,
    boxes: np.ndarray[tuple[int, ...], np.dtype[np.int64]],
    *,
    shown: np.ndarray[tuple[int, ...], np.dtype[np.bool_]],
    state: OverlayState,
) -> None:
    metrics = QFontMetrics(label_font(state.ratio))
    # Digits of one width: the number of them tells the width of a label.
    digit, height = metrics.horizontalAdvance("0"), round(14 * state.ratio)
    places = np.flatnonzero(shown)
    widths = marks.digits[places] * digit + round(6 * state.ratio)
    labels = place_labels(
        boxes[places].astype(np.float64),
        np.stack([widths, np.full_like(widths, height)], axis=1),
        view=(painter.device().width(), painter.device().height()),
        smallest_px=SMALLEST_LABELLED_PX * state.ratio,
    )
    plates = [
        (marks.numbers[place], QRectF(label.x, label.y, int(widths[label.index]), height))
        for label in labels
        for place in places[label.index : label.index + 1].tolist()
    ]
    _paint_plates(painter, plates, ratio=state.ratio)


def _polygon(points: tuple[tuple[float, float], ...], lens: Lens) -> QPolygonF:
    return QPolygonF([QPointF(x, y) for x, y in lens.to_view(np.array(points, np.float64)).tolist()])
