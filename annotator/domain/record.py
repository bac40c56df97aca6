"""What all records share: an id, immutability, one JSON form."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, ClassVar

import msgspec
import uuid_utils


def new_id() -> str:
    """Return a new UUIDv7 as 32 hex characters: unique, and sorted by time of making."""
    return uuid_utils.uuid7().hex


class ValueObject(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A value that lives inside a record and has no id of its own."""

    # Defaults are omitted, which keeps records short. A record that was written before a field was added has
    # the same text as one with the field's default.


Cell = str | int | float | bytes | None
"""A value that SQLite keeps."""


class AnyValue(Enum):
    """Stands for all values of a column in a search."""

    ANY = "any"


ANY = AnyValue.ANY


class Column(msgspec.Struct, frozen=True, kw_only=True):
    """One column that records are found or counted by.

    Attributes:
        name: Column name.
        value: How it is read off a record.
        type: ``str``, ``int`` or ``float``; the table is STRICT.
    """

    name: str
    value: Callable[[Any], Cell]
    type: type = str


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """Table, indexes and searches of one record type.

    Attributes:
        entity: Name of the record type in the log and of its table.
        columns: Columns besides the standard ones (n, id, actor, removed, record).
        indexes: Columns of each index.
        search_text: Returns a record's text for word search, None for no word search.
        substrings: Returns a record's text for substring search, None for no such search.
        usual: Column values of the records that a search returns unless it names the column; the others are
            not part of the data yet, such as proposals.
        is_in_log: Whether a long unchanged record is stored in the log only, compressed; for types with
            very many records, which no list reads completely.
    """

    entity: str
    columns: tuple[Column, ...] = ()
    indexes: tuple[tuple[str, ...], ...] = ()
    search_text: Callable[[Any], str] | None = None
    substrings: Callable[[Any], str] | None = None
    usual: Mapping[str, int] = {}
    is_in_log: bool = False


class Record(ValueObject, frozen=True, kw_only=True, omit_defaults=True):
    """One entity of a project: immutable, known by its id.

    Attributes:
        table: How records of this type are kept; each type has its own.
        id: 32 hex characters, UUIDv7, or a digest of the name for a person added by name; "" for a record
            that is not in a project yet.
    """

    table: ClassVar[Table]

    id: str = ""


class FieldCorrection(ValueObject, frozen=True, kw_only=True, omit_defaults=True):
    """A change that an importer made to one field, with the original value.

    Attributes:
        field: Field of the record.
        original: The original value (JSON).
        value: The stored value (JSON).
        reason: Why, in words.
    """

    field: str
    original: Any
    value: Any
    reason: str


def to_json(value: object) -> str:
    """Return the one JSON text of a value: compact, fields in declared order.

    JSON has no NaN and no infinity: both become null, which a field of numbers cannot be read from. The log
    refuses them with ``is_finite``.
    """
    return msgspec.json.encode(value).decode()


def is_finite(value: object) -> bool:
    """Return whether all numbers in a value are finite, whatever it consists of."""
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, msgspec.Struct):
        return all(is_finite(getattr(value, name)) for name in value.__struct_fields__)
    if isinstance(value, Mapping):
        return all(map(is_finite, value.values()))
    if isinstance(value, (list, tuple, set, frozenset)):
        return all(map(is_finite, value))
    return True
