"""Merges events of a bundle into a log: by union, whatever the order in which bundles arrive.

An event is entered once its predecessor in its actor's chain and all its parents are there; until then it
waits. The value of a field is that of its event with the largest lamport number (and id, if two are equal),
which is the same on every workstation that has the same events. Events that did not see each other and give a
field different values are a fork: both stay newest values of the field until a person chooses.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from annotator.domain.event import CREATED, FIRST_HASH, SCHEMA_VERSION
from annotator.domain.former_fields import upgrade_field
from annotator.errors import UserError
from annotator.store.bundles.bundle_file import BundledEvent
from annotator.store.connection import Connection
from annotator.store.event_upgrade import RENAMED_SCHEMA
from annotator.store.log import INSERT_EVENT, LAST_EVENT
from annotator.store.packing import pack
from annotator.store.projector import Projector
from annotator.store.replay import applied_after

KNOWN = "SELECT hash FROM event WHERE id=?"
AT_SEQ = "SELECT id, hash FROM event WHERE actor=? AND incarnation=? AND seq=?"
OF_HASH = "SELECT 1 FROM event WHERE actor=? AND hash=?"
IS_THERE = "SELECT 1 FROM event WHERE id=?"
INSERT_HEAD = "INSERT INTO head (entity_id, field, event) VALUES (?, ?, ?)"
DELETE_HEAD = "DELETE FROM head WHERE entity_id=? AND field=? AND event=?"


@dataclass(kw_only=True)
class MergeCounts:
    """What happened to events.

    Attributes:
        added: Events entered.
        known: Events that were there already.
        waiting: Events whose predecessors or parents are missing.
        newer: Events of a newer version of Vantage among those entered; they are kept and passed on.
        ids: Ids of the records that the entered events are about, by record type.
        fields: Names of their fields, by record type.
    """

    added: int = 0
    known: int = 0
    waiting: list[BundledEvent] = field(default_factory=list)
    newer: int = 0
    ids: dict[str, set[str]] = field(default_factory=dict)
    fields: dict[str, set[str]] = field(default_factory=dict)

    def add(self, other: MergeCounts) -> None:
        """Add the counts of another chunk; what waits now is what waits there."""
        self.added += other.added
        self.known += other.known
        self.newer += other.newer
        self.waiting = other.waiting
        for entity, ids in other.ids.items():
            self.ids.setdefault(entity, set()).update(ids)


class Merger:
    """Enters events in the caller's transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def merge(self, events: Sequence[BundledEvent]) -> MergeCounts:
        """Enter the events whose predecessors are there.

        Args:
            events: In the order of their lamport numbers.

        Raises:
            UserError: An event contradicts one of the log, or does not fit its record.
        """
        counts = MergeCounts()
        last, lamport = self._end()
        number = last + 1
        for event in events:
            if self._is_known(event):
                counts.known += 1
            elif not self._is_ready(event):
                counts.waiting.append(event)
            else:
                self._enter(event, number=number)
                number += 1
                counts.added += 1
                counts.newer += event.schema > SCHEMA_VERSION
                counts.ids.setdefault(event.entity, set()).add(event.entity_id)
                counts.fields.setdefault(event.entity, set()).add(event.field)
        if counts.added:
            Projector(self._connection).apply(applied_after(self._connection, last, lamport=lamport))
        return counts

    def _end(self) -> tuple[int, int]:
        """Return number and lamport number of the last event."""
        found = self._connection.execute(LAST_EVENT).fetchone()
        return (int(found[0]), int(found[1])) if found else (0, 0)

    def _is_known(self, event: BundledEvent) -> bool:
        found = self._connection.execute(KNOWN, (event.id,)).fetchone()
        if found is None:
            return False
        if bytes(found[0]).hex() != event.hash:
            raise _contradiction(event)
        return True

    def _is_ready(self, event: BundledEvent) -> bool:
        same = self._connection.execute(AT_SEQ, (event.actor, event.incarnation, event.seq)).fetchone()
        if same is not None:
            raise _contradiction(event)
        return self._has_predecessor(event) and all(
            self._connection.execute(IS_THERE, (parent,)).fetchone() for parent in _parents(event)
        )

    def _has_predecessor(self, event: BundledEvent) -> bool:
        previous = bytes.fromhex(event.prev_hash)
        if event.seq > 1:
            before = self._connection.execute(
                AT_SEQ, (event.actor, event.incarnation, event.seq - 1)
            ).fetchone()
            if before is not None and bytes(before[1]) != previous:
                raise _contradiction(event)
            return before is not None
        if previous == FIRST_HASH:
            return True
        return self._connection.execute(OF_HASH, (event.actor, previous)).fetchone() is not None

    def _enter(self, event: BundledEvent, *, number: int) -> None:
        packed = pack(event.value)
        kept = event[:13] if packed is None else event._replace(value="")[:13]
        hashes = (bytes.fromhex(event.prev_hash), bytes.fromhex(event.hash))
        self._connection.execute(INSERT_EVENT, (number, *kept, *hashes, packed))
        if event.field != CREATED:
            is_former = event.schema < RENAMED_SCHEMA
            name = upgrade_field(event.entity, event.field) if is_former else event.field
            heads = ((event.entity_id, name, parent) for parent in _parents(event))
            self._connection.executemany(DELETE_HEAD, heads)
            self._connection.execute(INSERT_HEAD, (event.entity_id, name, event.id))


def _parents(event: BundledEvent) -> Iterator[str]:
    return (parent for parent in event.parents.split(",") if parent)


def _contradiction(event: BundledEvent) -> UserError:
    return UserError(
        f"Event {event.seq} of {event.actor} is another one in this project than in the bundle.",
        hint="One of the two files was edited outside Vantage. Run the command verify on both projects.",
    )
