"""Files of the benchmarks' tools, damaged in every way: a reader ends with records or words, with no bug."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.sources.aircop_review import FIELDS
from annotator.sources.found import Found
from tests.unit.sources.fuzzing import QUICK, THOROUGH, damaged, odd_json, survives

FLIGHT = "/gibson_1/Adrian/traj_-1"
ROW = (
    "MDMT_OC_UAV1_1", "2.2 Object Counting (UAV1)", "How many?", "UAV1: a/UAV1/90-00000001-UAV1.jpg\nUAV2: b",
    "A: 4\nB: 5", "B", "是", "计数错误",
)  # fmt: skip


def workbook() -> bytes:
    book, data = openpyxl.Workbook(), io.BytesIO()
    for cells in (FIELDS, ROW, ROW):
        book.active.append(cells)
    book.save(data)
    return data.getvalue()


TASKS = [
    {
        "Image": "scene_3_drone_000100", **{f"Option {letter}": f"x_{letter}" for letter in "ABCD"},
        "Task": "A2G_Collaboration_Recognition", "User": "Which?", "Answer": "C",
    }
] * 2  # fmt: skip
LISTS = {
    f"{FLIGHT}/instruction.json": ["to the hallway鈥檚 end", "in the living \room"],
    f"{FLIGHT}/x.json": ["b"],
}
EPISODES = {f"{FLIGHT}/vla_ins_{n}.json": {"difficulty": "easy", "action_type": ["turn"]} for n in (1, 2)}
RESULT = {
    "episode_key": f"{FLIGHT}/vla_ins_1.json", "success": False, "steps": 2,
    "trajectory": [[1, 2, 3.5, 4]] * 2,
}  # fmt: skip
SEGMENT = {"instruction": "turn to the bed’s end", "source": [1, 2]}
POSES = [[0.0, 0.9, 1, 90.0]] * 3
ACTIONS = {"frame": [{"frame": n, "actions": {"fly_forward": 1}} for n in (1, 2, 3)]}
CASES: dict[str, tuple[str, Any]] = {
    "tasks": ("spatialuav-tasks", TASKS),
    "lists": ("indooruav", LISTS),
    "episodes": ("indooruav", EPISODES),
    "result": ("indooruav", RESULT),
    "segment": ("indooruav", SEGMENT),
    "posture": ("indooruav", POSES),
    "answers": ("aircop-responses", [{"question_id": "a", "predicted_answer": "A"}]),
}
EXPECTED = {"tasks": 2, "lists": 2, "episodes": 2, "answers": 0}
TABLES = {
    "sheet": workbook(),
    "csv": ("\n".join([",".join(FIELDS), "q,2.2 x,?,UAV1: a,A: 1,A,是,x"])).encode(),
}
PARTS: dict[str, Any] = {
    "posture": POSES,
    "real_action": ACTIONS,
    "key_frames": [1, 2],
    "instruction": {"instruction": "Go."},
    "vla_ins_1": SEGMENT,
}


def text_of(value: object, *, encoding: str = "utf-8") -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=1).encode(encoding)


def found_in(format_id: str, path: Path) -> list[Found]:
    return [entry for entry in survives(format_id, path) if isinstance(entry, Found)]


def flight_in(root: Path) -> Path:
    folder = root / FLIGHT.strip("/")
    folder.mkdir(parents=True, exist_ok=True)
    for name, value in PARTS.items():
        (folder / f"{name}.json").write_bytes(text_of(value, encoding="gbk"))
    return folder


@pytest.mark.parametrize("case", sorted(CASES))
def test_file_when_whole_then_every_record_is_found(tmp_path: Path, case: str) -> None:
    format_id, value = CASES[case]
    (tmp_path / "file.json").write_bytes(text_of(value))
    assert len(found_in(format_id, tmp_path / "file.json")) == EXPECTED.get(case, 1)


def test_sheets_and_folders_when_whole_then_every_record_is_found(tmp_path: Path) -> None:
    for name, count in (("sheet", 2), ("csv", 1)):
        (tmp_path / name).write_bytes(TABLES[name])
        assert len(found_in("aircop-review", tmp_path / name)) == count
    flight_in(tmp_path / "folder")
    assert len(found_in("indooruav-folder", tmp_path / "folder")) == 4


@pytest.mark.parametrize("case", sorted(CASES))
@QUICK
@given(data=st.data())
def test_file_when_damaged_then_it_ends_in_records_or_words(
    tmp_path: Path, case: str, data: st.DataObject
) -> None:
    check_file(tmp_path, case, data)


@pytest.mark.parametrize("name", sorted(TABLES))
@QUICK
@given(data=st.data())
def test_sheet_when_damaged_then_it_ends_in_records_or_words(
    tmp_path: Path, name: str, data: st.DataObject
) -> None:
    check_sheet(tmp_path, name, data)


@QUICK
@given(data=st.data())
def test_folder_when_a_file_is_damaged_then_it_ends_in_records_or_words(
    tmp_path: Path, data: st.DataObject
) -> None:
    check_folder(tmp_path, data)


@pytest.mark.slow
@pytest.mark.parametrize("case", sorted(CASES))
@THOROUGH
@given(data=st.data())
def test_file_when_damaged_ten_thousand_times_then_no_bug_shows(
    tmp_path: Path, case: str, data: st.DataObject
) -> None:
    check_file(tmp_path, case, data)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(TABLES))
@THOROUGH
@given(data=st.data())
def test_sheet_when_damaged_ten_thousand_times_then_no_bug_shows(
    tmp_path: Path, name: str, data: st.DataObject
) -> None:
    check_sheet(tmp_path, name, data)


@pytest.mark.slow
@THOROUGH
@given(data=st.data())
def test_folder_when_damaged_ten_thousand_times_then_no_bug_shows(
    tmp_path: Path, data: st.DataObject
) -> None:
    check_folder(tmp_path, data)


def check_file(folder: Path, case: str, data: st.DataObject) -> None:
    format_id, value = CASES[case]
    path = folder / "file.json"
    path.write_bytes(data.draw(damaged(text_of(value)) | odd_json(value)))
    survives(format_id, path)


def check_sheet(folder: Path, name: str, data: st.DataObject) -> None:
    path = folder / "file"
    path.write_bytes(data.draw(damaged(TABLES[name])))
    survives("aircop-review", path)


def check_folder(folder: Path, data: st.DataObject) -> None:
    root = folder / "folder"
    flight = flight_in(root)
    (root / "test_vla.json").write_bytes(data.draw(damaged(text_of(EPISODES))))
    part = data.draw(st.sampled_from(sorted(PARTS)))
    damage = damaged(text_of(PARTS[part], encoding="gbk")) | odd_json(PARTS[part])
    (flight / f"{part}.json").write_bytes(data.draw(damage))
    survives("indooruav-folder", root)
