"""Typed cells of other people's tables as values that JSON can hold."""

from __future__ import annotations

import datetime as dt
import decimal
import hashlib
import math
from collections.abc import Mapping, Sequence
from typing import Any

from annotator.domain.record import FieldCorrection
from annotator.importers.input_file import fault_of_text, is_utf8
from annotator.importers.json_batches import LARGEST_INTEGER
from annotator.importers.record_fields import RecordError

LONGEST_TEXT_CHARACTERS = 1024 * 1024
"""A cell's; no question comes near, and an item is shown on one screen."""
_AS_THEY_ARE = frozenset({bool, type(None)})
_TIMES = (dt.datetime, dt.date, dt.time)


class UnreadableCell:
    """Stands in for a cell that its file's decoder cannot turn into a value."""


def is_plain_column(values: Sequence[object]) -> bool:
    """Tell whether each cell of a column is a value of JSON as it is: a short text, or a whole number."""
    kinds = set(map(type, values))
    if kinds == {int}:
        numbers: Any = values
        return bool(min(numbers) >= -LARGEST_INTEGER and max(numbers) <= LARGEST_INTEGER)
    if kinds != {str}:
        return False
    texts: Any = values
    joined = "".join(texts)
    return joined.isascii() and "\0" not in joined and max(map(len, texts)) < LONGEST_TEXT_CHARACTERS


class PlainRow:
    """The cells of one row.

    Attributes:
        cells: Column name to a value of JSON.
        notes: What was changed.
        fault: Why the row cannot be taken, "" where it can.
        field: Column of the fault.
    """

    __slots__ = ("cells", "fault", "field", "notes")

    def __init__(self, cells: dict[str, Any]) -> None:
        self.cells = cells
        self.notes: tuple[FieldCorrection, ...] = ()
        self.fault = self.field = ""
        for name, value in cells.items():
            kind = type(value)
            # Nearly all cells are short texts without a NUL, which need no closer look.
            if kind is str and len(value) < LONGEST_TEXT_CHARACTERS and value.isascii() and "\0" not in value:
                continue
            if kind is not int or not -LARGEST_INTEGER <= value <= LARGEST_INTEGER:
                self._check_value(name, value)

    def _check_value(self, name: str, value: object) -> None:
        try:
            plain = plain_value(value)
        except RecordError as fault:
            self.field, self.fault = self.field or name, self.fault or fault.message
            return
        self.cells[name] = plain
        if isinstance(value, bytes) and type(plain) is str:
            note = FieldCorrection(field=name, original="bytes", value=plain[:100], reason="bytes, not text")
            self.notes = (*self.notes, note)


def plain_value(value: object) -> object:
    """Return a cell as a value of JSON; missing numbers are None, times are ISO 8601.

    Raises:
        RecordError: It cannot be one.
    """
    if isinstance(value, str):
        return _text(value)
    # Before int: bool is one.
    if type(value) in _AS_THEY_ARE:
        return value
    if isinstance(value, float):
        return _finite(value)
    if isinstance(value, int):
        return _whole(value)
    if isinstance(value, bytes):
        return _bytes(value)
    if isinstance(value, list | tuple):
        return [plain_value(part) for part in value]
    # Keys that are no text are spelt out, as JSON would have to.
    if isinstance(value, Mapping):
        return {_text(str(key)): plain_value(part) for key, part in value.items()}
    return _other(value)


def _text(value: str) -> str:
    if len(value) > LONGEST_TEXT_CHARACTERS:
        raise RecordError("", f"It has more than {LONGEST_TEXT_CHARACTERS:,} characters.")
    if fault := fault_of_text(value):
        raise RecordError("", fault)
    return value


def _finite(value: float) -> float | None:
    if math.isinf(value):
        raise RecordError("", "It is not a finite number.")
    # Tables have no other way to say that a number is missing.
    return None if math.isnan(value) else value


def _whole(value: int) -> int:
    if abs(value) > LARGEST_INTEGER:
        raise RecordError("", f"{str(value)[:40]} is a number outside the supported range.")
    return value


def _bytes(value: bytes) -> str:
    """Return bytes as text if they are UTF-8, otherwise digest and size: records contain no images."""
    text = value.decode("utf-8", errors="surrogateescape")
    if len(value) <= LONGEST_TEXT_CHARACTERS and "\0" not in text and is_utf8(text):
        return text
    return f"sha256:{hashlib.sha256(value).hexdigest()} ({len(value)} bytes)"


def _other(value: object) -> str:
    if isinstance(value, _TIMES):
        return value.isoformat()
    if isinstance(value, dt.timedelta | decimal.Decimal):
        return str(value)
    raise RecordError("", "The value has an unsupported type.")
