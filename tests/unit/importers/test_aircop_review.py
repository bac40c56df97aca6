from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from annotator.domain.item import Item
from annotator.errors import UserError
from annotator.importers import aircop_review, registry
from annotator.importers.importer import FileImporter, ImportContext
from annotator.importers.input_file import InputFile
from tests.unit.importers.reading import Outcome, outcome

PICTURES = (
    "UAV1: Real_2_UAVs/Samples/UAV1/90-00000001-UAV1.jpg\nUAV2: Real_2_UAVs/Samples/UAV2/90-00000001-UAV2.jpg"
)
ROW = {
    "题目ID": "MDMT_OC_UAV1_1",
    "题目类型": "2.2 Object Counting (UAV1)",
    "题目信息": "How many cars can be seen?",
    "图片信息（UAV1/UAV2）": PICTURES,
    "题目选项（A/B/C/D）": "A: 4\nB: 5\nC: 6\nD: 7",
    "正确答案": "B",
    "答案是否错误": None,
    "错误类型": None,
}


def sheet(path: Path, *rows: dict[str, Any], header: list[str] | None = None, title: str = "Sheet1") -> Path:
    """Write a sheet as the export script does, through the workbook's own library."""
    book = openpyxl.load_workbook(path) if path.exists() else openpyxl.Workbook()
    page = book.create_sheet(title) if path.exists() else book.active
    page.title = title
    names = header or list(ROW)
    page.append(names)
    for row in rows:
        page.append([{**ROW, **row}.get(name) for name in names])
    book.save(path)
    return path


def read(path: Path, **context: Any) -> Outcome:
    file = InputFile.open(path)
    reader = registry.detect(file)
    return outcome(reader.id, reader.read(file, context=ImportContext(**context)))


def test_row_when_sound_then_every_field_is_in_its_place(tmp_path: Path) -> None:
    result = read(sheet(tmp_path / "x.xlsx", {}))
    assert (result.format, result.rejected, result.flags) == ("aircop-review", [], {})
    (entry,) = result.found
    item = entry.record
    assert isinstance(item, Item)
    assert (item.name, item.task_set, item.task, item.view) == (
        "MDMT_OC_UAV1_1",
        "aircop",
        "object_counting",
        "UAV1",
    )
    assert (item.question, item.answer_key) == ("How many cars can be seen?", "B")
    assert [(o.letter, o.text) for o in item.options] == [("A", "4"), ("B", "5"), ("C", "6"), ("D", "7")]
    assert [(m.view, m.name) for m in entry.media] == [
        ("UAV1", "90-00000001-UAV1.jpg"),
        ("UAV2", "90-00000001-UAV2.jpg"),
    ]
    assert (entry.dataset, entry.line, item.provenance.locator) == ("Real_2_UAVs", 2, "row 2")
    assert entry.scene is not None
    assert entry.scene.name == "90-00000001"
    assert item.extras == {}


@pytest.mark.parametrize("said", ["是", "错误", " 错误。", "Yes", "1", 1, True])
def test_answer_when_found_wrong_then_an_error_with_its_type(tmp_path: Path, said: object) -> None:
    result = read(sheet(tmp_path / "x.xlsx", {"答案是否错误": said, "错误类型": "计数错误"}))
    flag = result.flag("answer_found_wrong")
    assert (flag.severity, flag.field, flag.evidence["error_type"]) == ("error", "answer_key", "计数错误")
    assert "计数错误" in flag.message
    assert result.records[0].extras["review"]["error_type"] == "计数错误"
    assert result.flags == {"answer_found_wrong": 1}


@pytest.mark.parametrize("said", ["否", "正确", "no", "0", 0, "", "  ", None])
def test_answer_when_found_right_or_not_looked_at_then_no_flag(tmp_path: Path, said: object) -> None:
    assert read(sheet(tmp_path / "x.xlsx", {"答案是否错误": said})).flags == {}


@pytest.mark.parametrize(
    ("said", "error_type"),
    [("√", ""), ("对", None), ("maybe", "计数错误"), ("否", "计数错误"), (None, "计数错误")],
)
def test_review_when_its_values_are_unclear_then_is_flagged(
    tmp_path: Path, said: str | None, error_type: str | None
) -> None:
    result = read(sheet(tmp_path / "x.xlsx", {"答案是否错误": said, "错误类型": error_type}))
    assert result.flags == {"review_unclear": 1}
    assert result.flag("review_unclear").severity == "warning"


def test_columns_when_in_other_order_width_and_with_more_then_found(tmp_path: Path) -> None:
    header = ["备注", "正确答案", "题目选项(A/B/C/D)", "题目信息", "题目ID ", "图片信息"]
    path = tmp_path / "x.xlsx"
    row = {
        "备注": "look",
        "题目选项(A/B/C/D)": ROW["题目选项（A/B/C/D）"],
        "题目ID ": "q7",
        "图片信息": PICTURES,
    }
    (entry,) = read(sheet(path, row, header=header)).found
    assert (entry.record.name, entry.record.answer_key, len(entry.media)) == ("q7", "B", 2)
    assert entry.record.extras["备注"] == "look"
    assert [flag.kind for flag in entry.flags] == ["task_unknown"]


def test_columns_when_of_other_names_then_read_as_mapped(tmp_path: Path) -> None:
    path = sheet(tmp_path / "x.xlsx", {"问题": "What?"}, header=[*list(ROW)[:2], "问题", *list(ROW)[3:]])
    file = InputFile.open(path)
    reader = registry.get("aircop-review")
    assert isinstance(reader, FileImporter)
    with pytest.raises(UserError, match="not a review sheet"):
        list(reader.read(file, context=ImportContext()))
    context = ImportContext(mapping={"题目信息": "问题"})
    assert outcome("", reader.read(file, context=context)).records[0].question == "What?"


def test_sheet_when_saved_as_csv_then_read_too(tmp_path: Path) -> None:
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerows([list(ROW), [value or "" for value in ROW.values()]])
    path = tmp_path / "x.csv"
    path.write_bytes(text.getvalue().encode("utf-8-sig"))
    result = read(path)
    assert (result.format, [item.answer_key for item in result.records]) == ("aircop-review", ["B"])


def test_workbook_when_other_sheets_stand_in_it_then_passed_over(tmp_path: Path) -> None:
    path = sheet(tmp_path / "x.xlsx", {}, {"题目ID": "b"})
    sheet(path, header=["a", "b"], title="Notes")
    sheet(path, {"题目ID": "c"}, title="More")
    result = read(path)
    assert [item.name for item in result.records] == ["MDMT_OC_UAV1_1", "b", "c"]
    assert result.records[2].provenance.locator == "sheet More row 2"


def test_pictures_and_options_when_odd_then_kept_as_far_as_they_go(tmp_path: Path) -> None:
    odd = {
        "图片信息（UAV1/UAV2）": "UAV1: \nUAV2：../../x/90-00000001-UAV2.jpg\nnothing",
        "题目选项（A/B/C/D）": "A：one\nand more\nB. two",
        "正确答案": "A, B",
    }
    (entry,) = read(sheet(tmp_path / "x.xlsx", odd)).found
    assert [(m.view, m.name, m.path) for m in entry.media] == [
        ("UAV2", "90-00000001-UAV2.jpg", "90-00000001-UAV2.jpg")
    ]
    assert [(o.letter, o.text) for o in entry.record.options] == [("A", "one\nand more"), ("B", "two")]
    assert [flag.kind for flag in entry.flags] == ["key_not_single"]


@pytest.mark.parametrize(
    ("row", "flags"),
    [
        ({"题目ID": None}, {"id_missing": 1}),
        ({"图片信息（UAV1/UAV2）": None}, {"media_missing": 1}),
        ({"题目选项（A/B/C/D）": None}, {"options_missing": 1, "key_not_among_options": 0}),
        ({"正确答案": None}, {"key_missing": 1}),
    ],
)
def test_row_when_a_cell_is_empty_then_flagged(
    tmp_path: Path, row: dict[str, None], flags: dict[str, int]
) -> None:
    result = read(sheet(tmp_path / "x.xlsx", row))
    assert result.flags == {kind: count for kind, count in flags.items() if count}


def test_row_when_its_question_is_empty_then_told_and_the_rest_goes_in(tmp_path: Path) -> None:
    result = read(sheet(tmp_path / "x.xlsx", {}, {"题目信息": None, "题目ID": "b"}, {"题目ID": "c"}))
    assert [item.name for item in result.records] == ["MDMT_OC_UAV1_1", "c"]
    assert [(bad.line, bad.field) for bad in result.rejected] == [(3, aircop_review.QUESTION)]


def test_workbook_when_damaged_or_of_something_else_then_not_recognised(tmp_path: Path) -> None:
    path = sheet(tmp_path / "x.xlsx", {})
    (tmp_path / "cut.xlsx").write_bytes(path.read_bytes()[:-400])
    other = sheet(tmp_path / "other.xlsx", header=["a", "b"])
    reader = registry.get("aircop-review")
    assert isinstance(reader, FileImporter)
    for odd in (tmp_path / "cut.xlsx", other):
        assert not reader.recognizes(InputFile.open(odd))
        with pytest.raises(UserError):
            list(reader.read(InputFile.open(odd), context=ImportContext()))


@pytest.mark.parametrize("encoding", ["gbk", "gb18030", "gb2312"])
def test_sheet_when_saved_as_csv_in_a_chinese_legacy_encoding_then_read(
    tmp_path: Path, encoding: str
) -> None:
    rows = [{**ROW, "题目ID": f"q{number}", "错误类型": "计数错误"} for number in range(3)]
    if encoding != "gb2312":
        rows[1]["错误类型"] = "在朱镕基广场上的车辆计数错误，应为六辆"
    path = tmp_path / "审核.csv"
    with path.open("w", encoding=encoding, newline="") as stream:
        writer = csv.DictWriter(stream, ROW)
        writer.writeheader()
        writer.writerows(rows)
    result = read(path)
    assert (result.format, result.rejected) == ("aircop-review", [])
    assert [record.name for record in result.records] == ["q0", "q1", "q2"]
    assert result.records[1].extras["review"]["error_type"] == rows[1]["错误类型"]
    assert [(note.original, note.value) for note in result.notes("")] == [("GB 18030", "UTF-8")] * 3
