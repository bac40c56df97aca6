"""Reads the native form of a release: every record as another project kept it, ids included."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, TypeVar

import msgspec

from annotator.domain.event_label import EventLabel
from annotator.domain.former_fields import FORMER_FIELDS, upgrade_record
from annotator.domain.item import Item
from annotator.domain.link import Link
from annotator.domain.medium import Medium
from annotator.domain.polyline import Polyline
from annotator.domain.record import Record, to_json
from annotator.domain.region import Region
from annotator.domain.scene import Scene
from annotator.domain.source import Source
from annotator.domain.trajectory import Trajectory
from annotator.importers.byte_stream import limited_lines, utf8_stream
from annotator.importers.imported_record import ImportedRecord, ImportIssue
from annotator.importers.importer import FileImporter, ImportContext
from annotator.importers.input_file import InputFile, printable
from annotator.importers.media_paths import read_path
from annotator.importers.record_fields import RecordError
from annotator.progress import Progress

RECORDS: dict[str, type[Record]] = {
    "source": Source,
    "medium": Medium,
    "scene": Scene,
    "region": Region,
    "link": Link,
    "path": Polyline,
    "event_label": EventLabel,
    "trajectory": Trajectory,
    "item": Item,
}
FORMER_NAMES = {
    entity: tuple(f'"{name}"'.encode() for name in names) for entity, names in FORMER_FIELDS.items()
}
LONGEST_LINE_BYTES = 16 * 1024 * 1024
COUNT_BYTES = 1 << 20

_ID = re.compile(r"[0-9a-f]{32}")
_BEGINNING = re.compile(r'\s*\{\s*"entity"\s*:\s*"[a-z_]+"\s*,\s*"record"\s*:\s*\{')

T = TypeVar("T")


class _Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    entity: str
    record: msgspec.Raw


class Native(FileImporter):
    """Takes records as they are, under the ids that they had."""

    id = "native"
    title = "Vantage records (JSON lines)"
    files = "a release of this program in the native format: see `docs/releases.md`"
    gives = "all records, including ids"
    marks = ("entity", "record")
    holds_others = True

    def __init__(self) -> None:
        self._line = msgspec.json.Decoder(_Line)
        self._decoders = {entity: msgspec.json.Decoder(record) for entity, record in RECORDS.items()}

    def recognizes(self, file: InputFile) -> bool:
        """Look for a record beside the name of its kind."""
        return bool(_BEGINNING.match(file.head))

    def read(self, file: InputFile, *, context: ImportContext) -> Iterator[ImportedRecord | ImportIssue]:
        """Yield the records, one line in memory at a time."""
        context.progress.begin(f"Looking through {file.name}")
        lines = _count_lines(file, progress=context.progress)
        context.progress.begin(f"Reading {file.name}", total=lines)
        for number, line in enumerate(limited_lines(file, most_bytes=LONGEST_LINE_BYTES), start=1):
            context.progress.step()
            if line.strip():
                yield self._found(line, number=number)

    def _found(self, line: bytes, *, number: int) -> ImportedRecord | ImportIssue:
        try:
            return ImportedRecord(record=self._record(line), line=number)
        except RecordError as fault:
            field, message = printable(fault.field), printable(str(fault))
            # A release ends each of its lines, so that one without an end is cut off.
            unread = 0 if line.endswith(b"\n") else None
            return ImportIssue(
                line=number, locator=f"line {number}", field=field, message=message, unread=unread
            )

    def _record(self, line: bytes) -> Record:
        """Return the record of a line.

        Raises:
            RecordError: It cannot be taken.
        """
        _require_text(line)
        parsed = _decoded(self._line, line, where="")
        if parsed.entity not in self._decoders:
            raise RecordError("entity", f"Unknown record type '{parsed.entity[:40]}'.")
        raw = _with_field_names(parsed)
        record = _decoded(self._decoders[parsed.entity], raw, where="record")
        _require_known_fields(record, raw)
        # Other projects' ids are taken as they are, so that a record is known again; made-up ones are not.
        if not _ID.fullmatch(record.id):
            raise RecordError("record.id", "An id has 32 characters 0 to 9 and a to f.")
        if isinstance(record, Medium):
            _require_inside(record.path)
        return record


def _require_text(line: bytes) -> None:
    if len(line) > LONGEST_LINE_BYTES:
        raise RecordError("", f"The line has more than {LONGEST_LINE_BYTES >> 20} MiB.")
    try:
        line.decode()
    except UnicodeDecodeError as error:
        raise RecordError("", f"It is not UTF-8: byte 0x{line[error.start]:02x}.") from error


def _decoded(decoder: msgspec.json.Decoder[T], text: bytes | msgspec.Raw, *, where: str) -> T:
    try:
        return decoder.decode(text)
    except msgspec.ValidationError as error:
        message, _, location = str(error).partition(" - at `$")
        raise RecordError(f"{where}{location.removesuffix('`')}".removeprefix("."), f"{message}.") from error
    except (msgspec.DecodeError, RecursionError) as error:
        raise RecordError(where, f"This is not JSON: {error}.") from error


def _with_field_names(line: _Line) -> msgspec.Raw:
    """Return a line's record with today's field names; releases of before project version 8 have former ones.

    Raises:
        RecordError: A field name occurs twice.
    """
    former = FORMER_NAMES.get(line.entity, ())
    # A search of bytes first: releases of today have these names in few records, as fields of originals.
    if not any(name in bytes(line.record) for name in former):
        return line.record
    try:
        json.loads(bytes(line.record), object_pairs_hook=_members)
        return msgspec.Raw(upgrade_record(line.entity, bytes(line.record).decode()).encode())
    except (msgspec.MsgspecError, ValueError, RecursionError):
        # No such record at all: decoding it next says what is wrong and where.
        return line.record


def _require_known_fields(record: Record, raw: msgspec.Raw) -> None:
    # A record written by this program is equal byte for byte; only others need the comparison of fields.
    if to_json(record).encode() == bytes(raw):
        return
    if lost := _lost_field(json.loads(bytes(raw), object_pairs_hook=_members), record):
        raise RecordError(f"record{lost}", "This version does not support the field and would drop it.")


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise RecordError(f"record.{twice}", "The field name occurs twice.")
    return members


def _lost_field(value: object, kept: object) -> str:
    """Return the path of the first member that a record has no field for, or ""."""
    if isinstance(value, dict) and isinstance(kept, msgspec.Struct):
        # A field that this version lacks would be lost at the next release.
        for name, member in value.items():
            if name not in kept.__struct_fields__:
                return f".{name}"
            if lost := _lost_field(member, getattr(kept, name)):
                return f".{name}{lost}"
    if isinstance(value, list) and isinstance(kept, tuple):
        found = (
            f"[{i}]{lost}"
            for i, pair in enumerate(zip(value, kept, strict=False))
            if (lost := _lost_field(*pair))
        )
        return next(found, "")
    return ""


def _require_inside(path: str) -> None:
    hint = read_path(path) if path else None
    if hint is not None and hint.path != path:
        raise RecordError(
            "record.path", f"It should be a plain path below the media root: {hint.refused or hint.path}."
        )


def _count_lines(file: InputFile, *, progress: Progress) -> int:
    """Count the lines for the progress; gigabytes take a while, and can be given up."""
    lines = 0
    with utf8_stream(file) as stream:
        while chunk := stream.read(COUNT_BYTES):
            lines += chunk.count(b"\n")
            progress.step(0)
    return lines
