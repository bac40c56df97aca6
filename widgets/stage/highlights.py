"""Paints selection, hover and focus frames, and the message of a view without an image."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF, QRegion
from PySide6.QtWidgets import QWidget

from annotator.domain.region import Region
from widgets import icons, theme
from widgets.stage.text_badges import badge_size, paint_badge
from widgets.stage.view_annotations import ViewAnnotations
from widgets.stage.view_transform import ViewTransform
from widgets.translation import tr

WHITE = QColor("#ffffff")
"""Colour of selection and hover frames, visible on any image."""
MOST_FRAMES = 200
"""Number of selected regions above which frames are thin lines."""
SMALL_PX = 32
"""Targets with a shorter side below this are not tinted: a tint would change the colour to be judged."""
FREE_PX = 3
"""Gap between a small box and its frame, so that the box line keeps its colour; device-independent pixels."""


def paint_selected(
    painter: QPainter, marks: ViewAnnotations, ids: Collection[str], *, transform: ViewTransform, ratio: float
) -> None:
    """Paint frames around selected regions, for polygons their outlines.

    Args:
        painter: Painter with device pixels as unit.
        marks: The annotations of the view.
        ids: Ids of the regions, possibly thousands and of other views.
        transform: View transform.
        ratio: Device pixel ratio of the widget.
    """
    chosen = np.array([marks.ids[one] for one in ids if one in marks.ids], np.int64)
    positions = transform.to_view(marks.boxes[chosen].reshape(-1, 2, 2)).reshape(-1, 4)
    margin = FREE_PX * ratio
    is_seen = (positions[:, 2:] > -margin).all(axis=1)
    is_seen &= (positions[:, 0] < transform.width + margin) & (positions[:, 1] < transform.height + margin)
    chosen, positions = chosen[is_seen], positions[is_seen]
    # ``initial`` is needed for an empty selection and does not make a box small.
    is_small = (positions[:, 2:] - positions[:, :2]).min(axis=1, initial=SMALL_PX * ratio) < SMALL_PX * ratio
    is_outline = ~is_small & ~marks.is_plain[chosen] & ~marks.is_point[chosen]
    ground = QColor(theme.current().color("accent"))
    ground.setAlpha(46)
    painter.save()
    painter.setBrush(ground)
    painter.setPen(QPen(WHITE, 2 * ratio))
    if len(chosen) > MOST_FRAMES:
        # Qt draws thin axis-aligned lines fast; with antialiasing they take six times as long.
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(QPen(WHITE, 0))
    for position in chosen[is_outline].tolist():
        corners = transform.to_view(np.array(marks.marks.regions[position].polygon, np.float64))
        painter.drawPolygon(QPolygonF([QPointF(x, y) for x, y in corners.tolist()]))
    painter.drawRects(_frames(positions[~is_small & ~is_outline], free_px=ratio))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRects(_frames(positions[is_small], free_px=FREE_PX * ratio))
    painter.restore()


def _frames(boxes: np.ndarray[tuple[int, ...], np.dtype[np.float64]], *, free_px: float) -> list[QRectF]:
    """Return rectangles at a distance around boxes, float64 (n, 4), x1 y1 x2 y2, device pixels."""
    wider = boxes + np.array((-free_px, -free_px, free_px, free_px))
    return [QRectF(x1, y1, x2 - x1, y2 - y1) for x1, y1, x2, y2 in wider.tolist()]


def paint_hovered(
    painter: QPainter, region: Region, *, rect: QRectF, size: tuple[int, int], ratio: float
) -> None:
    """Paint the frame and the label of the region under the pointer.

    Args:
        painter: Painter with device pixels as unit.
        region: The region.
        rect: Its rectangle in the view, device pixels.
        size: Width and height of the view, to which the label is clamped.
        ratio: Device pixel ratio of the widget.
    """
    painter.setPen(QPen(WHITE, 1.4 * ratio))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(rect)
    locked = tr("locked") if region.is_locked else ""
    text = "  ".join(filter(None, (tr("Region {n}", n=region.number), region.category, locked)))
    width, height = badge_size(text, ratio=ratio)
    y = rect.top() - height - 2 * ratio
    # Below the region if there is no room above it.
    top = y if y >= 0 else min(rect.bottom() + 3 * ratio, size[1] - height)
    left = min(max(0.0, rect.left() - 1), size[0] - width)
    paint_badge(painter, text, x=round(left), y=round(top), ratio=ratio)


def paint_focus(painter: QPainter, view: QWidget, *, free: QRect | None = None) -> None:
    """Paint the focus frame of a view.

    Args:
        painter: Painter with device-independent pixels as unit.
        view: The view.
        free: Part of the view that the frame must not cover, or None.
    """
    if not view.hasFocus():
        return
    if free is not None:
        painter.setClipRegion(QRegion(view.rect()) - QRegion(free))
    painter.setPen(theme.current().color("focus"))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(QRectF(view.rect()).adjusted(0.5, 0.5, -0.5, -0.5))


def paint_absence(painter: QPainter, rect: QRect, *, text: str, icon: str = "picture-missing") -> None:
    """Paint a view without an image.

    Args:
        painter: Painter with device-independent pixels as unit.
        rect: Rectangle of the view.
        text: The reason, "" while it is unknown.
        icon: Name of the icon above the text.
    """
    tokens = theme.current()
    painter.fillRect(rect, tokens.color("bg"))
    if not text:
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
    area = rect.adjusted(8, middle.y() + 4, -8, 0)
    painter.drawText(area, int(Qt.AlignmentFlag.AlignHCenter | Qt.TextFlag.TextWordWrap), text)
