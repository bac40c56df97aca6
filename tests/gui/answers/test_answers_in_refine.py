"""Answer widgets in the real window: what they commit is stored, undone and never lost."""

from __future__ import annotations

import pytest

from annotator.domain.item import Item
from annotator.session import Session
from tests.gui.refine.conftest import person, project, window
from tests.gui.refine.refine_person import RefinePerson
from tests.windows import AddRecords, make_item
from widgets.answers.box_answer import BoxAnswer
from widgets.answers.dial_answer import DialAnswer
from widgets.answers.picked_answer import PickedAnswer
from widgets.answers.prose_answer import ProseAnswer

__all__ = ["person", "project", "window"]


def go_to(person: RefinePerson, name: str) -> None:
    while person.shown.name != name:
        person.press("PgDown")


def add_item(person: RefinePerson, number: int, **values: object) -> Item:
    """Add an item of the scene, and show it."""
    usual: dict[str, object] = {
        "task_set": "spatialuav",
        "task": "object_matching",
        "scene": "s1",
        "media": ("m0", "m1"),
        "options": (),
    }
    item = make_item(number, **(usual | values))
    person.session.execute(AddRecords(records=[item])).result()
    person.settle()
    go_to(person, item.name)
    return item


def test_clock_when_corrected_by_two_keys_then_is_stored_and_undone(person: RefinePerson) -> None:
    go_to(person, "item_00006")
    person.press("Y")
    assert isinstance(person.refine.form.answer.widget, DialAnswer)
    person.press("9")
    assert person.stored("item_00006").answer_key == "9 o'clock"
    person.press("Ctrl+Z")
    assert person.stored("item_00006").answer_key == "3"
    assert person.refine.form.answer.widget.text() == "3"
    assert person.refine.form.answer.widget.dial.value == 3


def test_digit_when_pressed_outside_the_dial_then_is_the_class_of_the_issue(person: RefinePerson) -> None:
    go_to(person, "item_00006")
    person.press("3")
    assert person.stored("item_00006").issue_classes == ("direction",)
    assert person.stored("item_00006").answer_key == "3"


def test_pairs_when_typed_and_the_item_is_left_at_once_then_are_stored(person: RefinePerson) -> None:
    item = add_item(person, 7, task="a2a_shared_association", answer_format="pair_list", answer_key="")
    person.press("Y")
    assert isinstance(person.refine.form.answer.widget, PickedAnswer)
    person.write("7-7")
    person.refine.queue.step("-1")
    person.settle()
    assert person.shown.name != item.name
    assert person.stored(item.name).answer_key == "7-7"
    assert person.stored(person.shown.name).answer_key == person.shown.answer_key != "7-7"


def test_pair_when_it_does_not_exist_then_the_item_is_not_accepted(person: RefinePerson) -> None:
    item = add_item(person, 7, task="a2a_shared_association", answer_format="pair_list", answer_key="")
    person.press("Y")
    person.write("7-8")
    person.press("Return")
    assert person.refine.form.answer.widget is not None
    assert "8" in person.refine.form.answer.widget.problem()
    person.press("Return")
    assert (person.stored(item.name).state, person.stored(item.name).answer_key) == ("drafted", "")
    assert person.shown.name == item.name


@pytest.mark.parametrize("answer_format", ["free_text", "instruction_text"])
def test_prose_when_typed_and_accepted_at_once_then_all_of_it_is_stored(
    person: RefinePerson, answer_format: str
) -> None:
    item = add_item(person, 7, answer_format=answer_format, answer_key="Go")
    person.press("Y")
    assert isinstance(person.refine.form.answer.widget, ProseAnswer)
    person.replace("Go up and turn left")
    person.refine.decisions.accept()
    person.settle()
    assert person.stored(item.name).answer_key == "Go up and turn left"


def test_keep_when_an_answer_is_typed_but_not_entered_then_the_item_is_not_accepted(
    person: RefinePerson,
) -> None:
    item = add_item(person, 7, task="a2a_shared_association", answer_format="pair_list", answer_key="")
    person.press("Y")
    person.write("7-7")
    person.refine.decisions.keep()
    person.settle()
    assert person.shown.name == item.name
    assert (person.stored(item.name).state, person.stored(item.name).answer_key) == ("in_refinement", "7-7")


def test_project_when_closed_with_an_answer_that_is_not_entered_then_it_is_stored(
    person: RefinePerson,
) -> None:
    item = add_item(person, 7, task="a2a_shared_association", answer_format="pair_list", answer_key="")
    person.press("Y")
    person.write("7-7")
    path = person.session.path
    person.window.controller.close_project()
    # The project is gone from the window at once, while its last edits are being written.
    person.settle()
    person.qtbot.waitUntil(lambda: not person.window.controller.works)
    assert person.window.controller.session is None
    with Session.open(path) as session:
        assert session.reader.require(Item, item.id).answer_key == "7-7"


def test_box_when_nudged_and_the_item_is_left_at_once_then_belongs_to_the_item_before(
    person: RefinePerson,
) -> None:
    values = {"task": "a2a_occlusion_removal", "answer_format": "bbox", "answer_key": "[10, 10, 30, 30]"}
    first, second = (add_item(person, number, **values) for number in (7, 8))
    go_to_back(person, first.name)
    widget = person.refine.form.answer.widget
    assert isinstance(widget, BoxAnswer)
    next(one for one in person.refine.stage.canvases if widget.is_box_view(one)).setFocus()
    person.hurry("Right")
    person.refine.queue.step("1")
    person.settle()
    assert person.shown.name == second.name
    assert person.stored(second.name).answer_key == "[10, 10, 30, 30]"
    assert person.stored(first.name).answer_key != "[10, 10, 30, 30]"


def go_to_back(person: RefinePerson, name: str) -> None:
    while person.shown.name != name:
        person.press("PgUp")
