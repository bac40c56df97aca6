"""Every answer format is answered by keys in its own widget, without its key."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from annotator.domain import answers
from annotator.domain.item import Item
from tests.gui.second_look.conftest import refined
from tests.gui.second_look.second_look_person import SecondLookPerson
from tests.windows import option
from widgets.answers.answer_widget import AnswerWidget


@dataclass(frozen=True)
class Case:
    """An item of a format, and how it is answered.

    Attributes:
        format: Id of the answer format.
        key: The answer key.
        keys: Keys and texts in the order in which they are typed; ``<Tab>`` is a key.
        answer: The canonical text of what is answered.
        options: Texts of options.
    """

    format: str
    key: str
    keys: tuple[str, ...]
    answer: str
    options: tuple[str, ...] = field(default=())


CASES = (
    Case("option_letter", "B", ("a",), "A", ("yes", "no")),
    Case("span_set", '["bed", "sofa"]', ("a", "b"), '["bed", "chair"]', ("bed", "chair", "sofa")),
    Case("clock", "3 o'clock", ("9",), "9 o'clock"),
    Case("direction_label", "Direction 2", ("4",), "Direction 4"),
    Case("angle", "90.0 degrees", ("45",), "45.0 degrees"),
    Case("angle_distance", "90.0 degrees, 3.0 meters", ("45", "<Tab>", "7"), "45.0 degrees, 7.0 meters"),
    Case("region_label", "Region 1", ("3",), "Region 3"),
    Case("region_set", "Region 1, 2", ("2, 3",), "Region 2, 3"),
    Case("pair_list", "1-1, 2-2", ("1-2", "<Return>", "3-3"), "1-2, 3-3"),
    Case("bbox", "[1, 2, 30, 40]", ("5", "<Tab>", "6", "<Tab>", "70", "<Tab>", "80"), "[5, 6, 70, 80]"),
    Case("free_text", "The car stops.", ("It turns left.",), "It turns left."),
    Case("instruction_text", "Fly on.", ("Turn left.",), "Turn left."),
)


@pytest.fixture
def items(request: pytest.FixtureRequest) -> list[Item]:
    case = request.param
    options = tuple(option(letter, text) for letter, text in zip("ABCDE", case.options, strict=False))
    return [refined(1, answer_format=case.format, answer_key=case.key, options=options), refined(2)]


def type_answer(person: SecondLookPerson, case: Case) -> None:
    for text in case.keys:
        if text.startswith("<"):
            person.press(text.strip("<>"))
        else:
            person.write(text)


@pytest.mark.parametrize(
    ("items", "case"),
    [(case, case) for case in CASES],
    indirect=["items"],
    ids=[case.format for case in CASES],
)
def test_item_when_of_a_format_then_is_answered_by_keys_and_compared(
    person: SecondLookPerson, case: Case
) -> None:
    widget = person.form.answer.widget
    assert isinstance(widget, AnswerWidget)
    assert widget.text() == ""
    type_answer(person, case)
    # In a line, the first one ends the input.
    for _ in range(2):
        person.press("Ctrl+Return")
    assert person.shown.phase == "key_shown"
    assert [one.answer for one in person.answers()] == [case.answer]
    assert person.shown.comparison is not None
    assert person.shown.comparison.problem == ""
    assert person.form.comparison.key.text().startswith(case.key)
    person.press("K")
    assert person.shown.item.name == "item_00002"


def test_cases_when_listed_then_every_format_has_one() -> None:
    assert {case.format for case in CASES} == set(answers.formats())
