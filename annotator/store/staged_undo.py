"""Undoes and redoes a command that created very many records, in short transactions.

An undo writes its events behind the gap of a staged entry, where they are invisible. The transaction that
publishes it hides the rows of all these records at once, as one range of arrival numbers; the rows themselves
are removed afterwards. A redo first hides the range, which changes nothing visible since the records are
removed, then writes events and rows, and is published by deleting one row.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from annotator.domain.actor import Actor
from annotator.domain.command import CommandRecord
from annotator.domain.disagreement import DISAGREEMENT
from annotator.domain.event import REMOVED, ChangedField, Edit
from annotator.domain.flag import Flag
from annotator.domain.item import Item
from annotator.domain.response import Response
from annotator.store.connection import Connection, convert_disk_errors, transaction
from annotator.store.file_identity import FileIdentity
from annotator.store.hidden_rows import collect_outer_records, subtract_totals
from annotator.store.log import EventLog
from annotator.store.staged_rows import LAST_NUMBER, STAGED_ENTITIES
from annotator.store.staging import Stage, StagingError

Direction = Literal["undo", "redo"]


class StagedUndo(Stage):
    """An undo or redo that is being written; for one thread, with its own connection."""

    _direction: Direction = "undo"

    @classmethod
    def of(
        cls,
        path: Path,
        *,
        actor: Actor,
        target: CommandRecord,
        direction: Direction,
        machine: str = "",
        file: FileIdentity | None = None,
    ) -> StagedUndo:
        """Begin to undo or redo a command.

        Args:
            path: The project.
            actor: Author of the events.
            target: The command.
            direction: Undo or redo.
            machine: Digits of the machine on which it is done, "" for one that is not known.
            file: The file that the project has open; nothing is written into another one.

        Raises:
            ReplacedFileError: The path does not lead to ``file`` any more.
            StagingError: Another entry is under way, or records of the command were removed or brought back
                one by one.
            EnvironmentFailure: The disk refused.
        """
        stage = cls.begin(path, actor=actor, machine=machine, file=file)
        try:
            stage.choose(target, direction)
        except BaseException:
            stage.discard()
            stage.close()
            raise
        return stage

    def require_current(self, changes: Iterable[ChangedField]) -> None:
        """Check in the last transaction that nothing that it reverses was changed since the start.

        Args:
            changes: What events after ``position`` have changed.

        Raises:
            StagingError: A record or field was changed; nothing is published.
        """
        # Of records that it removes any change counts, as for an undo in one transaction.
        removed = {edit.entity_id for edit in self.others if edit.field == REMOVED}
        fields = {(edit.entity_id, edit.field) for edit in self.others}
        # What people disagree on follows from their answers to a question as it is now.
        given = {Response.table.entity, Item.table.entity}
        followed = given if any(edit.entity == Response.table.entity for edit in self.others) else ()
        for changed in changes:
            if (
                changed.entity_id in removed
                or (changed.entity_id, changed.field) in fields
                or changed.entity in followed
                or (changed.entity in STAGED_ENTITIES and self._is_hidden(changed.entity, changed.entity_id))
            ):
                raise StagingError("The records were changed in the meantime.")

    def publish(self, connection: Connection) -> None:
        """Publish events and rows, as the first step of the last transaction.

        Args:
            connection: The writer's, inside its transaction.

        Raises:
            StagingError: Another process deleted the entry.
        """
        if self._direction == "redo":
            super().publish(connection)
            return
        # Updated instead of deleted: it hides the records until the last row is removed.
        update = "UPDATE staging SET first_n=?, hidden_from=?, hidden_to=? WHERE id=?"
        if not connection.execute(update, (LAST_NUMBER, *self._deferred.hidden, self._id)).rowcount:
            raise StagingError("The undo was inactive for too long and was deleted.")
        subtract_totals(connection, self._deferred.hidden)

    def choose(self, target: CommandRecord, direction: Direction) -> None:
        """Find the rows of a command's records; those of a redo are hidden from here on.

        Raises:
            StagingError: The rows are no range of their own, or are not all removed or all there, or some of
                them can stay.
        """
        # Read without the write lock; ``require_current`` detects later changes.
        with convert_disk_errors():
            self._direction, self._deferred.hidden = direction, self._range_of(target.id)
            self._require_alike(is_removed=direction == "redo")
        if direction == "redo":
            with transaction(self._connection):
                # From here on others cannot change the rows; what they did before is theirs, and is kept.
                self._require_untouched()
                update = "UPDATE main.staging SET hidden_from=?, hidden_to=? WHERE id=?"
                self._connection.execute(update, (*self._deferred.hidden, self._id))
            return
        self._require_no_derived_flag()
        # The rows of an undo are removed after it is published, not with its events.
        self._log = EventLog(self._connection, is_folded=False)
        with convert_disk_errors():
            collect_outer_records(self._connection, self._deferred)

    def _range_of(self, command: str) -> tuple[int, int]:
        select = "SELECT min(n), max(n), count(*) FROM main.event WHERE command=?"
        first, last, count = self._connection.execute(select, (command,)).fetchone()
        # A person's own record is written with the first command, and belongs to none.
        select = "SELECT count(*) FROM main.event WHERE command='' AND n BETWEEN ? AND ?"
        (others,) = self._connection.execute(select, (first, last)).fetchone()
        # A command that was continued later has events of others between its own.
        if count + others != last - first + 1:
            raise StagingError("The events of the command are not in one piece.")
        return int(first), int(last)

    def _require_alike(self, *, is_removed: bool) -> None:
        for entity in STAGED_ENTITIES:
            select = f"SELECT 1 FROM main.{entity} WHERE n BETWEEN ? AND ? AND removed<>? LIMIT 1"
            if self._connection.execute(select, (*self._deferred.hidden, int(is_removed))).fetchone():
                raise StagingError("Records of the command were removed or restored one by one.")

    def _require_no_derived_flag(self) -> None:
        """Refuse to hide flags that stay: what people disagree on can follow from later answers as well."""
        select = "SELECT 1 FROM main.flag WHERE kind=? AND n BETWEEN ? AND ? LIMIT 1"
        if self._connection.execute(select, (DISAGREEMENT, *self._deferred.hidden)).fetchone():
            raise StagingError("Flags of the command follow from the answers of all people.")

    def _require_untouched(self) -> None:
        select = "SELECT DISTINCT entity, entity_id FROM main.event WHERE n>? AND n<?"
        since = self._connection.execute(select, (self.position, self._deferred.first_n)).fetchall()
        if any(entity in STAGED_ENTITIES and self._is_hidden(entity, record) for entity, record in since):
            raise StagingError("The records were changed in the meantime.")

    def _can_be_staged(self, edit: Edit) -> bool:
        if edit.field != REMOVED or edit.entity not in STAGED_ENTITIES:
            return False
        # Without ``convert_disk_errors``: as costly as the query, and undo has it around all edits.
        if not self._is_hidden(edit.entity, edit.entity_id):
            return False
        # A flag shows in the lists of what it is about, at once where that stays visible.
        if edit.entity != Flag.table.entity:
            return True
        select = "SELECT entity, target FROM main.flag WHERE id=?"
        entity, flagged = self._connection.execute(select, (edit.entity_id,)).fetchone()
        return entity in STAGED_ENTITIES and self._is_hidden(entity, flagged)

    def _is_hidden(self, entity: str, entity_id: str) -> bool:
        select = f"SELECT 1 FROM main.{entity} WHERE id=? AND n BETWEEN ? AND ?"
        found = self._connection.execute(select, (entity_id, *self._deferred.hidden)).fetchone()
        return found is not None
