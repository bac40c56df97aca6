from __future__ import annotations

from collections.abc import Iterator

import pytest

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.domain.event import CREATED, Edit
from annotator.domain.event_label import EventLabel
from annotator.domain.link import Link
from annotator.domain.medium import Medium
from annotator.domain.polyline import Polyline
from annotator.domain.record import Record
from annotator.domain.region import Box, Region
from annotator.domain.scene import DERIVED_FROM, Scene, SceneView
from annotator.domain.trajectory import Pose, Trajectory
from annotator.draft import scene_reader
from annotator.draft.scene_facts import FactKind, SceneFacts
from annotator.draft.scene_reader import read_scenes
from annotator.progress import Progress
from annotator.queries.reader import Reader
from annotator.session import Session
from tests.unit.store.making import changed, write

BOX = Box(x1=0, y1=0, x2=9, y2=9)
ALL: frozenset[FactKind] = frozenset(scene_reader.ENTITIES)


class Put(Command):
    """Put records into a project as they are."""

    summary = CommandSummary.of_text("Put")

    def __init__(self, *records: Record) -> None:
        self._records = records

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        for record in self._records:
            yield Edit(entity=record.table.entity, entity_id=record.id, field=CREATED, value=record)


def _scene(number: int) -> list[Record]:
    media = [Medium(id=f"{number}m{n}", name=f"{number}-{n}.jpg", dataset="d") for n in (1, 2)]
    views = tuple(SceneView(name=f"UAV{n}", medium=m.id) for n, m in enumerate(media, start=1))
    position = {"place": f"place {number % 2}"}
    scene = Scene(id=f"{number}s", name=f"scene {number}", dataset="d", views=views, metadata=position)
    regions = [
        Region(id=f"{number}r{n}", medium=media[0].id, number=n, box=BOX, track=f"{number}-{n}")
        for n in (2, 0, 1)
    ]
    return [
        *media,
        scene,
        *regions,
        Region(id=f"{number}r3", medium=media[1].id, number=3, box=BOX),
        Link(id=f"{number}l", scene=scene.id, regions=(f"{number}r2", f"{number}r3")),
        Polyline(id=f"{number}p", medium=media[1].id, points=((0, 0), (1, 1)), label="Direction 3"),
        Trajectory(
            id=f"{number}t", scene=scene.id, view="UAV2", poses=(Pose(x_m=1, y_m=2, z_m=3, yaw_deg=4),)
        ),
        EventLabel(id=f"{number}e", scene=scene.id, view="UAV1", medium=media[0].id, quality=3),
    ]


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    with Session.create(tmp_path_factory.mktemp("facts") / "p.vantage") as opened:
        records = [record for number in range(1, 5) for record in _scene(number)]
        video = Medium(id="video", name="video.mp4", dataset="d", media_type="video")
        filmed = Scene(id="5s", name="video", dataset="d", views=(SceneView(name="UAV1", medium=video.id),))
        opened.execute(Put(*records, video, filmed)).result()
        yield opened


def _first(session: Session, kinds: frozenset[FactKind]) -> SceneFacts:
    return next(read_scenes(session.reader, kinds=kinds))


def test_facts_when_all_are_read_then_they_are_those_of_the_scene(session: Session) -> None:
    facts = _first(session, ALL)
    one, two = facts.scene.views
    assert facts.scene.id == "1s"
    assert [region.number for region in facts.regions_of(one)] == [0, 1, 2]
    assert [region.number for region in facts.regions_of(two)] == [3]
    assert [link.id for link in facts.links] == ["1l"]
    assert [path.label for path in facts.polylines_of(two)] == ["Direction 3"]
    assert facts.polylines_of(one) == ()
    assert [flight.id for flight in facts.trajectories_of(two)] == ["1t"]
    assert facts.trajectories_of(one) == ()
    assert {m.name for m in facts.media.values()} == {"1-1.jpg", "1-2.jpg"}
    assert [label.id for label in facts.labels] == ["1e"]


@pytest.mark.parametrize("kind", sorted(ALL))
def test_facts_when_one_kind_is_read_then_nothing_else_is_loaded(session: Session, kind: FactKind) -> None:
    facts = _first(session, frozenset({kind}))
    loaded = {name for name in ALL if getattr(facts, name)}
    assert loaded == {kind}


def test_other_scenes_when_read_then_they_have_media_and_poses_and_videos_are_left_out(
    session: Session,
) -> None:
    others = _first(session, frozenset({"other_scenes"})).other_scenes
    third = next(other for other in others if other.scene.id == "3s")
    assert {other.scene.id for other in others} == {"1s", "2s", "3s", "4s"}
    assert ({m.name for m in third.media.values()}, len(third.trajectories)) == ({"3-1.jpg", "3-2.jpg"}, 1)
    assert (third.regions, third.labels, third.other_scenes) == ({}, (), ())


def test_other_scenes_when_one_is_degraded_then_it_is_left_out(session: Session) -> None:
    facts = {**session.reader.require(Scene, "2s").metadata, DERIVED_FROM: "1"}
    write(session, *changed("scene", "2s", metadata=facts))
    others = _first(session, frozenset({"other_scenes"})).other_scenes
    assert {other.scene.id for other in others} == {"1s", "3s", "4s"}


def test_other_scenes_when_a_dataset_has_very_many_then_the_seed_selects_some(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scene_reader, "MOST_OTHERS", 2)
    kinds: frozenset[FactKind] = frozenset({"other_scenes"})
    selected = {
        seed: tuple(
            o.scene.id for o in next(read_scenes(session.reader, kinds=kinds, seed=seed)).other_scenes
        )
        for seed in range(8)
    }
    assert {len(found) for found in selected.values()} <= {1, 2}
    assert len(set(selected.values())) > 1
    again = next(read_scenes(session.reader, kinds=kinds, seed=3)).other_scenes
    assert tuple(other.scene.id for other in again) == selected[3]
