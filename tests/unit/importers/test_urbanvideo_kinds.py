"""UrbanVideo-Bench's questions in every kind of table."""

from __future__ import annotations

import json

import pytest

from annotator.errors import UserError
from tests.unit.importers.reading import Read
from tests.unit.importers.test_urbanvideo import HEADER, QUESTION
from tests.unit.importers.workbooks import parquet, workbook

ROWS = [(7, "v.mp4", "Causal", QUESTION, "A"), (8, "v.mp4", "Association Reasoning", QUESTION, "B")]
RECORDS = [dict(zip(HEADER, row, strict=True)) for row in ROWS]
FILES = {
    "MCQ.parquet": parquet({name: [row[name] for row in RECORDS] for name in HEADER}),
    "MCQ.xlsx": workbook({"Sheet1": [HEADER, *ROWS]}),
    "MCQ.json": json.dumps(RECORDS).encode(),
    "MCQ.jsonl": b"".join(json.dumps(record).encode() + b"\n" for record in RECORDS),
}


@pytest.mark.parametrize("name", FILES)
def test_questions_when_in_any_kind_of_table_then_the_same_items(read: Read, name: str) -> None:
    result = read(FILES[name], name=name)
    assert (result.format, result.rejected, result.flags) == ("urbanvideo", [], {})
    assert [(r.name, r.task, r.answer_key, len(r.options)) for r in result.records] == [
        ("7", "causal", "A", 3),
        ("8", "association", "B", 3),
    ]
    assert not result.notes("name"), "a number is what the published file has"
    assert json.loads(bytes(result.records[0].original)) == RECORDS[0]
    assert result.found[0].scene is result.found[1].scene, "the importer looks at one scene once"


def test_drafts_when_in_sheets_then_all_sheets_are_read_and_other_columns_kept(read: Read) -> None:
    basic = ("", "video_name", "movements", "objects", "destination", "question_category", "question",
             "extracted_answer")  # fmt: skip
    goal = ("", "video_id", "instructions", "question_category", "question", "extracted_answer")
    book = workbook(
        {
            "Basic": [basic, (0, "v.mp4", "turn left", "a roof", "the tower", "Causal", QUESTION, "B")],
            "Goal": [goal, (0, "w.mp4", "to the tower", "High-level Planning", QUESTION, "Not Found")],
            "Accuracy Results": [("Category", "Accuracy", "Num"), ("Causal", 0.5, 2)],
        }
    )
    result = read(book, name="drafts.xlsx")
    assert [(r.name, r.task, r.answer_key) for r in result.records] == [
        ("v sheet Basic row 2", "causal", "B"),
        ("w sheet Goal row 2", "high_level_planning", ""),
    ]
    assert result.records[0].extras == {"": 0, "movements": "turn left", "objects": "a roof",
                                        "destination": "the tower"}  # fmt: skip
    assert result.records[1].extras == {"": 0, "instructions": "to the tower"}
    assert result.flags == {"id_missing": 2, "key_missing": 1}
    (passed,) = result.rejected
    assert (passed.locator, passed.field) == ("sheet Accuracy Results", "video_id")


def test_columns_when_a_person_says_how_they_are_called_then_read_so(read: Read) -> None:
    text = "Frage,Clip,Art,Antwort\n" + f'"{QUESTION}",v.mp4,Causal,A\n'
    mapping = {"question": "Frage", "video_id": "Clip", "question_category": "Art", "answer": "Antwort"}
    result = read(text, name="q.csv", format_id="urbanvideo", mapping=mapping)
    assert [(r.task, r.answer_key, r.extras) for r in result.records] == [("causal", "A", {})]


def test_column_when_a_person_says_one_that_is_not_there_then_the_guess_counts(read: Read) -> None:
    result = read(FILES["MCQ.json"], name="q.json", mapping={"question": "Frage"})
    assert len(result.records) == 2


def test_table_when_no_sheet_fits_then_the_missing_columns_are_told(read: Read) -> None:
    with pytest.raises(UserError, match="has no column question_category, answer"):
        read(workbook({"S": [("video_id", "question"), ("v", "q")]}), name="q.xlsx", format_id="urbanvideo")


@pytest.mark.parametrize("value", [3.5, True, ["a"], {"a": 1}])
def test_cell_when_of_another_type_then_only_its_row_is_rejected(read: Read, value: object) -> None:
    records = [{**RECORDS[0], "question": value}, RECORDS[1]]
    result = read(records, name="q.json")
    assert [record.name for record in result.records] == ["8"]
    assert [(bad.field, bad.locator) for bad in result.rejected] == [("question", "record 1")]
