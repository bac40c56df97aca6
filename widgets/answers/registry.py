"""The registry of answer widgets."""

from __future__ import annotations

from widgets.answers.answer_widget import AnswerWidget
from widgets.answers.plain_answer import PlainAnswer

ANSWER_WIDGETS: tuple[type[AnswerWidget], ...] = ()
"""The widgets of answer formats; a format that none of them names has a line of text."""


def make_answer_widget(answer_format: str, *, is_blind: bool = False) -> AnswerWidget:
    """Make the widget of an answer format.

    Args:
        answer_format: Id of the format.
        is_blind: Whether the person answers without seeing the answer key.
    """
    found = next((one for one in ANSWER_WIDGETS if answer_format in one.formats), PlainAnswer)
    return found(answer_format, is_blind=is_blind)
