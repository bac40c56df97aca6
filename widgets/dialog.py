"""Base class of the product's dialogs: window-modal, opened without a nested event loop."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QDialog, QPushButton, QToolButton, QWidget

from widgets.box_layout import column_layout, row_layout
from widgets.focus import ENTER
from widgets.form_entries import read_entries
from widgets.labels import label
from widgets.translation import tr

MARGIN = QSize(48, 56)
"""Space around a dialog with its title bar inside its window, px, both sides together."""
OPENING = "opening a dialog"
"""Channel of the bridge for what is read before a dialog opens: of two requests, the newer one opens one."""


class FormDialog(QDialog):
    """A window-modal dialog that Escape cancels and Enter accepts; it deletes itself when it is closed.

    Cancelling asks first if the form has unsaved input. While the dialog is open, its window gets no
    shortcuts: Qt delivers them to the active window only.
    """

    def __init__(self, window: QWidget, *, width: int, title: str = "", height: int = 0) -> None:
        """Create a dialog over a window; ``open`` shows it.

        Args:
            window: Parent window.
            width: Maximum width in pixels; a narrow window reduces it.
            title: Title of the dialog and heading of its content, "" for none.
            height: Height in pixels, 0 to fit the content.
        """
        super().__init__(window)
        self._owner = window.window()
        self._width, self._height = width, height
        self._entries: list[object] | None = None
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.body = column_layout(self, margins_px=(20, 16, 20, 16), spacing_px=8)
        if title:
            # macOS shows a window-modal dialog without a title bar.
            self.body.addWidget(label(title, role="big"))

    def open(self, focus: QWidget | None = None) -> None:
        """Show the dialog and give the keyboard focus to one of its widgets."""
        self.resize(self._fitting_size())
        for button in self.findChildren(QPushButton):
            button.installEventFilter(self)
        # Values that are set before the dialog opens are no input of the user.
        if self._entries is not None:
            self.note_entries()
        super().open()
        (focus or self).setFocus(Qt.FocusReason.PopupFocusReason)

    def add_buttons(self, main: str, *, left: QWidget | None = None) -> QPushButton:
        """Add the row with the default button and 'Cancel', and return the default button."""
        made, cancel = self._add_row(main, tr("Cancel"), left=left)
        cancel.clicked.connect(self.reject)
        self._entries = []
        return made

    def add_warning_buttons(self, keep: str, *, act: str, left: QWidget | None = None) -> QPushButton:
        """Add the button row of an irreversible operation, and return its confirm button.

        Args:
            keep: Text of the default button, which cancels.
            act: Text of the confirm button.
            left: Widget at the left end of the row.
        """
        self.keep_button, made = self._add_row(keep, act, left=left)
        self.keep_button.clicked.connect(self.reject)
        made.setProperty("kind", "danger")
        return made

    def note_entries(self) -> None:
        """Store the current content of the fields as the state without unsaved input."""
        self._entries = read_entries(self)

    def has_entries(self) -> bool:
        """Return whether the fields have unsaved input."""
        return self._entries is not None and self._entries != read_entries(self)

    def leave(self, done: Callable[[], object] | None = None) -> None:
        """Cancel the dialog; ask first if it has unsaved input.

        Args:
            done: Called after the dialog is closed.
        """
        if self.has_entries():
            question = _DiscardQuestion(self)
            question.confirmed.connect(partial(self._leave_now, done))
            question.open(question.keep_button)
        else:
            self._leave_now(done)

    def reject(self) -> None:
        """Cancel the dialog; called for Escape, 'Cancel' and the close button of the title bar."""
        self.leave()

    def name_main(self, button: QPushButton, text: str) -> None:
        """Set the text of the default button, with a note that Enter presses it."""
        button.setText(tr("{button} (Enter)", button=text))

    def _leave_now(self, then: Callable[[], object] | None) -> None:
        self.done(QDialog.DialogCode.Rejected.value)
        if then is not None:
            then()

    def add_close_button(self, *, left: QWidget | None = None) -> QPushButton:
        """Add the row with the default button 'Close', and return the button."""
        close, _ = self._add_row(tr("Close"), "", left=left)
        close.clicked.connect(self.accept)
        return close

    def _add_row(
        self, main: str, other: str, *, left: QWidget | None = None
    ) -> tuple[QPushButton, QPushButton]:
        row = row_layout(margins_px=(0, 8, 0, 0))
        if left is not None:
            row.addWidget(left)
        row.addStretch()
        # With its parent at once: to set a button without one visible shows it as a window.
        beside, made = QPushButton(other, self), QPushButton()
        self.name_main(made, main)
        made.setProperty("kind", "main")
        made.setDefault(True)
        row.addWidget(beside)
        row.addWidget(made)
        beside.setVisible(bool(other))
        self.body.addLayout(row)
        return made, beside

    def done(self, result: int) -> None:
        """Close the dialog and activate its window."""
        super().done(result)
        # Not every window system activates the window; Qt then restores its focus widget.
        self._owner.activateWindow()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Ignore auto-repeated Enter: the key may still be held down from opening the dialog."""
        # Buttons in a dialog handle Enter themselves, also auto-repeated.
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
        # QDialog handles Enter on push buttons only.
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


class _DiscardQuestion(FormDialog):
    """Asks whether to discard the input of a dialog.

    Signals:
        confirmed: Emitted when the user confirms.
    """

    confirmed = Signal()

    def __init__(self, dialog: QDialog) -> None:
        super().__init__(dialog, width=440, title=tr("Discard the entries?"))
        text = tr("The entries of this dialog have not been applied. They are lost when it is closed.")
        self.body.addWidget(label(text, role="dim", wrap=True))
        self.discard = self.add_warning_buttons(tr("Keep editing"), act=tr("Discard entries"))
        self.discard.clicked.connect(self._on_discard_clicked)

    def _on_discard_clicked(self) -> None:
        self.accept()
        self.confirmed.emit()
