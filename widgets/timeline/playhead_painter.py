"""Paints what moves during playback: decoded ranges, in and out marks, the playhead."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPolygonF

from widgets import theme
from widgets.stage.player import Player
from widgets.timeline.lane_painter import BUFFER_PX, GAP_PX, NAME_PX, RULER_PX, LaneGeometry
from widgets.timeline.time_scale import TimeScale

HEAD_PX = 10
"""Width of the playhead's handle."""
MARK_PX = 12
"""Length of an in or out mark in the ruler."""
SHADE = 130
"""Opacity of the shade outside the marks, of 255."""


class PlayheadPainter:
    """Paints on top of the static part of a timeline view.

    Args:
        painter: Painter with device-independent pixels as unit.
        scale: Time scale.
        size: Size of the timeline view.
    """

    def __init__(self, painter: QPainter, *, scale: TimeScale, size: QSize) -> None:
        self._painter, self._scale, self._size = painter, scale, size

    def buffered(
        self, positions: Sequence[LaneGeometry], *, ranges: Mapping[str, Sequence[tuple[int, int]]]
    ) -> None:
        """Paint the decoded frames as a thin line at the lower edge of each lane.

        Args:
            positions: The lanes with their positions.
            ranges: First and last frame of each decoded range, by medium id.
        """
        ink = theme.current().color("text_dim")
        for geometry in positions:
            video, offset_s = geometry.lane.video, geometry.lane.offset_s
            top = geometry.bottom - GAP_PX - BUFFER_PX
            for first, last in ranges.get(geometry.lane.medium.id, ()):
                end_s = video.times_s[last + 1] if last + 1 < video.frame_count else video.duration_s
                begin, end = self._x(float(video.times_s[first]) + offset_s), self._x(float(end_s) + offset_s)
                self._painter.fillRect(QRectF(begin, top, max(1.0, end - begin), BUFFER_PX), ink)

    def marks(self, player: Player) -> None:
        """Paint in and out marks, and shade the time outside them."""
        if player.in_s is None and player.out_s is None:
            return
        tokens, height = theme.current(), self._size.height()
        # Rounded to whole pixels: a line between two pixels is grey.
        begin = math.floor(self._x(player.span.first_s if player.in_s is None else player.in_s))
        end = math.floor(self._x(player.span.last_s if player.out_s is None else player.out_s))
        shade = QColor(tokens.color("bg"))
        shade.setAlpha(SHADE)
        for left, right in ((float(NAME_PX), begin), (end, float(self._size.width()))):
            if right > left:
                self._painter.fillRect(QRectF(left, RULER_PX, right - left, height - RULER_PX), shade)
        ink = tokens.color("accent" if player.is_looping else "text")
        self._painter.fillRect(QRectF(begin, RULER_PX - 4, end - begin, 3), ink)
        top = RULER_PX - MARK_PX
        for x, hook, time_s in ((begin, begin, player.in_s), (end, end - 3, player.out_s)):
            if time_s is not None:
                self._painter.fillRect(QRectF(x, top, 2, height - top), ink)
                self._painter.fillRect(QRectF(hook, top, 5, 2), ink)

    def head(self, time_s: float) -> None:
        """Paint the playhead."""
        painter = self._painter
        x = math.floor(self._x(time_s)) + 0.5
        ink = theme.current().color("text")
        painter.fillRect(QRectF(x - 0.5, 4, 1, self._size.height() - 4), ink)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ink)
        left, right = x - HEAD_PX / 2, x + HEAD_PX / 2
        corners = ((left, 0), (right, 0), (right, 4), (x, 10), (left, 4))
        painter.drawPolygon(QPolygonF([QPointF(*corner) for corner in corners]))

    def _x(self, time_s: float) -> float:
        return NAME_PX + self._scale.x_of(time_s)
