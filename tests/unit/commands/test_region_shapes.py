from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path as FilePath

import pytest

from annotator.commands.command import Command
from annotator.commands.links import LinkRegions
from annotator.commands.region_shapes import AddPolygon, RepeatRegions, ReshapeRegion
from annotator.commands.regions import AddRegion, MoveRegions
from annotator.domain.region import Box, Region
from annotator.errors import UserError
from annotator.session import Session
from tests.unit.commands.test_regions import BOX, LinkedScene
from tests.unit.store.making import ANNA, a_medium, a_scene, created, problems, write

TRIANGLE = ((10.0, 20.0), (60.0, 20.0), (30.0, 70.0))
SPOT = Box(x1=30.5, y1=40.2, x2=30.5, y2=40.2)


@pytest.fixture
def town(tmp_path: FilePath) -> Iterator[LinkedScene]:
    """A project with one scene of three videos, 400 x 300 px each."""
    with Session.create(tmp_path / "p.vantage", actor=ANNA) as session:
        media = [a_medium(name=f"{n}.mp4", media_type="video", width_px=400, height_px=300) for n in range(3)]
        scene = a_scene(*(medium.id for medium in media))
        write(session, *(created("medium", medium) for medium in media), created("scene", scene))
        yield LinkedScene(session, scene)


def on_frame(location: LinkedScene, view: int, frame: int, *, box: Box = BOX) -> str:
    command = AddRegion(medium=location.media[view], box=box, frame=frame)
    location.do(command)
    return command.id


def region(location: LinkedScene, region_id: str) -> Region:
    return next(one for one in location.regions() if one.id == region_id)


def refused(location: LinkedScene, command: Command, *, text: str) -> None:
    before = location.regions()
    with pytest.raises(UserError, match=text):
        location.do(command)
    assert location.regions() == before


def test_point_when_set_then_has_no_extent_and_the_next_number(town: LinkedScene) -> None:
    town.add(0)
    command = AddRegion(medium=town.media[0], box=SPOT, frame=7)
    assert str(command.summary) == "Add point"
    town.goes_there_and_back(command)
    (_, made) = town.regions()
    assert (made.box, made.is_point, made.number, made.frame) == (SPOT, True, 1, 7)
    assert problems(town.session.path) == []


def test_point_when_moved_then_stays_a_point(town: LinkedScene) -> None:
    spot = on_frame(town, 0, 0, box=SPOT)
    there = Box(x1=400.0, y1=0.0, x2=400.0, y2=0.0)
    town.goes_there_and_back(MoveRegions(boxes={spot: there}))
    assert region(town, spot).box == there


@pytest.mark.parametrize("x", [-0.1, 400.1])
def test_point_when_beside_the_picture_then_is_refused(town: LinkedScene, x: float) -> None:
    box = Box(x1=x, y1=5.0, x2=x, y2=5.0)
    refused(town, AddRegion(medium=town.media[0], box=box), text="outside the image")


def test_points_when_linked_with_boxes_then_are_the_same_thing(town: LinkedScene) -> None:
    regions = (on_frame(town, 0, 0, box=SPOT), on_frame(town, 1, 0))
    town.goes_there_and_back(LinkRegions(scene=town.scene.id, regions=regions))
    assert town.links() == [regions]


def test_polygon_when_drawn_then_its_box_is_the_smallest_around_it(town: LinkedScene) -> None:
    town.goes_there_and_back(AddPolygon(medium=town.media[1], corners=TRIANGLE, frame=3))
    (made,) = town.regions()
    assert (made.polygon, made.frame, made.made_by) == (TRIANGLE, 3, "hand")
    assert made.box == Box(x1=10.0, y1=20.0, x2=60.0, y2=70.0)
    assert problems(town.session.path) == []


def test_polygon_when_it_reaches_out_of_the_picture_then_ends_at_its_edge(town: LinkedScene) -> None:
    town.do(AddPolygon(medium=town.media[0], corners=((390.0, 290.0), (500.0, 295.0), (395.0, 400.0))))
    (made,) = town.regions()
    assert made.polygon == ((390.0, 290.0), (400.0, 295.0), (395.0, 300.0))


@pytest.mark.parametrize(
    ("corners", "message"),
    [
        (((0.0, 0.0), (9.0, 9.0)), "three corners"),
        (((0.0, 0.0), (9.0, 9.0), (0.0, 0.0), (9.0, 9.0)), "three corners"),
        (((0.0, 0.0), (9.0, 9.0), (9.0, 0.0), (0.0, 9.0)), "crosses itself"),
        # Brought to the edge, all of it lies on one line.
        (((500.0, 10.0), (500.0, 20.0), (600.0, 30.0)), "crosses itself"),
    ],
)
def test_polygon_when_it_encloses_nothing_then_is_refused(
    town: LinkedScene, corners: tuple[tuple[float, float], ...], message: str
) -> None:
    refused(town, AddPolygon(medium=town.media[0], corners=corners), text=message)
    town.do(AddPolygon(medium=town.media[0], corners=TRIANGLE))
    refused(town, ReshapeRegion(region=town.regions()[0].id, corners=corners), text=message)


def test_outline_when_changed_then_the_box_goes_along(town: LinkedScene) -> None:
    made = AddPolygon(medium=town.media[0], corners=TRIANGLE)
    town.do(made)
    wider = (*TRIANGLE[:1], (90.0, 20.0), *TRIANGLE[2:])
    town.goes_there_and_back(ReshapeRegion(region=made.id, corners=wider))
    assert region(town, made.id).polygon == wider
    assert region(town, made.id).box == Box(x1=10.0, y1=20.0, x2=90.0, y2=70.0)
    assert town.session.execute(ReshapeRegion(region=made.id, corners=wider)).result().ids == {}


def test_outline_when_a_corner_inside_is_added_then_the_box_is_not_written(town: LinkedScene) -> None:
    made = AddPolygon(medium=town.media[0], corners=TRIANGLE)
    town.do(made)
    town.do(ReshapeRegion(region=made.id, corners=(*TRIANGLE, (15.0, 40.0))))
    assert region(town, made.id).box == Box(x1=10.0, y1=20.0, x2=60.0, y2=70.0)


def test_outline_when_its_region_was_removed_meanwhile_then_is_refused(town: LinkedScene) -> None:
    made = AddPolygon(medium=town.media[0], corners=TRIANGLE)
    town.do(made)
    town.session.undo().result()
    refused(town, ReshapeRegion(region=made.id, corners=TRIANGLE), text="no region")


def test_regions_when_repeated_then_are_there_again_under_their_numbers(town: LinkedScene) -> None:
    first, second = on_frame(town, 0, 0), on_frame(town, 0, 0, box=SPOT)
    command = RepeatRegions(frames={first: 12, second: 12})
    assert str(command.summary) == "Repeat 2 regions"
    town.goes_there_and_back(command)
    copies = [region(town, command.ids[one]) for one in (first, second)]
    assert [(one.frame, one.number, one.box) for one in copies] == [(12, 0, BOX), (12, 1, SPOT)]
    # The next new thing has a number of its own.
    assert region(town, on_frame(town, 0, 12)).number == 2


def test_regions_when_repeated_together_then_are_linked_there_too(town: LinkedScene) -> None:
    one, other, alone = (
        on_frame(town, 0, 4),
        on_frame(town, 1, 5),
        on_frame(town, 2, 5),
    )
    town.do(LinkRegions(scene=town.scene.id, regions=(one, other, alone)))
    command = RepeatRegions(frames={one: 8, other: 9})
    town.goes_there_and_back(command)
    assert town.links() == [(one, other, alone), (command.ids[one], command.ids[other])]


def test_regions_when_the_frame_has_some_already_then_only_the_others_are_repeated(
    town: LinkedScene,
) -> None:
    first, second = on_frame(town, 0, 0), on_frame(town, 0, 0)
    town.do(RepeatRegions(frames={first: 3}))
    again = RepeatRegions(frames={first: 3, second: 3})
    town.do(again)
    assert [one.number for one in town.regions() if one.frame == 3] == [0, 1]
    refused(town, RepeatRegions(frames={first: 3, second: 3}), text="on this frame already")


def test_region_of_a_still_when_repeated_then_is_refused(town: LinkedScene) -> None:
    refused(town, RepeatRegions(frames={town.add(0): 3}), text="no other frames")


def test_regions_of_one_number_when_repeated_on_one_frame_then_are_there_once(
    town: LinkedScene,
) -> None:
    first = on_frame(town, 0, 0)
    town.do(RepeatRegions(frames={first: 1}))
    (second,) = [one.id for one in town.regions() if one.frame == 1]
    town.do(RepeatRegions(frames={first: 7, second: 7}))
    assert [(one.number, one.frame) for one in town.regions() if one.frame == 7] == [(0, 7)]
