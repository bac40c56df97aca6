from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from annotator.domain.item import Item
from annotator.release.exporters.sharegpt import ShareGptExporter
from annotator.session import Session
from tests.unit.release.samples import (
    CLIP,
    PICTURE,
    UAV1,
    aircop_item,
    data_files,
    fill,
    lookup_of,
    options,
    release,
    released_again,
    spatialuav_item,
    urbanvideo_item,
)


def _released(folder: Path, *items: Item) -> Path:
    with Session.create(folder / "p.vantage") as session:
        fill(session, *items)
        release(session, folder / "out", "sharegpt", include_flagged=True)
    return folder / "out"


def _require_loadable(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of a training set, after the rules by which LLaMA-Factory reads it.

    Source: LLaMA-Factory, ``data/README.md`` and the multimodal plug-ins, which count the placeholders.
    """
    sets = {}
    for name, info in json.loads((folder / "dataset_info.json").read_bytes()).items():
        assert info["formatting"] == "sharegpt"
        tags, columns = info["tags"], info["columns"]
        rows = sets[name] = json.loads((folder / info["file_name"]).read_bytes())
        for row in rows:
            roles = [message[tags["role_tag"]] for message in row[columns["messages"]]]
            assert roles == [tags["user_tag"], tags["assistant_tag"]]
            text = "".join(message[tags["content_tag"]] for message in row[columns["messages"]])
            for column, mark in (("images", "<image>"), ("videos", "<video>")):
                assert text.count(mark) == len(row[columns[column]] if column in columns else [])
        assert len({tuple((key, type(value)) for key, value in row.items()) for row in rows}) == 1
    return sets


def test_release_when_items_show_images_and_videos_then_the_rules_of_the_trainer_hold(tmp_path: Path) -> None:
    out = _released(tmp_path, aircop_item(), spatialuav_item(extras={"a": [1]}), urbanvideo_item())
    sets = _require_loadable(out)
    assert {name: len(rows) for name, rows in sets.items()} == {"sft": 2, "sft_video": 1}
    asked, answered = sets["sft"][0]["messages"]
    assert asked["content"].startswith(
        "<image><image>How many cars can be seen in the picture of UAV1?\nA. 4\n"
    )
    assert asked["content"].splitlines()[5].count("A, B, C, D") == 1
    assert answered["content"] == "B"
    assert sets["sft"][1]["messages"][1]["content"] == "Region 3, 4"
    assert sets["sft"][0]["views"] == ["UAV1", "UAV2"]


def test_release_when_texts_are_odd_then_they_come_back(tmp_path: Path) -> None:
    out = _released(
        tmp_path,
        aircop_item(
            question='"第 3"\n\tarea?', extras={"note": {"a": None}}, options=options("=1", " ", "é", "")
        ),
        aircop_item(
            name="b", answer_format="free_text", options=(), answer_key="Two cars.", view="", scene=""
        ),
        spatialuav_item(task_set="mine", task="", media=(PICTURE.id, UAV1.id)),
        urbanvideo_item(),
    )
    again = released_again(out, path=tmp_path / "again", form="sharegpt", include_flagged=True)
    for file in data_files(out):
        assert (again / file.name).read_bytes() == file.read_bytes()


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({}, ""),
        ({"media": ()}, "format:media"),
        ({"media": (UAV1.id, CLIP.id)}, "format:media"),
        ({"question": "What is in <image>?"}, "format:text"),
        ({"name": ""}, "format:text"),
        ({"options": options("4", "5")[1:]}, "format:options"),
        ({"answer_key": " "}, "format:answer_key"),
        ({"answer_format": "unheard of"}, "format:answer_format"),
    ],
)
def test_refusal_when_the_form_cannot_say_something_then_it_says_what(fields: Any, reason: str) -> None:
    item = aircop_item(**fields)
    refused = ShareGptExporter().refusal(item, lookup=lookup_of(item))
    assert (refused.kind if refused else "") == reason
