"""Base class of the product's dialogs: window-modal, opened without a nested event loop."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPushButton, QToolButton, QVBoxLayout, QWidget

from widgets.focus import ENTER
from widgets.labels import label
from widgets.translation import tr

MARGIN = QSize(48, 56)
"""Space between a dialog with its title bar and the edges of its window, both sides together."""


class FormDialog(QDialog):
    """A window-modal dialog that Escape cancels and Enter accepts; it deletes itself when it is closed.

    While it is open no key reaches the window under it: Qt delivers shortcuts to the active window alone.
    """

    def __init__(self, window: QWidget, *, width: int, title: str = "", height: int = 0) -> None:
        """Prepare a dialog over a window; ``open`` shows it.

        Args:
            window: Window that it belongs to.
            width: Width in pixels; less where the window is narrower.
            title: Title of the dialog and heading of its content, "" for none.
            height: Height in pixels, 0 for what the content needs.
        """
        super().__init__(window)
        self._owner = window.window()
        self._width, self._height = width, height
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.body = QVBoxLayout(self)
        self.body.setContentsMargins(20, 16, 20, 16)
        self.body.setSpacing(8)
        if title:
            # macOS shows a window-modal dialog without a title bar.
            self.body.addWidget(label(title, role="big"))

    def open(self, focus: QWidget | None = None) -> None:
        """Show the dialog and give the keyboard focus to one of its widgets."""
        self.resize(self._fitting_size())
        for button in self.findChildren(QPushButton):
            button.installEventFilter(self)
        super().open()
        (focus or self).setFocus(Qt.FocusReason.PopupFocusReason)

    def add_buttons(
        self, main: str, *, left: QWidget | None = None, keep: str = "", has_safe_default: bool = False
    ) -> QPushButton:
        """Add the row with the main button and the one that leaves all as it is; return the main one.

        Args:
            main: Text of the main button.
            left: Stands at the left end of the row.
            keep: Text of the button that leaves all as it is; 'Cancel' by default.
            has_safe_default: Enter leaves all as it is: what the main button does cannot be undone.
        """
        row = QHBoxLayout()
        row.setContentsMargins(0, 8, 0, 0)
        if left is not None:
            row.addWidget(left)
        row.addStretch()
        self.keep_button = QPushButton(keep or tr("Cancel"))
        self.keep_button.clicked.connect(self.reject)
        made = QPushButton(main)
        default = self.keep_button if has_safe_default else made
        default.setProperty("kind", "main")
        default.setDefault(True)
        for button in (made, self.keep_button) if has_safe_default else (self.keep_button, made):
            row.addWidget(button)
        self.body.addLayout(row)
        return made

    def done(self, result: int) -> None:
        """Close the dialog and let its window be active again."""
        super().done(result)
        # Not every window system does so; the window itself knows which of its widgets had the focus.
        self._owner.activateWindow()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Refuse the repeated Enter of a key that is held down: it may be the one that opened the dialog."""
        # A button of a dialog acts on Enter itself, also when it is repeated.
        if isinstance(watched, QPushButton) and isinstance(event, QKeyEvent) and event.isAutoRepeat():
            return event.key() in ENTER
        return super().eventFilter(watched, event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Press the button in focus or the default button at Enter, cancel at Escape."""
        if event.key() not in ENTER:
            super().keyPressEvent(event)
            return
        event.accept()
        if event.isAutoRepeat():
            return
        focused = self.focusWidget()
        if isinstance(focused, QToolButton):
            focused.click()
        else:
            super().keyPressEvent(event)

    def _fitting_size(self) -> QSize:
        space = self._owner.size() - MARGIN
        width = min(self._width, space.width())
        needed = self.body.totalHeightForWidth(width) if self.body.hasHeightForWidth() else 0
        height = self._height or max(needed, self.body.totalSizeHint().height())
        return QSize(width, min(height, space.height()))
