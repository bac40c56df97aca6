"""Whatever a file holds: a reader ends with records and rejections, or says that it is not its format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotator.domain.record import to_json
from annotator.errors import UserError
from annotator.importers import registry
from annotator.importers.imported_record import ImportedRecord, ImportIssue
from annotator.importers.importer import ImportContext
from annotator.importers.input_file import InputFile, is_utf8
from annotator.importers.input_folder import InputFolder
from annotator.importers.listed_texts import strings_in
from annotator.importers.urbanvideo_questions import split_question
from annotator.importers.yolo_folder import YoloFolder

FORMATS = ("aircop-labels", "aircop-questions", "spatialuav", "urbanvideo")
KEYS = (
    *(
        "img1",
        "id",
        "Quality",
        "Usibility",
        "Object_type",
        "Object_count",
        "Degradation",
        "Other Degradation",
    ),
    *(
        "PerceptionIssues",
        "Collaboration_when",
        "Collaboration_what",
        "Collaboration_who",
        "Collaboration_why",
    ),
    *("annotation_id", "annotator", "created_at", "lead_time", "choices", "x", "y", "width", "height"),
    *("rotation", "rectanglelabels", "original_width", "question_id", "question_type", "question", "options"),
    *("correct_answer", "uav_paths", "UAV1", "uav1_path", "questions", "questions_per_uav", "results"),
    *("dataset", "error", "image", "conversations", "from", "value", "GT", "A", "B"),
)
TEXTS = st.sampled_from(
    [
        "23-00000001-UAV1.jpg",
        "/data/upload/1/3c5ed8a3-a%E5%8E%9F.png",
        "../../x",
        "UAV1，UAV3",
        "around 60",
        "1 (Yes)",
        "Out of FoV",
        "human",
        "A, B",
        "Region 1-2",
        "2.2 Object Counting (UAV1)",
        "A2A_Object_Matching_1",
        "\ud800",
        "\0",
        "9" * 400,
        "",
    ]
) | st.text(max_size=8)
NUMBERS = st.integers() | st.floats() | st.sampled_from([10**400, -(10**30), 1e308, 0])
NAMES = st.sampled_from(KEYS)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=8,
)
RECORDS = st.lists(st.dictionaries(NAMES, VALUES, max_size=12) | VALUES, max_size=3)
BYTES = st.binary(max_size=200) | st.text(st.sampled_from('{}[]",:\\\n\r img1é'), max_size=80).map(str.encode)
CELLS = TEXTS | st.sampled_from(["Causal", "7", "choose:\nA. x\nB. y", "A"])
ROWS = st.lists(st.lists(CELLS, max_size=7), max_size=5)
TRIED = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])


def read_all(path: Path, data: bytes, format_id: str) -> list[ImportedRecord | ImportIssue]:
    path.write_bytes(data)
    context = ImportContext()
    return list(registry.get(format_id).read(InputFile.open(path), context=context))


def require_storable(entries: list[ImportedRecord | ImportIssue], data: bytes) -> None:
    lines = max(data.count(b"\n"), data.count(b"\r")) * 2 + 2
    for entry in entries:
        assert 1 <= entry.line <= lines
        if isinstance(entry, ImportIssue):
            assert entry.message
            assert is_utf8(entry.message + entry.field + entry.locator)
            continue
        kind: Any = type(entry.record)
        assert msgspec.json.decode(to_json(entry.record), type=kind) == entry.record
        to_json(entry)
        assert all("\0" not in medium.name and ".." not in medium.path.split("/") for medium in entry.media)


@pytest.mark.parametrize("format_id", FORMATS)
@TRIED
@given(
    data=st.binary(max_size=200)
    | st.text(st.sampled_from('{}[]",:\\\n\r img1é'), max_size=80).map(str.encode)
)
def test_any_bytes_when_read_then_no_exception_but_words(tmp_path: Path, format_id: str, data: bytes) -> None:
    try:
        entries = read_all(tmp_path / "file", data, format_id)
    except UserError:
        return
    require_storable(entries, data)


@pytest.mark.parametrize("format_id", FORMATS[:3])
@TRIED
@given(values=RECORDS, is_lines=st.booleans())
def test_any_json_when_read_then_every_value_is_taken_or_told(
    tmp_path: Path, format_id: str, values: list[object], is_lines: bool
) -> None:
    text = "\n".join(json.dumps(value) for value in values) if is_lines else json.dumps(values)
    require_storable(read_all(tmp_path / "file", text.encode(), format_id), text.encode())


@TRIED
@given(rows=ROWS, mess=st.text(st.sampled_from('",\n\r'), max_size=4))
def test_any_table_when_read_then_every_row_is_taken_or_told(
    tmp_path: Path, rows: list[list[str]], mess: str
) -> None:
    header = b",Question_id,video_id,question_category,question,answer\n"
    quoted = (",".join('"' + cell.replace('"', '""') + '"' for cell in row) + mess for row in rows)
    data = header + "\n".join(quoted).encode("utf-8", errors="surrogatepass")
    require_storable(read_all(tmp_path / "file", data, "urbanvideo"), data)


@pytest.mark.parametrize("format_id", FORMATS[:3])
@pytest.mark.parametrize(
    "data", [b"[" * 200_000, b'{"a":' * 100_000, b'[{"img1":' + b"[" * 100_000 + b"]" * 100_000 + b"}]"]
)
def test_deep_nesting_when_read_then_told_in_words(tmp_path: Path, format_id: str, data: bytes) -> None:
    entries = read_all(tmp_path / "file", data, format_id)
    assert entries
    assert all(isinstance(entry, ImportIssue) for entry in entries)


BUSY = {
    "comments without a root": ("a.xml", "<!---->" * 60 + "x"),
    "a tag without an end": ("a.xml", "<" + "a" * 200_000),
    "a root without a track": ("a.xml", "<a" * 100_000),
    "vehicles without a type": ("settings.json", "{" + '"Vehicles":{' * 20_000),
    "a header of brackets": ("a.csv", "(" * 100_000 + ",question\n"),
    "a header of blanks": ("a.csv", "a" + " " * 100_000 + "a,question\n"),
}


@pytest.mark.parametrize(("name", "text"), BUSY.values(), ids=BUSY)
def test_file_when_made_to_keep_a_pattern_busy_then_it_is_told_apart_at_once(
    tmp_path: Path, name: str, text: str
) -> None:
    """Without the care it takes, each of these is looked at for minutes, some for years."""
    (tmp_path / name).write_text(text)
    assert registry.detect_importers(InputFile.open(tmp_path / name)) == []


def test_cell_when_a_list_in_it_does_not_end_then_it_is_one_text_at_once() -> None:
    cell = "['a'" + " " * 200_000 + "x"
    assert strings_in(cell) == [cell]


def test_question_when_it_has_a_run_of_blanks_then_it_is_split_at_once() -> None:
    assert split_question("Question: a" + " " * 200_000 + "b").stem == "a" + " " * 200_000 + "b"


def test_names_of_classes_when_a_list_of_them_is_odd_then_it_is_read_at_once(tmp_path: Path) -> None:
    (tmp_path / "data.yaml").write_text("names: [a, b" + " " * 100_000 + '", c]\n')
    assert YoloFolder(InputFolder.open(tmp_path)).categories() == {0: "a", 1: "c"}
