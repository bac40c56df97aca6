from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
from pathlib import Path

import pytest

from annotator.errors import UserError
from annotator.importers import embedded_images
from annotator.importers.importer import ImportContext
from annotator.importers.input_file import InputFile
from annotator.importers.vlmevalkit import VlmEvalKit
from tests.unit.importers.reading import Read

HEADER = ("index", "category", "image", "image_path", "question", "A", "B", "C", "answer")
JPEG = b"\xff\xd8\xff" + bytes(range(256)) * 8
PNG = b"\x89PNG" + bytes(range(256)) * 8


def encoded(data: bytes) -> str:
    return base64.b64encode(data).decode()


def table(*rows: tuple[object, ...], header: tuple[str, ...] = HEADER, delimiter: str = "\t") -> str:
    stream = io.StringIO(newline="")
    csv.writer(stream, delimiter=delimiter, lineterminator="\n").writerows([header, *rows])
    return stream.getvalue()


def row(**fields: object) -> tuple[object, ...]:
    usual = dict(zip(HEADER, (3, "Causal", "", "a/b.jpg", "Why?", "one", "two", "", "B"), strict=True))
    return tuple({**usual, **fields}.values())


def test_row_when_whole_then_every_field_is_in_its_place(read: Read) -> None:
    result = read(table(row()), name="UrbanVideo.tsv")
    (item,), (entry,) = result.records, result.found
    assert (result.format, result.flags, result.rejected) == ("vlmevalkit", {}, [])
    assert (item.name, item.task_set, item.task) == ("UrbanVideo_3", "urbanvideo", "causal")
    assert [(option.letter, option.text) for option in item.options] == [("A", "one"), ("B", "two")]
    assert (item.question, item.answer_key, item.extras) == ("Why?", "B", {})
    assert [(m.name, m.kind) for m in entry.media] == [("a/b.jpg", "image")]
    assert entry.dataset == "UrbanVideo"
    assert json.loads(bytes(item.original))["index"] == "3"


def test_pictures_when_in_cells_then_their_bytes_are_given_and_the_record_keeps_digests(
    read: Read, tmp_path: Path
) -> None:
    both = str([encoded(JPEG), encoded(PNG)])
    text = table(row(image=encoded(JPEG), image_path=""), row(index=4, image=both, image_path=""))
    result = read(text, name="t.tsv")
    digest = hashlib.sha256(JPEG).hexdigest()
    first, second = result.found
    assert [m.name for m in first.media] == [f"{digest[:16]}.jpg"]
    assert [m.name.rpartition(".")[2] for m in second.media] == ["jpg", "png"]
    assert result.records[0].extras["image"] == f"sha256:{digest} ({len(JPEG)} bytes)"
    assert json.loads(bytes(result.records[0].original))["image"] == result.records[0].extras["image"]
    assert [note.original for note in result.notes("image")] == ["Base64", "Base64"]
    file = InputFile.open(tmp_path / "t.tsv")
    pictures = list(VlmEvalKit().pictures(file, context=ImportContext()))
    assert [(picture.name, picture.data) for picture in pictures] == [
        (first.media[0].name, JPEG), (second.media[1].name, PNG),
    ]  # fmt: skip


def test_pictures_when_larger_than_any_cell_of_a_table_then_the_row_and_its_line_are_right(
    read: Read,
) -> None:
    large = encoded(JPEG * 100)
    assert len(large) > csv.field_size_limit()
    asked = 'Why "so"?\nSay.'
    text = table(row(image=large, question=asked), row(index=4, image=large))
    result = read(text, name="t.tsv")
    assert [record.question for record in result.records] == [asked, "Why?"]
    assert [entry.line for entry in result.found] == [2, 4]
    assert [m.name for m in result.found[0].media] == ["a/b.jpg"], "the path is the picture's name"


def test_picture_when_the_cell_names_another_row_then_what_that_one_shows(read: Read) -> None:
    text = table(row(image_path="", image=encoded(PNG)), row(index=4, image="3", image_path=""))
    first, second = read(text, name="t.tsv").found
    assert second.media == first.media != ()


def test_paths_when_a_python_list_then_several_media(read: Read) -> None:
    result = read(table(row(image_path="['a/1.jpg', \"b's.jpg\"]")), name="t.tsv")
    assert [m.name for m in result.found[0].media] == ["a/1.jpg", "b's.jpg"]


def test_picture_when_no_base64_or_too_large_then_the_row_is_rejected(
    read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = "A" * 2001
    result = read(table(row(image=odd), row(index=4)), name="t.tsv")
    assert [(bad.line, bad.field) for bad in result.rejected] == [(2, "image")]
    assert [record.name for record in result.records] == ["t_4"]
    monkeypatch.setattr(embedded_images, "LARGEST_PICTURE_BYTES", 1000)
    result = read(table(row(image=encoded(JPEG))), name="t.tsv")
    assert "more than" in result.rejected[0].message


def test_file_when_it_holds_the_mark_then_another_is_taken(read: Read) -> None:
    text = table(row(image=encoded(JPEG), question="Why \ue0000\ue000?", image_path=""))
    result = read(text, name="t.tsv")
    assert result.records[0].question == "Why \ue0000\ue000?"
    assert result.found[0].media[0].name.endswith(".jpg")


def test_category_when_of_no_known_set_then_kept_beside_the_item(read: Read) -> None:
    result = read(table(row(category="Telepathy")), name="t.tsv")
    (item,) = result.records
    assert (item.task_set, item.task, item.extras) == ("own", "", {"category": "Telepathy"})


def test_category_when_most_are_of_one_set_then_the_others_are_flagged(read: Read) -> None:
    rows = [
        row(index=1, category="Urban OCR"),
        row(index=2, category="Event Tracing"),
        row(index=3, category="x"),
    ]
    result = read(table(*rows), name="t.tsv")
    assert [record.task_set for record in result.records] == ["mm_uavbench"] * 3
    assert result.flags == {"task_unknown": 1}


def test_videos_when_named_then_media_of_their_kind_and_more_columns_are_kept(read: Read) -> None:
    header = tuple("video" if name == "image_path" else name for name in HEADER)
    text = table((*row(image_path="c/1.mp4"), "a hint"), header=(*header, "hint"))
    result = read(text, name="t.tsv")
    assert [(m.name, m.kind) for m in result.found[0].media] == [("c/1.mp4", "video")]
    assert result.records[0].extras == {"hint": "a hint"}


@pytest.mark.parametrize(
    ("fields", "flags"),
    [
        ({"answer": "C"}, {"key_not_among_options": 1}),
        ({"A": "", "B": ""}, {"options_missing": 1}),
        ({"A": ""}, {"option_empty": 1}),
        ({"image_path": ""}, {"media_missing": 1}),
        ({"index": ""}, {"id_missing": 1}),
        ({"answer": ""}, {"key_missing": 1}),
    ],
)
def test_row_when_it_contradicts_itself_then_taken_and_flagged(
    read: Read, fields: dict[str, object], flags: dict[str, int]
) -> None:
    assert read(table(row(**fields)), name="t.tsv").flags == flags


def test_columns_when_missing_or_called_otherwise_then_told_or_mapped(read: Read) -> None:
    header = tuple("ask" if name == "question" else name for name in HEADER)
    with pytest.raises(UserError, match="has no column question"):
        read(table(row(), header=header), name="t.tsv", format_id="vlmevalkit")
    result = read(
        table(row(), header=header), name="t.tsv", format_id="vlmevalkit", mapping={"question": "ask"}
    )
    assert result.records[0].question == "Why?"


def test_file_when_its_first_column_begins_with_a_p_then_it_is_recognised(tmp_path: Path) -> None:
    header = ("Path", *HEADER)
    (tmp_path / "t.tsv").write_text(table(("p", *row()), header=header))
    assert VlmEvalKit().recognizes(InputFile.open(tmp_path / "t.tsv"))
