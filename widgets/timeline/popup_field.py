"""Base class of the pop-up fields of the timeline, which take a number as text."""

from __future__ import annotations

from abc import abstractmethod

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QLineEdit, QWidget

from widgets.box_layout import column_layout
from widgets.labels import label

WIDTH_PX = 240


class PopupField(QFrame):
    """A pop-up field with a line that says what the text means; it closes when it loses the keyboard focus.

    Signals:
        typed: Enter was pressed with a valid text; carries its number.
        closed: The field has been closed.
    """

    typed = Signal(float)
    closed = Signal()

    def __init__(self, title: str, *, text: str, parent: QWidget) -> None:
        """Create the field; ``open_over`` shows it.

        Args:
            title: Heading, and accessible name of the field.
            text: Initial text.
            parent: Parent window.
        """
        super().__init__(parent)
        self.setObjectName("sheet")
        self.field = QLineEdit(text)
        self.field.setAccessibleName(title)
        self.message = label(role="label", wrap=True)
        self.field.installEventFilter(self)
        self.field.textEdited.connect(self._say)
        self.field.returnPressed.connect(self._on_field_return_pressed)
        column = column_layout(self, margins_px=12, spacing_px=8)
        column.addWidget(label(title, role="strong"))
        column.addWidget(self.field)
        column.addWidget(self.message)
        self.setFixedWidth(WIDTH_PX)

    @abstractmethod
    def read(self, text: str) -> tuple[float | None, str]:
        """Return the number that a text means, None if it is invalid, and what to say about it."""

    def open_over(self, widget: QWidget, at: QPoint) -> None:
        """Show the field with its lower edge at a point of a widget in the same window, and focus it."""
        self._say(self.field.text())
        self.adjustSize()
        position = widget.mapTo(widget.window(), at) - QPoint(0, self.height())
        position.setX(max(0, min(position.x(), widget.window().width() - self.width())))
        self.move(position)
        self.show()
        self.raise_()
        self.field.selectAll()
        self.field.setFocus(Qt.FocusReason.PopupFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Cancel with Esc."""
        if event.key() == Qt.Key.Key_Escape:
            self.give_up()
        else:
            super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Accept Enter and Esc before shortcuts of the window do; cancel when the focus is lost."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape}:
                event.accept()
                return True
        elif watched is self.field and event.type() == QEvent.Type.FocusOut:
            self.give_up()
        return super().eventFilter(watched, event)

    def give_up(self) -> None:
        """Close without a change."""
        # ``hide`` causes a FocusOut event, which calls this method again.
        if self.isHidden():
            return
        self.hide()
        self.closed.emit()
        self.deleteLater()

    def _say(self, text: str) -> None:
        self.message.setText(self.read(text)[1])

    def _on_field_return_pressed(self) -> None:
        number, _ = self.read(self.field.text())
        if number is not None:
            self.typed.emit(number)
            self.give_up()
