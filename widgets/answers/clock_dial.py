"""A clock face for directions: 12 is straight ahead."""

from __future__ import annotations

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPainter, QPen

from widgets import theme
from widgets.answers.choice_dial import ChoiceDial
from widgets.answers.dial import SIDE_PX
from widgets.answers.dial_geometry import CENTRE, angle_at, paint_camera, paint_rim, point_at, square
from widgets.translation import tr

HOURS = 12
DEG_PER_HOUR = 360 / HOURS
RIM_PX, NUMBER_PX, HAND_PX = 4, 14, 26
"""Distances of the rim, the numbers and the tip of the hand from the edge of the widget."""
SPOT_PX = 11
"""Radius of the spot behind the chosen number."""


class ClockDial(ChoiceDial):
    """Twelve hours around a drone that looks up."""

    def __init__(self) -> None:
        super().__init__(tr("Clock direction"), count=HOURS)

    def value_at(self, at: QPointF, _held: Qt.KeyboardModifier, /) -> float | None:
        """Return the hour in the direction of a point, None at the centre."""
        angle = angle_at(at, centre=CENTRE)
        return None if angle is None else round(angle / DEG_PER_HOUR) % HOURS or HOURS

    def paint(self, painter: QPainter) -> None:
        """Paint rim, hand, drone and numbers."""
        tokens = theme.current()
        paint_rim(painter, centre=CENTRE, radius=SIDE_PX / 2 - RIM_PX, is_focused=self.hasFocus())
        if self.value is not None:
            tip = point_at(self.value * DEG_PER_HOUR, centre=CENTRE, radius=SIDE_PX / 2 - HAND_PX)
            painter.setPen(QPen(tokens.color("accent"), 2))
            painter.drawLine(CENTRE, tip)
        paint_camera(painter, at=CENTRE, angle_deg=0.0, colour=tokens.color("text_dim"))
        for hour in range(1, HOURS + 1):
            position = point_at(hour * DEG_PER_HOUR, centre=CENTRE, radius=SIDE_PX / 2 - NUMBER_PX - RIM_PX)
            self._paint_hour(painter, hour, position=position)

    def _paint_hour(self, painter: QPainter, hour: int, *, position: QPointF) -> None:
        tokens, is_chosen = theme.current(), hour == self.value
        if is_chosen:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(tokens.color("accent"))
            painter.drawEllipse(position, SPOT_PX, SPOT_PX)
        painter.setPen(tokens.color("on_accent" if is_chosen else "text"))
        painter.drawText(square(position, 2 * SPOT_PX), Qt.AlignmentFlag.AlignCenter, str(hour))
