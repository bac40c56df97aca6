from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path as FilePath

import msgspec
import numpy as np
import pytest

from annotator.commands.findings import RecordFindings
from annotator.commands.hidden_places import MarkHiddenPlace
from annotator.commands.links import LinkRegions, MakeLinks, SplitLink, UnlinkRegions
from annotator.commands.projects import SetLinkLimit
from annotator.commands.region_copies import PasteRegions
from annotator.commands.region_shapes import RepeatRegions
from annotator.commands.region_values import SetRegionState
from annotator.commands.regions import MoveRegions, RemoveRegions
from annotator.demo.camera import Camera
from annotator.domain.event import Edit
from annotator.domain.flag import Flag
from annotator.domain.link import Link
from annotator.domain.record import new_id
from annotator.domain.region import Box, Region
from annotator.domain.scene import Scene
from annotator.domain.trajectory import Pose, Trajectory
from annotator.errors import UserError
from annotator.session import Session
from tests.unit.commands.test_regions import BOX, LinkedScene
from tests.unit.store.making import ANNA, a_medium, a_scene, changed, created, problems, write

SHIFTED = (1.0, 0.0, -100.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
"""The second image shows the ground 100 px to the right of where the first one shows it."""
IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


def make_place(tmp_path: FilePath, *, to_ground: tuple[tuple[float, ...], ...] = ((), (), ())) -> LinkedScene:
    session = Session.create(tmp_path / "p.vantage", actor=ANNA)
    media = [a_medium(name=f"{n}.jpg", width_px=400, height_px=300) for n in range(len(to_ground))]
    scene = a_scene(*(medium.id for medium in media))
    views = tuple(
        msgspec.structs.replace(view, to_ground=numbers)
        for view, numbers in zip(scene.views, to_ground, strict=True)
    )
    scene = msgspec.structs.replace(scene, views=views)
    write(session, *(created("medium", medium) for medium in media), created("scene", scene))
    return LinkedScene(session=session, scene=scene)


@pytest.fixture
def town(tmp_path: FilePath) -> Iterator[LinkedScene]:
    made = make_place(tmp_path)
    yield made
    assert problems(made.session.path) == []
    made.session.close()


@pytest.fixture
def aligned(tmp_path: FilePath) -> Iterator[LinkedScene]:
    made = make_place(tmp_path, to_ground=(IDENTITY, SHIFTED))
    yield made
    assert problems(made.session.path) == []
    made.session.close()


def at(x: float) -> Box:
    return Box(x1=float(x), y1=100.0, x2=x + 20.0, y2=120.0)


def flags(location: LinkedScene) -> list[tuple[str, str, str]]:
    return [(one.entity, one.state, one.message) for one in location.session.reader.records(Flag)]


def linked(location: LinkedScene, *boxes: Box) -> tuple[str, ...]:
    regions = tuple(location.add(view, box) for view, box in enumerate(boxes))
    location.goes_there_and_back(LinkRegions(scene=location.scene.id, regions=regions))
    return regions


def test_link_when_it_is_split_then_both_parts_are_links_and_a_single_region_is_none(
    town: LinkedScene,
) -> None:
    wide = make_regions(town, views=3)
    town.do(LinkRegions(scene=town.scene.id, regions=wide))
    town.goes_there_and_back(SplitLink(scene=town.scene.id, regions=wide[1:]))
    assert town.links() == [wide[1:]]
    town.do(LinkRegions(scene=town.scene.id, regions=(wide[0], wide[1])))
    town.goes_there_and_back(SplitLink(scene=town.scene.id, regions=wide[2:]))
    assert [set(link) for link in town.links()] == [set(wide[:2])]


def test_link_of_four_views_when_it_is_split_in_two_then_there_are_two(tmp_path: FilePath) -> None:
    location = make_place(tmp_path, to_ground=((), (), (), ()))
    wide = make_regions(location, views=4)
    location.do(LinkRegions(scene=location.scene.id, regions=wide))
    location.goes_there_and_back(SplitLink(scene=location.scene.id, regions=(wide[1], wide[3])))
    assert location.links() == [(wide[0], wide[2]), (wide[1], wide[3])]
    location.session.close()


def make_regions(location: LinkedScene, *, views: int) -> tuple[str, ...]:
    return tuple(location.add(view) for view in range(views))


def test_link_of_six_views_when_made_pair_by_pair_then_is_one_and_splits_in_two(tmp_path: FilePath) -> None:
    location = make_place(tmp_path, to_ground=((),) * 6)
    regions = tuple(location.add(view, BOX) for view in range(6))
    for one, other in pairwise(regions):
        location.goes_there_and_back(LinkRegions(scene=location.scene.id, regions=(one, other)))
    (whole,) = location.session.reader.records(Link)
    assert set(whole.regions) == set(regions)
    location.goes_there_and_back(SplitLink(scene=location.scene.id, regions=regions[:2]))
    parts = sorted((set(link.regions) for link in location.session.reader.records(Link)), key=len)
    assert parts == [set(regions[:2]), set(regions[2:])]
    assert problems(location.session.path) == []
    location.session.close()


def test_split_when_regions_are_not_in_one_link_or_are_all_of_it_then_says_so(
    town: LinkedScene,
) -> None:
    regions = make_regions(town, views=3)
    with pytest.raises(UserError, match="not in one link"):
        town.do(SplitLink(scene=town.scene.id, regions=regions[:1]))
    town.do(LinkRegions(scene=town.scene.id, regions=regions))
    with pytest.raises(UserError, match="All regions of the link"):
        town.do(SplitLink(scene=town.scene.id, regions=regions))


def test_pairs_when_several_are_typed_then_are_one_undo_step(town: LinkedScene) -> None:
    groups = (make_regions(town, views=2), make_regions(town, views=3))
    town.goes_there_and_back(MakeLinks(scene=town.scene.id, groups=groups))
    assert town.links() == list(groups)
    with pytest.raises(UserError, match="in two of the links"):
        town.do(MakeLinks(scene=town.scene.id, groups=(groups[0], (groups[0][0], groups[1][1]))))


def test_pairs_when_several_touch_one_link_then_all_their_regions_are_in_it(tmp_path: FilePath) -> None:
    location = make_place(tmp_path, to_ground=((), (), (), ()))
    first, second, third, fourth = make_regions(location, views=4)
    location.do(LinkRegions(scene=location.scene.id, regions=(first, second)))
    groups = ((first, third), (second, fourth))
    location.goes_there_and_back(MakeLinks(scene=location.scene.id, groups=groups))
    assert location.links() == [(first, second, third, fourth)]
    assert problems(location.session.path) == []
    location.session.close()


def test_pairs_when_they_touch_two_links_in_a_chain_then_one_link_has_all_regions(tmp_path: FilePath) -> None:
    location = make_place(tmp_path, to_ground=((),) * 6)
    regions = make_regions(location, views=6)
    apart = make_regions(location, views=2)
    for pair in (regions[:2], regions[2:4]):
        location.do(LinkRegions(scene=location.scene.id, regions=pair))
    # The last pair joins what the first and the second touch.
    groups = ((regions[0], regions[4]), apart, (regions[3], regions[5]), (regions[1], regions[2]))
    location.goes_there_and_back(MakeLinks(scene=location.scene.id, groups=groups))
    assert sorted(map(set, location.links()), key=len) == [set(apart), set(regions)]
    assert problems(location.session.path) == []
    location.session.close()


def test_pairs_when_they_would_bring_two_regions_of_a_view_together_then_nothing_is_changed(
    town: LinkedScene,
) -> None:
    first, second, third = make_regions(town, views=3)
    another = town.add(2)
    town.do(LinkRegions(scene=town.scene.id, regions=(first, second)))
    with pytest.raises(UserError, match="are both in"):
        town.do(MakeLinks(scene=town.scene.id, groups=((first, third), (second, another))))
    assert town.links() == [(first, second)]


def test_link_when_the_ground_has_the_object_elsewhere_then_is_flagged_with_the_distance(
    aligned: LinkedScene,
) -> None:
    linked(aligned, at(50), at(150))
    assert flags(aligned) == []
    first, second = linked(aligned, at(50), at(190))
    message = "UAV1 1 and UAV2 1 are 40 px apart on the ground plane; the limit is 12 px."
    assert flags(aligned) == [("link", "open", message)]
    # Into place, farther away, unlinked: the flag goes with the edit, and comes back with its undo.
    aligned.goes_there_and_back(MoveRegions(boxes={second: at(155)}))
    assert [state for _, state, _ in flags(aligned)] == ["resolved"]
    aligned.goes_there_and_back(MoveRegions(boxes={first: at(5)}))
    assert [(state, text[:36]) for _, state, text in flags(aligned)] == [
        ("open", "UAV1 1 and UAV2 1 are 50 px apart on")
    ]
    aligned.goes_there_and_back(UnlinkRegions(scene=aligned.scene.id, regions=(first,)))
    assert [state for _, state, _ in flags(aligned)] == ["resolved"]


def test_link_when_a_region_of_it_is_removed_then_its_flag_is_resolved(aligned: LinkedScene) -> None:
    first, _ = linked(aligned, at(50), at(250))
    aligned.goes_there_and_back(RemoveRegions(regions=(first,)))
    assert [state for _, state, _ in flags(aligned)] == ["resolved"]


def test_link_when_the_views_are_no_longer_aligned_then_its_flag_is_resolved(aligned: LinkedScene) -> None:
    first, _ = linked(aligned, at(50), at(250))
    views = tuple(msgspec.structs.replace(view, to_ground=()) for view in aligned.scene.views)
    write(aligned.session, *changed("scene", aligned.scene.id, views=views))
    aligned.goes_there_and_back(MoveRegions(boxes={first: at(60)}))
    assert [state for _, state, _ in flags(aligned)] == ["resolved"]


def test_flag_when_somebody_dismissed_it_then_the_same_distance_does_not_open_it_again(
    aligned: LinkedScene,
) -> None:
    first, second = linked(aligned, at(50), at(250))
    (flag,) = aligned.session.reader.records(Flag)
    write(aligned.session, *_changed(flag.id, state="dismissed"))
    aligned.do(MoveRegions(boxes={first: at(51)}))
    assert [state for _, state, _ in flags(aligned)] == ["open"]
    write(aligned.session, *_changed(flag.id, state="dismissed"))
    aligned.do(LinkRegions(scene=aligned.scene.id, regions=(first, second)))
    assert [state for _, state, _ in flags(aligned)] == ["dismissed"]


def _changed(flag: str, **fields: str) -> tuple[Edit, ...]:
    return changed("flag", flag, **fields)


def test_check_when_links_do_not_match_then_flags_them_and_resolves_what_a_new_limit_allows(
    aligned: LinkedScene,
) -> None:
    linked(aligned, at(50), at(190))
    (flag,) = aligned.session.reader.records(Flag)
    aligned.session.undo().result()
    write(aligned.session, *_link_without_flag(aligned))
    assert flags(aligned) == []
    command = RecordFindings(checks=("link_mismatch",))
    aligned.do(command)
    assert command.report.flags_added == 1
    assert flags(aligned) == [("link", "open", flag.message)]
    aligned.goes_there_and_back(SetLinkLimit(share=0.2))
    aligned.do(RecordFindings())
    assert [state for _, state, _ in flags(aligned)] == ["resolved"]
    with pytest.raises(UserError, match="between 0 and 100"):
        aligned.do(SetLinkLimit(share=0.0))


def _link_without_flag(location: LinkedScene) -> tuple[Edit, ...]:
    regions = tuple(region.id for region in location.regions())
    return (created("link", Link(id=new_id(), scene=location.scene.id, regions=regions)),)


def test_link_when_only_poses_are_known_then_the_epipolar_line_is_the_measure(
    town: LinkedScene,
) -> None:
    cameras = [
        Camera.over(at=(0.0, 0.0), distance_m=60.0, heading_deg=heading, tilt_deg=40.0)
        for heading in (0.0, 90.0)
    ]
    for number, camera in enumerate(cameras, start=1):
        flight = Trajectory(
            id=new_id(),
            scene=town.scene.id,
            view=f"UAV{number}",
            axes="east-north-up",
            poses=(Pose(x_m=camera.x_m, y_m=-camera.y_m, z_m=camera.altitude_m, yaw_deg=0.0),),
            orientations=(camera.orientation,),
            intrinsics=camera.intrinsics((400, 300)),
        )
        write(town.session, created("trajectory", flight))
    boxes = [_box_of(camera) for camera in cameras]
    regions = linked(town, *boxes)
    assert flags(town) == []
    moved = Box(x1=boxes[1].x1, y1=boxes[1].y1 + 60, x2=boxes[1].x2, y2=boxes[1].y2 + 60)
    town.goes_there_and_back(MoveRegions(boxes={regions[1]: moved}))
    ((_, state, message),) = flags(town)
    assert state == "open"
    assert "from the epipolar line of UAV1 0; the limit is 12 px." in message


def _box_of(camera: Camera) -> Box:
    """Return where a camera sees a thing five metres up, off the middle of the image."""
    ((x, y),) = camera.project(np.array([[6.0, 4.0, 5.0]]), size_px=(400, 300)).tolist()
    return Box(x1=x - 8, y1=y - 8, x2=x + 8, y2=y + 8)


def test_hidden_place_when_marked_then_is_an_occluded_region_linked_with_the_visible_one(
    town: LinkedScene,
) -> None:
    shown = town.add(1)
    other = town.add(2)
    town.do(LinkRegions(scene=town.scene.id, regions=(shown, other)))
    command = MarkHiddenPlace(scene=town.scene.id, region=shown, medium=town.media[0], box=BOX)
    town.goes_there_and_back(command)
    hidden = next(region for region in town.regions() if region.id == command.id)
    assert (hidden.state, hidden.number, hidden.is_unseen) == ("occluded", 0, True)
    assert town.links() == [(shown, other, hidden.id)]
    again = MarkHiddenPlace(scene=town.scene.id, region=shown, medium=town.media[0], box=BOX)
    with pytest.raises(UserError, match="both in UAV1"):
        town.do(again)
    with pytest.raises(UserError, match="the view that shows the object"):
        town.do(MarkHiddenPlace(scene=town.scene.id, region=shown, medium=town.media[1], box=BOX))


def test_state_when_set_for_several_then_is_one_step(town: LinkedScene) -> None:
    regions = make_regions(town, views=2)
    town.goes_there_and_back(SetRegionState(regions=regions, state="out_of_view"))
    assert {region.state for region in town.regions()} == {"out_of_view"}
    town.goes_there_and_back(SetRegionState(regions=regions, state="visible"))


def test_state_when_a_region_is_copied_then_goes_along_within_its_medium(town: LinkedScene) -> None:
    shown = Region(id="a" * 32, medium=town.media[0], number=0, box=BOX, frame=3, state="occluded")
    write(town.session, created("region", shown))
    repeat = RepeatRegions(frames={shown.id: 4})
    town.do(repeat)
    here = PasteRegions(regions=(shown,), medium=town.media[0], frame=5)
    there = PasteRegions(regions=(shown,), medium=town.media[1])
    town.do(here)
    town.do(there)
    states = {region.id: region.state for region in town.regions()}
    assert [states[one] for one in (repeat.ids[shown.id], *here.ids, *there.ids)] == [
        "occluded",
        "occluded",
        "visible",
    ]


def finish(location: LinkedScene) -> None:
    write(location.session, *changed("scene", location.scene.id, state="finished"))


def state(location: LinkedScene) -> str:
    return location.session.reader.require(Scene, location.scene.id).state


def test_finished_scene_when_its_links_change_then_is_open_until_undo(aligned: LinkedScene) -> None:
    scene = aligned.scene.id
    first, second = aligned.add(0, at(50)), aligned.add(1, at(150))
    others = tuple(aligned.add(view, at(90 + 100 * view)) for view in range(2))
    for command in (
        LinkRegions(scene=scene, regions=(first, second)),
        UnlinkRegions(scene=scene, regions=(first,)),
        MakeLinks(scene=scene, groups=((first, second), others)),
        SplitLink(scene=scene, regions=(first,)),
        RemoveRegions(regions=(others[0],)),
    ):
        finish(aligned)
        aligned.goes_there_and_back(command)
        assert state(aligned) == "open"
        aligned.session.undo().result()
        assert state(aligned) == "finished"
        aligned.session.redo().result()


def test_finished_scene_when_linked_regions_are_repeated_then_is_open_for_their_new_link(
    town: LinkedScene,
) -> None:
    regions = [Region(id=new_id(), medium=one, number=0, box=BOX, frame=3) for one in town.media[:2]]
    write(town.session, *(created("region", one) for one in regions))
    finish(town)
    town.do(RepeatRegions(frames={regions[0].id: 4}))
    assert state(town) == "finished"
    town.do(LinkRegions(scene=town.scene.id, regions=tuple(one.id for one in regions)))
    finish(town)
    town.goes_there_and_back(RepeatRegions(frames={one.id: 5 for one in regions}))
    assert (state(town), len(town.links())) == ("open", 2)


def test_finished_scene_when_a_region_moves_then_is_open_only_if_its_link_gets_a_flag(
    aligned: LinkedScene,
) -> None:
    first, second = linked(aligned, at(50), at(150))
    free = aligned.add(0, at(300))
    finish(aligned)
    aligned.do(MoveRegions(boxes={second: at(152)}))
    aligned.do(LinkRegions(scene=aligned.scene.id, regions=(first, second)))
    aligned.do(RemoveRegions(regions=(free,)))
    assert state(aligned) == "finished"
    aligned.goes_there_and_back(MoveRegions(boxes={second: at(250)}))
    assert state(aligned) == "open"
    aligned.session.undo().result()
    assert state(aligned) == "finished"
