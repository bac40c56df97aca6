"""A sheet: a card over the window for a short piece of input; never a second window, never a nested loop."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRect, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget
from shiboken6 import isValid

from widgets.focus import presses_button
from widgets.labels import label
from widgets.translation import tr

TOP_PX = 72
SCRIM = QColor(0, 0, 0, 110)


class Sheet(QWidget):
    """Dims the window and shows a card on it until it is answered or Escape is pressed.

    Signals:
        closed: The sheet is gone, answered or not.
    """

    closed = Signal()

    def __init__(
        self, window: QWidget, *, width: int, title: str = "", height: int = 0, is_light: bool = False
    ) -> None:
        """Prepare a sheet over a window; ``open`` shows it.

        Args:
            window: What it lies on.
            width: Width of the card in pixels; less where the window is narrower.
            title: Heading, "" for none.
            height: Height in pixels, 0 for what the content wants.
            is_light: Close at a click beside it, since nothing typed is lost.
        """
        super().__init__(window)
        self._window = window
        self._width, self._height, self._is_light = width, height, is_light
        self._before: QWidget | None = None
        self.card = QFrame(self)
        self.card.setObjectName("sheet")
        self.body = QVBoxLayout(self.card)
        self.body.setContentsMargins(20, 16, 20, 16)
        self.body.setSpacing(8)
        if title:
            self.body.addWidget(label(title, role="big"))
        self.setAccessibleName(title)
        self.hide()

    def open(self, focus: QWidget | None = None) -> None:
        """Show the sheet and give the keyboard to a part of it."""
        # The window is told apart from its parts: the keyboard goes back to exactly where it was.
        self._before = self._window.window().focusWidget()
        self._window.installEventFilter(self)
        self._settle()
        self.show()
        self.raise_()
        (focus or self.card).setFocus(Qt.FocusReason.PopupFocusReason)

    def close_sheet(self) -> None:
        """Take the sheet away and give the keyboard back to where it was."""
        self._window.removeEventFilter(self)
        self.hide()
        before = self._before
        # What had the keyboard may have gone with a list that was built anew meanwhile.
        if before is not None and isValid(before) and before.isVisible():
            before.setFocus(Qt.FocusReason.PopupFocusReason)
        self.closed.emit()
        self.deleteLater()

    def add_buttons(self, main: str, *, left: QWidget | None = None) -> QPushButton:
        """Add the row with the main action and 'Cancel', and return the main button."""
        row = QHBoxLayout()
        row.setContentsMargins(0, 8, 0, 0)
        if left is not None:
            row.addWidget(left)
        row.addStretch()
        cancel = QPushButton(tr("Cancel"))
        cancel.clicked.connect(self.close_sheet)
        made = QPushButton(main)
        made.setProperty("kind", "main")
        row.addWidget(cancel)
        row.addWidget(made)
        self.body.addLayout(row)
        return made

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keep covering the window while its size changes."""
        if event.type() == QEvent.Type.Resize:
            self._settle()
        return super().eventFilter(watched, event)

    def focusNextPrevChild(self, is_forward: bool) -> bool:
        """Keep the keyboard in the card: Tab from the last part leads to the first."""
        # Qt asks the parents of the widget at hand, so the card is asked before the window is.
        stops = [part for part in self.card.findChildren(QWidget) if self._is_stop(part)]
        if stops:
            now = self.window().focusWidget()
            at = stops.index(now) if now in stops else -1
            stops[(at + (1 if is_forward else -1)) % len(stops)].setFocus(Qt.FocusReason.TabFocusReason)
        return True

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close at Escape, press the button at hand at Enter; let no other key through to the window."""
        if event.key() == Qt.Key.Key_Escape:
            self.close_sheet()
        else:
            presses_button(self, event)
        # Accepted in any case, or Delete on a sheet would reach the list beneath it.
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Close a light sheet at a click beside the card."""
        if self._is_light and not self.card.geometry().contains(event.position().toPoint()):
            self.close_sheet()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Dim the window."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), SCRIM)

    def _is_stop(self, part: QWidget) -> bool:
        # A part with a proxy hands the keyboard on: from there Tab would lead to it again, and no further.
        takes_tab = bool(part.focusPolicy() & Qt.FocusPolicy.TabFocus) and part.focusProxy() is None
        return takes_tab and part.isEnabled() and part.isVisibleTo(self)

    def _settle(self) -> None:
        space = self._window.rect()
        self.setGeometry(space)
        width = min(self._width, space.width() - 48)
        wanted = self._height or self.card.heightForWidth(width) or self.card.sizeHint().height()
        height = min(
            max(wanted, self.card.sizeHint().height() if not self._height else 0),
            space.height() - TOP_PX - 24,
        )
        self.card.setGeometry(QRect((space.width() - width) // 2, TOP_PX, width, height))
