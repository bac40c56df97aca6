from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

from annotator.commands.imports import ImportFiles
from annotator.domain.medium import Medium
from annotator.release.exporters.urbanvideo import UrbanVideoExporter, question_text, row_of
from annotator.session import Session
from tests.unit.release.samples import (
    CLIP,
    fill,
    lookup_of,
    options,
    release,
    released_again,
    urbanvideo_item,
)

OPTIONS = "A. Rise.  \nB. Descend.  \n"


def _rows(folder: Path) -> list[list[str]]:
    with (folder / "MCQ.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file, strict=True))


def _refusal(**fields: Any) -> str:
    item = urbanvideo_item(**fields)
    reason = UrbanVideoExporter().refusal(item, lookup=lookup_of(item))
    return reason.kind if reason else ""


def test_question_text_when_an_item_is_sound_then_it_has_the_published_shape() -> None:
    item = urbanvideo_item(question="What next?", options=options("Rise.", "Descend."))
    assert question_text(item) == f"Question: What next?  \nchoose:  \n{OPTIONS}"


def test_question_text_when_lines_end_in_blanks_then_the_clean_form_has_none_but_its_own() -> None:
    item = urbanvideo_item(question=" What \t\nnext? \n", options=options("Rise. ", " Descend."))
    assert question_text(item) == f"Question: What\nnext?  \nchoose:  \n{OPTIONS}"


def test_row_of_when_an_item_is_sound_then_columns_follow_the_published_table() -> None:
    item = urbanvideo_item(answer_key="c.", extras={"Output": "Option: [C]", "n": 3})
    row = row_of(item, lookup=lookup_of(item), extras=["Output", "n", "other"])
    assert row[:3] == ["1001", "EmbodiedCity_18_0.mp4", "Action Generation"]
    assert row[4:] == ["C", "Option: [C]", "3", ""]


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({}, ""),
        ({"question": "Choices: what?\nA. is one"}, ""),
        ({"options": options("Rise.\nand turn", "Descend.", "Go.")}, ""),
        ({"task_set": "aircop"}, "format:task_set"),
        ({"task": ""}, "format:task"),
        ({"media": ()}, "format:media"),
        ({"media": (CLIP.id, CLIP.id)}, "format:media"),
        ({"name": ""}, "format:name"),
        ({"options": ()}, "format:options"),
        ({"options": options("Rise.", "Descend.")[:1]}, "format:options"),
        ({"options": (*options("Rise."), *options("Descend."))}, "format:options"),
        ({"answer_key": "H"}, "format:answer_key"),
        ({"question": "\n"}, "format:text"),
        ({"question": "What\rnext?"}, "format:text"),
        ({"options": options("Rise.", " ", "Go.")}, "format:text"),
        ({"options": options("Rise.\nB. and turn", "Descend.", "Go.")}, "format:text"),
        ({"options": options("Rise.\nOptions:", "Descend.", "Go.")}, "format:text"),
        ({"extras": {"Answer": "B"}}, "format:extras"),
        ({"extras": {"a;b": "B"}}, "format:extras"),
        ({"extras": {" a": "B"}}, "format:extras"),
        ({"extras": {"=a": "B"}}, "format:extras"),
        ({"extras": {"": "0", "my notes": "B"}}, ""),
    ],
)
def test_refusal_when_the_form_cannot_say_something_then_it_says_what(fields: Any, reason: str) -> None:
    assert _refusal(**fields) == reason


def test_refusal_when_the_clip_has_no_plain_name_then_the_item_stays_out() -> None:
    item = urbanvideo_item()
    reason = UrbanVideoExporter().refusal(
        item, lookup=lookup_of(item, positions=[Medium(id=CLIP.id, name="/a.mp4")])
    )
    assert reason is not None
    assert reason.kind == "format:media"


def test_release_when_items_have_extra_columns_then_every_row_has_all_of_them_but_the_index(
    tmp_path: Path,
) -> None:
    with Session.create(tmp_path / "p.vantage") as session:
        fill(
            session,
            urbanvideo_item(extras={"Output": "=1+1", "": "0"}),
            urbanvideo_item(
                name="1002", question="Where does the agent go after the bridge?", extras={"Note": "x"}
            ),
        )
        release(session, tmp_path / "out", "urbanvideo")
    rows = _rows(tmp_path / "out")
    assert rows[0] == ["Question_id", "video_id", "question_category", "question", "answer", "Note", "Output"]
    assert [row[5:] for row in rows[1:]] == [["", "'=1+1"], ["x", ""]]


def test_release_when_the_real_sample_comes_in_then_it_goes_out_in_one_spelling(
    shared_data: Path, tmp_path: Path
) -> None:
    source = shared_data / "urbanvideo" / "urbanvideo_mcq.csv"
    with Session.create(tmp_path / "p.vantage") as session:
        session.execute(ImportFiles(paths=(source,))).result()
        release(session, tmp_path / "out", "urbanvideo")
    with source.open(encoding="utf-8", newline="") as file:
        came = [row[1:] for row in csv.reader(file)]
    went = _rows(tmp_path / "out")
    assert [row[:3] + row[4:] for row in went] == [row[:3] + row[4:] for row in came]
    for before, after in zip(came[1:], went[1:], strict=True):
        spelt = [line.rstrip() for line in before[3].strip().split("\n")]
        spelt[1] = "choose:"
        assert after[3] == "".join(f"{line}  \n" for line in spelt)
    again = released_again(tmp_path / "out", path=tmp_path / "again", form="urbanvideo")
    assert (again / "MCQ.csv").read_bytes() == (tmp_path / "out" / "MCQ.csv").read_bytes()
