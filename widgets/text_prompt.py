"""A question for a few words, such as the reason of a rejection, on a sheet."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from widgets.dialog import FormDialog
from widgets.labels import label
from widgets.translation import tr


class TextPrompt(FormDialog):
    """Asks for words and hands them over; Enter answers, Shift+Enter breaks the line.

    Signals:
        answered: Carries the words, without blanks around them.
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
        """Lay the question out.

        Args:
            window: What it lies on.
            title: What is going to happen.
            explanation: What that means.
            placeholder: An example of what to write.
            button: Words of the main button.
            text: What stands in the field at first.
            may_be_empty: Take no words for an answer too.
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

    def words(self) -> str:
        """Return the words written so far."""
        return self.field.toPlainText().strip()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Answer at Enter."""
        if watched is self.field and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            is_enter = event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}
            if is_enter and not event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
                self.main.click()
                return True
        return super().eventFilter(watched, event)

    def _on_field_text_changed(self) -> None:
        self.main.setEnabled(self._may_be_empty or bool(self.words()))

    def _on_main_clicked(self) -> None:
        text = self.words()
        self.accept()
        self.answered.emit(text)
