"""A dial for an angle between two cameras, with both headings drawn."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QKeyEvent, QPainter, QPen

from widgets import theme
from widgets.answers.dial import ARROW_STEPS, SIDE_PX, Dial
from widgets.answers.dial_geometry import CENTRE, angle_at, paint_camera, paint_rim, point_at, square
from widgets.stage.tools.link_keys import PLAIN
from widgets.translation import tr

RIM_PX, TEXT_PX, ARC_PX, HAND_PX = 4, 18, 54, 42
"""Distances of the rim, the texts, the arc and the tip of the hand from the edge of the widget."""
TICK_PX, TICK_DEG, TEXT_DEG = 5, 30, 90
LARGE_STEP_DEG = 15
"""Step of a drag and of the arrow keys with Shift; otherwise 1 degree."""
SHIFT = Qt.KeyboardModifier.ShiftModifier


class AngleDial(Dial):
    """Shows the heading of the second camera relative to the first one, which looks up.

    Angles are clockwise. One that is shown negative stays negative when it is turned to the other side.
    """

    def __init__(self) -> None:
        super().__init__(tr("Angle, degrees clockwise"))
        self._is_signed = False

    def show_value(self, value: float | None) -> None:
        """Show an angle, None for none."""
        super().show_value(value)
        self._is_signed = value is not None and value < 0

    def value_at(self, at: QPointF, held: Qt.KeyboardModifier) -> float | None:
        """Return the angle in the direction of a point, in whole degrees or, with Shift, larger steps."""
        angle, step = angle_at(at, centre=CENTRE), LARGE_STEP_DEG if held & SHIFT else 1
        return None if angle is None else self._written(round(angle / step) * step)

    def is_own(self, event: QKeyEvent) -> bool:
        """Return whether a key is an arrow key."""
        return Qt.Key(event.key()) in ARROW_STEPS and event.modifiers() & ~SHIFT in PLAIN

    def take_key(self, event: QKeyEvent) -> None:
        """Turn by one degree or, with Shift, a larger step."""
        step = ARROW_STEPS[Qt.Key(event.key())] * (LARGE_STEP_DEG if event.modifiers() & SHIFT else 1)
        self.turn_to(self._written((self.value or 0.0) + step))
        self.pause.start()

    def paint(self, painter: QPainter) -> None:
        """Paint the scale and both cameras."""
        paint_rim(painter, centre=CENTRE, radius=SIDE_PX / 2 - RIM_PX, is_focused=self.hasFocus())
        self._paint_scale(painter)
        paint_camera(painter, at=CENTRE, angle_deg=0.0, colour=theme.current().color("text_dim"))
        if self.value is not None:
            _paint_angle(painter, self.value)

    def _written(self, angle_deg: float) -> float:
        """Return an angle in the form of the shown one: 0 to 360, or -180 to 180."""
        turned = angle_deg % 360
        return turned - 360 if self._is_signed and turned > 180 else turned

    def _paint_scale(self, painter: QPainter) -> None:
        tokens, radius = theme.current(), SIDE_PX / 2 - RIM_PX
        for angle in range(0, 360, TICK_DEG):
            painter.setPen(QPen(tokens.color("text_dim"), 1))
            if angle % TEXT_DEG:
                outer = point_at(angle, centre=CENTRE, radius=radius)
                painter.drawLine(outer, point_at(angle, centre=CENTRE, radius=radius - TICK_PX))
            else:
                position = point_at(angle, centre=CENTRE, radius=SIDE_PX / 2 - TEXT_PX)
                shown = angle - 360 if self._is_signed and angle > 180 else angle
                painter.drawText(square(position, 2 * TEXT_PX), Qt.AlignmentFlag.AlignCenter, str(shown))


def _paint_angle(painter: QPainter, angle_deg: float) -> None:
    accent = theme.current().color("accent")
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(accent, 1, Qt.PenStyle.DashLine))
    side = SIDE_PX - 2 * ARC_PX
    # Qt counts sixteenths of a degree, counter-clockwise from the right.
    painter.drawArc(QRectF(ARC_PX, ARC_PX, side, side), 90 * 16, round(-16 * angle_deg))
    tip = point_at(angle_deg, centre=CENTRE, radius=SIDE_PX / 2 - HAND_PX)
    painter.setPen(QPen(accent, 2))
    painter.drawLine(CENTRE, tip)
    paint_camera(painter, at=tip, angle_deg=angle_deg, colour=accent)
