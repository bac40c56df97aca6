"""The registry of answer widgets."""

from __future__ import annotations

from widgets.answers.angle_answer import AngleAnswer, AngleDistanceAnswer
from widgets.answers.answer_widget import AnswerWidget
from widgets.answers.box_answer import BoxAnswer
from widgets.answers.dial_answer import ClockAnswer, DirectionAnswer
from widgets.answers.option_answer import OptionAnswer
from widgets.answers.pair_answer import PairAnswer
from widgets.answers.plain_answer import PlainAnswer
from widgets.answers.prose_answer import ProseAnswer
from widgets.answers.region_answer import RegionAnswer

ANSWER_WIDGETS: tuple[type[AnswerWidget], ...] = (
    RegionAnswer,
    PairAnswer,
    BoxAnswer,
    ClockAnswer,
    DirectionAnswer,
    AngleAnswer,
    AngleDistanceAnswer,
    OptionAnswer,
    ProseAnswer,
)
"""The widgets of answer formats; a format that none of them names has a line of text."""


def make_answer_widget(answer_format: str, *, is_blind: bool = False) -> AnswerWidget:
    """Make the widget of an answer format.

    Args:
        answer_format: Id of the format.
        is_blind: Whether the person answers without seeing the answer key.
    """
    found = next((one for one in ANSWER_WIDGETS if answer_format in one.formats), PlainAnswer)
    return found(answer_format, is_blind=is_blind)
