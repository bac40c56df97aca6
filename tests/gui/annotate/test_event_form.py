"""The event-level form, filled in by keyboard in the real window."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from annotator.commands.event_labels import SetQuality
from annotator.commands.regions import AddRegion
from annotator.commands.scene_states import FinishScene
from annotator.domain.active_time import ActiveTime
from annotator.domain.event import Edit
from annotator.domain.event_label import EventLabel, ObjectCount
from annotator.domain.region import Box
from annotator.errors import UserError
from annotator.session import Session
from tests.guards_qt import PatientBot
from tests.gui.annotate.annotate_person import AnnotatePerson
from tests.gui.stage.hands import HEIGHT, WIDTH
from tests.unit.store.making import created, write
from widgets.annotate.event_form import EventForm
from widgets.read_only import read_only_reason
from widgets.window import MainWindow

ALL = ("Q3", "U1", "T1", "C", "12", "D5", "N0")


def form(person: AnnotatePerson) -> EventForm:
    return person.annotate.annotation_panel.form


def labels(person: AnnotatePerson) -> list[EventLabel]:
    return list(person.session.reader.records(EventLabel))


def open_form(person: AnnotatePerson) -> None:
    person.annotate.stage.focus_view()
    person.press("Shift+F")
    assert form(person).hasFocus()


def keys(person: AnnotatePerson, *typed: str) -> None:
    """Type keys without waiting in between, as fast as a person could at most."""
    for key in "".join(typed):
        person.qtbot.keyClick(QApplication.focusWidget(), key)
    person.settle()


def value(person: AnnotatePerson, field: str) -> str:
    return next(row.value.text() for row in form(person).rows if row.field.id == field)


def test_form_when_filled_in_by_keys_then_the_label_holds_the_answers(person: AnnotatePerson) -> None:
    open_form(person)
    keys(person, *ALL)
    [label] = labels(person)
    assert (label.quality, label.usable, label.object_types) == (3, True, ("vehicles",))
    assert (label.count, label.degradations, label.when) == (ObjectCount(value=12), ("brightness",), False)
    assert label.view == "UAV1"
    assert value(person, "quality") == "Fair"


def test_form_when_the_view_needs_help_then_it_asks_for_what_who_and_why(person: AnnotatePerson) -> None:
    open_form(person)
    asked = {"what_boxes", "who", "why"}
    assert not asked & {row.field.id for row in form(person).rows}
    keys(person, "N1")
    assert asked <= {row.field.id for row in form(person).rows}
    assert form(person).current is not None
    assert form(person).current.id == "what_boxes"
    keys(person, "H1", "Y57")
    [label] = labels(person)
    assert (label.who, label.why) == (("UAV2",), ("brightness", "loss"))
    keys(person, "Y5")
    assert labels(person)[0].why == ("loss",)


def test_form_when_a_number_is_typed_then_it_is_one_step_of_undo(person: AnnotatePerson) -> None:
    open_form(person)
    keys(person, "Q4", "C", "360", "A")
    assert labels(person)[0].count == ObjectCount(value=360, approximate=True)
    assert value(person, "count") == "about 360"
    person.press("Ctrl+Z")
    person.qtbot.waitUntil(lambda: value(person, "count") == "360")
    person.press("Ctrl+Z")
    person.qtbot.waitUntil(lambda: value(person, "count") == "")
    assert labels(person)[0].quality == 4


def test_form_when_a_region_is_selected_then_a_digit_adds_its_box(person: AnnotatePerson) -> None:
    canvas = person.annotate.stage.canvases[0]
    command = AddRegion(medium=canvas.medium, box=Box(x1=0.0, y1=0.0, x2=WIDTH / 2, y2=HEIGHT / 4))
    person.session.execute(command)
    person.qtbot.waitUntil(lambda: canvas.marks.region(command.id) is not None)
    person.annotate.stage.select([command.id])
    open_form(person)
    keys(person, "I2")
    [box] = labels(person)[0].issue_boxes or ()
    assert (box.x, box.y, box.width, box.height, box.labels) == (0.0, 0.0, 50.0, 25.0, ("too_small",))


def test_form_when_a_problem_is_open_then_the_label_is_kept_and_not_finished(person: AnnotatePerson) -> None:
    open_form(person)
    keys(person, "Q5", "U0")
    row = next(row for row in form(person).rows if row.field.id == "usable")
    assert any("not usable" in problem for problem in row.problems)
    assert not form(person).buttons["finish"].isEnabled()
    person.press("Ctrl+Return")
    assert form(person).current is not None
    assert form(person).current.id == "usable"
    assert labels(person)[0].state == "open"
    keys(person, "U1", "C3", "T1", "N0", "D5")
    assert form(person).buttons["finish"].isEnabled()
    person.press("Ctrl+Return")
    assert labels(person)[0].state == "finished"
    assert form(person).state.text() == "finished"
    keys(person, "Q4")
    assert labels(person)[0].state == "open"


def test_form_when_answers_are_copied_then_they_are_marked_until_confirmed(person: AnnotatePerson) -> None:
    open_form(person)
    keys(person, *ALL)
    person.press("Esc")
    person.press("E")
    person.press("Shift+F")
    assert "UAV2" in form(person).title.text()
    keys(person, "V")
    copied = labels(person)[1]
    assert (copied.view, copied.quality, copied.count) == ("UAV2", 3, ObjectCount(value=12))
    assert copied.copied
    assert value(person, "quality") == "not confirmed: Fair"
    assert form(person).buttons["confirm"].isVisible()
    keys(person, "K")
    assert value(person, "quality") == "Fair"
    assert labels(person)[1].copied == ()


def test_form_when_the_next_scene_is_shown_then_the_previous_frame_can_be_copied(
    person: AnnotatePerson,
) -> None:
    open_form(person)
    keys(person, *ALL)
    person.press("Esc")
    person.press("PgDown")
    open_form(person)
    assert form(person).buttons["previous"].isVisible()
    keys(person, "P")
    first, second = labels(person)
    assert second.scene != first.scene
    assert (second.quality, second.degradations) == (first.quality, first.degradations)


def test_form_when_esc_is_pressed_then_the_stage_has_the_keyboard_and_its_keys_again(
    person: AnnotatePerson,
) -> None:
    open_form(person)
    person.press("Esc")
    assert person.annotate.stage.front is not None
    assert person.annotate.stage.front.hasFocus()
    person.press("B")
    assert person.annotate.stage.tool.id == "box"
    assert labels(person) == []


def test_form_when_the_view_has_two_labels_then_it_says_so_and_edits_the_first(
    person: AnnotatePerson,
) -> None:
    shown = person.annotate.stage.shown
    assert shown is not None
    medium = person.annotate.stage.canvases[0].medium
    for number in (1, 2):
        label = EventLabel(
            id=f"{number}" * 32, scene=shown.scene.id, view="UAV1", medium=medium, quality=number
        )
        write(person.session, created("event_label", label))
    open_form(person)
    assert form(person).hint.isVisible()
    assert "2 event labels" in form(person).hint.text()
    keys(person, "Q5")
    assert [label.quality for label in labels(person)] == [5, 2]


def test_form_when_other_is_selected_then_its_text_is_typed_and_the_next_field_follows(
    person: AnnotatePerson,
) -> None:
    open_form(person)
    keys(person, "D8", "O")
    text = form(person).rows[5].text
    assert text is not None
    assert text.hasFocus()
    keys(person, "smoke bq1")
    assert labels(person)[0].other_degradation is None
    person.press("Return")
    assert labels(person)[0].other_degradation == "smoke bq1"
    assert form(person).hasFocus()
    assert form(person).current is not None
    assert form(person).current.id == "issue_boxes"
    person.press("Ctrl+Z")
    person.qtbot.waitUntil(lambda: value(person, "other_degradation") == "")
    assert labels(person)[0].degradations == ("others",)


def test_form_when_the_label_changes_elsewhere_then_the_text_that_is_typed_goes_on(
    person: AnnotatePerson,
) -> None:
    open_form(person)
    keys(person, "D8", "O")
    keys(person, "smo")
    [label] = labels(person)
    person.session.execute(SetQuality(scene=label.scene, view="UAV1", label=label.id, level=2)).result()
    person.qtbot.waitUntil(lambda: form(person).data is not None and form(person).data.label.quality == 2)
    person.settle()
    assert labels(person)[0].other_degradation is None
    keys(person, "ke")
    person.press("Return")
    assert labels(person)[0].other_degradation == "smoke"
    assert value(person, "quality") == "Poor"


def add_regions(person: AnnotatePerson, *boxes: tuple[float, float, float, float]) -> list[str]:
    canvas = person.annotate.stage.canvases[0]
    commands = [
        AddRegion(medium=canvas.medium, box=Box(x1=x1, y1=y1, x2=x2, y2=y2), category="car")
        for x1, y1, x2, y2 in boxes
    ]
    for command in commands:
        person.session.execute(command).result()
    person.qtbot.waitUntil(lambda: all(canvas.marks.region(one.id) is not None for one in commands))
    return [one.id for one in commands]


def test_form_when_answers_are_proposed_then_they_come_from_the_regions_and_are_confirmed_by_one_key(
    person: AnnotatePerson,
) -> None:
    add_regions(person, (100, 100, 106, 106), (200, 100, 300, 200))
    open_form(person)
    keys(person, "Q4", "U1", "R")
    assert value(person, "count") == "not confirmed: 2"
    assert value(person, "why").startswith("not confirmed: The target is small")
    [label] = labels(person)
    assert (label.who, label.when, len(label.issue_boxes or ())) == (("UAV2",), True, 1)
    keys(person, "K")
    person.press("Ctrl+Return")
    assert labels(person)[0].state == "finished"
    # Nothing is left to be proposed, and the key says nothing of a failure.
    assert not form(person).buttons["propose"].isEnabled()
    before = person.session.reader.log.event_total()
    keys(person, "R")
    assert person.session.reader.log.event_total() == before


def test_form_when_a_box_field_is_current_then_a_click_on_the_stage_selects_and_the_digit_labels(
    person: AnnotatePerson,
) -> None:
    add_regions(person, (100, 100, 160, 160), (300, 200, 360, 260))
    open_form(person)
    keys(person, "I")
    person.hands.click(130, 130)
    keys(person, "1")
    person.hands.click(330, 230)
    keys(person, "2")
    assert [box.labels for box in labels(person)[0].issue_boxes or ()] == [("occluded",), ("too_small",)]
    keys(person, "2")
    assert [box.labels for box in labels(person)[0].issue_boxes or ()] == [("occluded",)]
    person.press("Esc")
    person.hands.click(130, 130)
    person.settle()
    assert not form(person).hasFocus()
    assert person.annotate.stage.canvases[0].hasFocus()


def test_form_when_a_box_field_is_current_then_a_drawn_box_waits_for_its_digit_and_no_category_is_asked(
    person: AnnotatePerson,
) -> None:
    person.annotate.stage.focus_view()
    person.press("B")
    open_form(person)
    keys(person, "I")
    person.hands.drag((100, 100), (180, 160))
    person.settle()
    person.qtbot.waitUntil(form(person).hasFocus)
    assert not person.annotate.categories.chooser.isVisible()
    keys(person, "3")
    assert [box.labels for box in labels(person)[0].issue_boxes or ()] == [("out_of_fov",)]


@dataclass
class Clock:
    """A clock that is set by hand."""

    now: float = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(person: AnnotatePerson) -> Clock:
    made = Clock()
    clock = person.annotate.clock
    clock.active_time = ActiveTime(made)
    clock.active_time.resume()
    clock.follow()
    return made


def window_key(person: AnnotatePerson, key: Qt.Key) -> None:
    """Press a key as the window system delivers it."""
    window = person.window.windowHandle()
    assert window is not None
    QTest.keyClick(window, key)


def test_time_when_a_view_is_worked_on_then_the_label_has_it_without_the_pauses(
    person: AnnotatePerson, clock: Clock
) -> None:
    open_form(person)
    clock.now += 12
    keys(person, "Q4")
    assert labels(person)[0].active_time_s == 12.0
    window_key(person, Qt.Key.Key_Shift)
    clock.now += 3600
    window_key(person, Qt.Key.Key_Shift)
    clock.now += 5
    keys(person, "U1")
    assert labels(person)[0].active_time_s == 77.0
    assert form(person).time.text() == "1:17"


def test_time_when_another_program_has_the_keyboard_then_stands_still(
    person: AnnotatePerson, clock: Clock
) -> None:
    open_form(person)
    person.annotate.clock.active_time.take("nothing")
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    clock.now += 4
    application.focusWindowChanged.emit(None)
    clock.now += 30
    window_key(person, Qt.Key.Key_Shift)
    clock.now += 30
    application.focusWindowChanged.emit(person.window.windowHandle())
    clock.now += 6
    keys(person, "Q4")
    assert labels(person)[0].active_time_s == 10.0


def test_time_when_the_scene_is_finished_then_each_of_its_labels_gets_its_own(
    person: AnnotatePerson, clock: Clock
) -> None:
    open_form(person)
    keys(person, *ALL)
    clock.now += 8
    person.press("Esc")
    person.press("E")
    clock.now += 9
    person.press("Ctrl+E")
    person.qtbot.waitUntil(lambda: labels(person)[0].state == "finished")
    assert labels(person)[0].active_time_s == 8.0


def test_time_when_an_edit_fails_then_it_counts_for_the_next_one(
    person: AnnotatePerson, clock: Clock
) -> None:
    open_form(person)
    keys(person, "Q4")
    clock.now += 7
    edit = person.annotate.clock.timed(SetQuality(scene=labels(person)[0].scene, view="UAV1", level=9))
    assert edit.active_s == 7.0
    person.annotate.clock.give_back(edit, ValueError())
    keys(person, "U1")
    assert labels(person)[0].active_time_s == 7.0


def test_time_when_finishing_the_scene_fails_then_it_counts_for_the_next_edit(
    person: AnnotatePerson, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_args: object, **_kwargs: object) -> Iterator[Edit]:
        raise UserError("The scene cannot be finished.")

    open_form(person)
    keys(person, *ALL)
    clock.now += 8
    person.press("Esc")
    monkeypatch.setattr(FinishScene, "plan", refuse)
    person.press("Ctrl+E")
    [label] = labels(person)
    assert label.state == "open"
    assert person.annotate.clock.pending_s(label) == 8.0


def test_form_when_the_project_is_open_for_reading_only_then_is_disabled_and_says_why(
    made_scenes: Path, show_window: Callable[[Session], MainWindow], qtbot: PatientBot
) -> None:
    person = AnnotatePerson(show_window(Session.open_for_reading(made_scenes / "pilot.vantage")), qtbot)
    person.annotate.annotation_panel.toggle_form()
    person.settle()
    shown, reason = form(person), read_only_reason(person.session)
    shown.setFocus()
    assert shown.hint.text() == reason
    [row] = [row for row in shown.rows if row.buttons]
    assert {(button.isEnabled(), button.toolTip()) for button in row.buttons} == {(False, reason)}
    assert not any(button.isEnabled() for button in shown.buttons.values())
    keys(person, *ALL)
    assert not person.window.banner.isVisible()
    # Looking through the fields is still possible.
    keys(person, "D")
    assert shown.current is not None
    assert shown.current.id == "degradations"
    assert labels(person) == []
