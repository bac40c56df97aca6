from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec
import pytest

from annotator.domain import task_set_files
from annotator.domain.item import Item
from annotator.domain.link import Link
from annotator.domain.medium import Medium
from annotator.domain.polyline import Polyline
from annotator.domain.region import Box, Region, RegionDepth
from annotator.domain.scene import DERIVED_FROM, Scene, SceneView
from annotator.domain.trajectory import Intrinsics, Pose, Quaternion, Trajectory
from annotator.draft.rule_result import DraftedItem
from annotator.draft.rule_settings import RuleSettings
from annotator.draft.rules import RULES
from annotator.draft.scene_facts import SceneFacts

SPATIAL = task_set_files.builtin("spatialuav")
LENS = Intrinsics(fx=1000, fy=1000, cx=640, cy=360, width_px=1280, height_px=720)
# Right, down and forward of a camera that looks straight down, its top to the north: east, south, down.
DOWN_TO_ENU = Quaternion(w=0, x=1, y=0, z=0)
# In north-east-down axes the same camera has right = east, down (of the image) = south, forward = down.
DOWN_TO_NED = Quaternion(w=math.sqrt(0.5), x=0, y=0, z=math.sqrt(0.5))


def _medium(name: str, media_type: str = "image") -> Medium:
    return Medium(id=name, name=f"{name}.jpg", media_type=media_type, width_px=1280, height_px=720)  # type: ignore[arg-type]


def _scene(*views: str, name: str = "a-1", media_type: str = "image", **fields: object) -> SceneFacts:
    media = {f"{name}/{view}": _medium(f"{name}/{view}", media_type) for view in views}
    shown = tuple(SceneView(name=view, medium=f"{name}/{view}") for view in views)
    metadata = fields.pop("metadata", {})
    scene = Scene(id=name, name=name, dataset="d", views=shown, metadata=metadata)  # type: ignore[arg-type]
    return SceneFacts(scene=scene, media=media, **fields)  # type: ignore[arg-type]


def _region(number: int, *, at: tuple[float, float] = (0, 0), size: float = 20, **fields: object) -> Region:
    x, y = at
    box = Box(x1=x - size / 2, y1=y - size / 2, x2=x + size / 2, y2=y + size / 2)
    return Region(**({"id": f"r{number}", "medium": "m", "number": number, "box": box} | fields))  # type: ignore[arg-type]


def _camera(
    view: str,
    *,
    at: tuple[float, float, float] = (0, 0, 100),
    yaw_deg: float = 90,
    axes: str = "east-north-up",
) -> Trajectory:
    turn = DOWN_TO_ENU if axes == "east-north-up" else DOWN_TO_NED
    pose = Pose(x_m=at[0], y_m=at[1], z_m=at[2], yaw_deg=yaw_deg)
    return Trajectory(
        id=f"t-{view}",
        scene="a-1",
        view=view,
        axes=axes,
        poses=(pose,),
        orientations=(turn,),
        intrinsics=LENS,
    )


def _draft(task: str, facts: SceneFacts, *, seed: int = 0) -> tuple[list[Item], list[str]]:
    found = SPATIAL.task(task)
    results = list(
        RULES[found.drafted_by].draft(
            facts, order=RuleSettings(project="p", task_set=SPATIAL, task=found, seed=seed)
        )
    )
    items = [result.item for result in results if isinstance(result, DraftedItem)]
    return items, [result.reason for result in results if not isinstance(result, DraftedItem)]


def _keys(task: str, facts: SceneFacts) -> dict[str, str]:
    items, _ = _draft(task, facts)
    return {item.provenance.subject: item.answer_key for item in items}


def _one_view(*regions: Region, **fields: object) -> SceneFacts:
    return _scene("UAV1", regions={"a-1/UAV1": regions}, **fields)


def _two_views(
    first: Sequence[Region], second: Sequence[Region], *links: Link, **fields: object
) -> SceneFacts:
    regions = {"a-1/UAV1": tuple(first), "a-1/UAV2": tuple(second)}
    return _scene("UAV1", "UAV2", regions=regions, links=links, **fields)


def _same(*regions: str) -> Link:
    return Link(id="-".join(regions), scene="a-1", regions=regions)


def test_region_recognition_when_regions_have_categories_then_each_is_asked_for_once() -> None:
    facts = _one_view(
        _region(0, category="car"),
        _region(1, category="Car "),
        _region(2, category="excavator", at=(90, 90)),
    )
    items, _ = _draft("region_recognition", facts)
    assert [(item.question, item.answer_key) for item in items] == [
        ("Which regions contain a car?", "Region 0, 1"),
        ("Which regions contain an excavator?", "Region 2"),
    ]
    assert items[0].provenance.labels == ("r0", "r1")
    assert items[0].provenance.maker == "spatialuav.region_recognition@1"
    assert (items[0].answer_format, items[0].media, items[0].view) == ("region_set", ("a-1/UAV1",), "UAV1")


def test_region_recognition_when_another_category_shows_the_object_too_then_it_is_not_asked_for() -> None:
    facts = _one_view(
        _region(0, category="car", at=(12, 0)),
        _region(1, category="bus", size=60),
        _region(2, category="van", at=(200, 0)),
    )
    assert _keys("region_recognition", facts) == {"bus": "Region 1", "van": "Region 2"}
    assert _draft("region_recognition", facts)[1] == ["a region of another category shows the object too"]


@pytest.mark.parametrize(
    ("regions", "reason"),
    [
        ((), "the image has no regions"),
        ((_region(0, category="car"),), "the image has too few regions"),
        ((_region(0, category="car"), _region(1)), "a region has no category"),
        ((_region(0, category="car"), _region(1, category="car")), "all regions have the same category"),
        (
            (_region(0, category="car"), _region(0, category="bus")),
            "two regions of the image have the same number",
        ),
    ],
)
def test_region_recognition_when_the_key_is_in_doubt_then_there_is_no_item(
    regions: tuple[Region, ...], reason: str
) -> None:
    assert _draft("region_recognition", _one_view(*regions)) == ([], [reason])


def test_region_recognition_when_an_image_is_from_the_ground_then_it_is_not_asked_about() -> None:
    regions = (_region(0, category="car"), _region(1, category="bus"))
    assert _draft("region_recognition", _scene("ground", regions={"a-1/ground": regions})) == ([], [])


def test_anomaly_detection_when_regions_are_marked_then_they_are_the_key() -> None:
    marked = (_region(0), _region(1, is_abnormal=True), _region(2, is_abnormal=True))
    assert _keys("anomaly_detection", _one_view(*marked)) == {"abnormal": "Region 1, 2"}
    assert _draft("anomaly_detection", _one_view(*marked[1:]))[1] == ["all regions are marked as abnormal"]
    assert _draft("anomaly_detection", _one_view(_region(0), _region(1)))[1] == [
        "no region is marked as abnormal"
    ]


@pytest.mark.parametrize("axes", ["east-north-up", "north-east-down"])
def test_direction_recognition_when_a_camera_looks_down_then_the_image_is_the_clock(axes: str) -> None:
    regions = (
        _region(0, at=(640, 100)),
        _region(1, at=(1000, 360)),
        _region(2, at=(640, 600)),
        _region(3, at=(300, 360)),
        _region(4, at=(650, 360)),
        _region(5, at=(700, 136)),
    )
    at, yaw = ((0, 0, 100), 90) if axes == "east-north-up" else ((0, 0, -100), 0)
    facts = _one_view(*regions, trajectories=(_camera("UAV1", at=at, yaw_deg=yaw, axes=axes),))
    assert _keys("direction_recognition", facts) == {
        "Region 0": "12 o'clock", "Region 1": "3 o'clock", "Region 2": "6 o'clock", "Region 3": "9 o'clock",
    }  # fmt: skip
    # Region 4 lies below the camera, region 5 in the direction of half past twelve.
    assert _draft("direction_recognition", facts)[1] == ["the direction lies between two hours"] * 2


def test_direction_recognition_when_the_drone_heads_east_then_hours_count_from_there() -> None:
    # The top of the image is still north, the heading is not.
    facts = _one_view(_region(0, at=(1000, 360)), _region(1), trajectories=(_camera("UAV1", yaw_deg=0),))
    assert _keys("direction_recognition", facts)["Region 0"] == "12 o'clock"


@pytest.mark.parametrize(
    "flights",
    [
        (),
        (_camera("UAV2"),),
        (_camera("UAV1", axes="source"),),
        (msgspec.structs.replace(_camera("UAV1"), orientations=()),),
        (msgspec.structs.replace(_camera("UAV1"), intrinsics=None),),
        (_camera("UAV1"), _camera("UAV1")),
    ],
)
def test_direction_recognition_when_the_camera_is_unknown_then_there_is_no_item(
    flights: tuple[Trajectory, ...],
) -> None:
    facts = _one_view(_region(0), _region(1), trajectories=flights)
    assert _draft("direction_recognition", facts) == (
        [],
        ["position, orientation or lens of the camera are unknown"],
    )


def _deep(
    number: int, median: float, *, is_metric: bool = True, spread: float = 0.0, **fields: object
) -> Region:
    region = _region(number, **({"at": (640, 360), "category": "car"} | fields))  # type: ignore[arg-type]
    depth = RegionDepth(
        median=median,
        p10=median - spread,
        p90=median + spread,
        valid=1.0,
        is_metric=is_metric,
        box=region.box,
        made_by="x",
    )
    return msgspec.structs.replace(region, depth=depth)


def test_distance_comparison_when_depths_differ_then_the_first_and_the_last_are_the_keys() -> None:
    facts = _one_view(_deep(0, 50), _deep(1, 40), _deep(2, 60))
    items, reasons = _draft("distance_comparison", facts)
    assert [(item.question, item.answer_key) for item in items] == [
        ("Which region contains the car that is closest to the drone?", "Region 1"),
        ("Which region contains the car that is farthest from the drone?", "Region 2"),
    ]
    assert reasons == []


def test_distance_comparison_when_categories_differ_then_all_regions_are_compared_too() -> None:
    facts = _one_view(_deep(0, 50), _deep(1, 40), _deep(2, 60), _deep(3, 70, category="bus"))
    assert _keys("distance_comparison", facts) == {
        "closest object": "Region 1",
        "farthest object": "Region 3",
        "closest car": "Region 1",
        "farthest car": "Region 2",
    }


@pytest.mark.parametrize(
    ("regions", "keys"),
    [
        # Less than 5 % apart.
        ((_deep(0, 50), _deep(1, 52), _deep(2, 60)), {"farthest car": "Region 2"}),
        # 50 m ahead in the corner are farther than 54 m in the middle: maps of both kinds must agree.
        ((_deep(0, 50, at=(1270, 710)), _deep(1, 54), _deep(2, 90)), {"farthest car": "Region 2"}),
        # Of relative depths only the order is known: the ranges must not overlap.
        (
            tuple(_deep(n, d, is_metric=False, spread=3) for n, d in enumerate((10, 15, 30))),
            {"farthest car": "Region 2"},
        ),
    ],
)
def test_distance_comparison_when_two_are_about_equal_then_only_the_clear_question_is_asked(
    regions: tuple[Region, ...], keys: dict[str, str]
) -> None:
    assert _keys("distance_comparison", _one_view(*regions)) == keys


def test_distance_comparison_when_a_region_was_moved_then_its_depth_is_unknown() -> None:
    moved = msgspec.structs.replace(_deep(2, 60), box=Box(x1=0, y1=0, x2=9, y2=9))
    facts = _one_view(_deep(0, 50), _deep(1, 40), moved)
    assert _draft("distance_comparison", facts) == ([], ["the depth of a region is unknown"])


PAIR = ((_region(0), _region(1)), (_region(5, at=(100.4, 50), id="s5"), _region(6, id="s6")))


def test_object_matching_when_regions_are_linked_then_region_and_box_are_asked_for() -> None:
    items, _ = _draft("object_matching", _two_views(*PAIR, _same("r1", "s5")))
    assert [(item.question, item.answer_format, item.answer_key) for item in items] == [
        ("Which region of image 2 shows the same object as Region 1 of image 1?", "region_label", "Region 5"),
        (
            "Where in image 2 is the object of the box [-10, -10, 10, 10] in image 1? Give its box.",
            "bbox",
            "[90, 40, 110, 60]",
        ),
    ]
    assert items[0].media == ("a-1/UAV1", "a-1/UAV2")
    assert items[0].provenance.labels == ("r1", "s5", "r1-s5")


@pytest.mark.parametrize("task", ["object_matching", "a2a_shared_association"])
def test_pairs_when_links_are_missing_or_contradict_each_other_then_there_is_no_item(task: str) -> None:
    both = _two_views(*PAIR, _same("r0", "s5"), _same("r1", "s5"))
    assert _draft(task, _two_views(*PAIR))[1] == ["no region is linked with one of the other image"]
    assert _draft(task, both) == ([], ["a region is linked with two regions of one image"])
    assert _draft(task, _one_view(_region(0)))[1] == ["the scene has fewer than two aerial images"]


def test_shared_association_when_regions_are_linked_then_the_key_has_all_pairs() -> None:
    facts = _two_views(*PAIR, _same("s6", "r0"), _same("r1", "s5"))
    assert _keys("a2a_shared_association", facts) == {"UAV1 UAV2": "0-6, 1-5"}


def test_ground_association_when_an_image_is_from_the_ground_then_the_aerial_one_comes_first() -> None:
    regions = {"a-1/ground": (_region(0), _region(1)), "a-1/UAV1": (_region(5, id="s5"), _region(6, id="s6"))}
    facts = _scene("ground", "UAV1", regions=regions, links=(_same("r0", "s6"),))
    items, _ = _draft("a2g_shared_association", facts)
    assert [(item.media, item.answer_key) for item in items] == [(("a-1/UAV1", "a-1/ground"), "6-0")]


def test_camera_transformation_when_poses_are_known_then_angle_and_distance_are_the_keys() -> None:
    flights = (_camera("UAV1", yaw_deg=100), _camera("UAV2", at=(30, 40, 100), yaw_deg=80))
    keys = _keys("camera_transformation", _scene("UAV1", "UAV2", trajectories=flights))
    assert keys == {
        "UAV1 UAV2 heading": "20.0 degrees",
        "UAV1 UAV2 heading and shift": "20.0 degrees, 50.0 meters",
    }


def test_camera_transformation_when_yaw_turns_clockwise_then_so_does_the_angle() -> None:
    flights = tuple(
        _camera(view, at=at, yaw_deg=yaw, axes="north-east-down")
        for view, at, yaw in (("UAV1", (0, 0, -90), 350), ("UAV2", (0, 12, -95), 9.98))
    )
    keys = _keys("camera_transformation", _scene("UAV1", "UAV2", trajectories=flights))
    assert keys["UAV1 UAV2 heading and shift"] == "20.0 degrees, 13.0 meters"


def test_camera_transformation_when_nothing_changes_then_the_angle_is_0_and_no_distance_is_asked_for() -> (
    None
):
    flights = (_camera("UAV1", yaw_deg=10), _camera("UAV2", yaw_deg=10.03))
    items, reasons = _draft("camera_transformation", _scene("UAV1", "UAV2", trajectories=flights))
    assert [item.answer_key for item in items] == ["0.0 degrees"]
    assert reasons == ["the cameras are at the same place"]


def test_camera_transformation_when_axes_differ_then_there_is_no_item() -> None:
    flights = (_camera("UAV1"), _camera("UAV2", axes="north-east-down"))
    facts = _scene("UAV1", "UAV2", trajectories=flights)
    assert _draft("camera_transformation", facts) == (
        [],
        ["the positions of the cameras have different axes"],
    )


def _others(*names: str, **positions: str) -> tuple[SceneFacts, ...]:
    return tuple(
        _scene("UAV1", "UAV2", name=name, metadata={"place": positions[name]} if name in positions else {})
        for name in names
    )


def test_collaboration_when_places_differ_then_one_image_of_the_scene_stands_among_three_others() -> None:
    others = _others("a-1", "a-2", "b-1", "b-2", "c-1", "d-1")
    facts = _scene("UAV1", "UAV2", other_scenes=others)
    for seed in range(20):
        items, _ = _draft("a2a_collaboration_recognition", facts, seed=seed)
        assert [item.media[0] for item in items] == ["a-1/UAV1", "a-1/UAV2"]
        assert len({item.answer_key for item in items}) == 2
        for item, partner in zip(items, ("UAV2", "UAV1"), strict=True):
            right = item.media["ABCD".index(item.answer_key) + 1]
            wrong = set(item.media[1:]) - {right}
            assert right == f"a-1/{partner}"
            # Images of the same drone; a-2 is another moment of the same recording.
            assert wrong <= {f"{name}/{partner}" for name in ("b-1", "b-2", "c-1", "d-1")}
            assert len(wrong) == 3
            assert [option.text for option in item.options] == [f"{medium}.jpg" for medium in item.media[1:]]
        assert _draft("a2a_collaboration_recognition", facts, seed=seed)[0] == items


def test_collaboration_when_the_scene_is_degraded_then_its_clean_twin_is_no_distractor() -> None:
    others = _others("a-1", "a-2", "b-1", "c-1", "d-1")
    facts = _scene("UAV1", "UAV2", name="a-1 (loss)", metadata={DERIVED_FROM: "a-1"}, other_scenes=others)
    for seed in range(8):
        items, _ = _draft("a2a_collaboration_recognition", facts, seed=seed)
        shown = {medium.split("/")[0] for item in items for medium in item.media}
        assert shown == {"a-1 (loss)", "b-1", "c-1", "d-1"}


def test_collaboration_when_places_are_named_then_names_of_scenes_do_not_count() -> None:
    others = _others(
        "a-2", "a-3", "b-1", "c-1", **{"a-2": "mill", "a-3": "dam", "b-1": "mill", "c-1": "pond"}
    )
    facts = _scene("UAV1", "UAV2", metadata={"place": "mill"}, other_scenes=others)
    reason = "fewer than three scenes of other places have such an image"
    assert _draft("a2a_collaboration_recognition", facts) == ([], [reason] * 2)
    more = (*others, *_others("a-9", **{"a-9": "weir"}))
    items, _ = _draft("a2a_collaboration_recognition", _scene(
        "UAV1", "UAV2", metadata={"place": "mill"}, other_scenes=more
    ))  # fmt: skip
    assert {medium.split("/")[0] for item in items for medium in item.media} == {"a-1", "a-3", "c-1", "a-9"}


def _above(name: str, east: float) -> SceneFacts:
    """Return a scene whose two cameras look down from 100 m above a point; they see 128 m by 72 m."""
    # From pixels to metres, 10 pixels a metre: x right is east, y down is south.
    to_ground = (0.1, 0.0, east - 64.0, 0.0, -0.1, 36.0, 0.0, 0.0, 1.0)
    facts = _scene("UAV1", "UAV2", name=name)
    views = tuple(msgspec.structs.replace(view, to_ground=to_ground) for view in facts.scene.views)
    flights = tuple(_camera(view, at=(east, 0, 100)) for view in ("UAV1", "UAV2"))
    scene = msgspec.structs.replace(facts.scene, views=views)
    return SceneFacts(scene=scene, media=facts.media, trajectories=flights)


def test_collaboration_when_another_scene_sees_the_same_ground_then_it_is_no_distractor() -> None:
    others = tuple(
        _above(name, east) for name, east in (("b-1", 100), ("c-1", 200), ("d-1", 300), ("e-1", 400))
    )
    here = _above("a-1", 0)
    facts = SceneFacts(
        scene=here.scene, media=here.media, trajectories=here.trajectories, other_scenes=others
    )
    items, _ = _draft("a2a_collaboration_recognition", facts)
    shown = {medium.split("/")[0] for item in items for medium in item.media}
    assert shown == {"a-1", "c-1", "d-1", "e-1"}


def test_ground_collaboration_when_asked_then_both_directions_are() -> None:
    others = tuple(_scene("UAV1", "ground", name=f"{letter}-1") for letter in "bcd")
    items, _ = _draft("a2g_collaboration_recognition", _scene("UAV1", "ground", other_scenes=others))
    kinds = [{medium.split("/")[1] for medium in item.media[1:]} for item in items]
    assert [item.view for item in items] == ["ground", "UAV1"]
    assert kinds == [{"UAV1"}, {"ground"}]
    assert items[0].question != items[1].question


def _hides(*regions: str) -> Link:
    return Link(id=f"h-{'-'.join(regions)}", scene="a-1", regions=regions, kind="occludes")


def test_occlusion_removal_when_something_hides_a_region_then_the_image_without_it_comes_first() -> None:
    items, _ = _draft("occlusion_removal", _two_views(*PAIR, _hides("s6", "r1")))
    assert [(item.media, item.answer_key) for item in items] == [(("a-1/UAV1", "a-1/UAV2"), "Region 6")]
    assert "hides the object of Region 1 of image 1" in items[0].question


def test_occlusion_removal_when_both_regions_are_in_one_image_then_links_lead_to_the_other() -> None:
    facts = _two_views(*PAIR, _hides("s6", "s5"), _same("r0", "s5"))
    assert _keys("occlusion_removal", facts) == {"UAV1 UAV2 Region 0": "Region 6"}


@pytest.mark.parametrize(
    ("links", "reason"),
    [
        ((), "no occlusion is marked in an aerial image"),
        ((_hides("s6", "s5"),), "the hidden object has no region in another aerial image"),
        ((_hides("s6", "r1"), _hides("s5", "r1")), "several regions hide the object"),
    ],
)
def test_occlusion_removal_when_the_hider_is_in_doubt_then_there_is_no_item(
    links: tuple[Link, ...], reason: str
) -> None:
    assert _draft("occlusion_removal", _two_views(*PAIR, *links)) == ([], [reason])


def _place(name: str, **fields: object) -> Region:
    return _region(9, id=name, medium="a-1/UAV2", state="occluded", **fields)  # type: ignore[arg-type]


def _with_ranks(*positions: Region, links: tuple[Link, ...]) -> SceneFacts:
    facts = _two_views(*PAIR, *links)
    second = tuple(
        msgspec.structs.replace(region, box=Box(x1=0, y1=0, x2=20, y2=20)) if region.id == "s6" else region
        for region in facts.regions["a-1/UAV2"]
    )
    regions = {**facts.regions, "a-1/UAV2": (*second, *positions)}
    return SceneFacts(scene=facts.scene, media=facts.media, regions=regions, links=facts.links)


def test_occlusion_removal_when_a_place_is_hidden_then_what_covers_it_is_the_key() -> None:
    facts = _with_ranks(_place("h", at=(8, 8), size=16), links=(_same("r1", "h"),))
    items, _ = _draft("occlusion_removal", facts)
    assert [(item.media, item.answer_key) for item in items] == [(("a-1/UAV1", "a-1/UAV2"), "Region 6")]
    assert items[0].provenance.labels[-1] == "h"


def test_occlusion_removal_when_nothing_covers_the_hidden_place_then_there_is_no_item() -> None:
    facts = _with_ranks(_place("h", at=(400, 300), size=16), links=(_same("r1", "h"),))
    assert _draft("occlusion_removal", facts) == ([], ["no region covers the place of the hidden object"])


def test_association_when_a_region_is_a_hidden_place_then_no_item_asks_for_it() -> None:
    facts = _with_ranks(_place("h", at=(8, 8)), links=(_same("r1", "h"), _same("r0", "s5")))
    keys = _keys("a2a_shared_association", facts)
    assert set(keys.values()) == {"0-5"}


def _with_ground(*regions: Region, paths: tuple[Polyline, ...] = (), surveyed: bool = False) -> SceneFacts:
    facts = _scene("UAV1", "ground", regions={"a-1/UAV1": regions}, polylines={"a-1/UAV1": paths})
    if not surveyed:
        return facts
    to_ground = (0.1, 0.0, -64.0, 0.0, -0.1, 36.0, 0.0, 0.0, 1.0)
    aerial, ground = facts.scene.views
    views = (msgspec.structs.replace(aerial, to_ground=to_ground), ground)
    # The person stands in the middle of the aerial image and looks north.
    flights = (_camera("UAV1"), _camera("ground", at=(0, 0, 2)))
    scene = msgspec.structs.replace(facts.scene, views=views)
    return SceneFacts(
        scene=scene, media=facts.media, regions=facts.regions, polylines=facts.polylines, trajectories=flights
    )


AROUND = (
    _region(0, at=(640, 260)),
    _region(1, at=(740, 333)),
    _region(2, at=(640, 700)),
    _region(3, at=(1000, 20)),
)


def _path(label: str, *points: tuple[float, float]) -> Polyline:
    return Polyline(id=f"p-{label}", medium="m", points=points, label=label)


def test_view_translation_when_the_cameras_are_known_then_the_nearest_region_is_the_key() -> None:
    near = (_region(0, at=(640, 300)), *AROUND[1:])
    assert _keys("view_translation", _with_ground(*near, surveyed=True)) == {"UAV1 ground": "Region 0"}
    assert _draft("view_translation", _with_ground(*AROUND, surveyed=True))[1] == [
        "two regions are about equally far away"
    ]
    assert _draft("view_translation", _with_ground(*AROUND))[1] == [
        "where the ground image was taken is unknown"
    ]


def test_view_translation_when_a_labelled_path_is_drawn_then_its_start_counts() -> None:
    paths = (_path("Direction 3", (990, 30), (640, 260)), _path("a way", (0, 0), (5, 5)))
    assert _keys("view_translation", _with_ground(*AROUND, paths=paths)) == {"UAV1 ground": "Region 3"}


def test_path_planning_when_the_cameras_are_known_then_clear_directions_are_asked_for() -> None:
    items, reasons = _draft("path_planning", _with_ground(*AROUND, surveyed=True))
    # Region 0 lies straight ahead between two arrows, region 2 behind; 1 at 15 degrees, 3 at 43 degrees.
    assert {item.provenance.subject: item.answer_key for item in items} == {
        "UAV1 ground Region 1": "Direction 1",
        "UAV1 ground Region 3": "Direction 2",
    }
    assert reasons == ["the region lies in none of the six directions beyond doubt"] * 2


def test_path_planning_when_a_path_is_drawn_then_its_label_is_the_key() -> None:
    paths = (_path("Direction 4", (640, 500), (645, 262)),)
    items, reasons = _draft("path_planning", _with_ground(*AROUND, paths=paths))
    assert [(item.answer_key, item.provenance.labels) for item in items] == [
        ("Direction 4", ("r0", "p-Direction 4"))
    ]
    assert items[0].media == ("a-1/UAV1", "a-1/ground")
    assert set(reasons) == {"no labelled path leads to the region"}
    both = (*paths, _path("Direction 5", (640, 500), (641, 259)))
    assert (
        "paths with different labels lead to the region"
        in _draft("path_planning", _with_ground(*AROUND, paths=both))[1]
    )


def _flight(
    *poses: tuple[float, float, float, float], axes: str = "east-north-up", **fields: object
) -> SceneFacts:
    flight = Trajectory(
        id="t", scene="a-1", view="UAV1", axes=axes, key_frames=tuple(range(len(poses) - 1)),
        poses=tuple(Pose(x_m=x, y_m=y, z_m=z, yaw_deg=yaw) for x, y, z, yaw in poses),
    )  # fmt: skip
    return _scene("UAV1", media_type="video", trajectories=(msgspec.structs.replace(flight, **fields),))


@pytest.mark.parametrize(
    ("facts", "text"),
    [
        (
            _flight((0, 0, 10, 0), (20, 0, 10, 0), (35, 0, 10, 0), (35, 0, 22, 0), (35, 0, 22, 90)),
            "The drone flies forward by 35 m, then rises by 12 m, then turns left by 90 degrees.",
        ),
        (_flight((0, 0, 10, 0), (0, 8, 10, 0)), "The drone flies to the left by 8 m."),
        (
            _flight((0, 0, 10, 0), (10, 10, 10, 90)),
            "The drone turns left by 90 degrees and flies forward by 14 m.",
        ),
        (
            _flight((0, 0, -10, 0), (0, 8, -9, 0), axes="north-east-down"),
            "The drone flies to the right by 8 m and descends by 1.0 m.",
        ),
    ],
)  # fmt: skip
def test_global_motion_when_a_flight_is_known_then_its_motion_is_described_in_order(
    facts: SceneFacts, text: str
) -> None:
    assert _keys("global_motion", facts) == {"motion": text}


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        (_scene("UAV1", media_type="video"), "the video has no trajectory, or several"),
        (_flight((0, 0, 1, 0), (9, 0, 1, 0), axes="source"), "the axes of the trajectory are unknown"),
        (_flight((0, 0, 1, 0), (0, 0, 1, 0)), "the drone does not move"),
    ],
)
def test_global_motion_when_the_motion_is_unknown_then_there_is_no_item(
    facts: SceneFacts, reason: str
) -> None:
    assert _draft("global_motion", facts) == ([], [reason])
