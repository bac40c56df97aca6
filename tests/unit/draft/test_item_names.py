from __future__ import annotations

from collections.abc import Callable

from annotator.domain import task_set_files
from annotator.domain.scene import Scene
from annotator.draft.item_names import item_name, view_text

AIRCOP = task_set_files.builtin("aircop")


def test_item_name_when_made_then_dataset_task_scene_and_view_are_in_it(
    make_scene: Callable[..., Scene],
) -> None:
    task = AIRCOP.task("object_counting")
    real = make_scene(name="23-00000001", dataset="Real2")
    assert item_name(real, task=task, view="UAV1") == "Real2_OC_23-00000001_UAV1"
    assert item_name(make_scene(), task=task, view="UAV2") == "Sim_3_UAVs_OC_scene_004-frame_005_UAV2"


def test_item_name_when_the_view_is_not_known_then_there_is_no_empty_part(
    make_scene: Callable[..., Scene],
) -> None:
    scene = make_scene(name="1623936157944367872", dataset="Sim_5_UAVs")
    name = item_name(scene, task=AIRCOP.task("quality_assessment"), view="")
    assert name == "Sim_5_UAVs_QA_1623936157944367872"


def test_item_name_when_read_back_then_it_tells_its_task(make_scene: Callable[..., Scene]) -> None:
    for task in AIRCOP.tasks:
        if task.drafted_by.startswith("aircop."):
            name = item_name(make_scene(), task=task, view="UAV1")
            assert AIRCOP.find_by_item_name(name) is task


def test_item_name_when_the_scene_has_slashes_then_the_name_has_none(
    make_scene: Callable[..., Scene],
) -> None:
    scene = make_scene(name="a/b\\c:d", dataset="x")
    assert item_name(scene, task=AIRCOP.task("oc"), view="UAV1") == "x_OC_a-b-c-d_UAV1"


def test_view_words_when_the_view_is_not_known_then_they_are_neutral() -> None:
    assert (view_text("UAV3"), view_text("")) == ("UAV3", "this UAV")
