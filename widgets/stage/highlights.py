"""What moves with the pointer and with the selection, and the words of a view without a picture."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF, QRegion
from PySide6.QtWidgets import QWidget

from annotator.domain.region import Region
from widgets import icons, theme
from widgets.stage.text_badges import badge_size, paint_badge
from widgets.stage.view_transform import ViewTransform
from widgets.translation import tr

WHITE = QColor("#ffffff")
"""Frame of what is chosen or under the pointer, on any picture."""
MOST_FRAMES = 200
"""More chosen regions at once are framed by thin lines."""
SMALL_PX = 32
"""Targets with a shorter side below this are not tinted: a tint would change the colour to be judged."""
FREE_PX = 3
"""Between a small box and its frame, so that the box's own line keeps its colour; pixels of the window."""


def paint_selected(
    painter: QPainter, regions: Sequence[Region], *, lens: ViewTransform, ratio: float
) -> None:
    """Paint the frames of regions that are chosen, the outlines of polygons.

    Args:
        painter: Counts device pixels.
        regions: The regions; there may be thousands.
        lens: What is seen of the picture.
        ratio: Device pixels per pixel of the window.
    """
    ground = QColor(theme.current().color("accent"))
    ground.setAlpha(46)
    painter.save()
    painter.setBrush(ground)
    painter.setPen(QPen(WHITE, 2 * ratio))
    boxes = [(one.box.x1, one.box.y1, one.box.x2, one.box.y2) for one in regions]
    places = lens.to_view(np.array(boxes, np.float64).reshape(-1, 2, 2)).reshape(-1, 4)
    is_small = (places[:, 2:] - places[:, :2]).min(axis=1, initial=SMALL_PX * ratio) < SMALL_PX * ratio
    is_outline = ~is_small & np.array([bool(one.polygon) for one in regions], bool)
    for place in np.flatnonzero(is_outline).tolist():
        corners = lens.to_view(np.array(regions[place].polygon, np.float64))
        painter.drawPolygon(QPolygonF([QPointF(x, y) for x, y in corners.tolist()]))
    if len(boxes) > MOST_FRAMES:
        # Thin upright lines are what Qt draws fast; smoothed ones take six times as long.
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(QPen(WHITE, 0))
    painter.drawRects(_frames(places[~is_small & ~is_outline], free_px=ratio))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRects(_frames(places[is_small], free_px=FREE_PX * ratio))
    painter.restore()


def _frames(boxes: np.ndarray[tuple[int, ...], np.dtype[np.float64]], *, free_px: float) -> list[QRectF]:
    """Return rectangles at a distance around boxes, float64 (n, 4), x1 y1 x2 y2; device pixels."""
    wider = boxes + np.array((-free_px, -free_px, free_px, free_px))
    return [QRectF(x1, y1, x2 - x1, y2 - y1) for x1, y1, x2, y2 in wider.tolist()]


def paint_hovered(
    painter: QPainter, region: Region, *, rect: QRectF, size: tuple[int, int], ratio: float
) -> None:
    """Paint the frame of the region under the pointer, and what it is.

    Args:
        painter: Counts device pixels.
        region: The region.
        rect: Where it lies.
        size: Width and height of the view, in which the words stay.
        ratio: Device pixels per pixel of the window.
    """
    painter.setPen(QPen(WHITE, 1.4 * ratio))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(rect)
    locked = tr("locked") if region.is_locked else ""
    text = "  ".join(filter(None, (tr("Region {n}", n=region.number), region.category, locked)))
    width, height = badge_size(text, ratio=ratio)
    y = rect.top() - height - 2 * ratio
    top = y if y >= 0 else min(rect.bottom() + 3 * ratio, size[1] - height)
    left = min(max(0.0, rect.left() - 1), size[0] - width)
    paint_badge(painter, text, x=round(left), y=round(top), ratio=ratio)


def paint_focus(painter: QPainter, view: QWidget, *, free: QRect | None = None) -> None:
    """Paint the frame of a view that has the keyboard.

    Args:
        painter: Counts pixels of the window.
        view: The view.
        free: Part of the view that the frame does not cover, None for none.
    """
    if not view.hasFocus():
        return
    if free is not None:
        painter.setClipRegion(QRegion(view.rect()) - QRegion(free))
    painter.setPen(theme.current().color("focus"))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(QRectF(view.rect()).adjusted(0.5, 0.5, -0.5, -0.5))


def paint_absence(painter: QPainter, rect: QRect, *, words: str, icon: str = "picture-missing") -> None:
    """Paint a view that has no picture.

    Args:
        painter: Counts pixels of the window.
        rect: The view.
        words: Why, "" as long as nobody knows.
        icon: Stands above the words.
    """
    tokens = theme.current()
    painter.fillRect(rect, tokens.color("bg"))
    if not words:
        return
    middle = rect.center()
    icons.draw(
        painter,
        icon,
        rect=QRectF(middle.x() - 10, middle.y() - 24, 20, 20),
        ink=tokens.color("text_dim"),
    )
    painter.setFont(theme.font("body"))
    painter.setPen(tokens.color("text_dim"))
    place = rect.adjusted(8, middle.y() + 4, -8, 0)
    painter.drawText(place, int(Qt.AlignmentFlag.AlignHCenter | Qt.TextFlag.TextWordWrap), words)
