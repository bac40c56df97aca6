"""The answers in words: a description, or instructions with one on each line."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QPlainTextEdit

from annotator.domain.answers.token_overlap import tokens
from widgets.answers.answer_widget import AnswerWidget, check_answer
from widgets.focus import UNFINISHED_LEAVES, mark_wrong
from widgets.labels import label
from widgets.stage.tools.nudge import PAUSE_MS
from widgets.translation import tr, trn

HEIGHTS_PX = {"free_text": 96, "instruction_text": 148}
"""Height of the field by format."""


class ProseAnswer(AnswerWidget):
    """A field of several lines with the number of words, committed whenever the person pauses."""

    formats = ("free_text", "instruction_text")
    shows_text = True

    def __init__(self, answer_format: str, *, is_blind: bool = False) -> None:
        super().__init__(answer_format, is_blind=is_blind)
        self.field = QPlainTextEdit()
        self.field.setAccessibleName(tr("Answer"))
        self.field.setTabChangesFocus(True)
        self.field.setFixedHeight(HEIGHTS_PX[answer_format])
        self.field.setPlaceholderText(
            tr("One instruction per line") if self.has_steps else tr("Describe in one paragraph")
        )
        self.count = label(role="label")
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(PAUSE_MS)
        self._pause.timeout.connect(self.send_pending)
        self.field.textChanged.connect(self._on_field_text_changed)
        self.field.installEventFilter(self)
        self.problem_changed.connect(self._on_problem_changed)
        self.body.addWidget(self.field)
        self.body.addWidget(self.count)
        self.setFocusProxy(self.field)
        self._show_count()

    @property
    def has_steps(self) -> bool:
        """Whether the answer is a list of instructions."""
        return self.answer_format == "instruction_text"

    def show_answer(self, text: str) -> None:
        """Show the text, unless it is what the field has in another arrangement of lines and spaces."""
        typed = self.field.toPlainText().strip()
        # Text that somebody is writing must not be rearranged under the cursor.
        if not typed or check_answer(self.answer_format, typed, self.surroundings)[0] != text:
            self.field.setPlainText(text)
        # ``setPlainText`` started it: Qt reports the change while the document still counts as modified.
        self._pause.stop()

    def send_pending(self) -> None:
        """Commit the text."""
        self._pause.stop()
        if self.field.document().isModified():
            self.field.document().setModified(False)
            self.enter(self.field.toPlainText())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Commit the text when the focus leaves the field."""
        if (
            watched is self.field
            and isinstance(event, QFocusEvent)
            and event.type() == QEvent.Type.FocusOut
            and event.reason() not in UNFINISHED_LEAVES
        ):
            self.send_pending()
        return super().eventFilter(watched, event)

    def _on_field_text_changed(self) -> None:
        self._show_count()
        if self.field.document().isModified():
            self._pause.start()

    def _on_problem_changed(self, problem: str) -> None:
        mark_wrong(self.field, is_wrong=bool(problem))

    def _show_count(self) -> None:
        text = self.field.toPlainText()
        parts = [trn("{n} word", "{n} words", n=len(tokens(text)))]
        if self.has_steps:
            steps = sum(1 for line in text.splitlines() if line.strip())
            parts.insert(0, trn("{n} instruction", "{n} instructions", n=steps))
        self.count.setText(" · ".join(parts))
