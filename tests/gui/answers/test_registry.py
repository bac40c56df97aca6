from __future__ import annotations

import pytest

from annotator.domain import answers
from tests.guards_qt import PatientBot
from tests.gui.answers.answerer import OPTIONS, Answerer, item_of
from widgets.answers.plain_answer import PlainAnswer
from widgets.answers.registry import ANSWER_WIDGETS, make_answer_widget


def test_registry_when_read_then_names_every_format_once() -> None:
    named = [one for widget in ANSWER_WIDGETS for one in widget.formats]
    assert sorted(named) == sorted(answers.formats())


@pytest.mark.parametrize("answer_format", [*sorted(answers.formats()), "trajectory"])
def test_widget_when_its_format_s_example_is_the_key_then_shows_it_without_a_problem(
    qtbot: PatientBot, answer_format: str
) -> None:
    example = answers.get(answer_format).docs.example.strip("`") if answers.is_known(answer_format) else "go"
    person = Answerer(qtbot, item_of(answer_format, example, options=OPTIONS))
    assert (person.widget.text(), person.widget.problem(), person.committed) == (example, "", [])
    blind = Answerer(qtbot, item_of(answer_format, example, options=OPTIONS), is_blind=True)
    assert (blind.widget.text(), blind.widget.problem()) == ("", "")


def test_registry_when_a_format_has_no_widget_then_gives_a_line(qtbot: PatientBot) -> None:
    widget = make_answer_widget("format_of_a_team")
    qtbot.addWidget(widget)
    assert isinstance(widget, PlainAnswer)
