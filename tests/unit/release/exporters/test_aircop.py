from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from annotator.domain import task_set_files
from annotator.domain.medium import Medium
from annotator.domain.record import Record
from annotator.domain.scene import Scene, SceneView
from annotator.release.exporters.aircop import AircopExporter, question_of, question_type, views_of
from annotator.session import Session
from tests.unit.release.samples import (
    PLACES,
    SCENE,
    UAV1,
    UAV2,
    aircop_item,
    fill,
    lookup_of,
    options,
    release,
    urbanvideo_item,
)


def _refusal(item: Any, *, positions: tuple[Record, ...] = PLACES) -> str:
    reason = AircopExporter().refusal(item, lookup=lookup_of(item, positions=positions))
    return reason.kind if reason else ""


def test_question_of_when_an_item_is_sound_then_it_has_the_shape_of_the_published_test_files() -> None:
    item = aircop_item()
    question = question_of(item, views=views_of(item, lookup=lookup_of(item)))
    assert json.dumps(question) == json.dumps(
        {
            "question_id": "Real2_OC_UAV1_1",
            "question_type": "2.2 Object Counting (UAV1)",
            "question": "How many cars can be seen in the picture of UAV1?",
            "options": {"A": "4", "B": "5", "C": "6", "D": "7"},
            "correct_answer": "B",
            "uav_paths": {"UAV1": "23-00000001-UAV1.jpg", "UAV2": "23-00000001-UAV2.jpg"},
        }
    )


def test_question_of_when_a_key_is_not_canonical_then_the_clean_one_is_written() -> None:
    assert question_of(aircop_item(answer_key="b."), views={})["correct_answer"] == "B"


@pytest.mark.parametrize("view", ["", "UAV3"])
def test_question_type_when_read_again_then_it_tells_the_task(view: str) -> None:
    task_set = task_set_files.builtin("aircop")
    for task in task_set.tasks:
        found = task_set.find(question_type(aircop_item(task=task.id, view=view)))
        assert found is task


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({}, ""),
        ({"answer_key": "A, B"}, ""),
        ({"view": ""}, ""),
        ({"task_set": "mine"}, "format:task_set"),
        ({"task": ""}, "format:task"),
        ({"task": "no_such_task"}, "format:task"),
        ({"options": options("1", "2", "3")}, "format:options"),
        ({"options": options("1", "2", "3", "4", "5")}, "format:options"),
        ({"options": ()}, "format:options"),
        ({"answer_key": "E"}, "format:answer_key"),
        ({"answer_key": ""}, "format:answer_key"),
        ({"name": ""}, "format:text"),
        ({"name": " a"}, "format:text"),
        ({"question": " "}, "format:text"),
        ({"media": ()}, "format:views"),
        ({"media": ("9" * 32,)}, "format:views"),
        ({"scene": ""}, "format:views"),
        ({"view": "ground"}, "format:views"),
    ],
)
def test_refusal_when_the_form_cannot_say_something_then_it_says_what(fields: Any, reason: str) -> None:
    assert _refusal(aircop_item(**fields)) == reason


def test_refusal_when_a_view_has_another_kind_of_name_then_the_item_stays_out() -> None:
    scene = msgspec.structs.replace(SCENE, views=(SceneView(name="UAV 1", medium=UAV1.id), SCENE.views[1]))
    assert _refusal(aircop_item(), positions=(UAV1, UAV2, scene)) == "format:views"


def test_refusal_when_one_picture_stands_for_two_views_then_the_item_stays_out() -> None:
    assert _refusal(aircop_item(media=(UAV1.id, UAV1.id))) == "format:views"


def test_views_of_when_a_path_is_known_then_it_is_written_and_a_bad_one_refused() -> None:
    item = aircop_item(media=(UAV1.id,))
    at = msgspec.structs.replace(UAV1, path="Real_2_UAVs/Samples/UAV1/23-00000001-UAV1.jpg")
    assert views_of(item, lookup=lookup_of(item, positions=[at, SCENE])) == {"UAV1": at.path}
    out = msgspec.structs.replace(UAV1, path="../../etc/passwd")
    assert views_of(item, lookup=lookup_of(item, positions=[out, SCENE])) == {}


def test_release_when_there_are_two_datasets_then_each_has_its_files_with_the_same_questions(
    tmp_path: Path,
) -> None:
    medium = Medium(id="a" * 32, name="UAV1.jpg", dataset="My own/1")
    scene = Scene(
        id="b" * 32, name="s", dataset="My own/1", views=(SceneView(name="UAV1", medium=medium.id),)
    )
    items = [
        aircop_item(name="a1"),
        aircop_item(name="b1", scene=scene.id, media=(medium.id,)),
        urbanvideo_item(),
        aircop_item(name="a2"),
    ]
    with Session.create(tmp_path / "p.vantage") as session:
        fill(session, *items, positions=(*PLACES, medium, scene))
        report = release(session, tmp_path / "out", "aircop")
    names = [file.name for file in report.manifest.files]
    stems = sorted({name.partition(".")[0] for name in names})
    assert names == [f"{stem}{ending}" for stem in stems for ending in (".json", ".jsonl")]
    assert report.manifest.counts["dataset"] == {"My own/1": 1, "Real_2_UAVs": 2}
    assert report.to_json()["reasons"] == {"format:task_set": 1}
    for stem, dataset, ids in zip(stems, ["My own/1", "Real_2_UAVs"], [["b1"], ["a1", "a2"]], strict=True):
        told = json.loads((tmp_path / "out" / f"{stem}.json").read_text(encoding="utf-8"))
        lines = (tmp_path / "out" / f"{stem}.jsonl").read_text(encoding="utf-8").splitlines()
        assert told["dataset"] == dataset
        assert told["results"] == [json.loads(line) for line in lines]
        assert [question["question_id"] for question in told["results"]] == ids
