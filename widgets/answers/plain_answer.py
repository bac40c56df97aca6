"""The answer of a format without a widget of its own: a line of text."""

from __future__ import annotations

from annotator.domain import answers
from widgets.answers.answer_line import AnswerLine
from widgets.answers.answer_widget import AnswerWidget
from widgets.focus import mark_wrong
from widgets.translation import tr


class PlainAnswer(AnswerWidget):
    """A line for the text of an answer, with its problem below."""

    shows_text = True

    def __init__(self, answer_format: str, *, is_blind: bool = False) -> None:
        super().__init__(answer_format, is_blind=is_blind)
        self.line = AnswerLine(tr("Answer"))
        if answers.is_known(answer_format):
            self.line.setPlaceholderText(answers.get(answer_format).docs.example.strip("`"))
        self.line.entered.connect(self._on_line_entered)
        self.problem_changed.connect(self._on_problem_changed)
        self.body.addWidget(self.line)
        self.setFocusProxy(self.line)

    def show_answer(self, text: str) -> None:
        """Show the text."""
        self.line.show_text(text)

    def send_pending(self) -> None:
        """Commit typed text."""
        self.line.apply()

    def _on_line_entered(self, text: str) -> None:
        self.enter(text)

    def _on_problem_changed(self, problem: str) -> None:
        mark_wrong(self.line, is_wrong=bool(problem))
