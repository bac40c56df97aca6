"""The thread that writes: transactions in order, watched for refusals of the disk and for a lost file."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import TypeVar

from annotator.change_listeners import ChangeListeners
from annotator.commands.command import Command
from annotator.domain.actor import Actor
from annotator.domain.changes import Changes
from annotator.errors import EnvironmentFailure, ReplacedFileError, UserError
from annotator.file_watch import FileWatch
from annotator.progress import Progress
from annotator.store.checkpoints import Checkpointer
from annotator.store.connection import Connection
from annotator.store.serial_executor import SerialExecutor
from annotator.unsaved_edits import UnsavedEdits
from annotator.writing.writer import Writer

T = TypeVar("T")


class WritingThread:
    """Runs transactions of the writer one after the other, and tells listeners of each.

    ``submit``, ``write``, ``write_kept`` and ``lost_edits`` may be called from any thread; ``watched``,
    ``require_own_file`` and ``notify`` only by what runs on this one.

    Attributes:
        writer: Only for what runs on this thread.
        file: Tells why nothing is saved any more.
        unsaved: Edits that the disk refuses.
        listeners: Who is told of commits.
    """

    def __init__(
        self,
        path: Path,
        connection: Connection,
        *,
        actor: Actor,
        machine: str,
        checkpoints: Checkpointer | None,
        rescue_folder: Path,
    ) -> None:
        """Start the thread.

        Args:
            path: The project.
            connection: For writing.
            actor: Who the commands are by.
            machine: Digits of the machine on which they are done.
            checkpoints: Told of commits; None for a project that is open for reading.
            rescue_folder: Where the project is copied to if its file and its folder are taken away.
        """
        self.writer = Writer(connection, path=path, actor=actor, machine=machine)
        self.file = FileWatch(path, connection, rescue_folder=rescue_folder)
        self.unsaved, self.listeners = UnsavedEdits(), ChangeListeners()
        self._checkpoints = checkpoints
        self._executor = SerialExecutor("vantage-store")
        self._is_closed = False

    def close(self) -> None:
        """Finish what was asked for, then end the thread."""
        if not self._is_closed and self._checkpoints is not None:
            # Waited for: an error in a future that nobody reads is lost.
            self._executor.submit(self.file.examine_at_close).result()
        self._is_closed = True
        self._executor.close()
        if self._checkpoints:
            self._checkpoints.stop()
        self.writer.close()

    def submit(self, function: Callable[[], T]) -> Future[T]:
        """Run a function on the thread; the future carries its result or its exception."""
        return self._executor.submit(function)

    def wait_until_idle(self, limit_s: float) -> None:
        """Wait until everything that was asked for is done, at most for a time."""
        self._executor.wait_until_idle(limit_s)

    def finish_requested(self) -> None:
        """Wait for what was asked for before; nothing once the thread has ended."""
        if not self._is_closed:
            self._executor.submit(lambda: None).result()

    def write(self, write: Callable[[], Changes]) -> Future[Changes]:
        """Run a transaction on the thread; the future is settled after COMMIT."""

        def write_and_notify() -> Changes:
            self.require_writable()
            return self.notify(self.watched(write))

        return self._executor.submit(write_and_notify)

    def write_kept(
        self, command: Command, write: Callable[[], Changes], *, progress: Progress
    ) -> Future[Changes]:
        """Run a transaction, again and again while the disk refuses it.

        Args:
            command: What it does; kept if the file of the project is lost.
            write: The transaction.
            progress: Cancels it.
        """

        def write_and_notify() -> Changes:
            try:
                self.require_writable()
                return self.notify(self.unsaved.save(lambda: self.watched(write), progress=progress))
            except ReplacedFileError:
                self.file.unsaved.append(command)
                raise

        return self._executor.submit(write_and_notify)

    def lost_edits(self) -> Future[tuple[Command, ...]]:
        """Return what was asked for since the file was lost, as soon as all that was asked for is settled."""
        return self._executor.submit(lambda: tuple(self.file.unsaved))

    def look_for_foreign_changes(self) -> Future[None]:
        """Tell the listeners what other programs have committed; find a file that was taken away.

        The future has a ``ReplacedFileError`` for such a file, each time.
        """

        def look() -> None:
            self.file.require_kept()
            self.watched(self.writer.look_for_foreign_changes)

        return self._executor.submit(look)

    def watched(self, write: Callable[[], T]) -> T:
        """Run a transaction; tell of the changes of others that were before it.

        Raises:
            EnvironmentFailure: What it raises, or a ``ReplacedFileError`` if the cause is a lost file.
        """
        try:
            return write()
        except EnvironmentFailure as error:
            raise self.file.explained(error) from error
        finally:
            foreign = self.writer.take_foreign_changes()
            if foreign is not None:
                self.listeners.tell(foreign)

    def watched_beside(self, write: Callable[[], T]) -> T:
        """Run work of another thread that has transactions of its own, watched for a lost file."""
        try:
            return write()
        except ReplacedFileError as found:
            # Bound to a name that outlives the handler.
            error = found
        raise self._executor.submit(lambda: self.file.end_writing(error)).result() from error

    def require_writable(self) -> None:
        """Refuse to write.

        Raises:
            UserError: The project is open for reading.
            ReplacedFileError: Its file was taken away.
        """
        self.file.require_kept()
        if self._checkpoints is None:
            raise UserError(
                "The project is open for reading.",
                hint="To change it, copy the project and its media files to a writable folder "
                "and open it there.",
            )

    def require_own_file(self) -> None:
        """Refuse long work in a project whose path leads elsewhere by now: it opens the path once more.

        Raises:
            UserError: The project is open for reading.
            ReplacedFileError: Its file was taken away.
        """
        self.require_writable()
        self.watched(self.writer.look_for_foreign_changes)

    def notify(self, changes: Changes) -> Changes:
        """Tell the listeners of a commit, and return its changes."""
        if changes.command:
            self.note_commit(sum(changes.counts.values()))
            self.listeners.tell(changes)
        return changes

    def note_commit(self, records: int) -> None:
        """Note that records were written, for the next checkpoint."""
        if self._checkpoints is not None:
            self._checkpoints.note_commit(records)
