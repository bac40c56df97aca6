from __future__ import annotations

from pathlib import Path
from typing import Any

from arro3.core import DataType
from arro3.io import read_parquet

from annotator.commands.imports import ImportFiles
from annotator.domain.item import Item
from annotator.session import Session
from tests.unit.release.samples import fill, options, release, released_again, urbanvideo_item

FORM = "urbanvideo-parquet"


def _released(folder: Path, *items: Item) -> Path:
    folder.mkdir(exist_ok=True)
    with Session.create(folder / "p.vantage") as session:
        fill(session, *items)
        release(session, folder / "out", FORM, include_flagged=True)
    return folder / "out"


def _table(folder: Path) -> dict[str, list[Any]]:
    table = read_parquet(folder / "MCQ.parquet").read_all()
    return {name: [cell.as_py() for cell in table[name]] for name in table.column_names}


def test_release_when_items_are_numbered_then_the_table_has_the_published_columns(tmp_path: Path) -> None:
    out = _released(
        tmp_path,
        urbanvideo_item(options=options("=1", "-2"), answer_key="a", extras={"": "0", "Note": [1]}),
        urbanvideo_item(name="7"),
    )
    table = _table(out)
    assert list(table) == ["Question_id", "video_id", "question_category", "question", "answer", "Note"]
    assert table["Question_id"] == [1001, 7]
    assert table["video_id"] == ["EmbodiedCity_18_0.mp4"] * 2
    assert table["question"][0].endswith("choose:  \nA. =1  \nB. -2  \n")
    assert (table["answer"], table["Note"]) == (["A", "C"], ["[1]", ""])


def test_release_when_an_id_is_no_number_then_all_are_texts(tmp_path: Path) -> None:
    out = _released(tmp_path, urbanvideo_item(), urbanvideo_item(name="007"))
    assert read_parquet(out / "MCQ.parquet").schema.field("Question_id").type == DataType.utf8()
    assert _table(out)["Question_id"] == ["1001", "007"]


def test_release_when_made_twice_or_from_a_release_then_the_bytes_are_the_same(tmp_path: Path) -> None:
    items = [urbanvideo_item(name=str(n), question=f"Where, “第{n}”?") for n in range(1, 1203)]
    once, twice = _released(tmp_path / "a", *items), _released(tmp_path / "b", *items)
    again = released_again(once, path=tmp_path / "c", form=FORM, include_flagged=True)
    written = [(out / "MCQ.parquet").read_bytes() for out in (once, twice, again)]
    assert written[0] == written[1] == written[2]
    assert _table(once)["question"][1000].startswith("Question: Where, “第1001”?")


def test_release_when_the_real_sample_comes_in_then_it_goes_out_and_comes_back(
    shared_data: Path, tmp_path: Path
) -> None:
    with Session.create(tmp_path / "p.vantage") as session:
        session.execute(ImportFiles(paths=(shared_data / "urbanvideo" / "urbanvideo_mcq.csv",))).result()
        report = release(session, tmp_path / "out", FORM)
    assert report.manifest.files[0].records == 4
    again = released_again(tmp_path / "out", path=tmp_path / "again", form=FORM)
    assert (again / "MCQ.parquet").read_bytes() == (tmp_path / "out" / "MCQ.parquet").read_bytes()
