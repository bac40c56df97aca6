from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest

from annotator.domain import answers
from annotator.domain.answers.angle_distance import CameraMove
from tests.guards_qt import PatientBot
from tests.gui.answers.answerer import Answerer, item_of
from tests.gui.stage.hands import LEFT
from widgets.answers.angle_answer import AngleAnswer
from widgets.answers.dial import Dial
from widgets.answers.dial_answer import DialAnswer
from widgets.answers.dial_geometry import CENTRE, point_at


def dial_of(person: Answerer) -> Dial:
    assert isinstance(person.widget, DialAnswer | AngleAnswer)
    return person.widget.dial


def angles(person: Answerer) -> AngleAnswer:
    assert isinstance(person.widget, AngleAnswer)
    return person.widget


def drag_dial(person: Answerer, *points: QPointF, held: Qt.KeyboardModifier | None = None) -> None:
    """Press at the first point, and let go at the last one."""
    dial, keys = dial_of(person), held or Qt.KeyboardModifier.NoModifier
    QTest.mousePress(dial, LEFT, keys, points[0].toPoint())
    for point in points:
        QTest.mouseMove(dial, point.toPoint())
    QTest.mouseRelease(dial, LEFT, keys, points[-1].toPoint())


@pytest.mark.parametrize("hour", range(1, 13))
def test_clock_when_an_hour_is_clicked_then_is_committed(qtbot: PatientBot, hour: int) -> None:
    person = Answerer(qtbot, item_of("clock"))
    drag_dial(person, point_at(30 * hour, centre=CENTRE, radius=50))
    assert person.committed == [f"{hour} o'clock"]
    assert answers.get("clock").parse(person.committed[0]).value == dial_of(person).value == hour


@pytest.mark.parametrize(("typed", "committed"), [("2", "2"), ("9", "9"), ("12", "12"), ("10", "10")])
def test_clock_when_a_whole_hour_is_typed_then_is_committed_at_once(
    qtbot: PatientBot, typed: str, committed: str
) -> None:
    person = Answerer(qtbot, item_of("clock", "7 o'clock"))
    person.type(typed)
    assert person.committed == [f"{committed} o'clock"]


def test_clock_when_one_is_typed_then_is_committed_after_a_pause_or_on_request(qtbot: PatientBot) -> None:
    person = Answerer(qtbot, item_of("clock"))
    person.type("1")
    assert (dial_of(person).value, person.committed) == (1, [])
    qtbot.wait_until(lambda: person.committed == ["1 o'clock"])
    person.type("14")
    assert person.committed == ["1 o'clock", "4 o'clock"]
    person.type("1")
    assert person.widget.apply()
    assert person.committed[-1] == "1 o'clock"


def test_clock_when_arrows_are_pressed_then_turns_past_twelve_in_one_change(qtbot: PatientBot) -> None:
    person = Answerer(qtbot, item_of("clock", "11 o'clock"))
    person.press(Qt.Key.Key_Right, times=3)
    assert person.committed == []
    qtbot.wait_until(lambda: person.committed == ["2 o'clock"])
    person.press(Qt.Key.Key_Backspace)
    assert (person.committed[-1], dial_of(person).value) == ("", None)


@pytest.mark.parametrize("arrow", range(1, 7))
def test_direction_when_typed_or_clicked_then_is_the_arrow_of_the_picture(
    qtbot: PatientBot, arrow: int
) -> None:
    person = Answerer(qtbot, item_of("direction_label"))
    person.type(str(arrow))
    assert person.committed == [f"Direction {arrow}"]
    person.type(str(arrow % 6 + 1))
    # Arrows stand at 15, 45 … 165 degrees from the right.
    dial = dial_of(person)
    start = QPointF(dial.width() / 2, dial.height() - 10)
    drag_dial(person, point_at(90 - (30 * arrow - 15), centre=start, radius=50))
    assert person.committed[-1] == f"Direction {arrow}"
    assert answers.get("direction_label").parse(person.committed[-1]).value == arrow


@pytest.mark.parametrize("typed", ["0", "7"])
def test_direction_when_there_is_no_such_arrow_then_nothing_changes(qtbot: PatientBot, typed: str) -> None:
    person = Answerer(qtbot, item_of("direction_label", "Direction 2"))
    person.type(typed)
    assert (person.committed, dial_of(person).value) == ([], 2)


@pytest.mark.parametrize(("answer_format", "key"), [("clock", "14 o'clock"), ("direction_label", "north")])
def test_choice_when_the_stored_key_is_unreadable_then_its_problem_quotes_it(
    qtbot: PatientBot, answer_format: str, key: str
) -> None:
    person = Answerer(qtbot, item_of(answer_format, key))
    assert f"“{key}”" in person.widget.problem()
    assert dial_of(person).value is None
    person.type("3")
    assert person.widget.problem() == ""


def test_angle_when_the_dial_is_dragged_then_the_field_follows_and_the_end_is_committed(
    qtbot: PatientBot,
) -> None:
    person = Answerer(qtbot, item_of("angle", "10.0 degrees"))
    positions = [point_at(angle, centre=CENTRE, radius=60) for angle in (30, 90)]
    QTest.mousePress(dial_of(person), LEFT, pos=positions[0].toPoint())
    assert angles(person).fields["angle_deg"].text() == "30"
    assert person.committed == []
    QTest.mouseMove(dial_of(person), positions[1].toPoint())
    QTest.mouseRelease(dial_of(person), LEFT, pos=positions[1].toPoint())
    assert person.committed == ["90.0 degrees"]
    assert answers.get("angle").parse(person.committed[0]).value == 90.0


def test_angle_when_the_key_is_negative_then_stays_in_that_form(qtbot: PatientBot) -> None:
    person = Answerer(qtbot, item_of("angle", "-10.0 degrees"))
    drag_dial(person, point_at(270, centre=CENTRE, radius=60))
    assert person.committed == ["-90.0 degrees"]
    dial_of(person).setFocus()
    person.press(Qt.Key.Key_Left)
    person.press(Qt.Key.Key_Left, Qt.KeyboardModifier.ShiftModifier)
    assert person.widget.apply()
    assert person.committed[-1] == "-106.0 degrees"


def test_angle_when_a_number_is_entered_then_the_dial_turns(qtbot: PatientBot) -> None:
    person = Answerer(qtbot, item_of("angle"))
    person.type("269.4")
    person.press(Qt.Key.Key_Return)
    assert (person.committed, dial_of(person).value) == (["269.4 degrees"], 269.4)


@pytest.mark.parametrize("typed", ["400", "left"])
def test_angle_when_the_number_is_wrong_then_says_so(qtbot: PatientBot, typed: str) -> None:
    person = Answerer(qtbot, item_of("angle", "10.0 degrees"))
    angles(person).fields["angle_deg"].selectAll()
    person.type(typed)
    person.press(Qt.Key.Key_Return)
    assert person.widget.problem()
    assert person.widget.problem_line.isVisible()
    assert (person.committed, dial_of(person).value) == ([], 10.0)


def test_angle_and_distance_when_both_are_entered_then_are_one_answer(qtbot: PatientBot) -> None:
    person = Answerer(qtbot, item_of("angle_distance"))
    drag_dial(person, point_at(180, centre=CENTRE, radius=60))
    assert person.committed == []
    assert "metres" in person.widget.problem()
    angles(person).fields["distance_m"].setFocus()
    person.type("-70")
    person.press(Qt.Key.Key_Return)
    assert person.committed == ["180.0 degrees, -70.0 meters"]
    value = answers.get("angle_distance").parse(person.committed[0]).value
    assert value == CameraMove(angle_deg=180.0, distance_m=-70.0)
    assert person.widget.problem() == ""


def test_angle_and_distance_when_shown_then_are_in_fields_and_dial(qtbot: PatientBot) -> None:
    person = Answerer(qtbot, item_of("angle_distance", "-160.0 degrees, -70.0 meters"))
    assert [field.text() for field in angles(person).fields.values()] == ["-160", "-70"]
    assert dial_of(person).value == -160.0
