from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from annotator.domain.item import Item
from annotator.domain.medium import Medium
from annotator.domain.scene import Scene, SceneView
from annotator.release.exporters.topviewrs import TopViewRsExporter, question_of
from annotator.session import Session
from tests.unit.release.samples import (
    aircop_item,
    data_files,
    fill,
    lookup_of,
    options,
    release,
    released_again,
)

REALISTIC = Medium(
    id="6" * 32,
    name="map_1.png",
    path="realistic/house/map_1.png",
    dataset="TopViewRS",
    media_type="map",
)
SEMANTIC = Medium(
    id="7" * 32, name="map_2.png", path="semantic/house/map_2.png", dataset="TopViewRS", media_type="map"
)
HOUSE = Scene(
    id="8" * 32,
    name="house",
    dataset="TopViewRS",
    views=(
        SceneView(name="realistic", medium=REALISTIC.id),
        SceneView(name="semantic", medium=SEMANTIC.id),
    ),
)
PLACES = (REALISTIC, SEMANTIC, HOUSE)


def _item(**fields: Any) -> Item:
    sound: dict[str, Any] = {
        "name": "realistic_7",
        "task_set": "topviewrs",
        "task": "object_recognition",
        "question": "Which of the following objects are in the room?",
        "options": options("bed", "sink", "bath, tub", "chair"),
        "answer_key": "C",
        "scene": HOUSE.id,
        "view": "realistic",
        "media": (REALISTIC.id,),
        "extras": {"choice_type": "<OBJECT>"},
    }
    return aircop_item(**(sound | fields))


def test_question_of_when_an_item_is_sound_then_it_has_the_published_shape() -> None:
    item = _item()
    assert list(question_of(item, lookup=lookup_of(item, positions=PLACES)).items()) == [
        ("index", 7),
        ("scene_id", "house"),
        ("question", "Which of the following objects are in the room?"),
        ("choices", ["bed", "sink", "bath, tub", "chair"]),
        ("labels", ["bath, tub"]),
        ("choice_type", "<OBJECT>"),
        ("map_path", "realistic/house/map_1.png"),
        ("question_ability", "Object Recognition"),
    ]


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({}, ""),
        ({"answer_format": "span_set", "answer_key": '["bath, tub", "bed"]'}, ""),
        ({"task_set": "aircop"}, "format:task_set"),
        ({"task": "unheard of"}, "format:task"),
        ({"media": ()}, "format:media"),
        ({"media": (REALISTIC.id, SEMANTIC.id)}, "format:media"),
        ({"name": " a"}, "format:text"),
        ({"question": " "}, "format:text"),
        ({"extras": {"answer": "B"}}, "format:extras"),
        ({"options": options("bed")}, "format:options"),
        ({"options": (*options("bed", "sink")[1:], *options("bath"))}, "format:options"),
        ({"answer_key": "E"}, "format:answer_key"),
        ({"options": options("bed", "sink", "bed"), "answer_key": "A"}, "format:answer_key"),
        ({"answer_format": "free_text", "answer_key": "bed"}, "format:answer_key"),
        ({"answer_format": "span_set", "answer_key": '["bed"]'}, "format:answer_format"),
    ],
)
def test_refusal_when_the_form_cannot_say_something_then_it_says_what(fields: Any, reason: str) -> None:
    item = _item(**fields)
    refused = TopViewRsExporter().refusal(item, lookup=lookup_of(item, positions=PLACES))
    assert (refused.kind if refused else "") == reason


def test_release_when_maps_are_of_both_kinds_then_each_has_its_file_and_all_come_back(tmp_path: Path) -> None:
    several = {"answer_format": "span_set", "answer_key": '["bath, tub", "bed"]'}
    items = (
        _item(),
        _item(name="realistic_8", question="Which are not?", **several, extras={}),
        _item(name="semantic_7", view="semantic", media=(SEMANTIC.id,), extras={"note": {"a": [1, None]}}),
        _item(name="ours", question='"Quoted"\n第 3 区域?', options=options("=1", " b ", "第", "b")),
    )
    with Session.create(tmp_path / "p.vantage") as session:
        fill(session, *items, positions=PLACES)
        release(session, tmp_path / "out", "topviewrs", include_flagged=True)
    out = tmp_path / "out"
    assert [file.name for file in data_files(out)] == [
        "released_realistic_datasets.json",
        "released_semantic_datasets.json",
    ]
    assert [row["index"] for row in json.loads(data_files(out)[0].read_bytes())] == [7, 8, "ours"]
    again = released_again(out, path=tmp_path / "again", form="topviewrs", include_flagged=True)
    for file in data_files(out):
        assert (again / file.name).read_bytes() == file.read_bytes()
