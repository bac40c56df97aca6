from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path as FilePath

import numpy as np
import pytest

from annotator.commands.command import Command
from annotator.commands.links import LinkRegions, UnlinkRegions
from annotator.commands.paths import AddPath
from annotator.commands.regions import AddRegion, MoveRegions, RemoveRegions
from annotator.domain.changes import Changes
from annotator.domain.flag import Flag
from annotator.domain.record import new_id
from annotator.domain.region import Box, Region
from annotator.errors import UserError
from annotator.queries.reader import Reader
from annotator.session import Session
from tests.unit.store.making import (
    ANNA,
    a_medium,
    a_scene,
    changed,
    created,
    redo_label,
    undo_label,
    write,
)
from widgets.stage.scene import StageScene, read_scene
from widgets.stage.scene_update import MOST_CHANGED, is_concerned, read_changed_scene
from widgets.stage.view_annotations import ViewAnnotations

STEPS = 60


class Project:
    """A scene of three views, one of them a video, as it was shown last."""

    def __init__(self, session: Session) -> None:
        self.session = session
        media = [a_medium(name=f"{n}.jpg", width_px=400, height_px=300) for n in range(2)]
        media.append(a_medium(name="video.mp4", media_type="video", width_px=400, height_px=300))
        self.media = [medium.id for medium in media]
        self.record = a_scene(*self.media)
        write(session, *(created("medium", medium) for medium in media), created("scene", self.record))
        self.shown = self.read()

    def read(self) -> StageScene:
        shown = read_scene(self.session.reader, scene=self.record.id, roots=self.session.roots)
        assert shown is not None
        return shown

    def update(self, changes: Changes) -> StageScene:
        """Bring the scene up to date, and compare it with the one that is read as a whole."""
        # What a stage looks at: both stills, and two frames of the video.
        for location in self.medium_frames():
            self.shown.view_marks(*location).prepare()
        before = self.shown
        found = read_changed_scene(
            self.session.reader, shown=before, changes=changes, roots=self.session.roots
        )
        assert found is not None
        assert_same(found, self.read(), positions=self.medium_frames())
        self.shown = found
        return found

    def medium_frames(self) -> list[tuple[str, int | None]]:
        return [(self.media[0], None), (self.media[1], None), (self.media[2], 0), (self.media[2], 5)]

    def do(self, command: Command) -> StageScene:
        return self.update(self.session.execute(command).result())

    def add(self, view: int = 0, *, x: float = 10.0, frame: int | None = None) -> Region:
        command = AddRegion(medium=self.media[view], frame=frame, box=Box(x1=x, y1=20.0, x2=x + 30, y2=60.0))
        self.do(command)
        return next(region for region in self.shown.marks.regions if region.id == command.id)


def assert_same(found: StageScene, whole: StageScene, *, positions: list[tuple[str, int | None]]) -> None:
    assert found == whole
    assert found.by_frame == whole.by_frame
    assert found.marked_frames == whole.marked_frames
    assert found.same_links == whole.same_links
    assert found.link_colours == whole.link_colours
    for location in positions:
        assert_same_arrays(found.view_marks(*location), whole.view_marks(*location))


def assert_same_arrays(found: ViewAnnotations, whole: ViewAnnotations) -> None:
    assert found.marks == whole.marks
    assert list(found.ids.items()) == list(whole.ids.items())
    assert found.numbers == whole.numbers
    for name in ("boxes", "is_plain", "is_point", "digits", "colours_by_number", "colours_by_link"):
        one, other = getattr(found, name), getattr(whole, name)
        assert (one.dtype, one.shape) == (other.dtype, other.shape), name
        assert np.array_equal(one, other), name
    assert found.polygons.ranges == whole.polygons.ranges
    for name in ("region_indices", "corners", "tops"):
        assert np.array_equal(getattr(found.polygons, name), getattr(whole.polygons, name)), name


@pytest.fixture
def project(tmp_path: FilePath) -> Iterator[Project]:
    with Session.create(tmp_path / "p.vantage", actor=ANNA) as session:
        yield Project(session)


def random_command(project: Project, rng: random.Random) -> Command:
    regions = [region.id for region in project.shown.marks.regions]
    x, y = rng.uniform(0, 300), rng.uniform(0, 200)
    box = Box(x1=x, y1=y, x2=x + rng.uniform(5, 90), y2=y + rng.uniform(5, 90))
    view = rng.randrange(3)
    frame = rng.choice((0, 5, 9)) if view == 2 else None
    add = AddRegion(medium=project.media[view], frame=frame, box=box)
    if len(regions) < 4:
        return add
    some = tuple(rng.sample(regions, 2))
    return rng.choice(
        (
            add,
            AddPath(medium=project.media[view], frame=frame, points=((x, y), (x + 5, y + 9))),
            MoveRegions(boxes={some[0]: box}),
            RemoveRegions(regions=some[:1]),
            RemoveRegions(regions=some, paths=tuple(one.id for one in project.shown.marks.paths[:1])),
            LinkRegions(scene=project.record.id, regions=some),
            UnlinkRegions(scene=project.record.id, regions=some[:1]),
        )
    )


@pytest.mark.parametrize("seed", range(4))
def test_scene_when_brought_up_to_date_step_by_step_then_is_as_if_read_as_a_whole(
    project: Project, seed: int
) -> None:
    rng, done = random.Random(seed), 0
    while done < STEPS:
        step = rng.choice(("do", "do", "do", "do", "undo", "redo"))
        try:
            if step == "do":
                project.do(random_command(project, rng))
            elif step == "undo" and undo_label(project.session) not in {"", "Write"}:
                project.update(project.session.undo().result())
            elif step == "redo" and redo_label(project.session):
                project.update(project.session.redo().result())
            else:
                continue
        except UserError:
            continue
        done += 1


def test_scene_when_polygons_stand_between_boxes_then_keep_their_corners(project: Project) -> None:
    corners = ((10.0, 10.0), (60.0, 20.0), (30.0, 70.0))
    box = Box(x1=10.0, y1=10.0, x2=60.0, y2=70.0)
    regions = [
        Region(id=new_id(), medium=project.media[0], number=n, box=box, polygon=corners if n % 2 else ())
        for n in range(6)
    ]
    project.update(write(project.session, *(created("region", region) for region in regions)))
    project.do(RemoveRegions(regions=(regions[2].id,)))
    project.do(RemoveRegions(regions=(regions[3].id,)))
    project.update(project.session.undo().result())
    project.do(MoveRegions(boxes={regions[1].id: Box(x1=0.0, y1=0.0, x2=50.0, y2=60.0)}))


def test_scene_when_a_box_is_added_then_no_other_mark_is_read(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.add(0)
    other = project.shown.view_marks(project.media[1], None)
    command = AddRegion(medium=project.media[0], box=Box(x1=1.0, y1=1.0, x2=9.0, y2=9.0))
    changes = project.session.execute(command).result()

    def find(_reader: Reader, entity: str, **_columns: object) -> Iterator[object]:
        raise AssertionError(f"reads every {entity}")

    monkeypatch.setattr(Reader, "find", find)
    found = read_changed_scene(
        project.session.reader, shown=project.shown, changes=changes, roots=project.session.roots
    )
    assert found is not None
    assert found.marks.regions[-1].id == command.id
    assert found.view_marks(project.media[1], None) is other


def test_scene_when_it_is_one_still_then_its_frame_keeps_no_second_list_of_regions(
    project: Project,
) -> None:
    for _ in range(3):
        region = project.add(0)
    assert project.shown.by_frame[project.media[0], None].regions is project.shown.marks.regions
    project.do(MoveRegions(boxes={region.id: Box(x1=1.0, y1=1.0, x2=9.0, y2=9.0)}))
    assert project.shown.by_frame[project.media[0], None].regions is project.shown.marks.regions
    # Two views: each has its own part.
    project.add(1)
    assert len(project.shown.by_frame[project.media[0], None].regions) == 3


def test_change_when_a_box_is_added_then_names_it_and_where_it_lies(project: Project) -> None:
    before = project.shown.view_marks(project.media[0], None)
    region = project.add(0)
    change = project.shown.view_marks(project.media[0], None).change
    assert change is not None
    assert change.previous is before.revision
    assert change.ids == {region.id}
    assert change.areas is not None
    assert change.areas.tolist() == [[10.0, 20.0, 40.0, 60.0]]


def test_change_when_a_link_gives_other_colours_then_names_all_that_look_different(project: Project) -> None:
    regions = [project.add(view, x=10.0 + 40 * n) for n in range(2) for view in (0, 1)]
    for n in (0, 2):
        project.do(LinkRegions(scene=project.record.id, regions=(regions[n].id, regions[n + 1].id)))
    project.do(UnlinkRegions(scene=project.record.id, regions=(regions[0].id,)))
    change = project.shown.view_marks(project.media[0], None).change
    assert change is not None
    assert change.areas is not None
    # The second link is the first one now, and has its colour.
    assert sorted(change.areas[:, 0].tolist()) == [10.0, 50.0]


def test_scene_when_another_scene_changes_then_stays_the_same_object(project: Project) -> None:
    other = a_medium(name="other.jpg")
    write(project.session, created("medium", other))
    region = Region(id=new_id(), medium=other.id, number=0, box=Box(x1=0, y1=0, x2=5, y2=5))
    before = project.shown
    changes = write(project.session, created("region", region))
    assert is_concerned(before, changes)
    assert project.update(changes) is before


def test_concerned_when_only_items_change_then_is_not(project: Project) -> None:
    assert not is_concerned(project.shown, Changes(ids={"item": frozenset({"1"}), "command": frozenset("c")}))
    assert is_concerned(project.shown, Changes(ids={"scene": frozenset({project.record.id})}))
    assert not is_concerned(project.shown, Changes(ids={"scene": frozenset({"another"})}))


def test_scene_when_its_own_record_or_very_much_changes_then_is_read_as_a_whole(project: Project) -> None:
    project.add(0)
    changes = write(project.session, *changed("scene", project.record.id, name="renamed"))
    assert project.update(changes).scene.name == "renamed"
    many = [
        Region(id=new_id(), medium=project.media[0], number=n, box=Box(x1=0, y1=0, x2=5, y2=5))
        for n in range(MOST_CHANGED + 1)
    ]
    found = project.update(write(project.session, *(created("region", region) for region in many)))
    assert len(found.marks.regions) == MOST_CHANGED + 2
    assert found.view_marks(project.media[0], None).change is None


def test_scene_when_flags_come_and_go_then_has_those_of_its_own_records(project: Project) -> None:
    flag = Flag(id=new_id(), kind="check", entity="medium", target=project.media[1], message="look")
    found = project.update(write(project.session, created("flag", flag)))
    assert [one.id for one in found.flags] == [flag.id]
    found = project.update(write(project.session, *changed("flag", flag.id, state="resolved")))
    assert [one.state for one in found.flags] == ["resolved"]
    found = project.update(project.session.undo().result())
    assert [one.state for one in found.flags] == ["open"]
    project.update(project.session.undo().result())
    assert project.shown.flags == ()
