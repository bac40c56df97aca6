"""Dialogs that ask for a short text: the reason of a rejection, or a name."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QWidget

from widgets.dialog import FormDialog
from widgets.labels import label
from widgets.translation import tr


class _Prompt(FormDialog):
    """Form for a text; subclasses add the field.

    Signals:
        answered: Emitted on acceptance; carries the text without leading and trailing spaces.
    """

    answered = Signal(str)
    field: QLineEdit | QPlainTextEdit

    def __init__(
        self,
        window: QWidget,
        *,
        title: str,
        explanation: str,
        placeholder: str,
        button: str,
        text: str = "",
        may_be_empty: bool = False,
    ) -> None:
        """Create the dialog.

        Args:
            window: Parent window.
            title: Title of the dialog.
            explanation: Consequence of the action.
            placeholder: Example text.
            button: Text of the default button.
            text: Initial text.
            may_be_empty: Whether an empty text is accepted.
        """
        super().__init__(window, width=520, title=title)
        self._may_be_empty = may_be_empty
        self.body.addWidget(label(explanation, role="dim", wrap=True))
        self._add_field(text)
        self.field.setPlaceholderText(placeholder)
        self.field.setAccessibleName(title)
        self.field.textChanged.connect(self._on_field_text_changed)
        self.main = self.add_buttons(button)
        self.main.clicked.connect(self._on_main_clicked)
        self._on_field_text_changed()

    def text(self) -> str:
        """Return the text."""
        raise NotImplementedError

    def _add_field(self, text: str) -> None:
        raise NotImplementedError

    def _on_field_text_changed(self) -> None:
        self.main.setEnabled(self._may_be_empty or bool(self.text()))

    def _on_main_clicked(self) -> None:
        text = self.text()
        self.accept()
        self.answered.emit(text)


class LinePrompt(_Prompt):
    """Form for a text of one line, such as a name; Enter accepts it."""

    field: QLineEdit

    def text(self) -> str:
        """Return the text; pasted line breaks are spaces."""
        return " ".join(self.field.text().split())

    def _add_field(self, text: str) -> None:
        self.field = QLineEdit(text)
        self.body.addWidget(self.field)


class TextPrompt(_Prompt):
    """Form for a text of several lines; Enter accepts it, Shift+Enter inserts a line break."""

    field: QPlainTextEdit

    def text(self) -> str:
        """Return the text."""
        return self.field.toPlainText().strip()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Accept the dialog when Enter is pressed."""
        if watched is self.field and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            is_enter = event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}
            if is_enter and not event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
                self.main.click()
                return True
        return super().eventFilter(watched, event)

    def _add_field(self, text: str) -> None:
        self.field = QPlainTextEdit()
        self.field.setTabChangesFocus(True)
        self.field.setFixedHeight(72)
        self.field.setPlainText(text)
        self.field.installEventFilter(self)
        self.body.addWidget(self.field)
        self.body.addWidget(label(tr("Enter: confirm   Shift+Enter: new line   Esc: cancel"), role="label"))
