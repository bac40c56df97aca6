"""Merges events of a bundle into a log: by union, whatever the order in which bundles arrive.

An event is entered once its predecessor in its actor's chain and all its parents are there; until then it
waits. The value of a field is that of its event with the largest lamport number (and id, if two are equal),
which is the same on every workstation that has the same events. Events that did not see each other and give a
field different values are a fork: both stay newest values of the field until a person chooses.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import msgspec

from annotator.domain.command import CommandRecord
from annotator.domain.event import CREATED, FIRST_HASH, REMOVED, SCHEMA_VERSION, SEALED
from annotator.domain.former_fields import upgrade_field
from annotator.domain.record import new_id
from annotator.errors import UserError
from annotator.store.bundles.bundle_file import BundledEvent
from annotator.store.connection import Connection
from annotator.store.event_upgrade import RENAMED_SCHEMA, upgrade_event
from annotator.store.log import VALUE, insert_events, last_event
from annotator.store.packing import pack
from annotator.store.pending_heads import insert_heads
from annotator.store.projections import PROJECTIONS
from annotator.store.projector import Projector
from annotator.store.replay import LogRow, applied_events
from annotator.store.staged_heads import put_back_heads

KNOWN = "SELECT id, hash FROM event WHERE id IN (SELECT value FROM json_each(?))"
END = """
SELECT seq, hash FROM event WHERE actor=? AND incarnation=? ORDER BY seq DESC LIMIT 1
"""
OF_HASH = "SELECT 1 FROM event WHERE actor=? AND hash=?"
MADE = (
    f"SELECT entity_id FROM event WHERE entity_id IN (SELECT value FROM json_each(?)) AND field='{CREATED}'"
)
THERE = "SELECT id FROM event WHERE id IN (SELECT value FROM json_each(?))"
DELETE_HEAD = "DELETE FROM head WHERE entity_id=? AND field=? AND event=?"
VALUES = len(SEALED)
NEVER_REMOVED = frozenset({"project", "actor", "command"})
MAX_JUMP = 1 << 32
"""How far a lamport number may be beyond all others: a staged import leaves out 16 million of them."""
Head = tuple[str, str, str]
"""Id of the record, name of the field, id of the event."""


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
        ends: Id of the last entered event of each chain.
        set_back: Ids of accepted items that have to be accepted again.
    """

    added: int = 0
    known: int = 0
    waiting: list[BundledEvent] = field(default_factory=list)
    newer: int = 0
    ids: dict[str, set[str]] = field(default_factory=dict)
    fields: dict[str, set[str]] = field(default_factory=dict)
    ends: dict[tuple[str, str], str] = field(default_factory=dict)
    set_back: set[str] = field(default_factory=set)

    def note(self, event: BundledEvent) -> None:
        """Count an event that is entered."""
        self.added += 1
        self.newer += event.schema > SCHEMA_VERSION
        self.ids.setdefault(event.entity, set()).add(event.entity_id)
        self.fields.setdefault(event.entity, set()).add(event.field)
        self.ends[event.actor, event.session_id] = event.id

    def add(self, other: MergeCounts) -> None:
        """Add the counts of another chunk; what waits now is what waits there."""
        self.added += other.added
        self.known += other.known
        self.newer += other.newer
        self.waiting = other.waiting
        self.ends |= other.ends
        self.set_back |= other.set_back
        for entity, ids in other.ids.items():
            self.ids.setdefault(entity, set()).update(ids)


class Merger:
    """Enters events in the caller's transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._ends: dict[tuple[str, str], tuple[int, str]] = {}
        self._entered: dict[str, BundledEvent] = {}
        self._hashes: set[tuple[str, str]] = set()
        self._made: set[str] = set()
        self._there: set[str] = set()
        self._lamport = 0

    def merge(self, events: Sequence[BundledEvent]) -> MergeCounts:
        """Enter the events whose predecessors are there.

        Args:
            events: In the order of their lamport numbers.

        Raises:
            UserError: An event contradicts one of the log, or does not fit its record.
        """
        counts = MergeCounts()
        # The log may have gone on since the last call.
        self._ends, self._entered, self._hashes = {}, {}, set()
        last, self._lamport = self._last()
        before = self._lamport
        known = self._known(events)
        # One query each: a query per event costs as much as its insertion.
        self._made = self._found(MADE, {event.entity_id for event in events if event.id not in known})
        self._there = self._found(THERE, {parent for event in events for parent in _parents(event)})
        for event in events:
            if event.id in known:
                _require_same(event, known[event.id])
                counts.known += 1
            elif self._is_ready(event):
                self._entered[event.id] = event
                self._hashes.add((event.actor, event.hash))
                if event.field == CREATED:
                    self._made.add(event.entity_id)
                self._ends[event.actor, event.session_id] = (event.seq, event.hash)
                counts.note(event)
            else:
                counts.waiting.append(event)
        self._write(list(self._entered.values()), last=last, lamport=before)
        return counts

    def _known(self, events: Sequence[BundledEvent]) -> dict[str, str]:
        """Return the hashes of those events that the log has, by id."""
        ids = msgspec.json.encode([event.id for event in events]).decode()
        return {event_id: bytes(found).hex() for event_id, found in self._connection.execute(KNOWN, (ids,))}

    def _found(self, select: str, ids: set[str]) -> set[str]:
        """Return those ids that a query finds in the log."""
        wanted = msgspec.json.encode(list(ids)).decode()
        return {found for (found,) in self._connection.execute(select, (wanted,))}

    def _is_ready(self, event: BundledEvent) -> bool:
        seq, end = self._end(event)
        # Its number is taken: the log has another event there, or it would be known.
        if event.seq <= seq or event.id in self._entered:
            raise _contradiction(event)
        is_ready = (
            self._follows(event, seq=seq, end=end)
            and (event.field == CREATED or event.entity_id in self._made)
            and all(map(self._is_there, _parents(event)))
        )
        if is_ready:
            self._require_plausible(event)
        return is_ready

    def _require_plausible(self, event: BundledEvent) -> None:
        """Refuse an event that no copy of the project can have written, whatever its hash says.

        Raises:
            UserError: It makes a record that exists, or its lamport number leaves none for later events.
        """
        # Two machines of one person each record the person: the later record is a new name
        # (``replay``).
        is_made = event.field == CREATED and event.entity != "actor" and event.entity_id in self._made
        is_removed = event.field == REMOVED and event.entity in NEVER_REMOVED
        is_far = event.lamport > self._lamport + MAX_JUMP
        if is_made or is_removed or is_far or _names_another_record(event):
            raise UserError(
                f"Event {event.seq} of {event.actor} cannot be part of this project.",
                hint="The bundle was not written by Vantage. Do not merge it.",
            )
        self._lamport = max(self._lamport, event.lamport)

    def _end(self, event: BundledEvent) -> tuple[int, str]:
        """Return sequence number and hash of the last event of an event's chain, 0 before the first."""
        chain = (event.actor, event.session_id)
        if chain not in self._ends:
            found = self._connection.execute(END, chain).fetchone()
            self._ends[chain] = (int(found[0]), bytes(found[1]).hex()) if found else (0, "")
        return self._ends[chain]

    def _follows(self, event: BundledEvent, *, seq: int, end: str) -> bool:
        # A gap: what is between comes with another bundle.
        if event.seq > seq + 1:
            return False
        if seq:
            if event.prev_hash != end:
                raise _contradiction(event)
            return True
        # The first event of an opening of the file continues what the actor did before, wherever that was.
        previous = bytes.fromhex(event.prev_hash)
        return (
            previous == FIRST_HASH
            or (event.actor, event.prev_hash) in self._hashes
            or self._connection.execute(OF_HASH, (event.actor, previous)).fetchone() is not None
        )

    def _is_there(self, event_id: str) -> bool:
        return event_id in self._entered or event_id in self._there

    def _last(self) -> tuple[int, int]:
        """Return number and lamport number of the last event; the latter is the largest."""
        found = last_event(self._connection)
        return found[:2] if found else (0, 0)

    def _write(self, events: Sequence[BundledEvent], *, last: int, lamport: int) -> None:
        if not events:
            return
        packed = [pack(event.value) for event in events]
        insert_events(self._connection, _event_rows(events, packed, last=last))
        put_back_heads(self._connection, [event.entity_id for event in events if event.field == REMOVED])
        gone, new = _changed_heads(events)
        self._connection.executemany(DELETE_HEAD, gone)
        insert_heads(self._connection, new)
        rows = _log_rows(events, packed, last=last)
        Projector(self._connection).apply(applied_events(self._connection, rows, lamport=lamport))


def _event_rows(
    events: Iterable[BundledEvent], packed: Iterable[bytes | None], *, last: int
) -> Iterator[tuple[object, ...]]:
    """Yield the rows of events in the table ``event``, numbered after the last one there."""
    from_hex = bytes.fromhex
    for number, (event, value) in enumerate(zip(events, packed, strict=True), start=last + 1):
        kept = event[:VALUES] if value is None else (*event[:VALUE], "", *event[VALUE + 1 : VALUES])
        yield (number, *kept, from_hex(event.prev_hash), from_hex(event.hash), value)


def _log_rows(
    events: Iterable[BundledEvent], packed: Iterable[bytes | None], *, last: int
) -> Iterator[LogRow]:
    """Yield the same events as the projections are made from; not those of a newer version."""
    for number, (event, value) in enumerate(zip(events, packed, strict=True), start=last + 1):
        if event.schema <= SCHEMA_VERSION:
            name, text = upgrade_event(event.schema, event.entity, event.field, event.value)
            yield LogRow(
                number, event.actor, event.entity, event.entity_id, name, text, value is not None,
                event.lamport, event.id,
            )  # fmt: skip


def _changed_heads(events: Sequence[BundledEvent]) -> tuple[list[Head], list[Head]]:
    """Return the newest values of fields that events replace, and those that they are."""
    gone: list[Head] = []
    new: dict[Head, None] = {}
    for event in events:
        if event.field == CREATED:
            continue
        name = upgrade_field(event.entity, event.field) if event.schema < RENAMED_SCHEMA else event.field
        for parent in _parents(event):
            replaced = (event.entity_id, name, parent)
            # ``gone`` is deleted before ``new`` is inserted, so what comes and goes in one chunk is in
            # neither.
            if replaced in new:
                del new[replaced]
            else:
                gone.append(replaced)
        new[event.entity_id, name, event.id] = None
    return gone, list(new)


def _require_same(event: BundledEvent, known_hash: str) -> None:
    if event.hash != known_hash:
        raise _contradiction(event)


def _names_another_record(event: BundledEvent) -> bool:
    """Return whether a created record has another id than its event."""
    if event.field != CREATED or event.entity not in PROJECTIONS or event.schema > SCHEMA_VERSION:
        return False
    return msgspec.json.decode(event.value, type=_Created).id != event.entity_id


class _Created(msgspec.Struct):
    id: str


def _parents(event: BundledEvent) -> Iterator[str]:
    return (parent for parent in event.parents.split(",") if parent) if event.parents else iter(())


def _contradiction(event: BundledEvent) -> UserError:
    return UserError(
        f"Event {event.seq} of {event.actor} is another one in this project than in the bundle.",
        hint="One of the two files was edited outside Vantage. Run the command verify on both projects.",
    )


def merge_record(counts: MergeCounts, *, author: str) -> CommandRecord:
    """Return the log's record of a merge."""
    return CommandRecord(
        id=new_id(),
        code="merge_bundle",
        parameters={"count": counts.added, "name": author},
        kind="merge",
        name="MergeBundle",
    )
