"""What all records share: an id, immutability, one JSON form."""

from __future__ import annotations

from typing import Any

import msgspec
import uuid_utils


def new_id() -> str:
    """Return a new UUIDv7 as 32 hex characters: unique, and sorted by time of making."""
    return uuid_utils.uuid7().hex


class Part(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A value that lives inside a record and has no id of its own."""

    # Defaults are left out: a record is as long as what is known of it, and one that was written before a
    # field came is the same text as one in which nobody filled it.


class Record(Part, frozen=True, kw_only=True, omit_defaults=True):
    """One entity of a project: immutable, known by its id.

    Attributes:
        id: 32 hex characters, UUIDv7; "" for a record that is not in a project yet.
    """

    id: str = ""


class Normalised(Part, frozen=True, kw_only=True, omit_defaults=True):
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
