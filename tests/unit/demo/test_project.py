from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from annotator.commands.item_states import ChangeState
from annotator.demo import project as module
from annotator.demo.captures import Captures
from annotator.demo.cases import CLIP_SLIPS, LABEL_SLIPS, QUESTION_SLIPS
from annotator.demo.moments import moments_of
from annotator.demo.project import AUTHOR, DATASET, make_demo
from annotator.demo.shoot import Order
from annotator.domain.event_label import EventLabel
from annotator.domain.flag import Flag
from annotator.domain.item import Item
from annotator.domain.link import Link
from annotator.domain.medium import Medium
from annotator.domain.polyline import Polyline
from annotator.domain.query import ItemQuery
from annotator.domain.region import Region
from annotator.domain.scene import Scene
from annotator.domain.trajectory import Trajectory
from annotator.errors import Cancelled, UserError
from annotator.media.ground_plane import plane_transform
from annotator.progress import Progress
from annotator.session import Session
from tests.unit.store.making import undo_label

DONE = ("refined", "accepted", "rejected")


@pytest.fixture(autouse=True)
def _undrawn(
    undrawn: Captures, write_undrawn: Callable[[Captures, Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    def bring(order: Order, *, progress: Progress) -> Captures:
        progress.step()
        write_undrawn(undrawn, order.folder)
        return undrawn

    monkeypatch.setattr(module, "provide_captures", bring)


@pytest.fixture(scope="module")
def first_demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the folder of the demo that is copied; the first test that wants one makes it."""
    return tmp_path_factory.mktemp("first") / "demo"


@pytest.fixture
def demo(first_demo: Path, tmp_path: Path) -> Path:
    if not first_demo.exists():
        make_demo(first_demo, progress=Progress())
    return shutil.copytree(first_demo, tmp_path / "deep" / "demo") / "demo.vantage"


def test_demo_when_made_then_nothing_but_the_demo_is_left(demo: Path, tmp_path: Path) -> None:
    assert demo == tmp_path / "deep" / "demo" / "demo.vantage"
    assert [p.name for p in (tmp_path / "deep").iterdir()] == ["demo"]
    assert sorted(p.name for p in demo.parent.iterdir()) == ["demo.media", "demo.vantage", "files"]


def test_demo_when_opened_then_all_kinds_of_records_are_there(demo: Path) -> None:
    with Session.open(demo) as session:
        reader = session.reader
        counts = reader.counts()
        facets = reader.items.facets(ItemQuery())
        kinds = {link.kind for link in reader.records(Link)}  # type: ignore[attr-defined]
        paths = [path.label for path in reader.records(Polyline)]  # type: ignore[attr-defined]
    assert counts["event_label"] == 14
    assert counts["source"] == 3
    assert counts["region"] > 100
    assert counts["trajectory"] == 13 + 6
    assert kinds == {"same", "occludes"}
    assert paths == ["route-1", "route-1"]
    sets = {"aircop", "spatialuav", "urbanvideo", "topviewrs", "indooruav"}
    assert {facet.value for facet in facets["task_set"]} == sets
    assert {facet.value for facet in facets["state"]} == {
        "accepted",
        "drafted",
        "in_refinement",
        "refined",
        "rejected",
    }


def test_scenes_when_listed_then_derived_pictures_have_none_of_their_own(demo: Path) -> None:
    with Session.open(demo) as session:
        names = [scene.name for scene in session.reader.records(Scene)]  # type: ignore[attr-defined]
        scenes = {scene.id for scene in session.reader.records(Scene)}
        items = list(session.reader.records(Item))
        two = next(session.reader.find(Scene, name="flight-market"))
    assert not [name for name in names if "/" in name]
    assert {"crossroads-1", "park-1", "flat-1", "flight-park"} <= set(names)
    assert all(item.scene in scenes for item in items)  # type: ignore[attr-defined]
    assert [view.name for view in two.views] == ["UAV1", "UAV2"]  # type: ignore[attr-defined]


def test_regions_when_linked_then_both_show_the_same_thing_and_hide_its_kind(demo: Path) -> None:
    with Session.open(demo) as session:
        regions = {region.id: region for region in session.reader.records(Region)}
        links = list(session.reader.records(Link))
    for link in links:
        tracks = [regions[r].track for r in link.regions]  # type: ignore[attr-defined]
        assert (len(set(tracks)) == 1) == (link.kind == "same")  # type: ignore[attr-defined]
    marked = [r for r in regions.values() if r.track]  # type: ignore[attr-defined]
    assert marked
    assert all(r.category and 0 <= r.visible <= 1 for r in marked)  # type: ignore[attr-defined]


def test_poses_when_entered_then_they_are_those_of_the_truth_files(demo: Path) -> None:
    truth = json.loads((demo.parent / "files" / "truth" / "flight-park-UAV1.json").read_text())
    with Session.open(demo) as session:
        flown = next(t for t in session.reader.records(Trajectory) if t.name == "flight-park-UAV1.mp4")  # type: ignore[attr-defined]
    poses = [[p.x_m, p.y_m, p.z_m, p.yaw_deg] for p in flown.poses]  # type: ignore[attr-defined]
    assert poses == [frame["pose"] for frame in truth["frames"]]
    assert list(flown.times_s) == [frame["time_s"] for frame in truth["frames"]]  # type: ignore[attr-defined]
    assert len(flown.actions) == len(flown.poses) - 1 == len(flown.orientations) - 1  # type: ignore[attr-defined]


def test_ground_when_entered_then_streets_of_one_picture_lead_to_the_same_of_another(demo: Path) -> None:
    with Session.open(demo) as session:
        scenes = list(session.reader.records(Scene))
    grounds = {scene.name: {view.name: view.to_ground for view in scene.views} for scene in scenes}
    # Cameras of clips move; floor plans have no camera.
    assert not any((*grounds["flight-market"].values(), *grounds["flat-1"].values()))
    checked = 0
    for moment in moments_of("small"):
        first, *others = moment.shots
        for other in others:
            way = plane_transform(grounds[moment.name][first.view], grounds[moment.name][other.view])
            assert way is not None
            # Markings on the street have no height: they are in the same place of both, to the pixel.
            middle = first.camera.unproject(np.array([[640.0, 400.0]]), depth_m=np.array([1.0]))[0]
            ray = middle - first.camera.position_m
            location = first.camera.position_m - ray * first.camera.altitude_m / ray[2]
            seen = other.camera.project(location[None], size_px=other.size_px)[0]
            share = first.size_px[0] / 1280
            assert way.point(640.0 * share, 400.0 * share) == pytest.approx(tuple(seen), abs=0.01)
            checked += 1
    assert checked == 7


def test_truth_when_written_then_each_scene_has_its_file(demo: Path, undrawn: Captures) -> None:
    folder = demo.parent / "files" / "truth"
    names = {m.name for m in undrawn.moments()} | {"flat-1"}
    names |= {clip.name.removesuffix(".mp4") for clip in undrawn.clips}
    assert {path.stem for path in folder.iterdir()} == names
    scene = json.loads((folder / "crossroads-1.json").read_text())
    hidden = [t for t in scene["views"][0]["things"] if t["visible"] < 0.5]
    assert [t["hidden_by"] for t in hidden] == [[1003], [0]]
    assert scene["identities"]["1004"] == ["UAV1", "UAV2", "UAV3"]


def test_planted_slips_when_the_demo_is_opened_then_every_one_is_flagged(demo: Path) -> None:
    slips = {kind for kind, _ in LABEL_SLIPS.values()} | {s.kind for s in (*QUESTION_SLIPS, *CLIP_SLIPS)}
    with Session.open(demo) as session:
        raised = {flag.kind for flag in session.reader.records(Flag)}  # type: ignore[attr-defined]
    assert slips - {""} <= raised


def test_demo_when_opened_then_absent_media_are_shown_honestly(demo: Path, undrawn: Captures) -> None:
    with Session.open(demo) as session:
        missing = sorted(m.name for m in session.reader.records(Medium) if not m.sha256)  # type: ignore[attr-defined]
    depths = [f"depth/{p.name}" for p in undrawn.pictures if p.depth]
    assert missing == sorted([*(clip.name for clip in undrawn.clips), *depths])


def test_demo_when_opened_then_its_history_is_not_that_of_the_person(tmp_path: Path) -> None:
    # No copy: undo is of what was done by the same person on the same machine.
    with Session.open(make_demo(tmp_path / "demo", progress=Progress())) as session:
        reader = session.reader
        refined = next(reader.find(Item, state="refined"))
        history = reader.history.of(refined.id)
        assert [entry.field for entry in history] == ["state", "question", "state", "*"]
        assert {entry.actor for entry in history} == {AUTHOR}
        assert undo_label(session) == ""
        with pytest.raises(UserError):
            session.undo().result()
        assert reader.history.decided_since("", actor=session.actor.id, states=DONE) == 0
        first = next(reader.find(Item, state="drafted"))
        session.execute(ChangeState(items=(first.id,), state="in_refinement")).result()
        session.execute(ChangeState(items=(first.id,), state="refined")).result()
        assert reader.history.decided_since("", actor=session.actor.id, states=DONE) == 1
        session.undo().result()
        assert reader.history.decided_since("", actor=session.actor.id, states=DONE) == 0


def test_demo_when_it_is_there_then_it_is_left_as_it_is(demo: Path) -> None:
    before = demo.read_bytes()
    assert make_demo(demo.parent, progress=Progress()) == demo
    assert demo.read_bytes() == before


def test_demo_when_the_folder_holds_something_else_then_it_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(UserError, match="holds something else"):
        make_demo(tmp_path, progress=Progress())
    assert [p.name for p in tmp_path.iterdir()] == ["notes.txt"]


def test_demo_when_cancelled_then_nothing_is_left(tmp_path: Path) -> None:
    progress = Progress()
    progress.cancel()
    with pytest.raises(Cancelled):
        make_demo(tmp_path / "demo", progress=progress)
    assert list(tmp_path.iterdir()) == []


def test_demo_when_the_folder_is_empty_then_it_is_used(tmp_path: Path) -> None:
    (tmp_path / "demo").mkdir()
    assert make_demo(tmp_path / "demo", progress=Progress()).is_file()


def test_dataset_when_labels_come_in_then_they_find_the_scenes_that_are_there(demo: Path) -> None:
    with Session.open(demo) as session:
        scenes = {s.id: s for s in session.reader.find(Scene, dataset=DATASET)}
        labels = list(session.reader.records(EventLabel))
    assert all(scenes[label.scene].medium_of(label.view) == label.medium for label in labels)  # type: ignore[attr-defined]


def test_demo_when_asked_for_by_several_at_once_then_is_made_once(
    tmp_path: Path,
    undrawn: Captures,
    write_undrawn: Callable[[Captures, Path], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    builds: list[Path] = []
    asked = threading.Barrier(3)

    def bring(order: Order, *, progress: Progress) -> Captures:
        builds.append(order.folder)
        write_undrawn(undrawn, order.folder)
        return undrawn

    def ask() -> Path:
        asked.wait()
        return make_demo(tmp_path / "demo", progress=Progress())

    monkeypatch.setattr(module, "provide_captures", bring)
    with ThreadPoolExecutor(3) as pool:
        projects = [future.result() for future in [pool.submit(ask) for _ in range(3)]]
    assert len(builds) == 1
    assert set(projects) == {tmp_path / "demo" / "demo.vantage"}
    assert [path.name for path in tmp_path.iterdir()] == ["demo"]


def test_demo_when_a_build_was_killed_then_the_next_removes_what_it_left(tmp_path: Path) -> None:
    # As mkdtemp names it, and a lock file whose process has ended.
    (tmp_path / ".demo.abcd_123.part" / "demo.media").mkdir(parents=True)
    (tmp_path / ".demo.lock").touch()
    (tmp_path / ".demo.other.abcd_123.part").mkdir()
    make_demo(tmp_path / "demo", progress=Progress())
    assert sorted(path.name for path in tmp_path.iterdir()) == [".demo.other.abcd_123.part", "demo"]
