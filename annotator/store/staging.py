"""Writes many new records in short transactions that become visible together, or not at all.

The records of one entry get arrival numbers behind a gap, so that others can continue to write before them;
``staged_rows`` describes how they are hidden. Their events have their own session id, so the hash chain of
the actor stays complete whether they are published or discarded.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

from annotator.domain.actor import Actor
from annotator.domain.changes import MAX_IDS
from annotator.domain.event import CREATED, Edit
from annotator.domain.flag import Flag
from annotator.errors import UserError
from annotator.store.connection import (
    Connection,
    IntegrityError,
    SharingTransactions,
    connect,
    convert_disk_errors,
    file_identity,
    transaction,
)
from annotator.store.deferred import Deferred
from annotator.store.file_identity import FileIdentity
from annotator.store.flagged_scene import assign_flag_scenes
from annotator.store.hidden_rows import remove_hidden_rows
from annotator.store.log import EventLog, LogCursor
from annotator.store.medium_facet import scenes_of
from annotator.store.process_check import is_process_gone
from annotator.store.projections import PROJECTIONS
from annotator.store.scene_facet import refresh_scenes
from annotator.store.scratch_database import one_state
from annotator.store.session_id import new_session_id
from annotator.store.staged_heads import replace_by_parents
from annotator.store.staged_rows import FIRST_NUMBER, HORIZON, LAST_NUMBER, STAGED_ENTITIES
from annotator.store.staged_views import show_staged
from annotator.store.staging_check import DELETED, FOREIGN, damaged, has_foreign_events, require_own_events

GAP = 1 << 24
"""Arrival numbers reserved for other writers during one entry: half an hour at 10,000 edits per second."""
WRITTEN_AT_ONCE = 250
"""Edits per transaction: 10 to 20 ms, after which other writers can get the lock."""
DELETED_AT_ONCE = 2000
MOST_OTHERS = 50_000
"""Edits that wait in memory for the last transaction; more of them are no entry of new records."""
SILENT_S = 60.0
"""Time without activity after which an entry is treated as abandoned. If its process still runs, it detects
the deletion at its next transaction and starts again."""


_under_way: set[str] = set()
"""Ids of the entries that this process writes. What a full disk kept one from deleting is not among them."""


class StagingError(UserError):
    """An entry cannot be staged or published; nothing of it is visible."""


class Stage:
    """One entry that is being written; for one thread, with its own connection.

    Attributes:
        others: Edits of visible records, which only the last transaction can write.
        counts: Number of staged records by type.
        ids: Their ids by type, None for more than ``MAX_IDS``.
        position: Arrival number of the last visible event when it began.
    """

    def __init__(self, connection: Connection, *, identity: str, chain: LogCursor, position: int) -> None:
        self.others: list[Edit] = []
        self.counts: dict[str, int] = {}
        self.ids: dict[str, set[str] | None] = {}
        self.position = position
        self._connection = connection
        self._id = identity
        self._chain = chain
        self._deferred = Deferred(first_n=chain.n + 1)
        # What hooks of the projections change in visible rows waits, see ``deferred``.
        connection.deferred = self._deferred  # type: ignore[attr-defined]
        self._log = EventLog(connection)
        self._waiting: dict[str, Edit] = {}
        self._transactions = SharingTransactions(connection)

    @classmethod
    def begin(cls, path: Path, *, actor: Actor, machine: str = "", file: FileIdentity | None = None) -> Self:
        """Begin an entry; an abandoned one is deleted first.

        Args:
            path: The project file.
            actor: Who makes the entry.
            machine: Digits of the machine on which it is made, "" for one that is not known.
            file: The file that the project has open; nothing is written into another one.

        Raises:
            StagingError: Another one is under way.
            ReplacedFileError: The path does not lead to ``file`` any more.
            EnvironmentFailure: The disk refused.
        """
        connection = connect(path, read_only=False)
        try:
            if file is not None:
                file_identity(connection).require_same_as(file)
            # Nobody is told 'saved' of these transactions, and the one that publishes them synchronises the
            # whole write-ahead log. Waiting for the disk in each took half of the time of an undo.
            connection.execute("PRAGMA synchronous=NORMAL")
            delete_abandoned(connection)
            with transaction(connection):
                stage = cls._begun(connection, actor=actor, machine=machine)
            show_staged(connection)
        except BaseException:
            connection.close()
            raise
        return stage

    @classmethod
    def _begun(cls, connection: Connection, *, actor: Actor, machine: str) -> Self:
        if connection.execute("SELECT 1 FROM staging").fetchone():
            raise StagingError(
                "Another import into this project is running.", hint="Try again when it has finished."
            )
        identity = new_session_id(machine)
        chain = LogCursor.read(connection, actor=actor.id, session_id=identity)
        position = chain.n
        # Both, so that what others write meanwhile stays before the staged events in either order.
        chain.n, chain.lamport = chain.n + GAP, chain.lamport + GAP
        insert = "INSERT INTO staging (slot, id, first_n, host, process, active_at) VALUES (1, ?, ?, ?, ?, ?)"
        values = (identity, chain.n + 1, socket.gethostname(), os.getpid(), time.time())
        connection.execute(insert, values)
        _under_way.add(identity)
        return cls(connection, identity=identity, chain=chain, position=position)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def add(self, edit: Edit, *, command: str) -> int:
        """Add an edit, and write a batch when it is full; returns the number of edits written.

        Args:
            edit: Staged if it concerns an invisible record, otherwise added to ``others``.
            command: Id of its command.

        Raises:
            StagingError: Too many edits concern visible records, or another process deleted the entry.
            UserError: A value contains text that cannot be stored.
            EnvironmentFailure: The disk is full or not accessible.
        """
        if not self._can_be_staged(edit):
            self.others.append(edit)
            if len(self.others) > MOST_OTHERS:
                raise StagingError("The import changes too many records of the project.")
            return 0
        self._waiting[edit.entity_id] = edit
        return self.write(command=command) if len(self._waiting) >= WRITTEN_AT_ONCE else 0

    def write(self, *, command: str) -> int:
        """Write the added edits in one transaction; returns their number."""
        edits = list(self._waiting.values())
        try:
            with self._transactions.next():
                self._show_life()
                for edit in self._log.append(edits, chain=self._chain, command=command):
                    self._count(edit)
        except IntegrityError as error:
            raise StagingError("Another user has added the same records.") from error
        self._waiting.clear()
        return len(edits)

    def publish(self, connection: Connection) -> None:
        """Make the staged rows visible, as the first step of the last transaction.

        Args:
            connection: The writer's, inside its transaction.

        Raises:
            StagingError: Another process deleted the entry.
        """
        delete = "DELETE FROM staging WHERE id=?"
        if not connection.execute(delete, (self._id,)).rowcount:
            raise StagingError("The import was inactive for too long and was deleted.")
        self._deferred.write_totals(connection)

    def settle(self, connection: Connection) -> None:
        """Bring figures of visible records up to date, as the last step of the last transaction."""
        shown = list(self._deferred.shown_media)
        flagged = assign_flag_scenes(connection, entity="medium", targets=shown)
        scenes = scenes_of(connection, _changed_media(connection, self.position, self._deferred.first_n))
        refresh_scenes(connection, [*self._deferred.scenes, *flagged, *scenes])

    def discard(self) -> None:
        """Delete the entry if it is not published; complete a published undo by removing its hidden rows."""
        with convert_disk_errors():
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            # The temporary table of the same name: from here on this connection is as all others.
            self._connection.execute("DROP TABLE IF EXISTS temp.staging")
        _delete_staged(self._connection, self._id)

    def close(self) -> None:
        """Close the connection; what could not be discarded counts as abandoned from here on."""
        self._connection.close()
        _under_way.discard(self._id)

    def _can_be_staged(self, edit: Edit) -> bool:
        # A new value of a visible record would be visible at once: only creations can be hidden.
        if edit.field != CREATED or edit.entity not in STAGED_ENTITIES:
            return False
        # A flag shows in the lists of what it is about, at once where that is visible.
        return not isinstance(edit.value, Flag) or self._is_staged(edit.value)

    def _is_staged(self, flag: Flag) -> bool:
        if flag.target in self._waiting:
            return True
        if flag.entity not in STAGED_ENTITIES:
            return False
        select = f"SELECT 1 FROM {flag.entity} WHERE id=? AND n>=?"
        with convert_disk_errors():
            found = self._connection.execute(select, (flag.target, self._deferred.first_n)).fetchone()
        return found is not None

    def _show_life(self) -> None:
        update = "UPDATE main.staging SET active_at=? WHERE id=?"
        if not self._connection.execute(update, (time.time(), self._id)).rowcount:
            raise StagingError("The import was inactive for too long and was deleted.")

    def _count(self, edit: Edit) -> None:
        self.counts[edit.entity] = self.counts.get(edit.entity, 0) + 1
        ids = self.ids.setdefault(edit.entity, set())
        if ids is not None:
            ids.add(edit.entity_id)
            if len(ids) > MAX_IDS:
                self.ids[edit.entity] = None


def delete_abandoned(connection: Connection, *, is_copy: bool = False) -> bool:
    """Delete the entry of a process that ended before it was published; returns whether there was one.

    Args:
        connection: For writing, outside of a transaction.
        is_copy: Whether the file is a copy, in which no process can continue the entry.

    Raises:
        EnvironmentFailure: The entry hides what is not its own, so that the file is damaged; or the disk
            refused.
    """
    with convert_disk_errors():
        select = "SELECT id, host, process, active_at FROM staging"
        found = connection.execute(select).fetchone() if has_staging(connection) else None
    if found is None or not (is_copy or _is_abandoned(*found)):
        return False
    with convert_disk_errors(), one_state(connection):
        require_own_events(connection)
    identity = _claim_for_deletion(connection, found[0], active_at=found[3])
    if identity:
        _delete_staged(connection, identity)
    return bool(identity)


def _claim_for_deletion(connection: Connection, identity: str, *, active_at: float) -> str:
    """Take an entry from its process; returns its new id, "" where it shows life after all."""
    if identity.startswith(DELETED):
        return identity
    claimed = DELETED + identity
    # Compare and swap: a process that was only slow has written its time meanwhile, and keeps its entry.
    # After the swap its next transaction finds no row of its id and gives up, so that never two write and
    # delete.
    update = "UPDATE main.staging SET id=? WHERE id=? AND active_at=?"
    with transaction(connection):
        return claimed if connection.execute(update, (claimed, identity, active_at)).rowcount else ""


def delete_staged_events(connection: Connection) -> None:
    """Delete the events of an abandoned entry in the caller's transaction, which rebuilds all tables next.

    Raises:
        EnvironmentFailure: The entry hides what is not its own.
    """
    if has_staging(connection):
        require_own_events(connection)
        connection.execute("DELETE FROM event WHERE n>=(SELECT first_n FROM staging)")


def has_staging(connection: Connection) -> bool:
    """Return whether the file's version has staged entries."""
    select = "SELECT 1 FROM main.sqlite_schema WHERE type='table' AND name='staging'"
    return connection.execute(select).fetchone() is not None


def horizon(connection: Connection) -> str:
    """Return the SQL of the arrival number from which on events are not visible, in a file of any version."""
    return HORIZON if has_staging(connection) else f"{LAST_NUMBER}"


def last_number(connection: Connection) -> int:
    """Return the largest arrival number of the visible events."""
    select = f"SELECT coalesce(max(n), {FIRST_NUMBER}) FROM main.event WHERE n<{horizon(connection)}"
    return int(connection.execute(select).fetchone()[0])


def is_staging(connection: Connection) -> bool:
    """Return whether an entry is under way, or rows of an undo are being removed."""
    return has_staging(connection) and connection.execute("SELECT 1 FROM staging").fetchone() is not None


def is_abandoned(connection: Connection) -> bool:
    """Return whether nobody continues the entry of a project, so that the next opening deletes it."""
    found = connection.execute("SELECT id, host, process, active_at FROM staging").fetchone()
    return found is not None and _is_abandoned(*found)


def _is_abandoned(identity: str, host: str, process: int, active_at: float) -> bool:
    # The absolute difference: a clock that was set back makes the last activity lie in the future.
    if identity.startswith(DELETED) or abs(time.time() - active_at) > SILENT_S:
        return True
    if (host, process) == (socket.gethostname(), os.getpid()):
        return identity not in _under_way
    return is_process_gone(host=host, pid=process)


def _delete_staged(connection: Connection, identity: str) -> None:
    """Delete the rows of an entry from the last to the first, in short transactions, and then the entry.

    A published undo has no staged rows; for it the hidden rows are removed.
    """
    transactions, is_more = SharingTransactions(connection), True
    while is_more:
        with transactions.next():
            is_more = _delete_some(connection, identity)
    remove_hidden_rows(connection, identity)
    with transaction(connection):
        connection.execute("DELETE FROM main.staging WHERE id=?", (identity,))


def _delete_some(connection: Connection, identity: str) -> bool:
    """Delete the last staged rows; False once there are none.

    Raises:
        EnvironmentFailure: Events behind the gap are not of the entry.
    """
    found = connection.execute("SELECT first_n FROM main.staging WHERE id=?", (identity,)).fetchone()
    if found is None:
        return False
    first = int(found[0])
    last = int(connection.execute("SELECT coalesce(max(n), 0) FROM event").fetchone()[0])
    if last < first:
        return False
    # From the end: a restored head may be staged too, and its own batch then restores the one before.
    first = max(first, last - DELETED_AT_ONCE + 1)
    if has_foreign_events(connection, identity, first=first):
        raise damaged(FOREIGN)
    _restore_heads(connection, first)
    for statement in _deletions():
        connection.execute(statement, (first,))
    return True


def _restore_heads(connection: Connection, first: int) -> None:
    """Make the values that staged events replaced the newest ones again; only undo and redo replace any."""
    select = "SELECT entity_id, field, id, parents FROM main.event WHERE n>=? AND field<>'*' ORDER BY n DESC"
    replace_by_parents(connection, connection.execute(select, (first,)).fetchall())


def _deletions() -> Iterator[str]:
    # Each table before the rows by which its own are found.
    yield "DELETE FROM scene_view WHERE scene IN (SELECT id FROM scene WHERE n>=?)"
    for entity in STAGED_ENTITIES:
        for suffix, _ in PROJECTIONS[entity].searches:
            yield f"DELETE FROM {entity}_{suffix} WHERE rowid IN (SELECT n FROM {entity} WHERE n>=?)"
        yield f"DELETE FROM {entity} WHERE n>=?"
    yield "DELETE FROM event WHERE n>=?"


def _changed_media(connection: Connection, position: int, first_n: int) -> list[str]:
    """Return the media that others changed, or flagged, while the entry was staged."""
    select = (
        "SELECT DISTINCT iif(e.entity='medium', e.entity_id, f.target) FROM event e "
        "LEFT JOIN flag f ON e.entity='flag' AND f.id=e.entity_id AND f.entity='medium' "
        "WHERE e.n>? AND e.n<? AND (e.entity='medium' OR f.id IS NOT NULL)"
    )
    return [medium for (medium,) in connection.execute(select, (position, first_n))]
