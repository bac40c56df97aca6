"""The event log's unit: one field of one record given one value by one actor.

The log is the truth of a project. Its schema is meant to stay: entities that come later need a
record type and a projection, never another kind of event.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import msgspec

from annotator.domain.record import Part

SCHEMA_VERSION = 1
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


class Edit(Part, frozen=True, kw_only=True):
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


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of the log.

    Attributes:
        id: UUIDv7, 32 hex characters.
        actor: Id of the actor.
        incarnation: Id of the opening of the project file in which the actor wrote it; tells a
            restored backup or a copied file from the original.
        seq: 1, 2, 3 … without gaps per actor and incarnation.
        lamport: Larger than that of every event seen before; orders the log of several actors.
        parents: Ids of the events that held the field's value when this one was written.
        entity: Kind of record.
        entity_id: Id of the record.
        field: Field of the record, ``CREATED`` or ``REMOVED``.
        value: JSON text of the new value.
        schema: Version of the event's own form.
        command: Id of the command that it belongs to.
        wall_time: ISO 8601 UTC time, for people only; nothing is ordered by it.
        prev_hash: Hash of the actor's event before this one, 32 zero bytes for the first.
        hash: SHA-256 over all of the above.
    """

    id: str
    actor: str
    incarnation: str
    seq: int
    lamport: int
    parents: tuple[str, ...]
    entity: str
    entity_id: str
    field: str
    value: str
    schema: int
    command: str
    wall_time: str
    prev_hash: bytes
    hash: bytes


def event_hash(fields: Sequence[str | int], *, prev_hash: bytes) -> bytes:
    """Return the SHA-256 that seals an event.

    Args:
        fields: Values of ``SEALED`` in that order, ``parents`` joined with commas; hashed as a JSON array
            with the previous hash at its end.
        prev_hash: 32 bytes.
    """
    return hashlib.sha256(msgspec.json.encode((*fields, prev_hash.hex()))).digest()
