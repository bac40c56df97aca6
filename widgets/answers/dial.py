"""Base class of drawn scales: a click, a drag or keys turn them to a value."""

from __future__ import annotations

from abc import abstractmethod

from PySide6.QtCore import QEvent, QPointF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from widgets import theme
from widgets.stage.tools.nudge import PAUSE_MS

SIDE_PX = 148
"""Width and height of a round dial."""
LEFT = Qt.MouseButton.LeftButton
ARROW_STEPS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Down: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Up: 1}
"""Steps of the arrow keys: right and up turn clockwise."""


class Dial(QWidget):
    """Shows a number and lets the user turn to another one.

    Signals:
        turning: The number changes during a gesture; carries it.
        turned: A gesture, or a run of keys, has ended with another number; carries it, None for none.

    Attributes:
        value: The number that is shown, None for none.
    """

    turning = Signal(object)
    turned = Signal(object)

    def __init__(self, name: str) -> None:
        """Create a scale without a number.

        Args:
            name: Accessible name.
        """
        super().__init__()
        self.value: float | None = None
        self._before: float | None = None
        self.pause = QTimer(self)
        self.pause.setSingleShot(True)
        self.pause.setInterval(PAUSE_MS)
        self.pause.timeout.connect(self.send_pending)
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    @abstractmethod
    def value_at(self, at: QPointF, held: Qt.KeyboardModifier) -> float | None:
        """Return the number at a point of the widget, with modifier keys; None for none."""

    @abstractmethod
    def take_key(self, event: QKeyEvent) -> None:
        """Handle a key of the scale."""

    @abstractmethod
    def is_own(self, event: QKeyEvent) -> bool:
        """Return whether a key belongs to the scale, even if it is a shortcut of the window."""

    @abstractmethod
    def paint(self, painter: QPainter) -> None:
        """Paint the scale; the painter's unit is the device-independent pixel."""

    def sizeHint(self) -> QSize:
        """Return the size."""
        return QSize(SIDE_PX, SIDE_PX)

    def minimumSizeHint(self) -> QSize:
        """Return the size: the scale is not scaled, and must not be cut."""
        return self.sizeHint()

    def show_value(self, value: float | None) -> None:
        """Show a number, None for none; a gesture that is not finished is discarded."""
        self.pause.stop()
        self.value = self._before = value
        self.update()

    def send_pending(self) -> None:
        """End the gesture."""
        self.pause.stop()
        if self.value != self._before:
            self._before = self.value
            self.turned.emit(self.value)

    def turn_to(self, value: float | None) -> None:
        """Show another number as part of a gesture."""
        if value != self.value:
            self.value = value
            self.turning.emit(value)
            self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Turn to the pointer."""
        if event.button() == LEFT:
            self._follow(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Follow the pointer."""
        if event.buttons() & LEFT:
            self._follow(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End the gesture."""
        if event.button() == LEFT:
            self.send_pending()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Handle the keys of the scale."""
        if self.is_own(event):
            self.take_key(event)
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Accept the own keys before they trigger shortcuts of the window."""
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and self.is_own(event)
        ):
            event.accept()
            return True
        return super().event(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Paint the focus."""
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """End the gesture."""
        self.send_pending()
        super().focusOutEvent(event)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the scale."""
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setFont(theme.font("label"))
            self.paint(painter)

    def _follow(self, event: QMouseEvent) -> None:
        value = self.value_at(event.position(), event.modifiers())
        if value is not None:
            self.turn_to(value)
