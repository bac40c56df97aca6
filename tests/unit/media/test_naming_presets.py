from __future__ import annotations

from pathlib import Path

import pytest

from annotator.errors import UserError
from annotator.media.grouping import group
from annotator.media.naming_presets import preset, presets, recognise

NAMES = {
    "aircop-real2": ["UAV1/23-00000001-UAV1.jpg", "UAV2/23-00000001-UAV2.jpg"],
    "aircop-sim3": ["scene_004/UAV1/UAV1_frame_005.jpg", "scene_004/UAV2/UAV2_frame_005.jpg"],
    "aircop-sim5": ["UAV1/1623936157944367872.png", "UAV2/1623936157944367872.png"],
    "aircop-sim6": [
        "c0003-2023-01-01-10-45-200800_UAV_1_32456948.jpg",
        "3c5ed8a3-c0003-2023-01-01-10-45-200800_UAV_2_32456948.jpg",
    ],
    "spatialuav": [
        "SpatialUAV/samples_A2A_Pured/66-00000700-UAV1.jpg",
        "SpatialUAV/samples_A2A_Pured/66-00000700-UAV2.jpg",
    ],
    "urbanvideo": ["videos/EmbodiedCity_18_0.mp4"],
    "topviewrs": ["data/realistic_maps/17DRP.png", "data/semantic_maps/17DRP.png"],
    "indooruav": [
        "hm3d_14/1Rg1/traj_-3/posture.json",
        "hm3d_14/1Rg1/traj_-3/rgb/1.png",
        "hm3d_14/1Rg1/traj_-3/rgb/2.png",
    ],
    "dji": ["DJI_20230612143005_0001_V.JPG", "DJI_20230612143005_0001_T.JPG"],
    "aerial-ground": ["back_droneView.png", "back_groundView.png"],
    "view-in-name": ["cam2_x.png", "cam1_x.png"],
    "view-in-folder": ["left/a.png", "right/a.png"],
}
SCENES = {
    "aircop-real2": ("23-00000001", ["UAV1", "UAV2"]),
    "aircop-sim3": ("scene_004 frame_005", ["UAV1", "UAV2"]),
    "aircop-sim5": ("1623936157944367872", ["UAV1", "UAV2"]),
    "aircop-sim6": ("c0003-2023-01-01-10-45-200800_32456948", ["UAV1", "UAV2"]),
    "spatialuav": ("A2A_Pured 66-00000700", ["UAV1", "UAV2"]),
    "urbanvideo": ("EmbodiedCity_18_0", ["UAV1"]),
    "topviewrs": ("17DRP", ["realistic", "semantic"]),
    "indooruav": ("hm3d_14/1Rg1/traj_-3", ["rgb", "trajectory"]),
    "dji": ("DJI_20230612143005_0001", ["thermal", "visible"]),
    "aerial-ground": ("back", ["aerial", "ground"]),
    "view-in-name": ("x", ["UAV1", "UAV2"]),
    "view-in-folder": ("a", ["left", "right"]),
}


def test_presets_when_read_then_each_has_names_that_it_is_tried_with() -> None:
    assert set(presets()) == set(NAMES) == set(SCENES)
    for scheme in presets().values():
        assert scheme.title
        assert all(shape.parsed.text for shape in scheme.shapes)


def test_presets_when_listed_then_every_benchmark_has_one() -> None:
    benchmarks = ("aircop", "spatialuav", "urbanvideo", "topviewrs", "indooruav")
    assert all(any(name.startswith(benchmark) for name in presets()) for benchmark in benchmarks)


@pytest.mark.parametrize("preset_id", NAMES)
def test_recognise_when_names_are_a_presets_then_it_comes_first(preset_id: str) -> None:
    best = recognise([*NAMES[preset_id], "LICENSE.txt"])[0]
    assert (best.scheme.id, best.matched) == (preset_id, len(NAMES[preset_id]))


@pytest.mark.parametrize("preset_id", NAMES)
def test_group_when_names_are_a_presets_then_they_are_one_scene(preset_id: str) -> None:
    (scene,) = group(NAMES[preset_id], preset(preset_id)).scenes
    assert (scene.name, [member.view for member in scene.members]) == SCENES[preset_id]
    assert scene.dataset == preset(preset_id).dataset


@pytest.mark.parametrize(
    ("name", "medium"),
    [
        ("scene_004/UAV1/UAV1_frame_005.jpg", "scene_004-UAV1_frame_005.jpg"),
        ("8f2a9605-scene_004-UAV1_frame_005.jpg", "scene_004-UAV1_frame_005.jpg"),
    ],
)
def test_group_when_sim3_lies_in_folders_then_media_are_called_as_its_labels_say(
    name: str, medium: str
) -> None:
    (scene,) = group([name], preset("aircop-sim3")).scenes
    assert scene.members[0].medium == medium


@pytest.mark.parametrize(
    ("names", "scenes"),
    [
        (
            ["s/samples_A2G_Pured/aerial/x_drone_01.png", "s/samples_A2G_Pured/ground/x_ground_01.png"],
            {"A2G_Pured x_01": ["aerial", "ground"]},
        ),
        (
            ["s/samples_A2A_Pured/6-00000700-UAV1.jpg", "s/samples_A2A_detected/6-00000700-UAV1.jpg"],
            {"A2A_Pured 6-00000700": ["UAV1"], "A2A_detected 6-00000700": ["UAV1"]},
        ),
        (
            [f"s/samples_Motion_Understanding_Frames/c_000{n}.jpg" for n in (1, 2)],
            {"c frame 0001": ["UAV1"], "c frame 0002": ["UAV1"]},
        ),
        (["s/samples_Single_Image/img0001.jpg"], {"Single_Image img0001": ["UAV1"]}),
    ],
)
def test_group_when_names_are_of_spatialuavs_folders_then_scenes_are_what_they_show(
    names: list[str], scenes: dict[str, list[str]]
) -> None:
    grouping = group(names, preset("spatialuav"))
    assert {scene.name: [m.view for m in scene.members] for scene in grouping.scenes} == scenes
    assert [m.medium for scene in grouping.scenes for m in scene.members] == names


def test_recognise_when_no_preset_knows_a_name_then_there_is_none() -> None:
    assert recognise(["holiday.jpg", "beach.png"]) == []
    assert recognise([]) == []


def test_preset_when_there_is_none_of_that_id_then_words_name_those_there_are() -> None:
    with pytest.raises(UserError, match="aircop-real2"):
        preset("nothing")


def test_media_page_when_read_then_names_every_preset_and_sign_of_the_language() -> None:
    page = (Path(__file__).resolve().parents[3] / "docs" / "media.md").read_text(encoding="utf-8")
    assert [name for name in presets() if f"`{name}`" not in page] == []
    signs = ("{seq:#8}", "{id:hex8}", "{view:left\\|right}", "{frames}", "{ext}", "`**`", "`?`", "`[-noise]`")
    assert [sign for sign in signs if sign not in page] == []
