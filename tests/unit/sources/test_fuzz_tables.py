"""Tables and lists of questions, damaged in every way: a reader ends with records or words."""

from __future__ import annotations

import base64
import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.sources.found import Found
from annotator.sources.input_file import is_utf8
from tests.unit.sources.fuzzing import ODD_TEXTS, QUICK, THOROUGH, damaged, odd_json, odd_values, survives
from tests.unit.sources.workbooks import parquet, workbook

QUESTION = "Question: Why?  \nchoose:  \nA. one  \nB. two  \n"
URBAN = [
    {
        "Question_id": 1,
        "video_id": "a.mp4",
        "question_category": "Causal",
        "question": QUESTION,
        "answer": "A",
    },
    {
        "Question_id": 2,
        "video_id": "b.mp4",
        "question_category": "Duration",
        "question": QUESTION,
        "answer": "B",
    },
]
TOP = [
    {
        "index": n, "scene_id": "17DRP", "question": "Where is the bed?",
        "choices": ["left", "right", "up", "down"],
        "labels": ["left"] if n else ["up", "down"], "choice_type": "<OBJECT>",
        "map_path": f"data/realistic/{n}.png", "question_ability": "Object Localization",
    }
    for n in range(2)
]  # fmt: skip
UAV = [
    {
        "question_id": n, "question": "Who?", "options": {"A": "one", "B": "two"}, "answer": "A",
        "question_meta": {"category": "Planning", "subcategory": "Urban OCR"},
        "metadata": {"data_resources": [{"path": "a/b.jpg"}]},
    }
    for n in range(2)
]  # fmt: skip
VIDEOS = [
    {"video_name": "a.mp4", "destination": "roof"},
    {"video_name": "b.mp4", "movement_instructions": "rise"},
]
OWN = [
    {
        "id": "1",
        "question": "Why?",
        "options": "A. x\nB. y",
        "answer": "A",
        "image": "a.jpg;b.jpg",
        "scene": "s",
    },
    {"id": "2", "question": "How?", "options": ["x", "y"], "answer": "y", "image": ["a.jpg"], "view": "UAV1"},
]


def evaluation_table() -> bytes:
    stream = io.StringIO(newline="")
    table = csv.writer(stream, delimiter="\t", lineterminator="\n")
    table.writerow(["index", "category", "image", "image_path", "question", "A", "B", "answer"])
    picture = base64.b64encode(b"\xff\xd8\xff" * 400).decode()
    table.writerow([0, "Causal", picture, "", 'Why "so"?\nSay.', "one", "two", "A"])
    table.writerow([1, "Causal", "0", "['a.jpg', 'b.jpg']", "How?", "one", "two", "B"])
    return stream.getvalue().encode()


def columns_of(records: list[dict[str, Any]]) -> dict[str, list[Any]]:
    return {name: [record[name] for record in records] for name in records[0]}


def sheet_of(records: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return [tuple(records[0]), *[tuple(record.values()) for record in records]]


def as_json(records: object) -> bytes:
    return json.dumps(records, indent=1).encode()


FILES: dict[str, tuple[str, bytes]] = {
    "urbanvideo parquet": ("urbanvideo", parquet(columns_of(URBAN), compression="snappy")),
    "urbanvideo plain parquet": ("urbanvideo", parquet(columns_of(URBAN), dictionary_enabled=False)),
    "urbanvideo sheet": ("urbanvideo", workbook({"Basic": sheet_of(URBAN)})),
    "urbanvideo json": ("urbanvideo", as_json(URBAN)),
    "topviewrs": ("topviewrs", as_json(TOP)),
    "topviewrs sets": ("topviewrs", as_json({"recognition": TOP})),
    "mm-uavbench": ("mm-uavbench", as_json(UAV)),
    "videos": ("urbanvideo-videos", as_json(VIDEOS)),
    "vlmevalkit": ("vlmevalkit", evaluation_table()),
    "table": ("table", as_json(OWN)),
    "table csv": ("table", b"id,question,options,answer,image\n1,Why?,x|y,A,a.jpg\n2,How?,x|y,B,b.jpg\n"),
}
VALUES: dict[str, tuple[str, object]] = {
    "urbanvideo": ("urbanvideo", URBAN),
    "topviewrs": ("topviewrs", TOP),
    "topviewrs sets": ("topviewrs", {"recognition": TOP, "more": TOP}),
    "mm-uavbench": ("mm-uavbench", UAV),
    "videos": ("urbanvideo-videos", VIDEOS),
    "table": ("table", OWN),
}
NAMES = sorted(FILES)
CELLS = st.sampled_from([text for text in ODD_TEXTS if is_utf8(text)]) | st.text(
    st.characters(exclude_categories=["Cs", "Cc"]), max_size=8
)


@pytest.mark.parametrize("name", NAMES)
def test_files_when_whole_then_every_record_is_found(tmp_path: Path, name: str) -> None:
    reader_id, content = FILES[name]
    (tmp_path / "file").write_bytes(content)
    entries = survives(reader_id, tmp_path / "file")
    assert [type(entry) for entry in entries] == [Found, Found]


@pytest.mark.parametrize("name", NAMES)
@QUICK
@given(data=st.data())
def test_file_when_damaged_then_it_ends_in_records_or_words(
    tmp_path: Path, name: str, data: st.DataObject
) -> None:
    reader_id, content = FILES[name]
    check(tmp_path, reader_id, data.draw(damaged(content)))


@pytest.mark.parametrize("name", sorted(VALUES))
@QUICK
@given(data=st.data())
def test_json_when_values_are_odd_then_it_ends_in_records_or_words(
    tmp_path: Path, name: str, data: st.DataObject
) -> None:
    reader_id, value = VALUES[name]
    check(tmp_path, reader_id, data.draw(odd_json(value)))


@pytest.mark.parametrize("reader_id", ["urbanvideo", "table"])
@QUICK
@given(texts=st.lists(CELLS, min_size=10, max_size=10), numbers=st.lists(odd_values, min_size=4, max_size=4))
def test_typed_cells_when_odd_then_it_ends_in_records_or_words(
    tmp_path: Path, reader_id: str, texts: list[str], numbers: list[Any]
) -> None:
    columns: dict[str, list[Any]] = {name: texts[at::5] for at, name in enumerate(URBAN[0])}
    columns["whole"] = [n if type(n) is int and abs(n) < 2**63 else 0 for n in numbers[:2]]
    columns["number"] = [n if type(n) is float else 0.5 for n in numbers[2:]]
    check(tmp_path, reader_id, parquet(columns))


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@THOROUGH
@given(data=st.data())
def test_file_when_damaged_ten_thousand_times_then_no_bug_shows(
    tmp_path: Path, name: str, data: st.DataObject
) -> None:
    reader_id, content = FILES[name]
    check(tmp_path, reader_id, data.draw(damaged(content)))


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(VALUES))
@THOROUGH
@given(data=st.data())
def test_json_when_odd_ten_thousand_times_then_no_bug_shows(
    tmp_path: Path, name: str, data: st.DataObject
) -> None:
    reader_id, value = VALUES[name]
    check(tmp_path, reader_id, data.draw(odd_json(value)))


def check(folder: Path, reader_id: str, content: bytes) -> None:
    path = folder / "file"
    path.write_bytes(content)
    survives(reader_id, path)
