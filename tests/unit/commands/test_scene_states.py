"""Finishing the annotation of a scene, and reopening it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from annotator.commands.event_labels import SetQuality
from annotator.commands.projects import ChooseTaskSet
from annotator.commands.scene_states import FinishScene, ReopenScene, read_scene_problems
from annotator.domain.event_label import EventLabel, ObjectCount
from annotator.domain.flag import Flag
from annotator.domain.link import Link
from annotator.domain.query import SceneQuery
from annotator.domain.record import new_id
from annotator.domain.region import Box, Region
from annotator.domain.scene import Scene
from annotator.errors import UserError
from annotator.session import Session
from tests.unit.store.making import ANNA, a_medium, a_scene, created, removed, write

CLEAN = {
    "quality": 4,
    "usable": True,
    "object_types": ("vehicles",),
    "count": ObjectCount(value=3),
    "degradations": (),
    "when": False,
    "state": "open",
}


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    made = Session.create(tmp_path / "p.vantage", actor=ANNA)
    yield made
    made.close()


@pytest.fixture
def scene(session: Session) -> Scene:
    media = [a_medium(name=f"UAV{number}.png") for number in (1, 2)]
    made = a_scene(*(medium.id for medium in media))
    write(session, *(created("medium", medium) for medium in media), created("scene", made))
    return made


def label(session: Session, scene: Scene, view: str, **fields: object) -> EventLabel:
    medium = scene.medium_of(view) or ""
    made = EventLabel(id=new_id(), scene=scene.id, view=view, medium=medium, **(CLEAN | fields))
    write(session, created("event_label", made))
    return made


def problems(session: Session, scene: Scene) -> list[tuple[str, str, str]]:
    found = read_scene_problems(session.reader, scene=scene.id)
    return [(problem.view, problem.field, problem.kind) for problem in found]


def annotation(session: Session) -> str:
    [row] = session.reader.scenes.page(SceneQuery())
    return row.annotation


def test_finish_when_the_project_asks_for_labels_then_each_view_needs_one(
    session: Session, scene: Scene
) -> None:
    assert problems(session, scene) == []
    session.execute(ChooseTaskSet(task_set="aircop")).result()
    assert problems(session, scene) == [("UAV1", "", "label_missing"), ("UAV2", "", "label_missing")]
    with pytest.raises(UserError, match="2 open problems"):
        session.execute(FinishScene(scene=scene.id)).result()
    assert annotation(session) == "to_do"


def test_finish_when_a_label_contradicts_itself_then_names_view_and_field(
    session: Session, scene: Scene
) -> None:
    label(session, scene, "UAV2", usable=False)
    assert problems(session, scene) == [("UAV2", "usable", "unavailable_though_good")]


def test_finish_when_a_reviewer_has_dismissed_the_contradiction_then_it_is_none(
    session: Session, scene: Scene
) -> None:
    made = label(session, scene, "UAV1", usable=False)
    flag = Flag(id=new_id(), entity="event_label", target=made.id, kind="unavailable_though_good")
    write(session, created("flag", msgspec.structs.replace(flag, state="dismissed")))
    assert problems(session, scene) == []


def test_finish_when_a_link_is_flagged_or_has_lost_a_region_then_both_are_named(
    session: Session, scene: Scene
) -> None:
    box = Box(x1=0.0, y1=0.0, x2=9.0, y2=9.0)
    regions = [Region(id=new_id(), medium=view.medium, number=0, box=box) for view in scene.views]
    link = Link(id=new_id(), scene=scene.id, regions=tuple(region.id for region in regions))
    flag = Flag(id=new_id(), entity="link", target=link.id, kind="link_mismatch", message="Far apart.")
    records = [("region", region) for region in regions] + [("link", link), ("flag", flag)]
    write(session, *(created(entity, record) for entity, record in records))
    assert problems(session, scene) == [("UAV1", "", "link_mismatch")]
    write(session, removed("region", regions[1].id))
    found = read_scene_problems(session.reader, scene=scene.id)
    assert [problem.kind for problem in found] == ["link_incomplete", "link_mismatch"]
    assert found[0].regions == (regions[0].id,)


def test_finish_when_nothing_is_missing_then_scene_and_open_labels_are_finished_and_undo_reverts_both(
    session: Session, scene: Scene
) -> None:
    made = label(session, scene, "UAV1")
    assert annotation(session) == "open"
    session.execute(FinishScene(scene=scene.id)).result()
    assert annotation(session) == "finished"
    assert session.reader.require(EventLabel, made.id).state == "finished"
    session.undo().result()
    assert annotation(session) == "open"
    assert session.reader.require(EventLabel, made.id).state == "open"
    session.redo().result()
    assert annotation(session) == "finished"


def test_scene_when_an_answer_changes_after_it_was_finished_then_it_is_open_until_undo(
    session: Session, scene: Scene
) -> None:
    label(session, scene, "UAV1")
    session.execute(FinishScene(scene=scene.id)).result()
    session.execute(SetQuality(scene=scene.id, view="UAV1", level=5)).result()
    assert annotation(session) == "open"
    session.undo().result()
    assert annotation(session) == "finished"


def test_reopen_when_the_scene_is_finished_then_it_is_open_and_its_labels_stay(
    session: Session, scene: Scene
) -> None:
    made = label(session, scene, "UAV1")
    session.execute(FinishScene(scene=scene.id)).result()
    session.execute(ReopenScene(scene=scene.id)).result()
    assert annotation(session) == "open"
    assert session.reader.require(EventLabel, made.id).state == "finished"
    session.undo().result()
    assert annotation(session) == "finished"


def test_progress_when_scenes_are_finished_then_the_lists_and_the_page_agree(
    session: Session, scene: Scene
) -> None:
    write(session, created("scene", a_scene(name="02")))
    session.execute(FinishScene(scene=scene.id)).result()
    [dataset] = session.reader.progress.datasets()
    assert dataset.annotations == {"finished": 1, "to_do": 1}
    assert session.reader.scenes.count(SceneQuery(annotations=("finished",))) == 1
