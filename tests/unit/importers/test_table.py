"""A team's own tables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from annotator.errors import UserError
from annotator.importers import registry
from annotator.importers.input_file import InputFile
from annotator.importers.table import TableImporter
from annotator.importers.table_roles import ROLES, guess_roles
from tests.unit.importers.reading import Outcome, Read
from tests.unit.importers.workbooks import lists, parquet, workbook

CHINESE = (
    "题目ID,题目类型,题目信息,图片信息（UAV1/UAV2）,题目选项（A/B/C/D）,正确答案,场景,解析\n"
    "q1,Object Counting,有几辆车？,"
    '"UAV1: a/1-UAV1.jpg\nUAV2：a/1-UAV2.jpg","A: 一\nB: 二\nC: 三",B,路口,数一数\n'
)


@pytest.fixture
def own(read: Read) -> Read:
    """Give a function that reads a file as a table of one's own."""

    def read_own(content: Any, **more: Any) -> Outcome:
        return read(content, format_id="table", **{"name": "own.csv", **more})

    return read_own


def test_table_when_chinese_then_every_role_is_found(own: Read) -> None:
    result = own(CHINESE)
    (item,), (entry,) = result.records, result.found
    assert (result.flags, result.rejected) == ({}, [])
    assert (item.name, item.task_set, item.task, item.question) == (
        "q1",
        "aircop",
        "object_counting",
        "有几辆车？",
    )
    assert [(option.letter, option.text) for option in item.options] == [
        ("A", "一"),
        ("B", "二"),
        ("C", "三"),
    ]
    assert (item.answer_key, item.answer_format, item.extras) == (
        "B",
        "option_letter",
        {"explanation": "数一数"},
    )
    assert [(m.name, m.view) for m in entry.media] == [("a/1-UAV1.jpg", "UAV1"), ("a/1-UAV2.jpg", "UAV2")]
    assert entry.scene is not None
    assert (entry.scene.name, entry.scene.views) == ("路口", entry.media)
    assert entry.dataset == "own"
    assert json.loads(bytes(item.original))["解析"] == "数一数"


def test_table_when_options_have_columns_then_letters_in_order_and_more_columns_are_kept(own: Read) -> None:
    text = "id,Question,Option A,optionB,C,D,answer,image_path,author\n7,Why?,one,two,three,,c,x.png,Ann\n"
    (item,) = own(text).records
    assert [(option.letter, option.text) for option in item.options] == [
        ("A", "one"),
        ("B", "two"),
        ("C", "three"),
    ]
    assert (item.name, item.answer_key, item.extras, item.task_set) == ("7", "C", {"author": "Ann"}, "own")


@pytest.mark.parametrize(
    ("cell", "texts"),
    [
        ('["one", "two"]', ["one", "two"]),
        ('{"A": "one", "B": 2}', ["one", "2"]),
        ("A. one\nB) two\nmore", ["one", "two\nmore"]),
        ("(A) one\n(B) two", ["one", "two"]),
        ("one | two", ["one", "two"]),
        ("one；two", ["one", "two"]),
        ("one\ntwo", ["one", "two"]),
        ("one", ["one"]),
        ("['one', \"two's\"]", ["one", "two's"]),
        ("['', 'two']", ["", "two"]),
        ("[not json", ["[not json"]),
    ],
)
def test_options_when_in_one_cell_then_taken_apart(own: Read, cell: str, texts: list[str]) -> None:
    rows = [{"question": "Why?", "options": cell, "answer": "A", "image": "a.jpg", "id": "1"}]
    (item,) = own(rows, name="own.json").records
    assert [option.text for option in item.options] == texts
    assert [option.letter for option in item.options] == list("AB"[: len(texts)])


def test_options_when_behind_the_question_then_taken_apart_with_a_note(own: Read) -> None:
    rows = [{"id": "1", "question": "Why?\nA. one\nB. two", "answer": "two", "image": "a.jpg"}]
    result = own(rows, name="own.json")
    assert (result.records[0].question, result.records[0].answer_key) == ("Why?", "B")
    assert len(result.notes("question")) == 1


def test_question_when_without_options_then_its_key_is_free_text_or_in_the_format_of_its_task(
    own: Read,
) -> None:
    rows = [
        {"id": "1", "question": "Why?", "answer": "It rains.", "image": "a.jpg"},
        {
            "id": "2",
            "question": "Where?",
            "answer": "8 o'clock",
            "image": "a.jpg",
            "task": "Direction Recognition",
        },
    ]
    records = own(rows, name="own.json").records
    assert [(r.answer_format, r.answer_key) for r in records] == [
        ("free_text", "It rains."),
        ("clock", "8 o'clock"),
    ]


@pytest.mark.parametrize(
    ("cell", "names"),
    [
        ("a.jpg", ["a.jpg"]),
        ("a.jpg; b.jpg", ["a.jpg", "b.jpg"]),
        ("a.jpg,b.png", ["a.jpg", "b.png"]),
        ("a, b.jpg", ["a, b.jpg"]),
        ("a.jpg|b.jpg", ["a.jpg", "b.jpg"]),
        ("a.jpg\nb.jpg\n", ["a.jpg", "b.jpg"]),
        ("['a.jpg', 'b,c.jpg']", ["a.jpg", "b,c.jpg"]),
        (["a.jpg", "b.jpg"], ["a.jpg", "b.jpg"]),
        ({"UAV1": "a.jpg", "ground": "b.jpg"}, ["a.jpg", "b.jpg"]),
    ],
)
def test_media_when_one_or_several_then_all_in_order(own: Read, cell: object, names: list[str]) -> None:
    (entry,) = own([{"id": "1", "question": "Why?", "media": cell}], name="own.json").found
    assert [medium.name for medium in entry.media] == names


def test_view_and_scene_when_told_then_of_the_item_and_its_medium(own: Read) -> None:
    rows = [{"id": "1", "question": "Why?", "media": "a.mp4", "scene": "bridge", "view": "UAV3"}]
    (entry,) = own(rows, name="own.json").found
    assert (entry.record.view, entry.media[0].view, entry.media[0].kind) == ("UAV3", "UAV3", "video")
    assert entry.scene is not None
    assert (entry.scene.name, entry.scene.views) == ("bridge", entry.media)


def test_columns_when_a_person_says_their_roles_then_these_count(own: Read) -> None:
    text = "A1,B1,frage,antwort\nx,y,Wie?,Ja\n"
    mapping = {"question": "frage", "answer": "antwort", "name": "A1", "scene": "B1", "task": "not there"}
    result = own(text, mapping=mapping)
    (item,) = result.records
    assert (item.name, item.question, item.answer_key, item.extras) == ("x", "Wie?", "Ja", {})
    assert result.found[0].scene is not None
    assert result.found[0].scene.name == "y"


def test_question_when_no_column_holds_it_then_the_columns_are_told(own: Read) -> None:
    with pytest.raises(UserError) as caught:
        own("foo,bar\n1,2\n")
    assert "question=COLUMN" in str(caught.value)
    assert "foo, bar" in str(caught.value)


def test_file_when_any_table_then_never_taken_by_itself_but_its_roles_are_told(tmp_path: Path) -> None:
    path = tmp_path / "own.csv"
    path.write_text(CHINESE, encoding="utf-8")
    file = InputFile.open(path)
    assert "table" not in {importer.id for importer in registry.detect_importers(file)}
    assert TableImporter().fields == ROLES
    assert TableImporter().roles(file, mapping={"explanation": "场景"}) == {
        "name": "题目ID", "task": "题目类型", "question": "题目信息", "media": "图片信息（UAV1/UAV2）",
        "options": "题目选项（A/B/C/D）", "answer": "正确答案", "explanation": "场景",
    }  # fmt: skip
    path.write_bytes(b"PAR1")
    assert TableImporter().roles(InputFile.open(path), mapping={}) == {}


def test_columns_when_several_could_play_a_role_then_the_plainest_word_wins() -> None:
    roles = guess_roles(
        ["type", "index", "question_id", "Category", "questionText", "question", "e"], mapping={}
    )
    assert roles == {"name": "question_id", "task": "Category", "question": "question", "option_e": "e"}


def test_tables_when_of_other_kinds_then_read_the_same(own: Read) -> None:
    names = ("id", "question", "options", "answer", "image")
    columns = {
        "id": [1, 2], "question": ["Why?", "How?"], "options": lists([["one", "two"], ["x", "y"]]),
        "answer": ["A", "y"], "image": ["a.jpg", "b.jpg"],
    }  # fmt: skip
    rows = [(1, "Why?", "one|two", "A", "a.jpg"), (2, "How?", "x|y", "y", "b.jpg")]
    for content, name in ((parquet(columns), "own.parquet"), (workbook({"S": [names, *rows]}), "own.xlsx")):
        result = own(content, name=name)
        assert [(r.name, r.answer_key, len(r.options)) for r in result.records] == [
            ("1", "A", 2),
            ("2", "B", 2),
        ]
        assert (result.flags, result.rejected) == ({}, [])


def test_sheet_when_it_has_no_question_then_told(own: Read) -> None:
    book = workbook({"Q": [("id", "question"), (1, "Why?")], "Notes": [("who", "when"), ("Ann", "now")]})
    result = own(book, name="own.xlsx")
    assert len(result.records) == 1
    assert [(bad.locator, bad.field) for bad in result.rejected] == [("sheet Notes", "question")]


def test_row_when_broken_then_the_next_is_found(own: Read) -> None:
    text = 'id,question,answer\n1,"Why?",x\n2,"How"s this?",y\nand more\n3,Where?,z\n'
    result = own(text)
    assert [record.name for record in result.records] == ["1", "3"]
    assert len(result.rejected) == 1


@pytest.mark.parametrize(
    ("fields", "flags"),
    [
        ({"answer": "D"}, {"key_not_among_options": 1}),
        ({"answer": 1}, {"key_unreadable": 1}),
        ({"answer": ["A", "B"]}, {"key_not_single": 1}),
        ({"answer": None}, {"key_missing": 1}),
        ({"id": None}, {"id_missing": 1}),
        ({"image": None}, {"media_missing": 1}),
        ({"options": ["one", ""]}, {"option_empty": 1}),
    ],
)
def test_row_when_it_contradicts_itself_then_taken_and_flagged(
    own: Read, fields: dict[str, Any], flags: dict[str, int]
) -> None:
    usual = {"id": "1", "question": "Why?", "options": ["one", "two"], "answer": "A", "image": "a.jpg"}
    assert own([{**usual, **fields}], name="own.json").flags == flags


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"question": 7.5}, "question"),
        ({"question": ""}, "question"),
        ({"options": 5}, "options"),
        ({"media": [7]}, "media[0]"),
        ({"answer": [1]}, "answer"),
    ],
)
def test_row_when_a_cell_is_of_another_type_then_rejected_alone(
    own: Read, fields: dict[str, Any], field: str
) -> None:
    result = own(
        [{"id": "1", "question": "Why?", **fields}, {"id": "2", "question": "How?"}], name="own.json"
    )
    assert [record.name for record in result.records] == ["2"]
    assert [bad.field for bad in result.rejected] == [field]


PLAIN = "question,A,B,C,D,answer\nWhich car is red?,left,right,both,none,B\n"


@pytest.mark.parametrize(
    "content",
    [
        PLAIN,
        PLAIN.replace(",", "\t"),
        "题目,选项A,选项B,答案\n哪辆车是红色的？,左,右,B\n",
        '[{"question": "Which car?", "A": "left", "B": "right", "answer": "A"}]',
    ],
)
def test_table_when_it_has_question_options_and_answer_then_is_recognized(
    tmp_path: Path, content: str
) -> None:
    path = tmp_path / "mine.csv"
    path.write_text(content, encoding="utf-8")
    assert registry.detect(InputFile.open(path)).id == "table"


@pytest.mark.parametrize("content", ["question,answer\nWhich?,B\n", "A,B,answer\nx,y,A\n", "a,b\n1,2\n"])
def test_table_when_a_part_of_a_question_is_missing_then_is_not_recognized(
    tmp_path: Path, content: str
) -> None:
    path = tmp_path / "mine.csv"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(UserError, match="no supported format"):
        registry.detect(InputFile.open(path))


def test_table_when_it_has_no_column_of_media_then_items_are_not_flagged(own: Read) -> None:
    result = own(PLAIN)
    assert (len(result.records), "media_missing" in result.flags) == (1, False)
    shown = own(PLAIN.replace("question", "image,question").replace("Which", ",Which"))
    assert (len(shown.records), shown.flags["media_missing"]) == (1, 1)
