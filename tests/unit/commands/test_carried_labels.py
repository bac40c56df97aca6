"""Event labels carried to the frames between two annotated ones."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotator.commands.carried_labels import CarryLabels, ConfirmScene
from annotator.commands.event_labels import SetNeed, SetObjectCount, SetQuality, SetUsable
from annotator.commands.projects import SetFrameSteps
from annotator.commands.scene_states import FinishScene, read_scene_problems
from annotator.domain.event_label import EventLabel, ObjectCount
from annotator.domain.scene import Scene
from annotator.errors import UserError
from annotator.session import Session
from tests.unit.store.making import ANNA, a_medium, a_scene, changed, created, write


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    made = Session.create(tmp_path / "p.vantage", actor=ANNA)
    yield made
    made.close()


@pytest.fixture
def frames(session: Session) -> list[Scene]:
    """Give five frames of a sequence, the first of which has a complete label; every third is annotated."""
    media = [a_medium(name=f"{number}.png") for number in range(5)]
    scenes = [a_scene(medium.id, name=f"23-{number:08}") for number, medium in enumerate(media)]
    records = [("medium", medium) for medium in media] + [("scene", scene) for scene in scenes]
    write(session, *(created(entity, record) for entity, record in records))
    session.execute(SetFrameSteps(step=3, difference=3.0)).result()
    label = EventLabel(
        id="f" * 32,
        scene=scenes[0].id,
        view="UAV1",
        medium=media[0].id,
        quality=4,
        usable=True,
        count=ObjectCount(value=3),
        when=False,
        state="open",
    )
    write(session, created("event_label", label))
    return scenes


def label_of(session: Session, scene: Scene) -> EventLabel | None:
    return next(iter(session.reader.labels_of(scene.id)), None)


def test_finish_when_a_frame_is_annotated_then_those_up_to_the_next_one_get_its_answers(
    session: Session, frames: list[Scene]
) -> None:
    session.execute(FinishScene(scene=frames[0].id)).result()
    for scene in frames[1:3]:
        label = label_of(session, scene)
        assert label is not None
        assert (label.quality, label.count, label.state) == (4, ObjectCount(value=3), "open")
        assert label.carried_from == "f" * 32
        assert label.medium == scene.views[0].medium
        kinds = {problem.kind for problem in read_scene_problems(session.reader, scene=scene.id)}
        assert kinds == {"copied"}
    assert label_of(session, frames[3]) is None
    session.undo().result()
    assert label_of(session, frames[1]) is None


def test_confirm_when_the_scene_has_carried_answers_then_it_can_be_finished(
    session: Session, frames: list[Scene]
) -> None:
    session.execute(CarryLabels(scene=frames[0].id)).result()
    with pytest.raises(UserError, match="cannot be finished"):
        session.execute(FinishScene(scene=frames[1].id)).result()
    session.execute(ConfirmScene(scene=frames[1].id)).result()
    session.execute(FinishScene(scene=frames[1].id)).result()
    with pytest.raises(UserError, match="waits for confirmation"):
        session.execute(ConfirmScene(scene=frames[1].id)).result()


def test_carry_when_answers_were_given_by_a_person_then_they_stay_and_the_others_follow(
    session: Session, frames: list[Scene]
) -> None:
    session.execute(CarryLabels(scene=frames[0].id)).result()
    session.execute(SetQuality(scene=frames[1].id, view="UAV1", level=2)).result()
    session.execute(ConfirmScene(scene=frames[2].id)).result()
    write(session, *(created("event_label", EventLabel(id="e" * 32, scene=frames[4].id, view="UAV1")),))
    session.execute(SetQuality(scene=frames[0].id, view="UAV1", level=5)).result()
    session.execute(CarryLabels(scene=frames[0].id)).result()
    labels = [label_of(session, scene) for scene in frames]
    assert [label.quality if label else None for label in labels] == [5, 2, 4, None, None]


@pytest.mark.parametrize("own", [None, 2])
def test_finish_when_answers_were_carried_from_a_half_filled_form_then_the_frames_get_the_rest(
    session: Session, frames: list[Scene], own: int | None
) -> None:
    source, follower = frames[3:]
    session.execute(SetQuality(scene=source.id, view="UAV1", level=5)).result()
    session.execute(CarryLabels(scene=source.id)).result()
    if own is not None:
        session.execute(SetQuality(scene=follower.id, view="UAV1", level=own)).result()
    session.execute(SetUsable(scene=source.id, view="UAV1", is_usable=True)).result()
    session.execute(SetObjectCount(scene=source.id, view="UAV1", count=ObjectCount(value=7))).result()
    session.execute(SetNeed(scene=source.id, view="UAV1", needs_help=False)).result()
    session.execute(FinishScene(scene=source.id)).result()
    label = label_of(session, follower)
    assert label is not None
    assert (label.quality, label.usable, label.count, label.when) == (
        own or 5,
        True,
        ObjectCount(value=7),
        False,
    )
    assert ("quality" in label.copied) == (own is None)
    assert {"usable", "count", "when"} <= set(label.copied)


def test_carry_when_a_frame_in_between_is_finished_then_its_label_stays(
    session: Session, frames: list[Scene]
) -> None:
    session.execute(CarryLabels(scene=frames[0].id)).result()
    session.execute(ConfirmScene(scene=frames[1].id)).result()
    session.execute(FinishScene(scene=frames[1].id)).result()
    finished = label_of(session, frames[1])
    write(session, *changed("event_label", "f" * 32, object_types=("vehicles",)))
    session.execute(CarryLabels(scene=frames[0].id)).result()
    assert label_of(session, frames[1]) == finished
    followed = label_of(session, frames[2])
    assert followed is not None
    assert followed.object_types == ("vehicles",)


@pytest.mark.parametrize(
    ("step", "index", "message"), [(3, 1, "no event label"), (1, 0, "No frame in between")]
)
def test_carry_when_there_is_nothing_to_carry_then_says_why(
    session: Session, frames: list[Scene], step: int, index: int, message: str
) -> None:
    session.execute(SetFrameSteps(step=step, difference=3.0)).result()
    with pytest.raises(UserError, match=message):
        session.execute(CarryLabels(scene=frames[index].id)).result()


@pytest.mark.parametrize(
    ("step", "difference", "message"),
    [(0, 3.0, "step is less than 1"), (1, 0.0, "not between 0 and 100"), (1, 101.0, "not between 0 and 100")],
)
def test_steps_when_a_number_is_wrong_then_says_so(
    session: Session, step: int, difference: float, message: str
) -> None:
    with pytest.raises(UserError, match=message):
        session.execute(SetFrameSteps(step=step, difference=difference)).result()


def test_carry_when_two_cameras_have_the_same_numbers_then_each_keeps_to_its_own_frames(
    session: Session,
) -> None:
    media = [a_medium(name=f"{number}.png") for number in range(4)]
    names = ("f_005_left", "f_005_right", "f_006_left", "f_006_right")
    scenes = [a_scene(medium.id, name=name) for medium, name in zip(media, names, strict=True)]
    records = [("medium", medium) for medium in media] + [("scene", scene) for scene in scenes]
    write(session, *(created(entity, record) for entity, record in records))
    session.execute(SetFrameSteps(step=2, difference=3.0)).result()
    for scene, level in zip(scenes[:2], (2, 5), strict=True):
        session.execute(SetQuality(scene=scene.id, view="UAV1", level=level)).result()
        session.execute(CarryLabels(scene=scene.id)).result()
    labels = [label_of(session, scene) for scene in scenes]
    assert [label.quality if label else None for label in labels] == [2, 5, 2, 5]
