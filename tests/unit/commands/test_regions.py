from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path as FilePath

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotator.commands.command import Command
from annotator.commands.links import LinkRegions, UnlinkRegions
from annotator.commands.paths import AddPath
from annotator.commands.regions import AddRegion, MoveRegions, RemoveRegions
from annotator.domain.link import Link
from annotator.domain.polyline import Polyline
from annotator.domain.record import Record
from annotator.domain.region import Box, Region
from annotator.domain.scene import Scene
from annotator.errors import UserError
from annotator.queries.reader import Reader
from annotator.session import Session
from tests.unit.store.making import ANNA, a_medium, a_scene, changed, created, problems, visible_state, write

BOX = Box(x1=10.0, y1=20.0, x2=30.0, y2=50.0)


@dataclass
class LinkedScene:
    """A project with one scene of three views, 400 x 300 px each."""

    session: Session
    scene: Scene

    @property
    def media(self) -> list[str]:
        return [view.medium for view in self.scene.views]

    def do(self, command: Command) -> None:
        self.session.execute(command).result()

    def add(self, view: int, box: Box = BOX) -> str:
        command = AddRegion(medium=self.media[view], box=box)
        self.do(command)
        return command.id

    def regions(self) -> list[Region]:
        return list(self.session.reader.records(Region))

    def paths(self) -> list[Polyline]:
        return list(self.session.reader.records(Polyline))

    def links(self) -> list[tuple[str, ...]]:
        return [one.regions for one in self.session.reader.records(Link)]

    def goes_there_and_back(self, command: Command) -> None:
        """Do, undo, redo, and compare all that lists and searches rest on."""
        before = visible_state(self.session.path)
        self.do(command)
        after = visible_state(self.session.path)
        assert after != before
        self.session.undo().result()
        assert visible_state(self.session.path) == before
        self.session.redo().result()
        assert visible_state(self.session.path) == after


@pytest.fixture
def town(tmp_path: FilePath) -> Iterator[LinkedScene]:
    with Session.create(tmp_path / "p.vantage", actor=ANNA) as session:
        media = [a_medium(name=f"{n}.jpg", width_px=400, height_px=300) for n in range(3)]
        scene = a_scene(*(medium.id for medium in media))
        write(session, *(created("medium", medium) for medium in media), created("scene", scene))
        yield LinkedScene(session, scene)


def test_regions_when_added_then_are_numbered_per_medium(town: LinkedScene) -> None:
    town.goes_there_and_back(AddRegion(medium=town.media[0], box=BOX, category="van"))
    town.add(0)
    town.add(1)
    assert [(one.medium, one.number) for one in town.regions()] == [
        (town.media[0], 0),
        (town.media[0], 1),
        (town.media[1], 0),
    ]
    first = town.regions()[0]
    assert (first.box, first.category, first.made_by, first.score) == (BOX, "van", "hand", 1.0)


def test_regions_when_the_last_one_was_removed_then_its_number_is_given_again(
    town: LinkedScene,
) -> None:
    for _ in range(3):
        town.add(0)
    first, _, last = town.regions()
    town.do(RemoveRegions(regions=(last.id,)))
    town.add(0)
    assert [one.number for one in town.regions()] == [0, 1, 2]
    town.do(RemoveRegions(regions=(first.id,)))
    town.add(0)
    assert [one.number for one in town.regions()] == [1, 2, 3]


def test_region_when_added_beside_many_then_none_of_them_is_read(
    town: LinkedScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    town.add(0)

    def find(_reader: Reader, entity: str, **_columns: object) -> Iterator[Record]:
        raise AssertionError(f"reads every {entity}")

    monkeypatch.setattr(Reader, "find", find)
    town.do(AddRegion(medium=town.media[0], box=BOX))
    assert town.session.reader.order.largest_region_number(town.media[0]) == 1
    assert town.session.reader.order.largest_region_number(town.media[2]) is None


def test_region_when_it_leaves_the_picture_then_is_cut(town: LinkedScene) -> None:
    town.add(0, Box(x1=-5.0, y1=290.0, x2=500.0, y2=310.0))
    assert town.regions()[0].box == Box(x1=0.0, y1=290.0, x2=400.0, y2=300.0)


@pytest.mark.parametrize(
    "box",
    [Box(x1=5.0, y1=5.0, x2=5.0, y2=9.0), Box(x1=400.0, y1=0.0, x2=450.0, y2=20.0)],
)
def test_region_when_it_has_no_size_in_the_picture_then_is_refused(town: LinkedScene, box: Box) -> None:
    with pytest.raises(UserError, match="Draw the region inside the image"):
        town.add(0, box)
    assert town.regions() == []


def test_region_when_the_medium_is_unknown_then_is_refused(town: LinkedScene) -> None:
    with pytest.raises(UserError, match="no medium nowhere"):
        town.do(AddRegion(medium="nowhere", box=BOX))


def test_regions_when_moved_then_their_polygons_go_along(town: LinkedScene) -> None:
    plain, cornered = town.add(0), town.add(0)
    write(town.session, *changed("region", cornered, polygon=((10.0, 20.0), (30.0, 20.0), (20.0, 50.0))))
    wanted = Box(x1=100.0, y1=100.0, x2=140.0, y2=115.0)
    town.goes_there_and_back(MoveRegions(boxes={plain: wanted, cornered: wanted}))
    assert [one.box for one in town.regions()] == [wanted, wanted]
    assert town.regions()[1].polygon == ((100.0, 100.0), (140.0, 100.0), (120.0, 115.0))


def test_regions_when_moved_to_where_they_are_then_nothing_is_written(town: LinkedScene) -> None:
    region = town.add(0)
    assert town.session.execute(MoveRegions(boxes={region: BOX})).result().ids == {}


def test_regions_when_linked_then_the_link_holds_them_in_order(town: LinkedScene) -> None:
    first, second, third = town.add(0), town.add(1), town.add(2)
    town.goes_there_and_back(LinkRegions(scene=town.scene.id, regions=(first, second)))
    town.goes_there_and_back(LinkRegions(scene=town.scene.id, regions=(second, third)))
    assert town.links() == [(first, second, third)]


def test_links_when_a_link_touches_two_then_they_become_one(town: LinkedScene) -> None:
    regions = [town.add(view) for view in (0, 1, 2)]
    other = town.add(0)
    town.do(LinkRegions(scene=town.scene.id, regions=(regions[0], regions[1])))
    town.do(LinkRegions(scene=town.scene.id, regions=(regions[2], other)))
    with pytest.raises(UserError, match=r"both in UAV1"):
        town.do(LinkRegions(scene=town.scene.id, regions=(regions[1], regions[2])))
    town.do(UnlinkRegions(scene=town.scene.id, regions=(other,)))
    fourth = town.add(1)
    town.do(LinkRegions(scene=town.scene.id, regions=(regions[2], fourth)))
    town.do(UnlinkRegions(scene=town.scene.id, regions=(fourth,)))
    town.goes_there_and_back(LinkRegions(scene=town.scene.id, regions=(regions[1], regions[2])))
    assert town.links() == [tuple(regions)]


@pytest.mark.parametrize("views", [(0, 0), (0,)])
def test_link_when_it_does_not_join_two_views_then_is_refused(
    town: LinkedScene, views: tuple[int, ...]
) -> None:
    regions = tuple(town.add(view) for view in views)
    with pytest.raises(UserError, match=r"two regions|both in UAV1"):
        town.do(LinkRegions(scene=town.scene.id, regions=regions))
    assert town.links() == []


def test_link_when_a_region_is_of_another_scene_then_is_refused(town: LinkedScene) -> None:
    stranger = a_medium(name="other.jpg")
    write(town.session, created("medium", stranger))
    far = AddRegion(medium=stranger.id, box=BOX)
    town.do(far)
    with pytest.raises(UserError, match="none of the views"):
        town.do(LinkRegions(scene=town.scene.id, regions=(town.add(0), far.id)))


def test_regions_when_unlinked_then_a_link_of_one_goes(town: LinkedScene) -> None:
    regions = tuple(town.add(view) for view in (0, 1, 2))
    town.do(LinkRegions(scene=town.scene.id, regions=regions))
    town.goes_there_and_back(UnlinkRegions(scene=town.scene.id, regions=regions[:1]))
    assert town.links() == [regions[1:]]
    town.goes_there_and_back(UnlinkRegions(scene=town.scene.id, regions=regions[1:2]))
    assert town.links() == []
    with pytest.raises(UserError, match="None of these"):
        town.do(UnlinkRegions(scene=town.scene.id, regions=regions))


def test_regions_when_removed_then_links_and_numbers_know(town: LinkedScene) -> None:
    regions = tuple(town.add(view) for view in (0, 1, 2))
    town.do(LinkRegions(scene=town.scene.id, regions=regions))
    town.do(AddPath(medium=town.media[0], points=((1.0, 2.0), (3.0, 4.0)), label_text="Direction 1"))
    path = town.paths()[0]
    assert (path.points, path.label) == (((1.0, 2.0), (3.0, 4.0)), "Direction 1")
    town.goes_there_and_back(RemoveRegions(regions=regions[:1], paths=(path.id,)))
    assert (town.links(), town.paths()) == ([regions[1:]], [])
    town.goes_there_and_back(RemoveRegions(regions=regions[1:2]))
    assert town.links() == []
    assert [one.id for one in town.regions()] == [regions[2]]


def test_path_when_drawn_undone_and_redone_then_is_there(town: LinkedScene) -> None:
    town.goes_there_and_back(AddPath(medium=town.media[0], points=((0.0, 0.0), (9.0, 9.0))))
    with pytest.raises(UserError, match="two points"):
        town.do(AddPath(medium=town.media[0], points=((5.0, 5.0), (5.0, 5.0))))


@pytest.mark.parametrize(
    ("command", "label"),
    [
        (RemoveRegions(regions=("a",)), "Remove 1 region"),
        (RemoveRegions(paths=("a", "b")), "Remove 2 paths"),
        (RemoveRegions(regions=("a",), paths=("b",)), "Remove 2 annotations"),
        (MoveRegions(boxes={"a": BOX, "b": BOX}), "Move 2 regions"),
    ],
)
def test_label_of_a_command_then_counts_what_it_is_done_to(command: Command, label: str) -> None:
    assert str(command.summary) == label


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 99), st.integers(0, 99)), max_size=12))
def test_commands_when_any_are_done_and_all_undone_then_the_project_is_as_before(
    town: LinkedScene, steps: list[tuple[int, int, int]]
) -> None:
    before = visible_state(town.session.path)
    done = 0
    for kind, one, other in steps:
        known = [region.id for region in town.regions()]
        pair = (known[one % len(known)], known[other % len(known)]) if known else ("", "")
        box = Box(x1=float(one), y1=float(other), x2=one + 20.0, y2=other + 9.0)
        command: Command = [
            AddRegion(medium=town.media[one % 3], box=box),
            MoveRegions(boxes={pair[0]: box}),
            RemoveRegions(regions=pair[:1]),
            LinkRegions(scene=town.scene.id, regions=pair),
            UnlinkRegions(scene=town.scene.id, regions=pair[:1]),
        ][kind]
        try:
            done += bool(town.session.execute(command).result().ids)
        except UserError:
            continue
    for _ in range(done):
        town.session.undo().result()
    assert visible_state(town.session.path) == before
    assert problems(town.session.path) == []
