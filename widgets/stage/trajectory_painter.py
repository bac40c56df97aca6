"""Paints camera trajectories: projected into the image, and as a top-view plan."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from widgets import theme
from widgets.stage.camera_trajectory import ProjectedTrajectory, TopViewPlan, TrajectoryMarker, arrows_along
from widgets.stage.text_badges import paint_badge
from widgets.stage.view_transform import ViewTransform

Floats = npt.NDArray[np.float64]
INK = "#7df9ff"
"""Trajectory colours: brighter than the twelve region colours."""
AHEAD_ALPHA = 170
ARROWS_PX, HEAD_PX, MARKER_PX = 90.0, 8.0, 6.0
PLAN_PX, PLAN_MARGIN_PX, PLAN_PADDING_PX = 132, 8, 14
FARTHEST_PX = 30_000.0
"""Line points are clamped to this distance; Qt's rasterizer is exact up to 32,767."""


def paint_trail(
    painter: QPainter, trail: ProjectedTrajectory, *, transform: ViewTransform, ratio: float
) -> None:
    """Paint projected trajectories: the flown part opaque, the rest faint, with direction arrows."""
    for line in trail.lines:
        points = np.clip(transform.to_view(line.points), -FARTHEST_PX, FARTHEST_PX)
        _paint_line(painter, points, is_ahead=line.is_ahead, ratio=ratio)
        if not line.is_ahead:
            size = np.array((transform.width, transform.height))
            for position, direction in arrows_along(points, every_px=ARROWS_PX * ratio):
                if np.all((position >= 0) & (position <= size)):
                    _paint_head(painter, position, direction, length=HEAD_PX * ratio)
    for marker in trail.markers:
        _paint_marker(painter, marker, transform=transform, ratio=ratio)


def paint_plan(painter: QPainter, plan: TopViewPlan, *, size: tuple[int, int], ratio: float) -> None:
    """Paint a top-view plan in the lower right corner, if the view is large enough.

    Args:
        painter: Painter with device pixels as unit.
        plan: The plan.
        size: Width and height of the view, device pixels.
        ratio: Device pixel ratio of the widget.
    """
    side, margin = PLAN_PX * ratio, PLAN_MARGIN_PX * ratio
    # In a small view the plan would cover too much of the image.
    if min(size) < 2 * side:
        return
    left, top = size[0] - side - margin, size[1] - side - margin
    ground = theme.load("dark").color("bg")
    # Translucent: the image stays recognizable below the plan.
    ground.setAlpha(190)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ground)
    painter.drawRoundedRect(QRectF(left, top, side, side), 6 * ratio, 6 * ratio)
    padding = PLAN_PADDING_PX * ratio
    scale, corner = side - 2 * padding, np.array((left + padding, top + padding))
    done, ahead = plan.done * scale + corner, plan.ahead * scale + corner
    _paint_line(painter, ahead, is_ahead=True, ratio=ratio)
    _paint_line(painter, done, is_ahead=False, ratio=ratio)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(INK))
    for x, y in (plan.key_frames * scale + corner).tolist():
        painter.drawEllipse(QPointF(x, y), 2.5 * ratio, 2.5 * ratio)
    _paint_head(
        painter, done[-1] + plan.heading * HEAD_PX * ratio, plan.heading, length=1.6 * HEAD_PX * ratio
    )


def _paint_line(painter: QPainter, points: Floats, *, is_ahead: bool, ratio: float) -> None:
    line = _polygon(points)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    ink = QColor(INK)
    if is_ahead:
        ink.setAlpha(AHEAD_ALPHA)
    else:
        painter.setPen(QPen(theme.load("dark").color("bg"), 3.4 * ratio))
        painter.drawPolyline(line)
    painter.setPen(QPen(ink, 1.6 * ratio, Qt.PenStyle.DotLine if is_ahead else Qt.PenStyle.SolidLine))
    painter.drawPolyline(line)


def _paint_head(painter: QPainter, tip: Floats, direction: Floats, *, length: float) -> None:
    across = np.array((-direction[1], direction[0])) * length / 2
    back = tip - direction * length
    painter.setPen(QPen(theme.load("dark").color("bg"), 1.0))
    painter.setBrush(QColor(INK))
    painter.drawPolygon(_polygon(np.array([tip, back + across, back - across])))
    painter.setBrush(Qt.BrushStyle.NoBrush)


def _paint_marker(
    painter: QPainter, marker: TrajectoryMarker, *, transform: ViewTransform, ratio: float
) -> None:
    """Paint a camera position: a filled diamond, or a hollow one on the ground below the own camera."""
    x, y = transform.to_view(np.array((marker.x, marker.y))).tolist()
    if not (0 <= x < transform.width and 0 <= y < transform.height):
        return
    reach = MARKER_PX * ratio
    painter.setPen(QPen(theme.load("dark").color("bg"), 3.4 * ratio))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    diamond = _polygon(np.array(((x, y - reach), (x + reach, y), (x, y + reach), (x - reach, y))))
    painter.drawPolygon(diamond)
    painter.setPen(QPen(QColor(INK), 1.6 * ratio))
    if not marker.is_below:
        painter.setBrush(QColor(INK))
    painter.drawPolygon(diamond)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    # The view's own name is already displayed in its corner.
    if marker.view and not marker.is_below:
        gap = 3 * ratio
        paint_badge(
            painter, marker.view, x=round(x + reach + gap), y=round(y - 7 * ratio), ratio=ratio, ink=INK
        )


def _polygon(points: Floats) -> QPolygonF:
    return QPolygonF([QPointF(x, y) for x, y in points.tolist()])
