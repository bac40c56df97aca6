from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from annotator.domain import answers
from annotator.domain.answers import AnswerContext
from annotator.domain.item import Option
from tests.guards_qt import PatientBot
from tests.gui.answers.answerer import OPTIONS, Answerer, item_of
from tests.gui.stage.hands import LEFT
from widgets.answers.option_answer import OptionAnswer
from widgets.answers.prose_answer import ProseAnswer


def options_of(person: Answerer) -> OptionAnswer:
    assert isinstance(person.widget, OptionAnswer)
    return person.widget


def prose_of(person: Answerer) -> ProseAnswer:
    assert isinstance(person.widget, ProseAnswer)
    return person.widget


def marked(person: Answerer) -> list[str]:
    return [letter for letter, row in options_of(person).rows.items() if row.button.isChecked()]


def test_letter_when_its_key_is_pressed_or_its_text_clicked_then_is_committed(qtbot: PatientBot) -> None:
    person = Answerer(qtbot, item_of("option_letter", "A", options=OPTIONS))
    assert marked(person) == ["A"]
    person.type("c")
    assert (person.committed, marked(person)) == (["C"], ["C"])
    QTest.mouseClick(options_of(person).rows["B"], LEFT)
    assert (person.committed, marked(person)) == (["C", "B"], ["B"])
    person.press(Qt.Key.Key_Down)
    person.press(Qt.Key.Key_Space)
    assert (person.committed[-1], marked(person)) == ("C", ["C"])


def test_letter_when_the_item_has_no_such_option_then_nothing_changes(qtbot: PatientBot) -> None:
    person = Answerer(qtbot, item_of("option_letter", "A", options=OPTIONS))
    person.type("dx")
    assert not options_of(person).choose("D")
    assert (person.committed, marked(person)) == ([], ["A"])


def test_letter_when_the_chosen_one_is_pressed_again_then_stays_chosen(qtbot: PatientBot) -> None:
    person = Answerer(qtbot, item_of("option_letter", "A", options=OPTIONS))
    person.press(Qt.Key.Key_Space)
    assert (person.committed, marked(person)) == ([], ["A"])


def test_options_when_they_change_then_the_rows_follow(qtbot: PatientBot) -> None:
    person = Answerer(qtbot, item_of("option_letter", "B", options=OPTIONS))
    person.show(options=(*OPTIONS[:2], Option(letter="C", text="table"), Option(letter="D", text="")))
    assert (list(options_of(person).rows), marked(person)) == (["A", "B", "C", "D"], ["B"])
    person.show(options=())
    assert options_of(person).empty_line.isVisible()


def test_letter_when_the_key_is_no_option_then_says_so(qtbot: PatientBot) -> None:
    person = Answerer(qtbot, item_of("option_letter", "G", options=OPTIONS))
    assert "“G”" in person.widget.problem()
    assert marked(person) == []


def test_span_set_when_letters_are_pressed_then_toggles_texts(qtbot: PatientBot) -> None:
    person = Answerer(qtbot, item_of("span_set", '["sofa"]', options=OPTIONS))
    assert marked(person) == ["C"]
    person.type("a")
    assert (person.committed, marked(person)) == (['["bed", "sofa"]'], ["A", "C"])
    context = AnswerContext(options=OPTIONS)
    assert answers.get("span_set").parse(person.committed[0], context=context).value == {"bed", "sofa"}
    person.type("ac")
    assert (person.committed[-1], marked(person)) == ("", [])


def test_options_when_blind_then_none_is_marked(qtbot: PatientBot) -> None:
    person = Answerer(qtbot, item_of("option_letter", "A", options=OPTIONS), is_blind=True)
    assert marked(person) == []
    person.type("b")
    person.show(answer_key="C")
    assert (person.committed, marked(person)) == (["B"], ["B"])


def test_prose_when_the_person_pauses_then_is_committed_and_the_text_is_left_alone(
    qtbot: PatientBot,
) -> None:
    person = Answerer(qtbot, item_of("free_text"))
    person.type("The drone  rises ")
    assert person.committed == []
    qtbot.wait_until(lambda: person.committed == ["The drone rises"])
    assert prose_of(person).field.toPlainText() == "The drone  rises "
    assert prose_of(person).count.text() == "3 words"
    person.show(answer_key="The drone rises")
    assert prose_of(person).field.toPlainText() == "The drone  rises "


def test_prose_when_the_screen_asks_or_the_focus_leaves_then_is_committed(qtbot: PatientBot) -> None:
    person = Answerer(qtbot, item_of("free_text", "It rises"))
    person.press(Qt.Key.Key_End)
    person.type(" up")
    assert person.widget.apply()
    person.type(" again")
    prose_of(person).field.clearFocus()
    assert person.committed == ["It rises up", "It rises up again"]


def test_prose_when_it_has_no_words_then_says_so(qtbot: PatientBot) -> None:
    person = Answerer(qtbot, item_of("free_text"))
    person.type("?!")
    assert not person.widget.apply()
    assert person.widget.problem()
    assert person.widget.problem_line.isVisible()
    assert person.committed == []


def test_instructions_when_written_on_lines_then_are_counted_and_committed_in_order(
    qtbot: PatientBot,
) -> None:
    person = Answerer(qtbot, item_of("instruction_text"))
    person.type("Go ahead")
    person.press(Qt.Key.Key_Return)
    person.type("Turn left")
    assert person.widget.apply()
    assert answers.get("instruction_text").parse(person.committed[0]).value == ("Go ahead", "Turn left")
    assert prose_of(person).count.text() == "2 instructions · 4 words"


@pytest.mark.parametrize("answer_format", ["free_text", "instruction_text"])
def test_prose_when_the_next_item_is_shown_then_has_its_text(qtbot: PatientBot, answer_format: str) -> None:
    person = Answerer(qtbot, item_of(answer_format, "First"))
    person.show(id="next", answer_key="Second")
    assert prose_of(person).field.toPlainText() == "Second"
