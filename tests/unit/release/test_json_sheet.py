from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.release.json_sheet import JsonSheet, file_stem, whole
from annotator.release.release_folder import ReleaseFolder

RECORDS: list[dict[str, Any]] = [
    {"a": "line one\nline two", "b": [], "c": {}},
    {"a": "汉字", "b": [1, {"x": 2.5}], "c": None},
]


def _written(path: Path, records: list[dict[str, Any]], **shape: Any) -> str:
    with ReleaseFolder(path / "out") as folder:
        sheet = JsonSheet(folder.file("a.json"), **shape)
        for record in records:
            sheet.add(record)
        sheet.close()
        (entry,) = folder.finish()
        folder.publish()
    assert entry.records == len(records)
    return (path / "out" / "a.json").read_bytes().decode()


def test_sheet_when_it_is_a_bare_list_then_it_looks_as_json_dump_writes_it(tmp_path: Path) -> None:
    text = _written(tmp_path, RECORDS)
    assert text == json.dumps(RECORDS, indent=2, ensure_ascii=False) + "\n"


def test_sheet_when_the_list_is_in_an_object_then_its_head_comes_first(tmp_path: Path) -> None:
    text = _written(tmp_path, RECORDS, head={"dataset": 'a "b"'}, field="results")
    whole_file = {"dataset": 'a "b"', "results": RECORDS}
    assert text == json.dumps(whole_file, indent=2, ensure_ascii=False) + "\n"


def test_sheet_when_there_is_no_head_then_the_object_has_the_list_alone(tmp_path: Path) -> None:
    text = _written(tmp_path, RECORDS[:1], field="results")
    assert text == json.dumps({"results": RECORDS[:1]}, indent=2) + "\n"


@pytest.mark.parametrize("dataset", ["Real_2_UAVs", "a-b.c", "城市"])
def test_file_stem_when_every_system_takes_the_name_then_it_stays(dataset: str) -> None:
    assert file_stem(dataset) == dataset


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=200))
def test_file_stem_when_the_name_is_anything_then_it_stays_inside_the_folder(dataset: str) -> None:
    stem = file_stem(dataset)
    assert Path(f"{stem}.json").name == f"{stem}.json"
    assert not set(stem) & set('/\\:*?"<>|\0')
    assert len(stem.encode()) < 255


@pytest.mark.parametrize("dataset", ["无人机" * 27, "𠀀" * 80, "ab" + "城" * 100])
def test_file_stem_when_its_letters_take_several_bytes_then_the_files_name_can_be_made(
    dataset: str, tmp_path: Path
) -> None:
    (tmp_path / f"VQA_{file_stem(dataset)}.jsonl").touch()
    assert file_stem(dataset) != file_stem(f"{dataset}x")


def test_file_stem_when_two_names_are_cut_to_the_same_then_their_digests_differ() -> None:
    assert len({file_stem(name) for name in ("a/b", "a:b", "a b", "x" * 90 + "1", "x" * 90 + "2")}) == 5


@pytest.mark.parametrize(
    ("number", "spelt"), [(40.0, "40"), (40.5, "40.5"), (-0.25, "-0.25"), (2.0**60, "1")]
)
def test_whole_when_a_number_has_no_fraction_then_it_is_spelt_without_one(number: float, spelt: str) -> None:
    assert json.dumps(whole(number)).startswith(spelt)
    assert whole(number) == number
