"""Two persons who label one scene independently in the real window, one after the other."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication

from annotator.commands.assignments import AssignRecords
from annotator.commands.event_labels import SetQuality
from annotator.commands.label_boxes import ToggleLabelBox
from annotator.domain.actor import Actor
from annotator.domain.assignment import Assignment
from annotator.domain.event_label import EventLabel, PercentBox
from annotator.domain.flag import Flag
from annotator.domain.scene import Scene
from tests.gui.annotate.annotate_person import AnnotatePerson
from widgets.annotate.scene_list import count_left
from widgets.library.record_details import SceneDetail, read_detail

OTHER = Actor(id="b" * 32, name="Ben")
ANSWERS = ("Q3", "U1", "T1", "C", "12", "D5", "N0")
BOX = PercentBox(x=10, y=10, width=20, height=20, labels=("occluded",))


@pytest.fixture
def scene(person: AnnotatePerson) -> Scene:
    """Give the first scene to two persons, the other of whom has answered a field and drawn a box."""
    session = person.session
    first = person.annotate.stage.shown
    assert first is not None
    own = session.actor
    pairs = ((first.scene.id, own.id), (first.scene.id, OTHER.id))
    session.execute(AssignRecords(entity="scene", role="annotate", pairs=pairs, people=(OTHER,))).result()
    session.use_actor(OTHER)
    target = {"scene": first.scene.id, "view": "UAV1", "person": OTHER.id}
    session.execute(SetQuality(**target, level=5)).result()
    session.execute(ToggleLabelBox(**target, field="issue_boxes", box=BOX)).result()
    session.use_actor(own)
    person.settle()
    return first.scene


def labels(person: AnnotatePerson) -> list[EventLabel]:
    return list(person.session.reader.records(EventLabel))


def open_form(person: AnnotatePerson) -> None:
    person.annotate.stage.focus_view()
    person.press("Shift+F")


def keys(person: AnnotatePerson, *typed: str) -> None:
    for key in "".join(typed):
        person.qtbot.keyClick(QApplication.focusWidget(), key)
    person.settle()


def change_person(person: AnnotatePerson, other: Actor) -> None:
    """Change the person as the menu does: the screens are made again."""
    before = person.annotate
    person.window.controller.use_person(other)
    person.qtbot.waitUntil(
        lambda: person.window.slots["annotate"].workspace is not None and person.annotate is not before
    )
    person.window.show_workspace("annotate")
    person.qtbot.waitUntil(lambda: person.annotate.stage.shown is not None)
    person.settle()


def test_form_when_another_person_has_answered_then_it_is_empty_and_neither_answers_nor_boxes_show(
    person: AnnotatePerson, scene: Scene
) -> None:
    open_form(person)
    form = person.annotate.annotation_panel.form
    assert {row.value.text() for row in form.rows} == {""}
    assert "only your own label" in form.hint.text()
    shown = person.annotate.stage.shown
    assert shown is not None
    assert shown.labels == ()
    assert not shown.issues_in(scene.views[0].medium).labels


def test_form_when_it_is_filled_in_then_the_label_of_the_other_person_stays_as_it_is(
    person: AnnotatePerson, scene: Scene
) -> None:
    open_form(person)
    keys(person, *ANSWERS)
    theirs, ours = labels(person)
    assert (theirs.quality, theirs.usable, theirs.issue_boxes) == (5, None, (BOX,))
    assert (ours.quality, ours.usable, ours.issue_boxes) == (3, True, None)
    assert ours.scene == scene.id


def test_finish_when_one_has_handed_in_then_the_own_part_alone_is_done_and_can_be_reopened(
    person: AnnotatePerson, scene: Scene
) -> None:
    open_form(person)
    keys(person, *ANSWERS)
    finish = person.annotate.finish
    finish.finish_or_reopen()
    person.qtbot.waitUntil(lambda: "Reopen" in finish.button.text())
    stored = person.session.reader.require(Scene, scene.id)
    done = {one.person: one.is_done for one in person.session.reader.find(Assignment)}
    assert (stored.state, done) == ("open", {person.session.actor.id: True, OTHER.id: False})
    finish.finish_or_reopen()
    person.qtbot.waitUntil(lambda: "Finish" in finish.button.text())
    assert not any(one.is_done for one in person.session.reader.find(Assignment))


def test_queue_when_the_own_part_is_handed_in_then_the_next_unfinished_scene_is_another_one(
    person: AnnotatePerson, scene: Scene
) -> None:
    reader, own = person.session.reader, person.session.actor.id
    queue = person.annotate.queue
    assert count_left(reader, query=queue.query, person=own) == 1
    open_form(person)
    keys(person, *ANSWERS)
    person.annotate.finish.finish_or_reopen()
    person.qtbot.waitUntil(lambda: "Reopen" in person.annotate.finish.button.text())
    assert count_left(reader, query=queue.query, person=own) == 0
    assert count_left(reader, query=queue.query, person=OTHER.id) == 1
    for step in ("1", "1"):
        queue.step_unfinished(step)
        person.settle()
    # Around the end: of three scenes, the first one is skipped.
    assert person.annotate.stage.scene != scene.id


def test_library_when_another_person_has_labelled_the_scene_then_its_labels_are_not_listed(
    person: AnnotatePerson, scene: Scene
) -> None:
    roots = person.session.roots
    shown = {
        one: read_detail(person.session.reader, entity="scene", record_id=scene.id, roots=roots, person=one)
        for one in (person.session.actor.id, OTHER.id)
    }
    counts = {one: len(found.labels) for one, found in shown.items() if isinstance(found, SceneDetail)}
    assert counts == {person.session.actor.id: 0, OTHER.id: 1}


def test_finish_when_the_other_person_hands_in_as_well_then_the_scene_is_finished_and_the_view_flagged(
    person: AnnotatePerson, scene: Scene
) -> None:
    open_form(person)
    keys(person, *ANSWERS)
    person.annotate.finish.finish_or_reopen()
    person.settle()
    change_person(person, OTHER)
    open_form(person)
    values = {row.field.id: row.value.text() for row in person.annotate.annotation_panel.form.rows}
    assert (values["quality"], values["usable"], values["issue_boxes"]) == ("Excellent", "", "1 boxes")
    keys(person, "U1", "T1", "C", "12", "D1", "N0")
    person.annotate.finish.finish_or_reopen()
    person.qtbot.waitUntil(lambda: person.session.reader.require(Scene, scene.id).state == "finished")
    [flag] = person.session.reader.find(Flag)
    assert flag.kind == "labels_differ"
    assert flag.evidence["fields"] == ["quality", "degradations", "issue_boxes"]
