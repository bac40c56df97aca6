"""Runs the commands of one open project: on the writing thread, or prepared and staged beside it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TypeVar

from annotator.commands.command import Command, PreparedCommand, StagedCommand, StalePreparationError
from annotator.domain.actor import Actor
from annotator.domain.changes import Changes
from annotator.domain.command import CommandRecord
from annotator.domain.signature import TrustedKey
from annotator.errors import UserError
from annotator.progress import Progress
from annotator.queries.reader import Reader
from annotator.staged_entry import enter_staged
from annotator.store.backup_thinning import thin_backups
from annotator.store.backups import make_backup
from annotator.store.bundles.bundle_file import BundledEvent
from annotator.store.bundles.exchange import (
    MergeReport,
    is_merged,
    merge_bundle,
    merge_bundles,
)
from annotator.store.bundles.merge import MergeCounts
from annotator.store.checkpoints import Checkpointer
from annotator.store.connection import Connection, convert_disk_errors
from annotator.store.hidden_guard import wait_for_hidden_rows
from annotator.store.serial_executor import SerialExecutor
from annotator.store.staged_undo import Direction, StagedUndo
from annotator.store.staging import Stage, StagingError
from annotator.writing.undo import redoing_edits, undoing_edits
from annotator.writing.writer import Origin, inverse_of, record_of, require_target
from annotator.writing_thread import WritingThread

T = TypeVar("T")
MAX_STAGED_ATTEMPTS = 2
"""Attempts to enter a staged command beside the edits of others, before they have to wait for it."""
LARGE_UNDO_EVENTS = 1000
"""An undo or redo of a command with more events is staged, after a backup: it cannot be checked by eye."""
log = logging.getLogger(__name__)


class CommandRunner:
    """Writes one command after the other, and tells listeners of each.

    Commands run on the writing thread. What takes long is prepared on a second thread, so that edits made
    meanwhile are saved at once. All methods may be called from any thread.
    """

    def __init__(
        self,
        path: Path,
        connection: Connection,
        *,
        actor: Actor,
        machine: str,
        reader: Callable[[], Reader],
        checkpoints: Checkpointer | None,
        rescue_folder: Path,
    ) -> None:
        """Start the threads.

        Args:
            path: The project.
            connection: For writing.
            actor: Who the commands are by.
            machine: Digits of the machine on which they are done.
            reader: Returns the calling thread's reader.
            checkpoints: Told of commits; None for a project that is open for reading.
            rescue_folder: Where the project is copied to if its file and its folder are taken away.
        """
        self._path = path
        self._actor = actor
        self._machine = machine
        self._reader = reader
        self.writing = WritingThread(
            path,
            connection,
            actor=actor,
            machine=machine,
            checkpoints=checkpoints,
            rescue_folder=rescue_folder,
        )
        self._writer = self.writing.writer
        self._preparing = SerialExecutor("vantage-preparing")
        self._is_reversing = False

    def close_preparation(self) -> None:
        """Finish what is prepared beside the writing thread, and end that thread."""
        self.writing.unsaved.close()
        # What was asked for so far may still have to be handed over by the writing thread.
        self.writing.finish_requested()
        self._preparing.close()

    def close(self) -> None:
        """Finish everything that was asked for, then end the threads."""
        self.writing.close()

    @property
    def actor(self) -> Actor:
        """Who the commands are by."""
        return self._actor

    def use_actor(self, actor: Actor) -> None:
        """Record what is asked for from now on as another person's, or under another name of this one."""
        self._writer.introduce(actor)
        self._actor = actor

    def execute(
        self, command: Command, *, is_kept: bool, initiator: object, progress: Progress
    ) -> Future[Changes]:
        """Run a command; the future is settled after COMMIT.

        Args:
            command: The command.
            is_kept: Whether it is tried again while the disk refuses it, and later ones wait; for edits of
                a person. Not for commands that are prepared or staged, which can be repeated.
            initiator: Passed on in the changes.
            progress: Cancels it.
        """
        origin = Origin(self._actor, initiator)
        if isinstance(command, PreparedCommand):
            return self._preparing.submit(
                lambda: self._execute_prepared(command, origin=origin, progress=progress)
            )
        if isinstance(command, StagedCommand):
            return self._preparing.submit(
                lambda: self.writing.watched_beside(
                    lambda: self._execute_staged(command, origin=origin, progress=progress)
                )
            )
        write = partial(self._writer.execute, command, origin=origin, progress=progress)
        return (
            self.writing.write_kept(command, write, progress=progress)
            if is_kept
            else self.writing.write(write)
        )

    def reverse(
        self, direction: Direction, *, only: str, initiator: object, progress: Progress | None
    ) -> Future[Changes]:
        """Undo the newest command of this person that is not undone yet, or redo the one undone last.

        A command of more than ``LARGE_UNDO_EVENTS`` events is backed up first, and its undo is staged.

        Args:
            direction: Undo or redo.
            only: Id of the only command that may be reversed, "" for any.
            initiator: Passed on in the changes.
            progress: One step per event.
        """
        active, origin = progress or Progress(), Origin(self._actor, initiator)
        return _flattened(
            self.writing.submit(
                lambda: self._begin_reversal(direction, only=only, origin=origin, progress=active)
            )
        )

    def merge(
        self,
        bundles: Sequence[Path],
        *,
        project: str,
        trusted: Sequence[TrustedKey],
        is_backed_up: bool,
        progress: Progress,
    ) -> Future[list[MergeReport]]:
        """Merge bundles, after a backup; then those that waited for their events.

        Args:
            bundles: The files.
            project: Id of this project.
            trusted: Keys that prove who wrote a bundle.
            is_backed_up: Whether there is a recent backup already.
            progress: Counts events; a cancelled merge keeps what it has entered, and can be repeated.
        """
        merge = partial(
            merge_bundle,
            project=project,
            merge=partial(self._merge_events, actor=self._actor, progress=progress),
            progress=progress,
            trusted=trusted,
        )
        known = partial(is_merged, project=project, trusted=trusted)
        back_up = partial(self._back_up, "before merge", progress=progress)

        def merge_all() -> list[MergeReport]:
            self._wait_for_writing()
            reader = self._reader()
            return merge_bundles(
                self._path,
                bundles,
                merge=partial(merge, last_of=reader.log.last_event_of),
                is_known=partial(known, holds=reader.log.holds_event),
                back_up=None if is_backed_up else back_up,
            )

        return self._preparing.submit(merge_all)

    def _back_up(self, reason: str, *, progress: Progress) -> None:
        make_backup(self._path, reason=reason, progress=progress)
        thin_backups(self._path, now=datetime.now(UTC))

    def _merge_events(
        self, events: list[BundledEvent], author: str, *, actor: Actor, progress: Progress
    ) -> MergeCounts:
        self._wait_for_hidden_rows(progress)

        def write_and_notify() -> MergeCounts:
            self.writing.require_writable()
            counts, changes = self.writing.watched(
                lambda: self._writer.merge(events, author=author, actor=actor)
            )
            self.writing.notify(changes)
            return counts

        return self.writing.submit(write_and_notify).result()

    def _begin_reversal(
        self, direction: Direction, *, only: str, origin: Origin, progress: Progress
    ) -> Future[Changes]:
        """Choose the command, on the writing thread: an edit in between would make another one the newest."""
        self.writing.require_writable()
        if self._is_reversing:
            raise UserError(
                "A large undo or redo is still running.", hint="Wait until it has finished, or cancel it."
            )
        target, events = self.writing.watched(lambda: self._target(direction, only=only, actor=origin.actor))
        if target is None or events <= LARGE_UNDO_EVENTS:
            done: Future[Changes] = Future()
            changes = self.writing.watched(
                lambda: self._writer.reverse(direction, only=only, origin=origin, progress=progress)
            )
            done.set_result(self.writing.notify(changes))
            return done
        # No lock: it is set and looked at on the writing thread alone, and cleared by the only reversal
        # there is.
        self._is_reversing = True
        return self._preparing.submit(
            lambda: self.writing.watched_beside(
                lambda: self._reverse_large(target, direction, origin=origin, progress=progress)
            )
        )

    def _target(self, direction: Direction, *, only: str, actor: Actor) -> tuple[CommandRecord | None, int]:
        """Return the command to reverse and its number of events, None and 0 for no command."""
        # Read by the writing connection: the path may lead to no project any more.
        with convert_disk_errors():
            target = self._writer.next_reversal(direction, actor=actor)
            if target is None:
                return None, 0
            require_target(target, only=only, direction=direction)
            return target, self._writer.event_count(target)

    def _reverse_large(
        self, target: CommandRecord, direction: Direction, *, origin: Origin, progress: Progress
    ) -> Changes:
        try:
            self._back_up(f"before {direction}", progress=progress)
            for _ in range(MAX_STAGED_ATTEMPTS):
                self._wait_for_hidden_rows(progress)
                try:
                    return self._reverse_staged(target, direction, origin=origin, progress=progress)
                except StagingError as error:
                    log.info("the %s of '%s' is not staged: %s", direction, target.summary, error.message)
            # Others change these records again and again: one long transaction, in which nobody can, ends it.
            return self.writing.write(
                lambda: self._writer.reverse(direction, only=target.id, origin=origin, progress=progress)
            ).result()
        finally:
            self._is_reversing = False

    def _reverse_staged(
        self, target: CommandRecord, direction: Direction, *, origin: Origin, progress: Progress
    ) -> Changes:
        edits_of = undoing_edits if direction == "undo" else redoing_edits
        with StagedUndo.of(
            self._path,
            actor=origin.actor,
            target=target,
            direction=direction,
            machine=self._machine,
            file=self._writer.file,
        ) as stage:
            return enter_staged(
                stage,
                inverse_of(target, kind=direction),
                edits=lambda: edits_of(self._reader(), target.id, machine=self._machine, progress=progress),
                require_current=lambda reader: stage.require_current(
                    reader.log.fields_changed_since(stage.position)
                ),
                writing=self.writing,
                origin=origin,
            )

    def _execute_prepared(self, command: PreparedCommand, *, origin: Origin, progress: Progress) -> Changes:
        try:
            try:
                return self._prepare_and_execute(command, origin=origin, progress=progress)
            except StalePreparationError as error:
                # Once: somebody who goes on editing the same records would have it prepared for ever.
                log.info("'%s' is prepared anew: %s", command.summary, error.message)
                return self._prepare_and_execute(command, origin=origin, progress=progress)
        finally:
            command.discard()

    def _prepare_and_execute(
        self, command: PreparedCommand, *, origin: Origin, progress: Progress
    ) -> Changes:
        self._wait_for_writing()
        with convert_disk_errors(), self._reader().snapshot():
            command.prepare(self._reader(), progress=progress)
        return self.writing.write(
            lambda: self._writer.execute(command, origin=origin, progress=progress)
        ).result()

    def _execute_staged(self, command: StagedCommand, *, origin: Origin, progress: Progress) -> Changes:
        self._wait_for_writing()
        for _ in range(MAX_STAGED_ATTEMPTS):
            try:
                return self._stage_and_publish(command, origin=origin, progress=progress)
            except (StalePreparationError, StagingError) as error:
                log.info("'%s' starts anew: %s", command.summary, error.message)
        # Whoever goes on editing the same records would have it start anew for ever: now they wait for it.
        return self.writing.write(
            lambda: self._writer.execute(command, origin=origin, progress=progress)
        ).result()

    def _stage_and_publish(self, command: StagedCommand, *, origin: Origin, progress: Progress) -> Changes:
        with Stage.begin(
            self._path, actor=origin.actor, machine=self._machine, file=self._writer.file
        ) as stage:
            return enter_staged(
                stage,
                record_of(command),
                edits=lambda: command.plan(self._reader(), progress=progress),
                require_current=lambda reader: command.require_current(reader, since=stage.position),
                writing=self.writing,
                origin=origin,
            )

    def _wait_for_hidden_rows(self, progress: Progress) -> None:
        """Wait until the undo or redo of another window or process has removed or restored its rows."""
        wait_for_hidden_rows(self._path, file=self._writer.file, progress=progress)

    def _wait_for_writing(self) -> None:
        """Wait for what was asked for before: whoever edits and then releases means to release the edit."""
        self.writing.submit(self.writing.require_own_file).result()


def _flattened(outer: Future[Future[T]]) -> Future[T]:
    """Return a future of what the future of a future carries."""
    result: Future[T] = Future()

    def settle(inner: Future[T]) -> None:
        error = inner.exception()
        if error is None:
            result.set_result(inner.result())
        else:
            result.set_exception(error)

    def follow(done: Future[Future[T]]) -> None:
        error = done.exception()
        if error is None:
            done.result().add_done_callback(settle)
        else:
            result.set_exception(error)

    # Running from the start: what the writing thread has begun cannot be cancelled by the future.
    result.set_running_or_notify_cancel()
    outer.add_done_callback(follow)
    return result
