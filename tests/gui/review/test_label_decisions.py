"""Event labels of two persons that differ, decided in the real window."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotator.commands.assignments import AssignRecords
from annotator.commands.scene_states import FinishScene
from annotator.domain.event_label import EventLabel, ObjectCount
from annotator.domain.record import new_id
from annotator.domain.scene import Scene
from annotator.session import Session
from tests.gui.review.material import ADA, BEN, CHEN
from tests.gui.review.review_person import ReviewPerson
from tests.unit.store.making import created, write
from widgets.review.fork_form import ForkForm

ANSWERS = {
    "quality": 4,
    "usable": True,
    "object_types": ("vehicles",),
    "degradations": (),
    "when": False,
    "state": "open",
}


@pytest.fixture
def labels(project: Path) -> dict[str, EventLabel]:
    """Let two persons label a view independently, with another quality and another number."""
    made = {}
    with Session.open(project, actor=ADA) as session:
        pairs = (("s1", BEN.id), ("s1", CHEN.id))
        session.execute(AssignRecords(entity="scene", role="annotate", pairs=pairs)).result()
        for person, quality, count in ((BEN, 4, 3), (CHEN, 2, 7)):
            session.use_actor(person)
            answers = ANSWERS | {"quality": quality, "count": ObjectCount(value=count)}
            made[person.name] = EventLabel(id=new_id(), scene="s1", view="UAV2", medium="m1", **answers)
            write(session, created("event_label", made[person.name]))
            session.execute(FinishScene(scene="s1", person=person.id)).result()
        assert session.reader.require(Scene, "s1").state == "finished"
    return made


@pytest.fixture
def reviewer(labels: dict[str, EventLabel], person: ReviewPerson) -> ReviewPerson:
    """Show the case of the labels."""
    person.go_to(labels["Ben"].id)
    return person


def form(reviewer: ReviewPerson) -> ForkForm:
    shown = reviewer.review.panel.form.forks
    assert shown is not None
    return shown


def decided(reviewer: ReviewPerson) -> EventLabel:
    [label] = [one for one in reviewer.session.reader.labels_of("s1") if one.view == "UAV2"]
    return label


def test_case_when_labels_of_two_persons_differ_then_their_answers_stand_side_by_side(
    reviewer: ReviewPerson,
) -> None:
    names = [[button.accessibleName() for button in row.buttons] for row in form(reviewer).rows]
    assert names == [
        ["Quality: 4  Good, Ben", "Quality: 2  Poor, Chen"],
        ["Count: 3, Ben", "Count: 7, Chen"],
    ]
    assert reviewer.review.panel.headline.text() == "2 persons label UAV2 differently: Quality, Count"
    assert "A: Ben" in form(reviewer).hint.text()
    assert reviewer.review.panel.bar.big[0].isEnabled()


def test_case_when_one_label_is_kept_by_its_letter_then_three_keys_decide_and_undo_asks_again(
    reviewer: ReviewPerson, labels: dict[str, EventLabel]
) -> None:
    reviewer.keys = 0
    for key in ("B", "U", "1"):
        reviewer.press(key)
    assert reviewer.keys == 3
    label = decided(reviewer)
    assert (label.quality, label.count) == (2, ObjectCount(value=7))
    assert label.decided_from == (labels["Ben"].id, labels["Chen"].id)
    assert labels["Ben"].id not in reviewer.targets()
    [flag] = [
        one for one in reviewer.session.reader.flags_of(labels["Ben"].id) if one.kind == "labels_differ"
    ]
    assert (flag.state, flag.resolution) == ("resolved", "The images show it clearly.")
    reviewer.press("Ctrl+Z")
    reviewer.qtbot.waitUntil(lambda: labels["Ben"].id in reviewer.targets())
    assert len(reviewer.session.reader.labels_of("s1")) == 3


def test_case_when_each_field_is_chosen_by_a_digit_then_the_decided_label_mixes_them(
    reviewer: ReviewPerson,
) -> None:
    for key in ("1", "2", "U", "1"):
        reviewer.press(key)
    label = decided(reviewer)
    assert (label.quality, label.count) == (4, ObjectCount(value=7))


def test_case_when_fields_are_open_or_the_flag_is_to_be_dismissed_then_it_asks_for_the_choice_first(
    reviewer: ReviewPerson,
) -> None:
    reviewer.press("1")
    reviewer.press("U")
    bar = reviewer.review.panel.bar
    assert bar.asked == ""
    assert "Choose a version of each field" in bar.note.text()
    reviewer.press("K")
    assert bar.asked == ""
    assert "Choose the versions" in bar.note.text()
