"""What all records share: an id, immutability, one JSON form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import msgspec
import uuid_utils


def new_id() -> str:
    """Return a new UUIDv7 as 32 hex characters: unique, and sorted by time of making."""
    return uuid_utils.uuid7().hex


class ValueObject(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A value that lives inside a record and has no id of its own."""

    # Defaults are left out: a record is as long as what is known of it, and one that was written before a
    # field came is the same text as one in which nobody filled it.


Cell = str | int | float | bytes | None
"""A value that SQLite keeps."""


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
    """How records of one type are kept and found.

    Attributes:
        entity: Name of the record type in the log, also the name of its table.
        columns: Columns beside the standard ones (n, id, actor, removed, record).
        indexes: Columns of each index.
        words: Text of a record that word search looks into, None for no word search.
        substrings: Text of a record that substring search looks into, None for no such search.
        is_in_log: Whether a long record that nobody changed is kept in the log alone, packed; for types with
            very many records, whose lists do not read them all.
    """

    entity: str
    columns: tuple[Column, ...] = ()
    indexes: tuple[tuple[str, ...], ...] = ()
    words: Callable[[Any], str] | None = None
    substrings: Callable[[Any], str] | None = None
    is_in_log: bool = False


class Record(ValueObject, frozen=True, kw_only=True, omit_defaults=True):
    """One entity of a project: immutable, known by its id.

    Attributes:
        table: How records of this type are kept; each type has its own.
        id: 32 hex characters, UUIDv7; "" for a record that is not in a project yet.
    """

    table: ClassVar[Table]

    id: str = ""


class FieldCorrection(ValueObject, frozen=True, kw_only=True, omit_defaults=True):
    """What an importer changed in one field, so that the original can always be told.

    Attributes:
        field: Field of our record.
        original: The value as it came (JSON).
        value: The value as it is kept (JSON).
        reason: Why, in words.
    """

    field: str
    original: Any
    value: Any
    reason: str


def to_json(value: object) -> str:
    """Return the one JSON text of a value: compact, fields in declared order, no NaN."""
    return msgspec.json.encode(value).decode()
