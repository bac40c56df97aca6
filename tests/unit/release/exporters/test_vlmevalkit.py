from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from annotator.commands.imports import ImportFiles
from annotator.domain.item import Item
from annotator.release.exporters.vlmevalkit import MISSING, VlmEvalKitExporter, paths_text
from annotator.session import Session
from tests.unit.release.samples import (
    CLIP,
    UAV1,
    aircop_item,
    data_files,
    fill,
    lookup_of,
    options,
    release,
    released_again,
    urbanvideo_item,
)


def _released(folder: Path, *items: Item) -> Path:
    with Session.create(folder / "p.vantage") as session:
        fill(session, *items)
        release(session, folder / "out", "vlmevalkit", include_flagged=True)
    return folder / "out"


def _assert_comes_back(out: Path, folder: Path) -> None:
    again = released_again(out, path=folder, form="vlmevalkit", include_flagged=True)
    for file in data_files(out):
        assert (again / file.name).read_bytes() == file.read_bytes()


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({}, ""),
        ({"media": ()}, "format:media"),
        ({"media": (UAV1.id, CLIP.id)}, "format:media"),
        ({"name": ""}, "format:text"),
        ({"question": "\n"}, "format:text"),
        ({"extras": {"Answer": "B"}}, "format:extras"),
        ({"extras": {"a": "B"}}, "format:extras"),
        ({"extras": {"split": "train", "note": 1}}, ""),
        ({"options": options("4")}, "format:options"),
        ({"answer_key": "E"}, "format:answer_key"),
        ({"answer_key": "AB"}, "format:answer_key"),
        ({"answer_key": ""}, "format:answer_key"),
        ({"answer_format": "free_text"}, "format:answer_key"),
        ({"options": options("4", "None", "6")}, "format:text"),
        ({"options": options("4", " ", "6")}, "format:text"),
    ],
)
def test_refusal_when_the_form_cannot_say_something_then_it_says_what(fields: Any, reason: str) -> None:
    item = aircop_item(**fields)
    refused = VlmEvalKitExporter().refusal(item, lookup=lookup_of(item))
    assert (refused.kind if refused else "") == reason


def test_paths_text_when_there_are_several_then_python_reads_the_list() -> None:
    assert paths_text(["a/b.jpg"]) == "a/b.jpg"
    assert paths_text(["it's.jpg", "[b].jpg"]) == """["it's.jpg", '[b].jpg']"""
    assert paths_text(["[b].jpg"]) == "['[b].jpg']"


def test_missing_when_pandas_reads_them_then_they_are_gone(tmp_path: Path) -> None:
    # Takes a second to import: only the process that runs this test shall, not all that collect it.
    import pandas as pd

    file = tmp_path / "t.tsv"
    file.write_text("".join(f'x\t"{text}"\n' for text in ["text", *sorted(MISSING), "none", "N.A."]))
    cells = pd.read_csv(file, sep="\t", header=None)[1]
    assert list(cells.dropna()) == ["text", "none", "N.A."]


def test_release_when_pandas_reads_a_table_then_every_column_is_as_vlmevalkit_wants_it(
    tmp_path: Path,
) -> None:
    import pandas as pd

    out = _released(
        tmp_path,
        aircop_item(question='How many "cars",\nand\twhere?', extras={"split": "train", "hint": "x"}),
        aircop_item(name="b", options=options("a\rb", "c\td"), answer_key="A", media=(UAV1.id,)),
        urbanvideo_item(),
    )
    assert [file.name for file in data_files(out)] == ["aircop.tsv", "urbanvideo_video.tsv"]
    table = pd.read_csv(out / "aircop.tsv", sep="\t")
    assert list(table["index"]) == [1, 2]
    assert list(table["split"]) == ["train", "test"]
    assert list(table["category"]) == ["Object Counting"] * 2
    assert table["question"][0] == 'How many "cars",\nand\twhere?'
    assert list(table["A"]) == ["4", "a\rb"]
    assert list(table["B"]) == ["5", "c\td"]
    assert list(table["answer"]) == ["B", "A"]
    # VLMEvalKit reads a cell with brackets as a list of Python, and any other as one path.
    assert table["image_path"][0] == "['23-00000001-UAV1.jpg', '23-00000001-UAV2.jpg']"
    assert table["image_path"][1] == "23-00000001-UAV1.jpg"
    videos = pd.read_csv(out / "urbanvideo_video.tsv", sep="\t")
    assert list(videos["video_path"]) == ["EmbodiedCity_18_0.mp4"]


def test_release_when_texts_are_odd_then_they_come_back(tmp_path: Path) -> None:
    out = _released(
        tmp_path,
        aircop_item(
            question="=SUM(A1)\tor, 'not'?", options=options("-5", "'-5", '"', "第 3 区域"), answer_key="d"
        ),
        aircop_item(name="Real2 é", extras={"note": {"a": [1, None]}, "=no": "x"}),
        aircop_item(name="c", question="\ttab\r\nand", task=""),
        urbanvideo_item(),
    )
    _assert_comes_back(out, tmp_path / "again")


def test_release_when_the_real_sample_comes_in_then_it_goes_out_and_comes_back(
    shared_data: Path, tmp_path: Path
) -> None:
    with Session.create(tmp_path / "p.vantage") as session:
        session.execute(ImportFiles(paths=(shared_data / "urbanvideo" / "urbanvideo_mcq.csv",))).result()
        report = release(session, tmp_path / "out", "vlmevalkit")
    assert report.manifest.records == 4
    _assert_comes_back(tmp_path / "out", tmp_path / "again")
