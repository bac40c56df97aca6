"""Appends edits to the event log as hashed events, and updates the projections."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice

from annotator.domain.event import (
    CREATED,
    FIRST_HASH,
    REMOVED,
    SCHEMA_VERSION,
    SEALED,
    Edit,
    ForkReopening,
    ForkResolution,
    event_hash,
)
from annotator.domain.record import Record, is_finite, new_id, to_json
from annotator.errors import UserError
from annotator.store.connection import Connection
from annotator.store.packing import pack
from annotator.store.pending_heads import PendingHeads
from annotator.store.projector import AppliedEvent, Projector
from annotator.store.staged_rows import HORIZON

CHUNK = 5000
"""Edits hashed and written at a time: limits memory, and is large enough for executemany."""
COLUMNS = ("n", *SEALED, "prev_hash", "hash", "packed")
VALUE = SEALED.index("value")
_INSERT_EVENT = f"INSERT INTO event ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})"
_LAST_EVENT = f"SELECT n, lamport, actor, hash FROM event WHERE n<{HORIZON} ORDER BY n DESC LIMIT 1"
LAST_HASH = f"SELECT hash FROM event WHERE n=(SELECT max(n) FROM event WHERE actor=? AND n<{HORIZON})"


@dataclass
class LogCursor:
    """The end of the log as one actor continues it.

    Attributes:
        actor: Id of the actor.
        session_id: Id of this opening of the project file.
        seq: Sequence number of the last event of this session, 0 before the first.
        lamport: Largest lamport number seen in the file.
        n: Arrival number of the last event in the file.
        hash: Hash of the actor's last event.
    """

    actor: str
    session_id: str
    seq: int
    lamport: int
    n: int
    hash: bytes

    @classmethod
    def read(cls, connection: Connection, *, actor: str, session_id: str) -> LogCursor:
        """Return the end of the log; called inside the transaction that appends to it.

        The event with the largest arrival number always has the largest lamport number, because a merge ends
        with an event of its own. A new session continues from the actor's last event. Staged events are
        ignored until they are published.
        """
        n, lamport, writer, end = last_event(connection) or (0, 0, "", FIRST_HASH)
        newest = "SELECT seq, hash FROM event WHERE actor=? AND incarnation=? ORDER BY seq DESC LIMIT 1"
        found = connection.execute(newest, (actor, session_id)).fetchone()
        seq, before = found or (0, end if writer == actor else _last_hash(connection, actor))
        return cls(actor, session_id, seq, lamport, n, bytes(before))


def last_event(connection: Connection) -> tuple[int, int, str, bytes] | None:
    """Return number, lamport number, author and hash of the last visible event, None before the first."""
    found: tuple[int, int, str, bytes] | None = connection.execute(_LAST_EVENT).fetchone()
    return found


def insert_events(connection: Connection, rows: Iterable[tuple[object, ...]]) -> None:
    """Write rows of the log, with the columns ``COLUMNS``, in the caller's transaction."""
    connection.executemany(_INSERT_EVENT, rows)


def _last_hash(connection: Connection, actor: str) -> bytes:
    # max() reads only the index event_chain; ORDER BY n would look up and sort every event of the actor.
    found = connection.execute(LAST_HASH, (actor,)).fetchone()
    return bytes(found[0]) if found else FIRST_HASH


class EventLog:
    """Appends to the log within the caller's transaction."""

    def __init__(self, connection: Connection, *, is_folded: bool = True) -> None:
        """Prepare to append over a connection.

        Args:
            connection: For writing; the caller opens its transactions.
            is_folded: Whether events are applied to the projections; otherwise only the log is written.
        """
        self._connection = connection
        self._is_folded = is_folded
        self._heads = PendingHeads(connection, ())
        self._made: dict[str, str] = {}
        self._reopened: dict[tuple[str, str], str] = {}

    def append(
        self, edits: Iterable[Edit], *, chain: LogCursor, command: str, seen: tuple[str, ...] = ()
    ) -> Iterator[Edit]:
        """Write edits as events with their projections; yields each edit once it is written.

        Args:
            edits: Read lazily, ``CHUNK`` at a time.
            chain: End of the actor's log; advanced with each event.
            command: Id of the command that the events belong to, "" for the actor's own record.
            seen: Ids of events that created records name as their parents: the last ones of a merge.

        Raises:
            UserError: A value does not fit its field, or contains text or a number that cannot be stored.
        """
        projector = Projector(self._connection)
        wall_time = datetime.now(UTC).isoformat(timespec="milliseconds")
        iterator = iter(edits)
        while chunk := list(islice(iterator, CHUNK)):
            # What was made in the chunk before is in the table by now; the map must not grow with an import.
            self._made.clear()
            self._heads = PendingHeads(self._connection, chunk)
            applied = [
                self._seal(edit, chain=chain, command=command, wall_time=wall_time, seen=",".join(seen))
                for edit in chunk
            ]
            self._heads.write()
            insert_events(self._connection, (sealed.row for sealed in applied))
            if self._is_folded:
                projector.apply(sealed.applied for sealed in applied)
            # Only now: a caller that counts what it gets has counted what is written.
            yield from chunk

    def _seal(self, edit: Edit, *, chain: LogCursor, command: str, wall_time: str, seen: str) -> _SealedEvent:
        value = _json(edit)
        event_id = new_id()
        parents = self._parents(edit, event_id, seen=seen)
        chain.seq, chain.lamport, chain.n = chain.seq + 1, chain.lamport + 1, chain.n + 1
        # In the order of SEALED in domain.event: the hash covers this order, and another one breaks all
        # chains.
        fields = (
            event_id, chain.actor, chain.session_id, chain.seq, chain.lamport, parents, edit.entity,
            edit.entity_id, edit.field, value, SCHEMA_VERSION, command, wall_time,
        )  # fmt: skip
        before, chain.hash = chain.hash, event_hash(fields, prev_hash=chain.hash)
        record = edit.value if edit.field == CREATED and isinstance(edit.value, Record) else None
        packed = pack(value)
        applied = AppliedEvent(
            n=chain.n, actor=chain.actor, entity=edit.entity, entity_id=edit.entity_id,
            field=edit.field, value=value, record=record, is_packed=packed is not None,
        )  # fmt: skip
        # The hash covers the plain value, so that the compression can change.
        kept = fields if packed is None else (*fields[:VALUE], "", *fields[VALUE + 1 :])
        row = (chain.n, *kept, before, chain.hash, packed)
        return _SealedEvent(row=row, applied=applied)

    def _parents(self, edit: Edit, event_id: str, *, seen: str) -> str:
        if isinstance(edit, ForkReopening):
            return self._reopen(edit, event_id)
        if edit.field != CREATED:
            return self._move_head(edit, event_id)
        self._made[edit.entity_id] = event_id
        return seen

    def _reopen(self, edit: ForkReopening, event_id: str) -> str:
        """Add a head to a field; returns what the first value of the reopened fork has replaced."""
        key = (edit.entity_id, edit.field)
        if edit.is_first:
            self._reopened[key] = self._move_head(edit, event_id)
        else:
            self._heads.add(edit, event_id)
        return self._reopened[key]

    def _move_head(self, edit: Edit, event_id: str) -> str:
        """Make the new event the field's only head; returns the heads that it saw, joined with commas."""
        seen = self._heads.of(edit)
        if len(seen) > 1 and not isinstance(edit, ForkResolution):
            self._require_no_fork(edit, seen)
        # A record is visible from its creation on without an event of its own: its first removal has no
        # parent.
        if not seen and edit.field != REMOVED:
            seen = self._origin(edit.entity_id)
        self._heads.replace(edit, event_id)
        return ",".join(seen)

    def _require_no_fork(self, edit: Edit, heads: list[str]) -> None:
        marks = ", ".join("?" * len(heads))
        select = f"SELECT count(DISTINCT coalesce(packed, value)) FROM event WHERE id IN ({marks})"
        if self._connection.execute(select, heads).fetchone()[0] > 1:
            raise UserError(
                f"Two workstations have changed the {edit.field} of this {edit.entity}.",
                hint="Choose one of the two values first: vantage forks PROJECT.",
            )

    def _origin(self, entity_id: str) -> list[str]:
        if entity_id in self._made:
            return [self._made[entity_id]]
        select = "SELECT id FROM event WHERE entity_id=? AND field=? ORDER BY n LIMIT 1"
        return [row[0] for row in self._connection.execute(select, (entity_id, CREATED))]


def _json(edit: Edit) -> str:
    if isinstance(edit.value, bool):
        # Removals, of which a large undo has one for each record.
        return "true" if edit.value else "false"
    try:
        text = to_json(edit.value)
    except UnicodeEncodeError as error:
        # What is pasted into a window can hold half of a character pair.
        raise UserError(
            f"The text of the {edit.entity} contains an invalid character.",
            hint="Delete the character and type it again.",
        ) from error
    # Only a null can hide a NaN or an infinity; few values have one of their own, and are looked through.
    if text.count("null") > _imported_nulls(edit.value) and not is_finite(edit.value):
        raise UserError(
            f"The {edit.entity} contains a number that is infinite or undefined.",
            hint="Enter a finite number.",
        )
    return text


def _imported_nulls(value: object) -> int:
    """Return how many nulls of a record's text are in the unchanged JSON that it was imported from."""
    original = bytes(getattr(value, "original", b""))
    # The text of a record without an original omits the null.
    return 0 if original == b"null" else original.count(b"null")


@dataclass(frozen=True, slots=True)
class _SealedEvent:
    row: tuple[object, ...]
    applied: AppliedEvent
