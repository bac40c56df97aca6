"""The rows of a file of predictions: JSON lines, a JSON list, CSV or TSV."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import msgspec

from annotator.errors import UserError
from annotator.importers.byte_stream import limited_lines
from annotator.importers.csv_rows import CsvTable
from annotator.importers.embedded_images import TextWithoutImages
from annotator.importers.input_file import InputFile, chinese_legacy_text, is_utf8
from annotator.importers.json_text import JsonText
from annotator.importers.tables import is_delimited

LONGEST_LINE_BYTES = 16 << 20
"""A line is in memory while it is read; a longer one is listed and skipped."""
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
class RawRow(msgspec.Struct, frozen=True, gc=False):
    """One row, or why it cannot be read."""

    line: int
    cells: dict[str, Any]
    fault: str = ""
    kind: ProblemKind = "unreadable_row"


def raw_rows(file: InputFile) -> Iterator[RawRow]:
    """Yield the rows of a file in its order; one that cannot be read has the reason.

    Raises:
        UserError: It is not JSON, CSV or TSV, or broken as a whole.
        EnvironmentFailure: The disk refused.
    """
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


def _line_rows(file: InputFile) -> Iterator[RawRow]:
    decoder, encoding = msgspec.json.Decoder(), _line_encoding(file)
    for number, line in enumerate(limited_lines(file, most_bytes=LONGEST_LINE_BYTES), start=1):
        if len(line) > LONGEST_LINE_BYTES:
            fault = f"The line has more than {LONGEST_LINE_BYTES >> 20} MiB."
            yield RawRow(number, {}, fault, "overlong_line")
        elif line.strip():
            yield _row_of(line, number, decoder, encoding=encoding)


def _line_encoding(file: InputFile) -> str:
    """Return the encoding of a file of lines: UTF-8, unless its beginning is certainly GBK or GB 18030."""
    lines = file.head[: file.head.rfind("\n") + 1]
    return "utf-8" if chinese_legacy_text(lines) is None else "gb18030"


def _row_of(line: bytes, number: int, decoder: msgspec.json.Decoder[Any], *, encoding: str) -> RawRow:
    try:
        # Decoded before: msgspec takes bytes for UTF-8.
        value = decoder.decode(line.decode(encoding))
    except UnicodeDecodeError as error:
        byte = line[error.start]
        is_utf8 = encoding == "utf-8"
        fault = (
            f"It is not UTF-8: byte 0x{byte:02x}." if is_utf8 else f"It is not GB 18030: byte 0x{byte:02x}."
        )
        return RawRow(number, {}, fault, "wrong_encoding")
    # RecursionError: a row that is nested some thousand times, which a damaged or a hostile file has.
    except (msgspec.DecodeError, RecursionError) as error:
        return RawRow(number, {}, f"This is not JSON: {error}.")
    if type(value) is not dict:
        return RawRow(number, {}, "It should be an object.")
    return RawRow(number, value)


def _listed_rows(file: InputFile) -> Iterator[RawRow]:
    # Result files of IndoorUAV are GBK.
    json = JsonText(chinese_legacy_text(file.text) or file.text)
    for element in json.top_elements():
        if element.fault is not None:
            line = json.line_of(element.fault.at)
            kind = _problem_kind(json.text[element.start : element.end])
            yield RawRow(line, {}, element.fault.message, kind)
        elif type(element.value) is not dict:
            yield RawRow(json.line_of(element.start), {}, "It should be an object.")
        else:
            yield RawRow(json.line_of(element.start), element.value)


def _table_rows(file: InputFile) -> Iterator[RawRow]:
    # VLMEvalKit's tables can have images in their cells, which are longer than any cell may be.
    for row in CsvTable(TextWithoutImages(file).text).rows():
        yield RawRow(row.line, row.cells, row.fault, _problem_kind("".join(row.cells.values())))


def _problem_kind(text: str) -> ProblemKind:
    """Return the kind of problem of a row that cannot be taken, by its text as it stands in the file."""
    return "unreadable_row" if is_utf8(text) else "wrong_encoding"
