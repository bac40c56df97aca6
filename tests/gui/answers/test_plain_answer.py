from __future__ import annotations

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit

from annotator.domain import answers
from annotator.domain.answers import registry
from annotator.domain.answers.region_set import RegionSet
from tests.guards_qt import PatientBot
from tests.gui.answers.answerer import Answerer, item_of
from widgets.answers.plain_answer import PlainAnswer


class TeamFormat(RegionSet):
    """A format of a team's own."""

    __slots__ = ()
    id = "team_regions"


@pytest.fixture
def team_format(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(registry, "formats", lambda: {"team_regions": TeamFormat()})
    return "team_regions"


def line_of(person: Answerer) -> QLineEdit:
    assert isinstance(person.widget, PlainAnswer)
    return person.widget.line


def test_line_when_a_format_has_no_widget_then_commits_the_canonical_text(
    qtbot: PatientBot, team_format: str
) -> None:
    person = Answerer(qtbot, item_of(team_format, "Region 1"))
    assert line_of(person).text() == "Region 1"
    line_of(person).selectAll()
    person.type("regions 4 and 3")
    assert person.committed == []
    person.press(Qt.Key.Key_Return)
    assert person.committed == ["Region 3, 4"]
    assert answers.get(team_format).parse(person.committed[0]).value == frozenset({3, 4})
    assert (person.widget.text(), line_of(person).text(), person.widget.problem()) == (
        "Region 3, 4",
        "Region 3, 4",
        "",
    )


def test_line_when_the_answer_is_unreadable_then_says_why_below_and_keeps_it(
    qtbot: PatientBot, team_format: str
) -> None:
    person = Answerer(qtbot, item_of(team_format))
    person.type("not 3")
    person.press(Qt.Key.Key_Return)
    assert person.committed == []
    assert line_of(person).text() == person.widget.text() == "not 3"
    assert person.widget.problem_line.isVisible()
    assert person.widget.problem() == person.widget.problem_line.text() != ""
    assert line_of(person).property("is_wrong")
    assert not person.widget.apply()


def test_line_when_the_focus_leaves_or_the_screen_asks_then_commits(qtbot: PatientBot) -> None:
    person = Answerer(qtbot, item_of("trajectory"))
    person.type("forward")
    assert person.widget.apply()
    assert person.committed == ["forward"]
    line_of(person).clear()
    person.type("left")
    line_of(person).clearFocus()
    assert person.committed == ["forward", "left"]


def test_line_when_escape_is_pressed_then_has_the_answer_again(qtbot: PatientBot) -> None:
    person = Answerer(qtbot, item_of("trajectory", "forward"))
    person.type("left")
    person.press(Qt.Key.Key_Escape)
    assert (line_of(person).text(), person.committed) == ("forward", [])


def test_widget_when_its_own_change_arrives_late_then_keeps_what_was_typed_since(qtbot: PatientBot) -> None:
    person = Answerer(qtbot, item_of("trajectory"))
    person.type("first")
    person.press(Qt.Key.Key_Return)
    person.press(Qt.Key.Key_Backspace)
    person.type("second")
    person.show(answer_key="first")
    assert line_of(person).text() == "second"
    person.press(Qt.Key.Key_Return)
    person.show(answer_key="second")
    # Undone: the key is the one that this widget has committed before, but it came from elsewhere.
    person.show(answer_key="first")
    assert person.widget.text() == line_of(person).text() == "first"


def test_widget_when_a_change_was_refused_then_restores_the_stored_key(qtbot: PatientBot) -> None:
    person = Answerer(qtbot, item_of("trajectory", "old"))
    line_of(person).selectAll()
    person.type("new")
    person.press(Qt.Key.Key_Return)
    person.widget.restore()
    assert person.widget.text() == line_of(person).text() == "old"


def test_widget_when_blind_then_never_shows_the_key_and_keeps_the_response(qtbot: PatientBot) -> None:
    person = Answerer(qtbot, item_of("trajectory", "the key"), is_blind=True)
    assert person.widget.text() == line_of(person).text() == ""
    person.type("mine")
    person.press(Qt.Key.Key_Return)
    person.show(answer_key="another key")
    assert (person.committed, person.widget.text()) == (["mine"], "mine")
    person.widget.restore()
    assert person.widget.text() == "mine"
    person.item = msgspec.structs.replace(person.item, id="next")
    person.show(answer_key="third key")
    assert person.widget.text() == line_of(person).text() == ""
