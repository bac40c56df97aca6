from __future__ import annotations

import csv
import io
import itertools
import json
import re
from pathlib import Path

import msgspec
import pytest

from annotator.domain.item import Item, Option
from annotator.errors import UserError
from annotator.importers import registry, urbanvideo_questions
from annotator.importers.imported_record import ImportedMedium
from annotator.importers.importer import ImportContext
from annotator.importers.input_file import InputFile
from annotator.importers.urbanvideo_questions import split_question
from tests.unit.importers.reading import Read, outcome

HEADER = ("Question_id", "video_id", "question_category", "question", "answer")
QUESTION = (
    "Question: Why did the agent turn?  \nchoose:  \nA. To avoid a tree.  \nB. To rise.  \nC. To rest.  \n"
)


def table(*rows: tuple[str, ...], header: tuple[str, ...] = HEADER) -> str:
    stream = io.StringIO(newline="")
    csv.writer(stream, lineterminator="\n").writerows([header, *rows])
    return stream.getvalue()


def test_sample_when_read_then_all_four_questions(shared_data: Path) -> None:
    file = InputFile.open(shared_data / "urbanvideo" / "urbanvideo_mcq.csv")
    reader = registry.detect(file)
    result = outcome(reader.id, reader.read(file, context=ImportContext()))
    assert (result.format, result.rejected, result.flags) == ("urbanvideo", [], {})
    assert [
        (record.name, record.task, len(record.options), record.answer_key) for record in result.records
    ] == [
        ("1001", "high_level_planning", 5, "D"),
        ("1042", "action_generation", 7, "F"),
        ("766", "start_end_position", 5, "D"),
        ("240", "counterfactual", 3, "A"),
    ]
    assert [entry.line for entry in result.found] == [2, 9, 18, 25]
    assert result.records[0].extras == {"": "0", "Output": "Option: [D]; Reason: it is the floor asked for"}


def test_row_when_in_the_clean_form_then_every_field_is_in_its_place(read: Read) -> None:
    (entry,) = read(table(("7", "EmbodiedCity_18_0.mp4", "Causal", QUESTION, "A")), name="q.csv").found
    item = entry.record
    assert isinstance(item, Item)
    assert (item.name, item.task_set, item.task) == ("7", "urbanvideo", "causal")
    assert item.question == "Why did the agent turn?"
    assert item.options == (
        Option(letter="A", text="To avoid a tree."),
        Option(letter="B", text="To rise."),
        Option(letter="C", text="To rest."),
    )
    assert (item.answer_format, item.answer_key, item.extras, item.corrections) == (
        "option_letter",
        "A",
        {},
        (),
    )
    assert json.loads(bytes(item.original)) == dict(
        zip(HEADER, ("7", "EmbodiedCity_18_0.mp4", "Causal", QUESTION, "A"), strict=True)
    )
    video = ImportedMedium(
        name="EmbodiedCity_18_0.mp4", path="EmbodiedCity_18_0.mp4", kind="video", view="UAV1"
    )
    assert (entry.media, entry.dataset) == ((video,), "UrbanVideo-Bench")
    assert entry.scene is not None
    assert (entry.scene.name, entry.scene.views) == ("EmbodiedCity_18_0", (video,))
    assert item.provenance.locator == "row 1"


@pytest.mark.parametrize(
    "word", ["Choices:", "Choice:", "choose:", "Options:", "Option:", "Choose:", "choices：", ""]
)
def test_question_when_any_separator_word_then_split_the_same(word: str) -> None:
    text = f"Question: Why?  \n{word}  \nA. x  \nB. y  \n" if word else "Why?\nA. x\nB. y"
    asked = split_question(text)
    assert asked.stem == "Why?"
    assert [(option.letter, option.text) for option in asked.options] == [("A", "x"), ("B", "y")]


@pytest.mark.parametrize("count", range(2, 10))
def test_question_when_two_to_nine_options_then_all_found(count: int) -> None:
    options = "".join(f"{letter}. text {letter}  \n" for letter in "ABCDEFGHI"[:count])
    asked = split_question(f"Question: Why?  \nchoose:  \n{options}")
    assert len(asked.options) == count
    assert asked.flags == ()


def test_question_when_odd_but_whole_then_taken_apart_rightly() -> None:
    asked = split_question(
        "Question: Navigation Instruction given at initial position: [Fly to the “Café”.\nThen stop.].\r\n"
        "Options: which? Where am I?  \r\nOption:  \r\n  A) one,\r\n   and more \r\nB：two\r\n\r\nC. \r\n"
    )
    assert asked.stem == (
        "Navigation Instruction given at initial position: [Fly to the “Café”.\nThen stop.].\n"
        "Options: which? Where am I?"
    )
    assert [option.text for option in asked.options] == ["one,\nand more", "two", ""]
    assert [flag.kind for flag in asked.flags] == ["option_empty"]


@pytest.mark.parametrize("text", ["Question: Why?", "Why?\nchoose:\n", "A. Why?", "choose:"])
def test_question_when_without_options_then_flagged_as_error(read: Read, text: str) -> None:
    result = read(table(("7", "v.mp4", "Causal", text, "A")), name="q.csv")
    assert result.records[0].options == ()
    assert result.flag("options_missing").severity == "error"


def test_question_when_letters_have_a_gap_then_kept_and_flagged(read: Read) -> None:
    result = read(table(("7", "v.mp4", "Causal", "Why?\nchoose:\nA. x\nB. y\nD. z", "D")), name="q.csv")
    assert [option.letter for option in result.records[0].options] == ["A", "B", "D"]
    assert result.flags == {"option_letters_odd": 1}


def test_question_when_not_in_the_clean_form_then_original_is_noted(read: Read) -> None:
    text = QUESTION.replace("choose", "Choices")
    result = read(table(("7", "v.mp4", "Causal", text, "A")), name="q.csv")
    (note,) = result.notes("question")
    assert (note.original, note.value) == (text, "Why did the agent turn?")


@pytest.mark.parametrize(
    ("answer", "key", "flag"),
    [
        ("A", "A", ""),
        ("c", "C", ""),
        ("E", "E", "key_not_among_options"),
        ("Not Found", "", "key_missing"),
        ("", "", "key_missing"),
    ],
)
def test_answer_when_read_then_letter_or_flag(read: Read, answer: str, key: str, flag: str) -> None:
    result = read(table(("7", "v.mp4", "Causal", QUESTION, answer)), name="q.csv")
    assert result.records[0].answer_key == key
    assert list(result.flags) == ([flag] if flag else [])


@pytest.mark.parametrize(
    ("category", "task", "is_noted"),
    [
        ("Association Reasoning", "association", True),
        ("Start/End Position", "start_end_position", False),
        ("Object Perception", "object_recall", True),
        ("Telepathy", "", False),
    ],
)
def test_category_when_under_any_name_then_task(read: Read, category: str, task: str, is_noted: bool) -> None:
    result = read(table(("7", "v.mp4", category, QUESTION, "A")), name="q.csv")
    assert result.records[0].task == task
    assert bool(result.notes("task")) == is_noted
    assert result.flags["task_unknown"] == (not task)
    assert result.records[0].extras == ({} if task else {"question_category": category})


def test_result_file_when_read_then_more_columns_are_kept(read: Read) -> None:
    header = ("", *HEADER, "scene_id", "extracted_option", "output_text")
    text = table(
        ("0", "7", "v.mp4", "Causal", QUESTION, "A", "3", "", "Your previous response"), header=header
    )
    assert read(text, name="q.csv").records[0].extras == {
        "": "0",
        "scene_id": "3",
        "extracted_option": "",
        "output_text": "Your previous response",
    }


def test_draft_file_when_read_then_names_are_made_up(read: Read) -> None:
    header = ("video_name", "movements", "destination", "question_category", "question", "extracted_answer")
    text = table(("v.mp4", "turn left", "a roof", "Causal", QUESTION, "B"), header=header)
    result = read(text, name="q.csv")
    assert (result.records[0].name, result.records[0].answer_key) == ("v row 1", "B")
    assert result.flags == {"id_missing": 1}


def test_cell_when_guarded_against_formulas_then_noted_and_the_original_kept(read: Read) -> None:
    text = table(("7", "v.mp4", "Causal", QUESTION, "A", "'=A1"), header=(*HEADER, "Output"))
    result = read(text, name="q.csv")
    assert result.records[0].extras == {"Output": "=A1"}
    assert [(note.original, note.value) for note in result.notes("Output")] == [("'=A1", "=A1")]
    assert json.loads(bytes(result.records[0].original))["Output"] == "'=A1"


def test_ids_when_repeated_then_flagged(read: Read) -> None:
    result = read(table(*[("7", "v.mp4", "Causal", QUESTION, "A")] * 2), name="q.csv")
    assert result.flags == {"duplicate_id": 1}
    assert len({record.import_key for record in result.records}) == 2


def test_video_when_its_path_leads_out_then_refused_with_a_note(read: Read) -> None:
    result = read(table(("7", "../v.mp4", "Causal", QUESTION, "A")), name="q.csv")
    assert (result.found[0].media[0].name, result.found[0].media[0].path) == ("../v.mp4", "")
    assert "is outside" in result.notes("media")[0].reason


def test_file_when_gb2312_with_semicolons_then_read_with_a_note(read: Read) -> None:
    text = table(("7", "v.mp4", "Causal", QUESTION.replace("a tree", "一棵树"), "A")).replace(",", ";")
    result = read(text.encode("gb2312"), name="q.csv")
    assert result.records[0].options[0].text == "To avoid 一棵树."
    assert result.notes("")[0].original == "GB 18030"


@pytest.mark.parametrize(
    ("row", "field"),
    [
        (("7", "", "Causal", QUESTION, "A"), "video_id"),
        (("7", "v.mp4", "Causal", " ", "A"), "question"),
        (("7", "v.mp4", "Causal", QUESTION), "answer"),
        (("7", "v.mp4", "Causal", "a\0b", "A"), "question"),
        (("7", "v" * 2000, "Causal", QUESTION, "A"), "video_id"),
        (("7", "v.mp4", "Causal", QUESTION, "A", "more"), ""),
    ],
)
def test_row_when_it_cannot_be_taken_then_rejected_with_line_and_column(
    read: Read, row: tuple[str, ...], field: str
) -> None:
    good = ("1", "v.mp4", "Causal", QUESTION, "A")
    result = read(table(good, row, ("3", *good[1:])), name="q.csv")
    assert [record.name for record in result.records] == ["1", "3"]
    (rejected,) = result.rejected
    assert (rejected.line, rejected.locator, rejected.field) == (8, "row 2", field)


def test_row_when_its_quotes_are_lost_then_the_next_row_is_found_by_its_number_or_task(read: Read) -> None:
    good = table(("1", "v.mp4", "Causal", QUESTION, "A"))
    broken = f"2,v.mp4,Causal,{QUESTION},B\n"
    rest = table(("x3", "v.mp4", "Proximity", QUESTION, "A"), ("4", "v.mp4", "new", QUESTION, "A")).partition(
        "\n"
    )[2]
    result = read(good + broken + rest, name="q.csv")
    assert [record.name for record in result.records] == ["1", "x3", "4"]
    assert len(result.rejected) == 1


def test_columns_when_missing_then_refused_in_words(tmp_path: Path) -> None:
    path = tmp_path / "q.csv"
    path.write_text("Question_id,question\n1,x\n")
    reader = registry.get("urbanvideo")
    with pytest.raises(UserError, match="has no column video_id, question_category, answer"):
        list(reader.read(InputFile.open(path), context=ImportContext()))


def test_question_when_its_stem_speaks_of_a_question_then_nothing_is_cut_out_of_it() -> None:
    stem = "Read the sign.\nQuestion: what does it say?"
    for prefix in ("Question: ", ""):
        assert split_question(f"{prefix}{stem}\nchoose:\nA. stop\nB. go\n").stem == stem


STEMS = ("Where to?", " Where to?", "Question: Where?", "Why:", "Options:", "", "\u3000é", "One\ntwo?")
OPTIONS = ("A. here", "A. choose:", "A. a  b", "A.here", "A.   ", "Z. no", "B. there")
SEPARATORS = ("choose:  ", "Choices:", "choose:")
ENDS = ("  \n", "  ", "\n", "  \n\n", "  \n \n", "   \n")


def test_question_when_read_at_one_look_then_the_same_as_line_by_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    parts = itertools.product(STEMS, SEPARATORS, OPTIONS, ENDS)
    texts = [f"Question: {stem}  \n{mark}\n{option}  \nC. last{end}" for stem, mark, option, end in parts]
    at_one_look = [split_question(text) for text in texts]
    monkeypatch.setattr(urbanvideo_questions, "_CLEAN", re.compile("(?!)"))
    line_by_line = [split_question(text) for text in texts]
    assert [msgspec.structs.replace(one, is_clean=False) for one in at_one_look] == line_by_line
    clean = [text for text, one in zip(texts, at_one_look, strict=True) if one.is_clean]
    assert len(clean) > 10
    assert all(split_question(text).as_published().rstrip("\n") == text.rstrip("\n") for text in clean)
