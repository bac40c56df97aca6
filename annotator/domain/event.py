"""Events, the unit of the log: one actor gives one field of one record a value.

The log is the primary data of a project. Its schema is permanent: a new entity needs a
record type and a projection, but no new kind of event. The fields of an event:

- ``id``: UUIDv7, 32 hex characters.
- ``actor``: id of the actor. ``incarnation``: id of the session in which it was written, new at each
  opening of the project file; distinguishes a restored backup or a copied file from the original.
- ``seq``: 1, 2, 3 … without gaps per actor and session. ``lamport``: larger than that of every
  event seen before; orders the log of several actors.
- ``parents``: ids of the events that held the field's value when this one was written, with commas.
- ``entity``, ``entity_id``, ``field``: which record and field; ``CREATED`` and ``REMOVED`` stand for the
  whole. ``value``: JSON text of the new value.
- ``schema``: version of the event's format. ``command``: id of its command.
- ``wall_time``: ISO 8601 UTC, for display only; it never determines an order.
- ``prev_hash``: hash of the actor's event before this one, ``FIRST_HASH`` for the first. ``hash``:
  SHA-256 over all of the above.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from annotator.domain.record import Record, ValueObject

SCHEMA_VERSION = 3
"""2: fields have the names of project version 8; 3: the evidence of flags has those of version 9; see
``store.event_upgrade``."""
CREATED = "*"
"""Field of the event that creates a record; its value is the whole record."""
REMOVED = "-"
"""Field of the event that removes a record (true) or restores it (false)."""
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
    """A change requested by a command: a new value of one field of a record.

    Attributes:
        entity: Record type: ``item``, ``scene`` …
        entity_id: Id of the record.
        field: Name of a field, ``CREATED`` or ``REMOVED``.
        value: The new value: a record for ``CREATED``, a bool for ``REMOVED``.
    """

    entity: str
    entity_id: str
    field: str
    value: Any


class ForkResolution(Edit, frozen=True, kw_only=True):
    """An edit that chooses the value of a field which two workstations changed independently.

    Any other edit of such a field is refused, so that no fork is resolved unseen.
    """


class StateRestoration(Edit, frozen=True, kw_only=True):
    """An edit that gives an item the state that it had before another command.

    Where that is ``accepted`` and no longer holds, the item is ``refined``: nobody has decided anew.
    """


class ForkReopening(Edit, frozen=True, kw_only=True):
    """One of the values that a fork had before a choice which is undone; such edits come one after another.

    Attributes:
        is_first: Whether it replaces the chosen value; each further one stands beside the first, as if
            neither had seen the other.
    """

    is_first: bool


def edit_fields(record: Record, /, **values: object) -> Iterator[Edit]:
    """Yield the edits that give fields of a record new values; none for those that have them."""
    for name, value in values.items():
        if getattr(record, name) != value:
            yield Edit(entity=record.table.entity, entity_id=record.id, field=name, value=value)


def edit_differences(before: Record, after: Record) -> Iterator[Edit]:
    """Yield an edit for each field in which two versions of a record differ."""
    for name in before.__struct_fields__:
        if getattr(before, name) != (value := getattr(after, name)):
            yield Edit(entity=before.table.entity, entity_id=before.id, field=name, value=value)


def event_hash(fields: Sequence[str | int], *, prev_hash: bytes) -> bytes:
    """Return the SHA-256 hash of an event.

    Args:
        fields: Values of ``SEALED`` in that order, ``parents`` joined with commas; hashed as a JSON array
            with the previous hash at its end.
        prev_hash: 32 bytes.
    """
    return hashlib.sha256(msgspec.json.encode((*fields, prev_hash.hex()))).digest()


class ChangedField(msgspec.Struct, frozen=True, kw_only=True):
    """A field of a record that an event has changed; fields as in ``Event``."""

    entity: str
    entity_id: str
    field: str
