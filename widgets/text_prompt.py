"""A dialog that asks for a short text, such as the reason of a rejection."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from widgets.dialog import FormDialog
from widgets.labels import label
from widgets.translation import tr


class TextPrompt(FormDialog):
    """Form for a text; Enter accepts it, Shift+Enter inserts a line break.

    Signals:
        answered: Emitted on acceptance; carries the text without leading and trailing spaces.
    """

    answered = Signal(str)

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
        self.field = QPlainTextEdit()
        self.field.setPlaceholderText(placeholder)
        self.field.setAccessibleName(title)
        self.field.setTabChangesFocus(True)
        self.field.setFixedHeight(72)
        self.field.setPlainText(text)
        self.field.textChanged.connect(self._on_field_text_changed)
        self.field.installEventFilter(self)
        self.body.addWidget(label(explanation, role="dim", wrap=True))
        self.body.addWidget(self.field)
        self.body.addWidget(label(tr("Enter: confirm   Shift+Enter: new line   Esc: cancel"), role="label"))
        self.main = self.add_buttons(button)
        self.main.clicked.connect(self._on_main_clicked)
        self._on_field_text_changed()

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

    def _on_field_text_changed(self) -> None:
        self.main.setEnabled(self._may_be_empty or bool(self.text()))

    def _on_main_clicked(self) -> None:
        text = self.text()
        self.accept()
        self.answered.emit(text)
