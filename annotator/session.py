"""What the window and the command line talk to: one open project."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from annotator.backup_scheduler import BackupScheduler
from annotator.commands.command import Command, PreparedCommand, StagedCommand, StalePreparationError
from annotator.domain.actor import Actor
from annotator.domain.changes import Changes
from annotator.domain.command import CommandRecord
from annotator.errors import UserError
from annotator.media.media_roots import MediaRoots
from annotator.progress import Progress
from annotator.store.backups import Backup, make_backup, thin_backups
from annotator.store.checkpoints import Checkpointer
from annotator.store.connection import Connection, disk_trouble
from annotator.store.project_file import create_project, open_for_reading, open_project
from annotator.store.reader import Reader
from annotator.store.serial_executor import SerialExecutor
from annotator.store.staging import Stage, StagingError
from annotator.store.writer import Writer, record_of
from annotator.user_profile import config_folder, current_actor

__all__ = ["Reader", "Session"]

if TYPE_CHECKING:
    from annotator.jobs.runs import RunService

T = TypeVar("T")
STAGED_AT_MOST = 2
"""Attempts to enter a staged command beside the edits of others, before they have to wait for it."""
BACKUP_BEFORE_EVENTS = 1000
"""An undo or redo that rewrites more records than this is a risky step: a backup comes before it."""
Listener = Callable[[Changes], None]
log = logging.getLogger(__name__)


class Session:
    """An open project: commands in, one stream of changes out, questions answered.

    Writing happens on the store lane, one command after the other; whatever was asked for before
    ``close`` is still written. All methods may be called from any thread.
    """

    def __init__(
        self, path: Path, connection: Connection, *, actor: Actor, is_read_only: bool = False
    ) -> None:
        self.path = path
        self.actor = actor
        self.is_read_only = is_read_only
        self._connection = connection
        self._writer = Writer(connection, path=path, actor=actor)
        self._lane = SerialExecutor("vantage-store")
        self._checkpoints = None if is_read_only else Checkpointer(path)
        self._reading = SerialExecutor("vantage-reading")
        self._preparing = SerialExecutor("vantage-preparing")
        self._readers: dict[int, Reader] = {}
        self._readers_lock = threading.Lock()
        self._closed = False
        self._listeners: list[Listener] = []
        self._backup_clock: BackupScheduler | None = None
        self._runs: RunService | None = None
        # Read here, on the thread that opens the project: a window shows both at once.
        try:
            with disk_trouble():
                self._title = self.reader.project.title
                self._roots = MediaRoots.of_project(path, own=self.media_root)
        except BaseException:
            self.close()
            raise

    @classmethod
    def create(cls, path: Path, *, title: str = "", actor: Actor | None = None) -> Session:
        """Make a project and open it.

        Raises:
            UserError: There is a file already, or the folder does not exist.
            EnvironmentFailure: The file cannot be written.
        """
        person = actor or current_actor()
        return cls(path, create_project(path, title=title, actor=person), actor=person)

    @classmethod
    def open(cls, path: Path, *, actor: Actor | None = None, progress: Progress | None = None) -> Session:
        """Open a project; one that an older Vantage made is brought up to date first.

        Raises:
            UserError: There is none, or this version cannot open it.
            EnvironmentFailure: It cannot be opened.
            Cancelled: The user stopped the update; the file is as it was.
        """
        connection = open_project(path, progress=progress or Progress())
        return cls(path, connection, actor=actor or current_actor())

    @classmethod
    def open_for_reading(cls, path: Path) -> Session:
        """Open a project that is only looked at: commands, undo and redo end with a ``UserError``.

        Raises:
            UserError: There is none, or this version cannot read it as it is.
            EnvironmentFailure: It cannot be opened.
        """
        return cls(path, open_for_reading(path), actor=current_actor(), is_read_only=True)

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Write what was asked for, then close all connections and threads."""
        if self._backup_clock:
            self._backup_clock.stop()
        if self._runs:
            self._runs.close()
        # Before the store lane: what is being prepared ends in a transaction on it.
        self._preparing.close()
        self._reading.close()
        # Readers are closed last: whatever is still running may ask.
        self._lane.close()
        if self._checkpoints:
            self._checkpoints.stop()
        self._writer.close()
        with self._readers_lock:
            self._closed = True
            for reader in self._readers.values():
                reader.close()
            self._readers.clear()
        self._connection.close()

    @property
    def title(self) -> str:
        """Name of the project."""
        return self._title

    @property
    def media_root(self) -> Path:
        """Folder that media paths are relative to; it need not exist."""
        return self.path.parent / self.reader.project.media_root

    @property
    def roots(self) -> MediaRoots:
        """Where media lie: the media root, and further folders of this machine; the same object each time."""
        return self._roots

    @property
    def reader(self) -> Reader:
        """The calling thread's reader.

        Raises:
            RuntimeError: The project was closed.
        """
        thread = threading.get_ident()
        with self._readers_lock:
            if self._closed:
                raise RuntimeError("the project is closed")
            # The number of a thread that ended goes to a later one, which then takes over its reader: never
            # two at a time.
            if thread not in self._readers:
                self._readers[thread] = Reader.open(self.path)
            return self._readers[thread]

    @property
    def runs(self) -> RunService:
        """The model work of the project; the same object each time."""
        if self._runs is None:
            # The start of the window does without model work.
            from annotator.jobs.runs import RunService

            self._runs = RunService(
                self.path,
                actor=self.actor.id,
                settings=config_folder(),
                reader=lambda: self.reader,
                roots=lambda: self.roots,
            )
        return self._runs

    @property
    def undo_label(self) -> str:
        """What undo would take back, in English, "" for nothing."""
        command = self.reader.next_undo(self.actor.id)
        return str(command.summary) if command else ""

    @property
    def redo_label(self) -> str:
        """What redo would do again, in English, "" for nothing."""
        command = self.reader.next_redo(self.actor.id)
        return str(command.summary) if command else ""

    def execute(
        self, command: Command, *, initiator: object = None, progress: Progress | None = None
    ) -> Future[Changes]:
        """Do a command in one transaction; the future is settled after COMMIT.

        What takes long in a ``PreparedCommand`` or ``StagedCommand`` is done before its last transaction, and
        others need not wait for it; it sees all that was asked for before it.

        Args:
            command: What to do.
            initiator: Comes back in ``Changes``, so that a widget knows its own change.
            progress: Told how far it is; can cancel it.
        """
        told = progress or Progress()
        if isinstance(command, PreparedCommand):
            return self._preparing.submit(
                lambda: self._execute_prepared(command, initiator=initiator, progress=told)
            )
        if isinstance(command, StagedCommand):
            return self._preparing.submit(
                lambda: self._do_staged(command, initiator=initiator, progress=told)
            )
        return self._write(lambda: self._writer.execute(command, initiator=initiator, progress=told))

    def use_actor(self, actor: Actor) -> None:
        """Record another name of this person with what is done from now on.

        Args:
            actor: The same person, by id.
        """
        self.actor = actor
        self._writer.use_actor(actor)

    def undo(self, *, initiator: object = None, progress: Progress | None = None) -> Future[Changes]:
        """Take back the newest command of this person that is not undone yet; UserError for none.

        A command of more than ``BACKUP_BEFORE_EVENTS`` events is backed up first.
        """
        told = progress or Progress()

        def take_back() -> Changes:
            # On the lane, with the undo itself: another edit in between would make another command the
            # newest.
            self._back_up_before("undo", self.reader.next_undo(self.actor.id), progress=told)
            return self._writer.undo(initiator=initiator, progress=told)

        return self._write(take_back)

    def redo(self, *, initiator: object = None, progress: Progress | None = None) -> Future[Changes]:
        """Do again what was undone last; UserError for nothing.

        A command of more than ``BACKUP_BEFORE_EVENTS`` events is backed up first.
        """
        told = progress or Progress()

        def do_again() -> Changes:
            self._back_up_before("redo", self.reader.next_redo(self.actor.id), progress=told)
            return self._writer.redo(initiator=initiator, progress=told)

        return self._write(do_again)

    def query(self, question: Callable[[Reader], T]) -> Future[T]:
        """Answer a question on the reading thread, so that the caller need not wait.

        The future carries a EnvironmentFailure where the file cannot be read.
        """
        return self._reading.submit(lambda: self._run_query(question))

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Have every committed change told; returns the way to stop.

        The listener is called on the store lane's thread and must not wait for it. What it raises is
        logged: the change is saved all the same.
        """
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def backup(self, *, reason: str, progress: Progress | None = None) -> Backup:
        """Make a verified backup beside the project, on the calling thread.

        Raises:
            EnvironmentFailure: It could not be made; the project is untouched.
        """
        return make_backup(self.path, reason=reason, progress=progress or Progress())

    def start_backups(self) -> None:
        """Start backups on a timer; long-lived sessions want this, a single command does not."""
        self._backup_clock = BackupScheduler(self)

    def _execute_prepared(
        self, command: PreparedCommand, *, initiator: object, progress: Progress
    ) -> Changes:
        try:
            try:
                return self._prepare_and_execute(command, initiator=initiator, progress=progress)
            except StalePreparationError as error:
                # Once: somebody who goes on editing the same records would have it prepared for ever.
                log.info("'%s' is prepared anew: %s", command.summary, error.message)
                return self._prepare_and_execute(command, initiator=initiator, progress=progress)
        finally:
            command.discard()

    def _prepare_and_execute(
        self, command: PreparedCommand, *, initiator: object, progress: Progress
    ) -> Changes:
        # The lane's end so far: whoever asks for an edit and then for a release means to release the edit.
        self._lane.submit(lambda: _require_writable(self)).result()
        with disk_trouble(), self.reader.snapshot():
            command.prepare(self.reader, progress=progress)
        return self._write(
            lambda: self._writer.execute(command, initiator=initiator, progress=progress)
        ).result()

    def _do_staged(self, command: StagedCommand, *, initiator: object, progress: Progress) -> Changes:
        self._lane.submit(lambda: _require_writable(self)).result()
        for _ in range(STAGED_AT_MOST):
            try:
                return self._stage_and_publish(command, initiator=initiator, progress=progress)
            except (StalePreparationError, StagingError) as error:
                log.info("'%s' starts anew: %s", command.summary, error.message)
        # Whoever goes on editing the same records would have it start anew for ever: now they wait for it.
        return self._write(
            lambda: self._writer.execute(command, initiator=initiator, progress=progress)
        ).result()

    def _stage_and_publish(self, command: StagedCommand, *, initiator: object, progress: Progress) -> Changes:
        record = record_of(command)
        with Stage.begin(self.path, actor=self.actor) as stage:
            try:
                with disk_trouble():
                    for edit in command.plan(self.reader, progress=progress):
                        _note_commit(self._checkpoints, stage.add(edit, command=record.id))
                    stage.write(command=record.id)
                return self._write(
                    lambda: self._writer.publish(
                        stage,
                        record,
                        require_current=lambda reader: command.require_current(reader, since=stage.position),
                        initiator=initiator,
                    )
                ).result()
            finally:
                # Nothing where it was published. Cancelled and Ctrl-C too: nobody needs the rest.
                stage.discard()

    def _back_up_before(self, step: str, target: CommandRecord | None, *, progress: Progress) -> None:
        # Smaller steps are taken back by the next undo; a large one that went wrong is not seen through.
        if target is not None and self.reader.event_count(target.id) > BACKUP_BEFORE_EVENTS:
            self.backup(reason=f"before {step}", progress=progress)
            thin_backups(self.path, now=datetime.now(UTC))

    def _run_query(self, question: Callable[[Reader], T]) -> T:
        with disk_trouble():
            return question(self.reader)

    def _write(self, write: Callable[[], Changes]) -> Future[Changes]:
        def write_and_tell() -> Changes:
            _require_writable(self)
            return self._notify(write())

        return self._lane.submit(write_and_tell)

    def _notify(self, changes: Changes) -> Changes:
        if changes.command:
            _note_commit(self._checkpoints, sum(changes.counts.values()))
            # A copy: a widget that goes away stops listening while it is told.
            for listener in list(self._listeners):
                try:
                    listener(changes)
                except Exception:
                    # Neither the caller nor the other listeners may believe that nothing was saved.
                    log.exception("a listener failed after '%s' was saved", changes.label)
        return changes


def _require_writable(session: Session) -> None:
    if session.is_read_only:
        raise UserError(
            "The project is open for reading.",
            hint="To change it, copy the project and its media files to a writable folder and open it there.",
        )


def _note_commit(checkpoints: Checkpointer | None, records: int) -> None:
    # A project that is open for reading has none.
    if checkpoints is not None:
        checkpoints.note_commit(records)
