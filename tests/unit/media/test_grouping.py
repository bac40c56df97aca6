from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from annotator.errors import UserError
from annotator.importers.aircop_names import read_image_name
from annotator.media.grouping import group, group_individually
from annotator.media.naming_presets import preset
from annotator.media.scene_grouping import Conflict, Grouping
from tests.hangs import soon


def _views(grouping: Grouping) -> dict[str, dict[str, str]]:
    return {scene.name: {m.view: m.name for m in scene.members} for scene in grouping.scenes}


def test_group_when_views_are_in_the_names_then_scenes_hold_them_in_order() -> None:
    names = ["x/a-UAV2.jpg", "x/a-UAV1.jpg", "b-UAV1.jpg", "notes.jpg"]
    grouping = group(names, "{scene}-{view}.jpg")
    assert _views(grouping) == {
        "a": {"UAV1": "x/a-UAV1.jpg", "UAV2": "x/a-UAV2.jpg"},
        "b": {"UAV1": "b-UAV1.jpg"},
    }
    assert [member.view for member in grouping.scenes[0].members] == ["UAV1", "UAV2"]
    assert grouping.unmatched == ("notes.jpg",)
    assert (grouping.scenes_by_views, grouping.files) == ({2: 1, 1: 1}, 3)


def test_group_when_a_view_is_a_number_then_it_is_called_as_people_say() -> None:
    grouping = group(["set/s/UAV03/a.jpg", "set/s/UAV1/b.jpg"], "{dataset}/{scene}/UAV{view}/{*}.jpg")
    assert _views(grouping) == {"s": {"UAV1": "set/s/UAV1/b.jpg", "UAV3": "set/s/UAV03/a.jpg"}}
    assert grouping.scenes[0].dataset == "set"


def test_group_when_a_pattern_tells_frames_and_more_then_they_are_part_of_the_moment() -> None:
    names = ["s1/UAV1_007_noise.png", "s1/UAV1_008.png"]
    grouping = group(names, "{scene}/{view}_{frame}[_{variant}].png")
    assert list(_views(grouping)) == ["s1 noise 007", "s1 008"]


def test_group_when_files_are_not_told_apart_then_the_first_is_taken_and_all_are_named() -> None:
    grouping = group(["d1/a-UAV1.jpg", "d2/a-UAV1.jpg"], "{scene}-{view}.jpg")
    assert _views(grouping) == {"a": {"UAV1": "d1/a-UAV1.jpg"}}
    assert grouping.clashes == (Conflict(scene="a", view="UAV1", names=("d1/a-UAV1.jpg", "d2/a-UAV1.jpg")),)


def test_group_when_files_share_a_name_then_media_are_called_by_their_path() -> None:
    grouping = group(["UAV1/7.png", "UAV2/7.png", "UAV1/8.png"], "{view}/{scene}.png")
    media = [member.medium for scene in grouping.scenes for member in scene.members]
    assert media == ["UAV1/7.png", "UAV2/7.png", "8.png"]


def test_group_when_a_pattern_ends_in_frames_then_a_folder_is_one_medium() -> None:
    names = [f"flight/cam{camera}/{number:04}.png" for camera in (1, 2) for number in range(5)]
    grouping = group(names, "{scene}/{view}/{frames}")
    assert _views(grouping) == {"flight": {"cam1": "flight/cam1", "cam2": "flight/cam2"}}
    assert {member.kind for member in grouping.scenes[0].members} == {"frames"}
    assert grouping.clashes == ()


def test_group_when_times_make_the_scenes_then_the_nearest_are_together() -> None:
    names = ["A/20250102_101112.mp4", "B/20250102_101113.mp4", "B/20250102_101200.mp4"]
    grouping = group(names, "{view}/{time:%Y%m%d_%H%M%S}.mp4", tolerance_s=2)
    assert _views(grouping) == {
        "2025-01-02 10:11:12": {"A": names[0], "B": names[1]},
        "2025-01-02 10:12:00": {"B": names[2]},
    }


def test_group_when_the_pattern_is_none_then_words_say_so() -> None:
    with pytest.raises(UserError, match="is not a valid pattern"):
        group(["a.jpg"], "{scene")


def test_group_alone_when_names_are_told_apart_then_scenes_are_called_by_them() -> None:
    assert list(_views(group_individually(["x/a.jpg", "y/b.jpg"]))) == ["a", "b"]
    assert list(_views(group_individually(["x/a.jpg", "y/a.jpg"]))) == ["x/a", "y/a"]
    assert list(_views(group_individually(["a.jpg", "a.png"]))) == ["a.jpg", "a.png"]


@pytest.mark.parametrize(
    ("file", "preset_id", "scenes"),
    [("Real2", "aircop-real2", {2: 203, 1: 7}), ("Sim3", "aircop-sim3", {3: 609})],
)
def test_group_when_names_are_those_of_aircopbench_then_scenes_are_those_of_its_labels(
    shared_data: Path, file: str, preset_id: str, scenes: dict[int, int]
) -> None:
    records = json.loads((shared_data / "aircop" / f"{file}_Sample.json").read_text(encoding="utf-8"))
    said = {read_image_name(record["img1"]).name: read_image_name(record["img1"]) for record in records}
    files = list(dict.fromkeys(re.sub(r"^.*/", "", record["img1"]) for record in records))
    grouping = group(files, preset(preset_id))
    assert (grouping.scenes_by_views, grouping.unmatched, grouping.clashes) == (scenes, (), ())
    for scene in grouping.scenes:
        for member in scene.members:
            label = said[member.medium]
            assert (scene.name, member.view, scene.dataset) == (label.scene, label.view, label.dataset)


def test_group_when_there_are_ten_thousand_names_then_it_ends_soon() -> None:
    names = [f"set/{number // 3:05d}-UAV{number % 3 + 1}.jpg" for number in range(10_000)]
    with soon():
        assert len(group(names, "{scene}-{view}.jpg").scenes) == 3334
