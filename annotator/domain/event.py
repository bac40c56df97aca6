"""The event log's unit: one field of one record given one value by one actor.

The log is the truth of a project. Its schema is meant to stay: entities that come later need a
record type and a projection, never another kind of event. The fields of an event:

- ``id``: UUIDv7, 32 hex characters.
- ``actor``: id of the actor. ``incarnation``: id of the opening of the project file in which it was
  written; tells a restored backup or a copied file from the original.
- ``seq``: 1, 2, 3 … without gaps per actor and incarnation. ``lamport``: larger than that of every
  event seen before; orders the log of several actors.
- ``parents``: ids of the events that held the field's value when this one was written, with commas.
- ``entity``, ``entity_id``, ``field``: which record and field; ``CREATED`` and ``REMOVED`` stand for the
  whole. ``value``: JSON text of the new value.
- ``schema``: version of the event's own form. ``command``: id of the command that it belongs to.
- ``wall_time``: ISO 8601 UTC, for people only; nothing is ordered by it.
- ``prev_hash``: hash of the actor's event before this one, ``FIRST_HASH`` for the first. ``hash``:
  SHA-256 over all of the above.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import msgspec

from annotator.domain.record import ValueObject

SCHEMA_VERSION = 2
"""2: fields have the names of project version 8, see ``store.event_upgrade``."""
CREATED = "*"
"""Field of the event that brings a record into being; its value is the whole record."""
REMOVED = "-"
"""Field of the event that takes a record out of sight (true) or brings it back (false)."""
FIRST_HASH = bytes(32)
SEALED = (
    "id",
    "actor",
    "incarnation",
    "seq",
    "lamport",
    "parents",
    "entity",
    "entity_id",
    "field",
    "value",
    "schema",
    "command",
    "wall_time",
)
"""Fields that an event's hash covers, in the order hashed; the previous hash comes after them."""


class Edit(ValueObject, frozen=True, kw_only=True):
    """A wish of a command: give a field of a record a value.

    Attributes:
        entity: Kind of record: ``item``, ``scene`` …
        entity_id: Id of the record.
        field: Name of a field, ``CREATED`` or ``REMOVED``.
        value: The new value: a record for ``CREATED``, a bool for ``REMOVED``.
    """

    entity: str
    entity_id: str
    field: str
    value: Any


def event_hash(fields: Sequence[str | int], *, prev_hash: bytes) -> bytes:
    """Return the SHA-256 that seals an event.

    Args:
        fields: Values of ``SEALED`` in that order, ``parents`` joined with commas; hashed as a JSON array
            with the previous hash at its end.
        prev_hash: 32 bytes.
    """
    return hashlib.sha256(msgspec.json.encode((*fields, prev_hash.hex()))).digest()
