"""Reads files of predictions row by row: JSON lines, a JSON list, CSV or TSV."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import msgspec

from annotator.errors import UserError
from annotator.importers.byte_stream import limited_lines
from annotator.importers.csv_rows import CsvTable
from annotator.importers.embedded_images import TextWithoutImages
from annotator.importers.input_file import InputFile, chinese_legacy_text, is_utf8, printable
from annotator.importers.json_text import JsonText
from annotator.importers.record_fields import RecordError
from annotator.importers.tables import first_columns, is_delimited
from annotator.progress import Progress
from annotator.scoring.forms import FORMS
from annotator.scoring.prediction_form import Prediction, PredictionForm

LONGEST_LINE_BYTES = 16 << 20
"""A line is in memory while it is read; a longer one is listed and skipped."""
ENDINGS = frozenset({".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".txt"})
"""Endings of the files in a folder of predictions that are read."""
LOOKED_AT = 20
"""Rows whose fields tell the form."""
TEXT_LOOKED_AT = 2_000
"""Characters that tell whether a file is text."""
MOST_CONTROLS = 0.05
"""Share of control characters in text; in UTF-16 read as UTF-8 it is a half, in compressed data a tenth."""
STEP = 1_000

ProblemKind = Literal[
    "unreadable_row",
    "overlong_line",
    "wrong_encoding",
    "unknown_item",
    "ambiguous_item",
    "duplicate",
    "missing",
    "unreadable_item",
    "no_answer_key",
    "unknown_format",
    "failed_request",
    "settled_not_used",
    "unnamed_model",
]


class InputProblem(msgspec.Struct, frozen=True, kw_only=True):
    """Something in the predictions, or missing in them, that the score does not contain.

    Attributes:
        kind: What it is.
        message: The same in words.
        item: Id of the item, "" if unknown.
        file: Name of the file, "" for a missing prediction.
        line: Line of the file, from 1; 0 for a missing prediction.
    """

    kind: ProblemKind
    message: str
    item: str = ""
    file: str = ""
    line: int = 0


# Neither this nor a prediction takes part in a cycle; a million of them would slow the collector down.
class _Row(msgspec.Struct, frozen=True, gc=False):
    """One row, or why it cannot be read."""

    line: int
    cells: dict[str, Any]
    fault: str = ""
    kind: ProblemKind = "unreadable_row"


class PredictionFile:
    """A file, or a folder of files, with predictions.

    Attributes:
        path: The file or folder.
        form: The form that it has.
        reason: Why it counts as of this form, in words.
    """

    def __init__(self, path: Path, *, form_id: str = "") -> None:
        """Find the form.

        Args:
            path: The file or folder.
            form_id: Id of the form, "" to find it from the content.

        Raises:
            UserError: There is nothing to read, or the form is unknown or not that of the file.
            EnvironmentFailure: The disk refused.
        """
        self.path = path
        self._files = _files_at(path)
        # One form for a whole folder, by its first file; rows of another form are listed as unreadable.
        columns = _columns(self._files[0])
        self.form, shown = _form_of(columns, form_id=form_id, name=self._files[0].name)
        _require_distinct(columns, self.form, name=self._files[0].name)
        self.reason = (
            f"fields {', '.join(shown)}" if shown else "the form was given; the file lacks some of its fields"
        )

    def read(self, *, progress: Progress) -> Iterator[Prediction | InputProblem]:
        """Yield the predictions, and what cannot be read, in the order of the file.

        Raises:
            UserError: A file is too large for its kind, or damaged as a whole.
            EnvironmentFailure: The disk refused.
            Cancelled: The user stopped it.
        """
        for file in self._files:
            progress.begin(f"Reading {file.name}")
            for number, row in enumerate(_rows(file), start=1):
                if number % STEP == 0:
                    progress.step(STEP)
                yield self._prediction(row, file=file)
            progress.end()

    def _prediction(self, row: _Row, *, file: InputFile) -> Prediction | InputProblem:
        if row.fault:
            return InputProblem(kind=row.kind, message=row.fault, file=file.name, line=row.line)
        try:
            return self.form.prediction(row.cells, line=row.line, file=file.name)
        except RecordError as fault:
            message = printable(f"{fault.field}: {fault}")
            return InputProblem(kind="unreadable_row", message=message, file=file.name, line=row.line)


def _files_at(path: Path) -> tuple[InputFile, ...]:
    if not path.is_dir():
        return (InputFile.open(path),)
    names = sorted(child for child in path.rglob("*") if child.suffix.lower() in ENDINGS and child.is_file())
    if not names:
        raise UserError(
            f"{printable(str(path))} contains no predictions.",
            hint="Choose a JSON, JSON lines, CSV or TSV file, or a folder of them.",
        )
    return tuple(InputFile.open(name) for name in names)


def _form_of(columns: Sequence[str], *, form_id: str, name: str) -> tuple[PredictionForm, tuple[str, ...]]:
    """Return the form of a file and the fields that show it, none where the form was given without them."""
    if form_id:
        if form_id not in FORMS:
            raise UserError(f"Unknown form {form_id!r}.", hint=f"Use one of: {', '.join(FORMS)}.")
        return FORMS[form_id], FORMS[form_id].recognized_by(columns)
    found = [(form, shown) for form in FORMS.values() if (shown := form.recognized_by(columns))]
    if len(found) == 1:
        return found[0]
    if found:
        ids = ", ".join(form.id for form, _ in found)
        raise UserError(f"{name} matches several forms: {ids}.", hint="Name the form with --form.")
    listed = ", ".join(printable(column) for column in list(columns)[:12]) or "none"
    raise UserError(
        f"{name} has no known form of predictions; its fields: {listed}.",
        hint=f"Use the fields item and prediction, or one of the forms: {', '.join(FORMS)}.",
    )


def _require_distinct(columns: Sequence[str], form: PredictionForm, *, name: str) -> None:
    """Refuse a table with two columns of ids or answers: which one is meant, nothing tells.

    Raises:
        UserError: It has.
    """
    for column in (*form.id_fields, *form.text_fields):
        if columns.count(column) > 1:
            raise UserError(f"{name} has the column {column} twice.", hint="Remove or rename one of the two.")


def _columns(file: InputFile) -> tuple[str, ...]:
    """Return the fields of the first rows, as they appear; of a table all columns, even alike ones."""
    if not file.head.strip():
        raise UserError(f"{file.name} is empty.", hint="Choose a file with predictions.")
    if is_delimited(file):
        _require_text(file)
        return first_columns(file)[0]
    columns: dict[str, None] = {}
    first = list(islice(_rows(file), LOOKED_AT))
    for row in first:
        columns |= dict.fromkeys(row.cells)
    if first and not columns:
        _require_text(file)
        raise UserError(
            f"None of the first rows of {file.name} can be read. Line {first[0].line}: {first[0].fault}",
            hint="Choose a file with predictions.",
        )
    return tuple(columns)


def _require_text(file: InputFile) -> None:
    """Refuse what is no text, or is text in an encoding that nothing tells: it has control characters.

    Raises:
        UserError: It is.
    """
    beginning = file.head[:TEXT_LOOKED_AT]
    controls = sum(character < " " and not character.isspace() for character in beginning)
    if controls > MOST_CONTROLS * len(beginning):
        raise UserError(
            f"{file.name} is not UTF-8 text. It may be UTF-16 without a byte order mark, or compressed.",
            hint="Save it as UTF-8, and choose that file.",
        )


def _rows(file: InputFile) -> Iterator[_Row]:
    first = file.head.lstrip()[:1]
    if first not in ("[", "{") and not is_delimited(file):
        raise UserError(
            f"{file.name} is not JSON, CSV or TSV.", hint="Save the table as CSV, and choose that file."
        )
    if first == "[" or (first == "{" and not _has_lines(file)):
        yield from _listed_rows(file)
    elif first == "{":
        yield from _line_rows(file)
    else:
        yield from _table_rows(file)


def _has_lines(file: InputFile) -> bool:
    """Return whether a file of objects has one in each line, as far as its beginning tells."""
    line, end, rest = file.head.lstrip().partition("\n")
    if not end:
        # Of one long line as a whole, unless it is longer than any record may be.
        return file.size_bytes > LONGEST_LINE_BYTES
    try:
        msgspec.json.decode(line)
    # UnicodeEncodeError: bytes that are not UTF-8 are lone surrogates in the head.
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        # The first object of several lines, or a broken one before others that begin a line.
        return rest.lstrip("\r").startswith("{") or "\n{" in rest
    return True


def _line_rows(file: InputFile) -> Iterator[_Row]:
    decoder, encoding = msgspec.json.Decoder(), _line_encoding(file)
    for number, line in enumerate(limited_lines(file, most_bytes=LONGEST_LINE_BYTES), start=1):
        if len(line) > LONGEST_LINE_BYTES:
            fault = f"The line has more than {LONGEST_LINE_BYTES >> 20} MiB."
            yield _Row(number, {}, fault, "overlong_line")
        elif line.strip():
            yield _row_of(line, number, decoder, encoding=encoding)


def _line_encoding(file: InputFile) -> str:
    """Return the encoding of a file of lines: UTF-8, unless its beginning is certainly GBK or GB 18030."""
    lines = file.head[: file.head.rfind("\n") + 1]
    return "utf-8" if chinese_legacy_text(lines) is None else "gb18030"


def _row_of(line: bytes, number: int, decoder: msgspec.json.Decoder[Any], *, encoding: str) -> _Row:
    try:
        # Decoded before: msgspec takes bytes for UTF-8.
        value = decoder.decode(line.decode(encoding))
    except UnicodeDecodeError as error:
        byte = line[error.start]
        is_utf8 = encoding == "utf-8"
        fault = (
            f"It is not UTF-8: byte 0x{byte:02x}." if is_utf8 else f"It is not GB 18030: byte 0x{byte:02x}."
        )
        return _Row(number, {}, fault, "wrong_encoding")
    # RecursionError: a row that is nested some thousand times, which a damaged or a hostile file has.
    except (msgspec.DecodeError, RecursionError) as error:
        return _Row(number, {}, f"This is not JSON: {error}.")
    if type(value) is not dict:
        return _Row(number, {}, "It should be an object.")
    return _Row(number, value)


def _listed_rows(file: InputFile) -> Iterator[_Row]:
    # Result files of IndoorUAV are GBK.
    json = JsonText(chinese_legacy_text(file.text) or file.text)
    for element in json.top_elements():
        if element.fault is not None:
            line = json.line_of(element.fault.at)
            kind = _problem_kind(json.text[element.start : element.end])
            yield _Row(line, {}, element.fault.message, kind)
        elif type(element.value) is not dict:
            yield _Row(json.line_of(element.start), {}, "It should be an object.")
        else:
            yield _Row(json.line_of(element.start), element.value)


def _table_rows(file: InputFile) -> Iterator[_Row]:
    # VLMEvalKit's tables can have images in their cells, which are longer than any cell may be.
    for row in CsvTable(TextWithoutImages(file).text).rows():
        yield _Row(row.line, row.cells, row.fault, _problem_kind("".join(row.cells.values())))


def _problem_kind(text: str) -> ProblemKind:
    """Return the kind of problem of a row that cannot be taken, by its text as it stands in the file."""
    return "unreadable_row" if is_utf8(text) else "wrong_encoding"
