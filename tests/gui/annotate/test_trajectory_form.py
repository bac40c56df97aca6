from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QLabel, QPushButton

from annotator.commands.flight_labels import SetSegmentActions
from annotator.commands.flights import REVERSED_FROM
from annotator.domain.event import Edit
from annotator.domain.trajectory import KeyFrameLabel, Trajectory
from annotator.errors import UserError
from tests.gui.annotate.flight_person import FlightPerson
from widgets.annotate.key_frame_limits import KeyFrameLimitsDialog
from widgets.annotate.trajectory_form import TrajectoryForm


@pytest.fixture
def form(flight_person: FlightPerson) -> TrajectoryForm:
    flight_person.at_stage("Shift+J")
    made = flight_person.editor.form
    assert made.isVisible()
    assert made.list.hasFocus()
    return made


def _labels(person: FlightPerson) -> dict[int, KeyFrameLabel]:
    return {label.frame: label for label in person.flight().key_frame_labels}


def test_form_when_opened_then_lists_key_frames_with_time_action_and_caption(
    form: TrajectoryForm, flight_person: FlightPerson
) -> None:
    rows = form.list.rows()
    assert [(row.time_text, row.action_text, row.caption) for row in rows] == [
        ("00:00.000", "start of the flight", ""),
        ("00:01.160", "Forward", ""),
        ("00:02.360", "Forward, Up or down, Turn", ""),
    ]
    assert form.difficulty.currentText() == "Medium (by rule)"
    flight_person.press("Shift+J")
    assert not form.isVisible()
    assert flight_person.annotate.stage.canvases[0].hasFocus()


def test_form_when_worked_with_by_keyboard_then_each_caption_is_kept_and_undone_by_itself(
    form: TrajectoryForm, flight_person: FlightPerson
) -> None:
    person = flight_person
    person.press("Down")
    assert person.frame == 29
    person.press("Return")
    person.type("a hall")
    person.press("Ctrl+Return")
    assert person.frame == 59
    person.type("a door")
    person.press("Return")
    assert form.list.hasFocus()
    assert {frame: label.caption for frame, label in _labels(person).items()} == {29: "a hall", 59: "a door"}
    assert [row.caption for row in form.list.rows()] == ["", "a hall", "a door"]
    person.press("Return")
    person.type("nonsense")
    person.press("Esc")
    assert form.list.hasFocus()
    assert form.key_frame.caption.toPlainText() == "a door"
    assert _labels(person)[59].caption == "a door"
    person.press("Up")
    assert person.frame == 29
    assert form.key_frame.caption.toPlainText() == "a hall"
    person.undo()
    assert {frame: label.caption for frame, label in _labels(person).items()} == {29: "a hall"}


def test_form_when_another_key_frame_is_shown_then_a_typed_caption_is_kept_for_its_own(
    form: TrajectoryForm, flight_person: FlightPerson
) -> None:
    person = flight_person
    person.press("Down")
    person.press("Return")
    person.type("a hall")
    # The plot is clicked while the caption is open.
    person.click_pose(person.editor.panel.flights.plots["above"], 59)
    assert {frame: label.caption for frame, label in _labels(person).items()} == {29: "a hall"}
    assert form.key_frame.caption.toPlainText() == ""


def test_form_when_digits_are_pressed_then_the_actions_of_the_segment_change(
    form: TrajectoryForm, flight_person: FlightPerson
) -> None:
    person = flight_person
    person.press("Down")
    # Quickly, before the first one is saved.
    person.press_fast("4", "3")
    assert _labels(person)[29].actions == ("forward", "turn", "up_down")
    assert "by hand: Forward, Turn, Up or down" in form.list.rows()[1].action_text
    assert person.annotate.stage.shown is not None
    assert person.annotate.stage.shown.segments[0].kinds == ("forward", "turn", "up_down")
    person.press("2")
    assert "at most 3 kinds" in form.key_frame.problem.text()
    assert form.key_frame.problem.isVisible()
    assert not form.key_frame.kinds["right_left"].isChecked()
    assert _labels(person)[29].actions == ("forward", "turn", "up_down")
    person.press("1")
    assert _labels(person)[29].actions == ("turn", "up_down")
    assert not form.key_frame.problem.isVisible()
    person.press("Backspace")
    assert _labels(person) == {}
    assert form.key_frame.kinds["forward"].isChecked()
    person.press("Up")
    person.press("4")
    # There is no segment before the first pose.
    assert _labels(person) == {}


def test_form_when_actions_cannot_be_saved_then_the_buttons_show_the_stored_ones(
    form: TrajectoryForm, flight_person: FlightPerson, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_args: object, **_kwargs: object) -> Iterator[Edit]:
        raise UserError("The flight cannot be changed.")

    monkeypatch.setattr(SetSegmentActions, "plan", refuse)
    flight_person.press("Down")
    form.key_frame.kinds["right_left"].click()
    flight_person.settle()
    assert _labels(flight_person) == {}
    assert not form.key_frame.kinds["right_left"].isChecked()


def test_form_when_a_key_frame_is_moved_and_removed_then_its_label_follows_and_undo_restores_it(
    form: TrajectoryForm, flight_person: FlightPerson
) -> None:
    person = flight_person
    for key in ("Down", "Return"):
        person.press(key)
    person.type("a hall")
    person.press("Return")
    person.press("Ctrl+Right")
    person.press("Ctrl+Shift+Left")
    assert person.flight().key_frames == (0, 20, 59)
    assert _labels(person)[20].caption == "a hall"
    assert form.list.current is not None
    assert form.list.current.frame == 20
    person.press("Delete")
    assert (person.flight().key_frames, person.flight().key_frame_labels) == ((0, 59), ())
    person.undo()
    assert person.flight().key_frames == (0, 20, 59)
    assert _labels(person)[20].caption == "a hall"


def test_form_when_a_key_frame_can_be_moved_no_further_then_it_can_be_moved_back(
    form: TrajectoryForm, flight_person: FlightPerson
) -> None:
    person = flight_person
    person.press("Down")
    for _ in range(4):
        person.press("Ctrl+Shift+Right")
    assert person.flight().key_frames == (0, 58, 59)
    person.press("Ctrl+Left")
    assert person.flight().key_frames == (0, 57, 59)


def test_form_when_a_move_is_refused_then_the_key_frame_can_be_moved_elsewhere(
    form: TrajectoryForm, flight_person: FlightPerson
) -> None:
    person = flight_person
    for key in ("Down", "Down", "Delete", "Return"):
        person.press(key)
    person.type("a door")
    for key in ("Return", "Up", "Return"):
        person.press(key)
    person.type("a hall")
    person.press("Return")
    for _ in range(3):
        person.press("Ctrl+Shift+Right")
    # Both captions would stand at the last pose.
    assert person.flight().key_frames == (0, 49)
    person.press("Ctrl+Left")
    assert person.flight().key_frames == (0, 48)
    assert _labels(person)[48].caption == "a hall"


def test_form_when_instructions_and_difficulty_are_given_then_they_are_fields_of_the_flight(
    form: TrajectoryForm, flight_person: FlightPerson
) -> None:
    person = flight_person
    person.press("G")
    person.type("Fly to the door.")
    person.press("Return")
    person.press("D")
    person.type("Fly ahead.")
    person.press("Shift+Return")
    person.type("Turn left.")
    person.press("Return")
    assert person.flight().instruction_goal == "Fly to the door."
    assert person.flight().instruction_detailed == "Fly ahead.\nTurn left."
    form.difficulty.setCurrentIndex(3)
    form.difficulty.activated.emit(3)
    person.settle()
    assert person.flight().difficulty == "hard"
    assert form.difficulty.currentText() == "Hard"
    for _ in range(3):
        person.undo()
    flight = person.flight()
    assert (flight.difficulty, flight.instruction_goal, flight.instruction_detailed) == ("", "", "")
    assert form.texts["instruction_goal"].toPlainText() == ""


def test_form_when_the_flight_is_reversed_then_it_is_shown_beside_its_source_with_what_is_derived(
    form: TrajectoryForm, flight_person: FlightPerson
) -> None:
    person = flight_person
    person.window.registry.run("stage.reverse_flight")
    person.settle()
    source = person.flight()
    (back,) = (one for one in person.session.reader.records(Trajectory) if REVERSED_FROM in one.metadata)
    current = person.editor.model.current
    assert current is not None
    assert current.flight.id == back.id
    assert "Derived from traj_1" in form.facts.text()
    assert form.flights.count() == 3
    assert "Reversed" in form.flights.currentText()
    assert "Reversed flight" in person.editor.panel.flights.note.text()
    # The video shows the source: its last frame is the first pose.
    person.seek(59)
    assert person.editor.model.pose() == 0
    person.click_pose(person.editor.panel.flights.plots["above"], 10)
    assert person.frame == 49
    # Its key frames are its own.
    person.at_stage("Shift+G")
    (back,) = (one for one in person.session.reader.records(Trajectory) if REVERSED_FROM in one.metadata)
    assert back.key_frames == (0, 10, 30, 59)
    assert person.flight() == source
    person.window.registry.run("stage.reverse_flight")
    person.settle()
    assert person.editor.model.current.flight.id == source.id  # type: ignore[union-attr]
    person.undo()
    person.undo()
    assert not [one for one in person.session.reader.records(Trajectory) if REVERSED_FROM in one.metadata]


def test_form_when_the_view_has_no_flight_or_no_key_frames_then_says_what_to_do(
    form: TrajectoryForm, flight_person: FlightPerson
) -> None:
    person = flight_person
    person.at_stage("E")
    assert "No key frames" in form.hint.text()
    assert any(button.text() == "Propose key frames of flight" for button in form.findChildren(QPushButton))
    assert not form.list.isVisible()
    person.press("Shift+J")
    assert form.hasFocus()
    person.press("Esc")
    assert person.annotate.stage.front is not None
    assert person.annotate.stage.front.hasFocus()
    person.press("Shift+J")
    person.press("Alt+G")
    # The keyboard goes to the key frames as soon as there are some.
    assert form.list.hasFocus()
    assert len(form.list.rows()) == 3
    person.at_stage("PgDown")
    assert "This view has no flight" in form.hint.text()
    assert not form._body.isVisible()
    person.press("Shift+J")
    assert person.window.focusWidget() is not None


def test_form_when_the_window_is_narrow_then_the_key_shows_it(
    flight_person: FlightPerson, qtbot: object
) -> None:
    person = flight_person
    person.window.resize(1280, 720)
    person.settle()
    assert not person.annotate.annotation_panel.isVisible()
    person.at_stage("Shift+J")
    assert person.editor.form.list.hasFocus()
    assert person.editor.form.width() > 150
    assert person.annotate.stage.width() > 300


def test_limits_when_entered_then_key_frames_follow_them_and_they_are_remembered(
    form: TrajectoryForm, flight_person: FlightPerson
) -> None:
    person = flight_person
    person.press("Alt+G")
    # Ahead for 9.7 m; then a climb over 1 m comes before the turn over 45 degrees is done.
    assert person.flight().key_frames == (0, 29, 59)
    person.at_stage("E")
    dialog = _asked(person)
    assert "IndoorUAV" in dialog.findChildren(QLabel)[1].text()
    _enter(person, dialog, straight_m="999999")
    dialog.main.click()
    assert dialog.isVisible()
    assert "to 10000" in dialog.problem.text()
    assert person.flight("UAV2").key_frames == ()
    _enter(person, dialog, straight_m="50", climb_m="300", turn_deg="300")
    dialog.main.click()
    person.settle()
    assert person.flight("UAV2").key_frames == (0, 59)
    person.undo()
    assert person.flight("UAV2").key_frames == ()
    # The next time, the entered limits are shown, until they are reset to those of the task set.
    dialog = _asked(person)
    assert [field.value for field in dialog.fields.values()] == [300, 300, 50]
    dialog.reset.click()
    dialog.main.click()
    person.settle()
    assert person.flight("UAV2").key_frames == (0, 29, 59)


def _enter(person: FlightPerson, dialog: KeyFrameLimitsDialog, **texts: str) -> None:
    for name, text in texts.items():
        dialog.fields[name].selectAll()
        person.qtbot.keyClicks(dialog.fields[name], text)


def _asked(person: FlightPerson) -> KeyFrameLimitsDialog:
    person.window.registry.run("stage.key_frame_limits")
    person.qtbot.waitUntil(lambda: bool(person.window.findChildren(KeyFrameLimitsDialog)))
    return person.window.findChildren(KeyFrameLimitsDialog)[-1]
