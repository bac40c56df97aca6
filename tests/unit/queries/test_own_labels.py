"""Independent event labels of several persons: hidden from each other, compared, and decided in review."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from annotator.commands.assignments import AssignRecords
from annotator.commands.carried_labels import CarryLabels, ConfirmScene
from annotator.commands.command import Command
from annotator.commands.event_label_steps import CopyAnswers, FinishLabel
from annotator.commands.event_labels import SetNeed, SetQuality
from annotator.commands.label_decisions import DecideLabels, FieldChoice
from annotator.commands.scene_states import FinishScene, ReopenScene, read_scene_problems
from annotator.domain.actor import Actor
from annotator.domain.assignment import Assignment
from annotator.domain.event_form import ANSWERS
from annotator.domain.event_label import EventLabel, ObjectCount, PercentBox
from annotator.domain.flag import Flag
from annotator.domain.record import new_id
from annotator.domain.review import ReviewQuery
from annotator.domain.scene import Scene
from annotator.draft.scene_reader import read_scene
from annotator.edits.derived_labels import copy_labels
from annotator.errors import UserError
from annotator.progress import Progress
from annotator.quality.agreement.project_agreement import measure_project
from annotator.quality.label_differences import differing_fields
from annotator.queries.own_labels import is_handed_in, own_labels
from annotator.session import Session
from tests.unit.store.making import ANNA, BEN, a_medium, a_scene, changed, created, problems, removed, write

CARA = Actor(id="c" * 32, name="Cara")
COMPLETE = {
    "quality": 4,
    "usable": True,
    "object_types": ("vehicles",),
    "count": ObjectCount(value=3),
    "degradations": (),
    "when": False,
    "state": "open",
}
BOX = PercentBox(x=10, y=10, width=20, height=20, labels=("occluded",))


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Session.create(tmp_path / "p.vantage", actor=ANNA) as made:
        yield made


def assigned(session: Session, *persons: Actor, name: str = "01") -> Scene:
    """Return a scene of two views that some persons annotate."""
    media = [a_medium(name=f"{name}-{number}.png") for number in (1, 2)]
    scene = a_scene(*(medium.id for medium in media), name=name)
    write(session, *(created("medium", medium) for medium in media), created("scene", scene))
    pairs = tuple((scene.id, person.id) for person in persons)
    command = AssignRecords(entity="scene", role="annotate", pairs=pairs, people=(BEN, CARA))
    session.execute(command).result()
    return scene


@pytest.fixture
def scene(session: Session) -> Scene:
    return assigned(session, ANNA, BEN)


def do(session: Session, person: Actor, *commands: Command) -> None:
    session.use_actor(person)
    for command in commands:
        session.execute(command).result()


def label(session: Session, scene: Scene, person: Actor, view: str = "UAV1", **fields: object) -> EventLabel:
    """Store a complete label that a person began in a view."""
    medium = scene.medium_of(view) or ""
    made = EventLabel(id=new_id(), scene=scene.id, view=view, medium=medium, **(COMPLETE | fields))
    session.use_actor(person)
    write(session, created("event_label", made))
    return made


def quality(scene: Scene, person: Actor, level: int, **fields: str) -> SetQuality:
    return SetQuality(scene=scene.id, view="UAV1", level=level, person=person.id, **fields)


def finished(scene: Scene, person: Actor) -> FinishScene:
    return FinishScene(scene=scene.id, person=person.id)


def seen(session: Session, scene: Scene, person: Actor) -> list[EventLabel]:
    return own_labels(session.reader, scene=scene.id, person=person.id)


def flags(session: Session, **columns: str) -> list[Flag]:
    return list(session.reader.find(Flag, kind="labels_differ", **columns))


def state(session: Session, scene: Scene) -> str:
    return session.reader.require(Scene, scene.id).state


def differing(session: Session, scene: Scene) -> tuple[EventLabel, EventLabel]:
    """Return the labels of two persons who have handed in a scene and differ in quality and need."""
    ours = label(session, scene, ANNA)
    theirs = label(session, scene, BEN, quality=2, count=ObjectCount(value=7))
    do(session, ANNA, finished(scene, ANNA))
    do(session, BEN, finished(scene, BEN))
    return ours, theirs


def test_answers_when_two_persons_have_the_scene_then_each_has_an_own_label_and_sees_no_other(
    session: Session, scene: Scene
) -> None:
    do(session, ANNA, quality(scene, ANNA, 4))
    assert seen(session, scene, BEN) == []
    do(session, BEN, quality(scene, BEN, 2))
    assert [one.quality for one in seen(session, scene, ANNA)] == [4]
    assert [one.quality for one in seen(session, scene, BEN)] == [2]
    do(session, ANNA, quality(scene, ANNA, 5))
    assert sorted(one.quality or 0 for one in session.reader.labels_of(scene.id)) == [2, 5]
    # Undo of one person leaves the label of the other.
    session.undo().result()
    assert [one.quality for one in seen(session, scene, ANNA)] == [4]
    assert problems(session.path) == []


@pytest.mark.parametrize("persons", [(ANNA,), ()])
def test_answers_when_fewer_than_two_persons_have_the_scene_then_all_edit_its_one_label(
    session: Session, persons: tuple[Actor, ...]
) -> None:
    scene = assigned(session, *persons)
    do(session, ANNA, quality(scene, ANNA, 4))
    do(session, BEN, quality(scene, BEN, 2))
    [only] = session.reader.labels_of(scene.id)
    assert only.quality == 2
    assert seen(session, scene, CARA) == [only]


def test_persons_when_an_assignment_ends_or_is_of_another_role_then_it_does_not_count(
    session: Session, scene: Scene
) -> None:
    assert session.reader.workload.independent_persons(scene.id) == (ANNA.id, BEN.id)
    theirs = next(session.reader.find(Assignment, person=BEN.id))
    write(session, removed("assignment", theirs.id))
    assert session.reader.workload.independent_persons(scene.id) == ()


def test_label_when_it_was_imported_or_begun_before_the_assignment_then_only_who_began_it_sees_it(
    session: Session,
) -> None:
    scene = assigned(session)
    ours = label(session, scene, ANNA)
    label(session, scene, ANNA, "UAV2", source="e" * 32)
    pairs = ((scene.id, ANNA.id), (scene.id, BEN.id))
    do(session, ANNA, AssignRecords(entity="scene", role="annotate", pairs=pairs))
    assert [one.id for one in seen(session, scene, ANNA)] == [ours.id]
    assert seen(session, scene, BEN) == []


def test_edit_when_the_label_is_another_persons_then_it_is_refused_in_words(
    session: Session, scene: Scene
) -> None:
    do(session, ANNA, quality(scene, ANNA, 4))
    [ours] = seen(session, scene, ANNA)
    with pytest.raises(UserError, match="belongs to another person"):
        do(session, BEN, quality(scene, BEN, 1, label=ours.id))
    with pytest.raises(UserError, match="belongs to another person"):
        do(session, CARA, quality(scene, CARA, 1))
    with pytest.raises(UserError, match="assigned to several other persons"):
        do(session, CARA, SetQuality(scene=scene.id, view="UAV2", level=1, person=CARA.id))
    with pytest.raises(UserError, match="assigned to several other persons"):
        do(session, CARA, finished(scene, CARA))
    assert session.reader.labels_of(scene.id) == [ours]


def test_finish_when_another_person_has_not_handed_in_then_the_scene_waits_and_the_own_part_is_done(
    session: Session, scene: Scene
) -> None:
    ours = label(session, scene, ANNA)
    # What the other one has not completed is no problem of this person.
    do(session, BEN, quality(scene, BEN, 2))
    assert read_scene_problems(session.reader, scene=scene.id, person=ANNA.id) == []
    assert read_scene_problems(session.reader, scene=scene.id, person=BEN.id) != []
    do(session, ANNA, finished(scene, ANNA))
    stored = session.reader.require(Scene, scene.id)
    assert stored.state == "open"
    assert session.reader.require(EventLabel, ours.id).state == "finished"
    assert [one.state for one in seen(session, scene, BEN)] == ["open"]
    assert is_handed_in(session.reader, stored, person=ANNA.id)
    assert not is_handed_in(session.reader, stored, person=BEN.id)
    assert len(session.reader.workload.handed_in_scenes(ANNA.id)) == 1
    assert session.reader.workload.handed_in_scenes(BEN.id) == set()
    left = {row.person: (row.is_done, row.is_open) for row in session.reader.workload.assigned_rows()}
    assert left == {ANNA.id: (True, False), BEN.id: (False, True)}
    assert flags(session) == []


def test_reopen_when_a_person_has_handed_in_or_changes_an_answer_then_only_the_own_part_is_left_again(
    session: Session, scene: Scene
) -> None:
    differing(session, scene)
    assert state(session, scene) == "finished"
    do(session, ANNA, quality(scene, ANNA, 3))
    stored = session.reader.require(Scene, scene.id)
    assert [is_handed_in(session.reader, stored, person=one.id) for one in (ANNA, BEN)] == [False, True]
    do(session, ANNA, finished(scene, ANNA))
    assert state(session, scene) == "finished"
    do(session, BEN, ReopenScene(scene=scene.id, person=BEN.id))
    stored = session.reader.require(Scene, scene.id)
    assert [is_handed_in(session.reader, stored, person=one.id) for one in (ANNA, BEN)] == [True, False]


def test_scene_when_a_reviewer_reopens_it_then_it_is_left_for_all(session: Session, scene: Scene) -> None:
    differing(session, scene)
    write(session, *changed("scene", scene.id, state="open"))
    stored = session.reader.require(Scene, scene.id)
    assert not any(is_handed_in(session.reader, stored, person=one.id) for one in (ANNA, BEN))
    assert [row.is_open for row in session.reader.workload.assigned_rows()] == [True, True]


def test_finish_when_the_last_person_hands_in_and_labels_differ_then_each_such_view_is_flagged_once(
    session: Session, scene: Scene
) -> None:
    ours, theirs = differing(session, scene)
    [flag] = flags(session)
    assert (flag.entity, flag.target, flag.state) == ("event_label", ours.id, "open")
    assert flag.evidence == {
        "view": "UAV1",
        "labels": [ours.id, theirs.id],
        "fields": ["quality", "count"],
    }
    assert flag.message == "The event labels of 2 persons differ in quality, count."
    [case] = session.reader.reviews.rows(session.reader.reviews.numbers(ReviewQuery()))
    assert (case.reasons, case.target) == (("people_disagree",), ours.id)
    do(session, BEN, quality(scene, BEN, 4), finished(scene, BEN))
    [again] = flags(session)
    assert (again.id, again.evidence["fields"]) == (flag.id, ["count"])


def test_finish_when_the_labels_agree_then_they_become_one_and_a_flag_of_before_is_resolved(
    session: Session, scene: Scene
) -> None:
    label(session, scene, ANNA)
    label(session, scene, BEN, quality=2)
    do(session, ANNA, finished(scene, ANNA))
    do(session, BEN, finished(scene, BEN), quality(scene, BEN, 4), finished(scene, BEN))
    [flag] = flags(session)
    assert (flag.state, flag.resolution) == ("resolved", "The labels agree in all fields.")
    [one] = session.reader.labels_of(scene.id)
    assert (one.quality, one.state, len(one.decided_from)) == (4, "finished", 2)
    assert seen(session, scene, ANNA) == seen(session, scene, BEN) == [one]
    assert problems(session.path) == []


def test_decide_when_a_label_is_kept_then_it_alone_remains_for_everybody_and_undo_brings_both_back(
    session: Session, scene: Scene
) -> None:
    ours, theirs = differing(session, scene)
    do(session, CARA, DecideLabels(target=ours.id, keep=theirs.id, reason="Seven cars.", person=CARA.id))
    [decided] = session.reader.labels_of(scene.id)
    assert {name: getattr(decided, name) for name in ANSWERS} == {
        name: getattr(theirs, name) for name in ANSWERS
    }
    assert decided.decided_from == (ours.id, theirs.id)
    assert seen(session, scene, ANNA) == seen(session, scene, BEN) == [decided]
    assert [(flag.state, flag.resolution) for flag in flags(session)] == [("resolved", "Seven cars.")]
    assert session.reader.reviews.count(ReviewQuery()) == 0
    session.undo().result()
    assert [one.id for one in session.reader.labels_of(scene.id)] == [ours.id, theirs.id]
    assert [flag.state for flag in flags(session)] == ["open"]
    assert problems(session.path) == []


def test_decide_when_fields_are_chosen_then_each_has_the_answer_of_its_label(
    session: Session, scene: Scene
) -> None:
    ours, theirs = differing(session, scene)
    choices = (FieldChoice(field="count", label=theirs.id),)
    do(session, CARA, DecideLabels(target=ours.id, keep=ours.id, choices=choices, reason="Counted again."))
    [decided] = session.reader.labels_of(scene.id)
    assert (decided.quality, decided.count) == (4, ObjectCount(value=7))


def test_decide_when_the_text_of_other_belongs_to_the_chosen_degradations_then_it_comes_with_them(
    session: Session, scene: Scene
) -> None:
    ours = label(session, scene, ANNA)
    theirs = label(session, scene, BEN, degradations=("others",), other_degradation="fog")
    do(session, ANNA, finished(scene, ANNA))
    choices = (FieldChoice(field="degradations", label=theirs.id),)
    do(session, CARA, DecideLabels(target=ours.id, keep=ours.id, choices=choices, reason="Fog."))
    [decided] = session.reader.labels_of(scene.id)
    assert (decided.degradations, decided.other_degradation) == (("others",), "fog")


def test_decide_when_it_does_not_fit_then_it_says_why_and_nothing_changes(
    session: Session, scene: Scene
) -> None:
    ours, theirs = differing(session, scene)
    need = {"when": True, "who": ("UAV2",), "why": ("occlusion",), "what_boxes": (BOX,)}
    write(session, *changed("event_label", theirs.id, **need))
    choices = (FieldChoice(field="when", label=theirs.id),)
    with pytest.raises(UserError, match="contradict each other"):
        do(session, CARA, DecideLabels(target=ours.id, keep=ours.id, choices=choices, reason="r"))
    with pytest.raises(UserError, match="does not belong to the view"):
        do(session, CARA, DecideLabels(target=ours.id, keep=new_id(), reason="r"))
    with pytest.raises(UserError, match="needs a reason"):
        do(session, CARA, DecideLabels(target=ours.id, keep=ours.id, reason=" "))
    assert len(session.reader.labels_of(scene.id)) == 2
    write(session, removed("event_label", theirs.id))
    with pytest.raises(UserError, match="one event label only"):
        do(session, CARA, DecideLabels(target=ours.id, keep=ours.id, reason="r"))


def test_merge_when_two_workstations_have_labelled_the_scene_then_whoever_finishes_it_again_compares_them(
    session: Session, scene: Scene, tmp_path: Path
) -> None:
    copy, bundle = tmp_path / "other.vantage", tmp_path / "ben.vantage-bundle"
    shutil.copy(session.backup(reason="copy").path, copy)
    with Session.open(copy, actor=BEN) as other:
        label(other, scene, BEN, quality=2)
        do(other, BEN, finished(scene, BEN))
        other.export_bundle(bundle, progress=Progress())
    label(session, scene, ANNA)
    do(session, ANNA, finished(scene, ANNA))
    session.merge(bundle, progress=Progress()).result()
    assert session.reader.forks.all() == []
    assert (state(session, scene), flags(session)) == ("open", [])
    assert [one.quality for one in seen(session, scene, ANNA)] == [4]
    do(session, ANNA, finished(scene, ANNA))
    assert state(session, scene) == "finished"
    assert [flag.evidence["fields"] for flag in flags(session)] == [["quality"]]
    assert problems(session.path) == []


@pytest.mark.parametrize(
    ("fields", "flagged"), [({}, True), ({"source": "e" * 32}, False)], ids=["begun", "imported"]
)
def test_finish_when_the_scene_is_not_assigned_then_labels_that_two_persons_began_are_compared(
    session: Session, fields: dict[str, str], flagged: bool
) -> None:
    scene = assigned(session)
    label(session, scene, ANNA)
    label(session, scene, BEN, quality=2, **fields)
    do(session, CARA, finished(scene, CARA))
    assert bool(flags(session)) is flagged
    assert len(session.reader.labels_of(scene.id)) == 2


def test_agreement_when_a_reviewer_has_decided_then_it_is_still_that_of_the_persons(
    session: Session, scene: Scene
) -> None:
    ours, theirs = differing(session, scene)
    before = measure_project(session.reader)
    assert {one.subject: one.answers for one in before}["event form: quality"] == 2
    do(session, CARA, DecideLabels(target=ours.id, keep=theirs.id, reason="r"))
    assert measure_project(session.reader) == before


def test_decide_when_two_workstations_have_decided_already_then_agreement_is_of_the_persons_alone(
    session: Session, scene: Scene
) -> None:
    ours, theirs = differing(session, scene)
    before = measure_project(session.reader)
    do(session, CARA, DecideLabels(target=ours.id, keep=theirs.id, reason="r"))
    [decided] = session.reader.labels_of(scene.id)
    other = msgspec.structs.replace(decided, id=new_id(), quality=5)
    write(session, created("event_label", other))
    do(session, ANNA, ReopenScene(scene=scene.id, person=ANNA.id), finished(scene, ANNA))
    assert [flag.target for flag in flags(session, state="open")] == [decided.id]
    do(session, CARA, DecideLabels(target=decided.id, keep=other.id, reason="r"))
    [only] = session.reader.labels_of(scene.id)
    assert set(only.decided_from) == {ours.id, theirs.id}
    assert measure_project(session.reader) == before


def test_draft_when_labels_are_independent_then_rules_wait_until_all_have_finished_and_one_is_decided(
    session: Session, scene: Scene
) -> None:
    def drafted() -> list[str]:
        facts = read_scene(session.reader, session.reader.require(Scene, scene.id), kinds={"labels"})
        return [one.state for one in facts.labels]

    ours = label(session, scene, ANNA)
    do(session, ANNA, finished(scene, ANNA))
    # The other person has not begun: the only label of the view is finished, and is not used yet.
    assert drafted() == ["open"]
    theirs = label(session, scene, BEN, quality=2)
    do(session, BEN, finished(scene, BEN))
    assert drafted() == ["finished", "finished"]
    do(session, CARA, DecideLabels(target=ours.id, keep=theirs.id, reason="r"))
    assert drafted() == ["finished"]


def test_derive_when_labels_are_independent_then_only_a_decided_one_is_copied(
    session: Session, scene: Scene
) -> None:
    def copied() -> list[object]:
        return list(copy_labels(session.reader, source=scene, target=a_scene(), media={}))

    ours, theirs = differing(session, scene)
    assert copied() == []
    do(session, CARA, DecideLabels(target=ours.id, keep=theirs.id, reason="r"))
    assert len(copied()) == 1


def test_carry_when_labels_are_independent_then_only_a_decided_one_reaches_the_frames_in_between(
    session: Session,
) -> None:
    first, between = assigned(session, ANNA, BEN, name="f_000001"), assigned(session, name="f_000002")
    project = session.reader.project
    write(session, *changed("project", project.id, annotation_step=2))
    ours, theirs = differing(session, first)
    assert session.reader.labels_of(between.id) == []
    do(session, ANNA, CarryLabels(scene=first.id))
    assert session.reader.labels_of(between.id) == []
    do(session, CARA, DecideLabels(target=ours.id, keep=theirs.id, reason="r"), CarryLabels(scene=first.id))
    assert [one.quality for one in session.reader.labels_of(between.id)] == [2]


def test_confirm_when_the_scene_has_labels_of_another_person_then_they_stay_unconfirmed(
    session: Session, scene: Scene
) -> None:
    label(session, scene, ANNA, copied=("quality",))
    label(session, scene, BEN, copied=("quality",))
    do(session, BEN, ConfirmScene(scene=scene.id, person=BEN.id))
    assert [one.copied for one in session.reader.labels_of(scene.id)] == [("quality",), ()]


def test_label_when_a_decided_one_is_edited_then_it_is_edited_by_whoever_annotates(
    session: Session, scene: Scene
) -> None:
    ours, theirs = differing(session, scene)
    do(session, CARA, DecideLabels(target=ours.id, keep=theirs.id, reason="r"))
    do(session, ANNA, quality(scene, ANNA, 5), FinishLabel(scene=scene.id, view="UAV1", person=ANNA.id))
    do(session, ANNA, finished(scene, ANNA))
    [only] = session.reader.labels_of(scene.id)
    assert only.quality == 5
    assert state(session, scene) == "finished"
    do(session, BEN, SetNeed(scene=scene.id, view="UAV1", needs_help=None, person=BEN.id))
    assert state(session, scene) == "open"


def test_copy_when_the_source_is_anothers_independent_label_then_it_is_refused(
    session: Session, scene: Scene
) -> None:
    ours = label(session, scene, ANNA)
    copied = CopyAnswers(scene=scene.id, view="UAV2", source=ours.id, person=BEN.id)
    with pytest.raises(UserError, match="belongs to another person"):
        do(session, BEN, copied)
    do(session, ANNA, replace(copied, person=ANNA.id))
    assert [one.view for one in seen(session, scene, ANNA)] == ["UAV1", "UAV2"]


def test_fields_when_boxes_overlap_with_the_same_label_then_they_do_not_differ() -> None:
    moved, other = msgspec.structs.replace(BOX, x=11), msgspec.structs.replace(BOX, labels=("too_small",))
    one, same, relabelled = (
        EventLabel(id=new_id(), issue_boxes=(box,), why=why)
        for box, why in ((BOX, ("loss", "occlusion")), (moved, ("occlusion", "loss")), (other, None))
    )
    assert differing_fields([one, same]) == []
    assert differing_fields([one, relabelled]) == ["issue_boxes", "why"]
