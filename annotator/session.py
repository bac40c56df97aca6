"""What the window and the command line talk to: one open project."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from annotator.backup_scheduler import BackupScheduler
from annotator.change_listeners import Listener
from annotator.command_runner import CommandRunner
from annotator.commands.command import Command
from annotator.domain.actor import Actor
from annotator.domain.backup import Backup
from annotator.domain.changes import Changes
from annotator.edits.people import added_person
from annotator.media.media_roots import MediaRoots, own_folder
from annotator.progress import Progress
from annotator.queries.project_readers import ProjectReaders
from annotator.queries.reader import Reader
from annotator.signing_keys import signer_for, trusted_keys
from annotator.store.backups import make_backup
from annotator.store.bundles.bundle_file import Manifest, WriteMedia, WritePredictions
from annotator.store.bundles.exchange import MergeReport, export_bundle, export_spans
from annotator.store.checkpoints import Checkpointer
from annotator.store.connection import Connection, convert_disk_errors
from annotator.store.project_file import (
    create_project,
    create_project_from_bundle,
    open_for_reading,
    open_project,
)
from annotator.user_profile import config_folder, current_actor, machine_digits

if TYPE_CHECKING:
    from annotator.jobs.runs import RunService

T = TypeVar("T")


class Session:
    """An open project: runs commands, reports changes, answers queries.

    Commands are written on one thread, one after the other; what was asked for before ``close`` is still
    written. All methods may be called from any thread. ``file`` tells why nothing is saved any more,
    ``lost_edits`` what was asked for since, ``unsaved`` what the disk refuses, ``backups`` why there is none.
    """

    def __init__(
        self, path: Path, connection: Connection, *, actor: Actor, is_read_only: bool = False
    ) -> None:
        self.path = path
        self.is_read_only = is_read_only
        self.machine = machine_digits()
        """Digits of this machine: undo is of what was done here, not on other machines of the same person."""
        self._connection = connection
        self._checkpoints = None if is_read_only else Checkpointer(path)
        self._commands = CommandRunner(
            path,
            connection,
            actor=actor,
            machine=self.machine,
            reader=lambda: self.reader,
            checkpoints=self._checkpoints,
            rescue_folder=config_folder() / "rescued",
        )
        self.lost_edits = self._commands.writing.lost_edits
        self.file, self.unsaved = self._commands.writing.file, self._commands.writing.unsaved
        self.readers = ProjectReaders(path)
        self._at_close: list[Callable[[], object]] = []
        self.backups: BackupScheduler | None = None
        self._runs: RunService | None = None
        # Read here, on the thread that opens the project: a window shows both at once.
        try:
            with convert_disk_errors():
                project = self.reader.project
                self._title = project.title
                self._roots = MediaRoots.of_project(
                    path, own=self.media_root, project_id=project.id, settings=config_folder()
                )
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
    def create_from_bundle(
        cls, path: Path, bundle: Path, *, actor: Actor | None = None, progress: Progress | None = None
    ) -> Session:
        """Make a project from a bundle that has all of its events, and open it.

        Raises:
            UserError: There is a file already, or the bundle is not sound or not complete.
            EnvironmentFailure: The file cannot be written.
            Cancelled: The user stopped it; there is no file.
        """
        person = actor or current_actor()
        connection = create_project_from_bundle(
            path, bundle, actor=person, trusted=trusted_keys(), progress=progress or Progress()
        )
        return cls(path, connection, actor=person)

    @classmethod
    def open(cls, path: Path, *, actor: Actor | None = None, progress: Progress | None = None) -> Session:
        """Open a project; one that an older Vantage made is brought up to date first.

        Raises:
            UserError: There is none, or this version cannot open it.
            EnvironmentFailure: It cannot be opened.
            Cancelled: The user stopped the update; the file is as it was.
        """
        connection = open_project(path, progress=progress or Progress())
        session = cls(path, connection, actor=actor or current_actor())
        if actor is None:
            _work_as_added_person(session)
        return session

    @classmethod
    def open_for_reading(cls, path: Path) -> Session:
        """Open a project read-only: commands, undo and redo raise a ``UserError``.

        Raises:
            UserError: The file does not exist, or this version cannot read it without a migration.
            EnvironmentFailure: The file cannot be opened.
        """
        return cls(path, open_for_reading(path), actor=current_actor(), is_read_only=True)

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def run_at_close(self, call: Callable[[], object]) -> None:
        """Call a function at the beginning of ``close``, while the project can still be read and written."""
        self._at_close.append(call)

    def close(self) -> None:
        """Finish all requested commands, then close connections and threads."""
        while self._at_close:
            self._at_close.pop()()
        if self.backups:
            self.backups.stop()
        if self._runs:
            self._runs.close()
        # Before the writing thread: what is being prepared ends in a transaction on it.
        self._commands.close_preparation()
        self.readers.finish_queries()
        # Before the readers: what is still running uses them.
        self._commands.close()
        self.readers.close()
        self._connection.close()
        self.file.tidy_up()

    @property
    def actor(self) -> Actor:
        """The person who works on the project."""
        return self._commands.actor

    @property
    def title(self) -> str:
        """Name of the project."""
        return self._title

    @property
    def media_root(self) -> Path:
        """Folder that media paths are relative to; it need not exist."""
        return own_folder(self.path, self.reader.project.media_root)

    @property
    def roots(self) -> MediaRoots:
        """The media root and further media folders of this machine; always the same object."""
        return self._roots

    @property
    def reader(self) -> Reader:
        """The calling thread's reader.

        Raises:
            RuntimeError: The project was closed.
        """
        return self.readers.of_thread()

    @property
    def runs(self) -> RunService:
        """The model work of the project; the same object each time."""
        if self._runs is None:
            # The start of the window does without model work.
            from annotator.jobs.runs import RunService

            self._runs = RunService(
                self.path,
                actor=lambda: self.actor.id,
                settings=config_folder(),
                reader=lambda: self.reader,
                roots=lambda: self.roots,
            )
        return self._runs

    def execute(
        self,
        command: Command,
        *,
        is_kept: bool = False,
        initiator: object = None,
        progress: Progress | None = None,
    ) -> Future[Changes]:
        """Run a command; the future is settled after COMMIT.

        The long part of a ``PreparedCommand`` or ``StagedCommand`` runs before its last transaction and does
        not delay other commands. It sees the results of all commands requested before it.

        Args:
            command: The command.
            is_kept: Whether it is tried again while the disk refuses it, see ``unsaved``.
            initiator: Passed on in ``Changes``, so that a widget recognises its own change.
            progress: Reports steps and cancels.
        """
        active = progress or Progress()
        return self._commands.execute(command, is_kept=is_kept, initiator=initiator, progress=active)

    def use_actor(self, actor: Actor) -> None:
        """Record what is asked for from now on as another person's, or under another name of this one.

        What was asked for before is recorded as the former person's, even if it is written later.
        """
        self._commands.use_actor(actor)

    def undo(
        self, *, only: str = "", initiator: object = None, progress: Progress | None = None
    ) -> Future[Changes]:
        """Undo the newest command of this actor that is not undone; UserError for none.

        Before a large command is undone, a backup is made. Its undo runs in short transactions, so that edits
        made meanwhile are saved without delay. ``only`` is the id of the only command to undo.
        """
        return self._commands.reverse("undo", only=only, initiator=initiator, progress=progress or Progress())

    def redo(
        self, *, only: str = "", initiator: object = None, progress: Progress | None = None
    ) -> Future[Changes]:
        """Redo the command undone last; UserError for none. A large one as in ``undo``."""
        return self._commands.reverse("redo", only=only, initiator=initiator, progress=progress or Progress())

    def merge(
        self, *bundles: Path, is_backed_up: bool = False, progress: Progress | None = None
    ) -> Future[list[MergeReport]]:
        """Merge bundles of this project: by union, in short transactions, in any order.

        The future carries the reports of the bundles, then those of bundles that waited for their events. It
        has a UserError where one is not sound or is of another project; nothing is entered then.

        Args:
            bundles: The files.
            is_backed_up: Whether there is a recent backup already; otherwise one is made before.
            progress: Counts events; a cancelled merge keeps what it has entered, and can be repeated.
        """
        return self._commands.merge(
            bundles,
            project=self.reader.project.id,
            trusted=trusted_keys(),
            is_backed_up=is_backed_up,
            progress=progress or Progress(),
        )

    def export_bundle(
        self,
        target: Path,
        *,
        since: Path | None = None,
        spans: Mapping[str, tuple[int, int]] | None = None,
        write_media: WriteMedia | None = None,
        write_predictions: WritePredictions | None = None,
        is_signed: bool = False,
        progress: Progress | None = None,
    ) -> Manifest:
        """Write the events of this project as a bundle, on the calling thread.

        Args:
            target: The file; replaced if it exists.
            since: An earlier bundle, whose events are left out.
            spans: First and last sequence number of each ``actor/session_id`` to write, None for all events.
            write_media: Writes media files into the bundle of ``since`` or all events, None for none.
            write_predictions: The same for predictions.
            is_signed: Whether the person signs it with the own key.
            progress: Counts events; a cancelled export writes nothing.

        Raises:
            UserError: The earlier bundle is of another project, or not sound, or the person has no key.
            EnvironmentFailure: A file cannot be read or written.
            Cancelled: The user stopped it.
        """
        project = self.reader.project
        manifest = Manifest.of(project=project.id, title=project.title, author=self.actor.name)
        active = progress or Progress()
        sign = signer_for(self.actor) if is_signed else None
        if spans is not None:
            return export_spans(self.path, target, manifest=manifest, spans=spans, progress=active, sign=sign)
        return export_bundle(
            self.path,
            target,
            manifest=manifest,
            since=since,
            write_media=write_media,
            write_predictions=write_predictions,
            progress=active,
            sign=sign,
        )

    def query(self, question: Callable[[Reader], T]) -> Future[T]:
        """Answer a question on the reading thread, so that the caller need not wait.

        The future carries a EnvironmentFailure where the file cannot be read.
        """
        return self.readers.query(question)

    def look_for_foreign_changes(self) -> Future[None]:
        """Tell the listeners what other programs have committed since the last call.

        The future has a ``ReplacedFileError`` if the project file was deleted, replaced or overwritten.
        """
        return self._commands.writing.look_for_foreign_changes()

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call a function after each commit; returns a function that ends this.

        The listener is called on the writing thread and must not wait for it. What it raises is logged: the
        change is saved all the same.
        """
        return self._commands.writing.listeners.add(listener)

    def backup(
        self, *, reason: str, progress: Progress | None = None, longest_log_bytes: int | None = None
    ) -> Backup:
        """Make a backup on the calling thread, as ``make_backup``.

        Raises:
            EnvironmentFailure: There is none, or the log has become longer; the project is unchanged.
        """
        active = progress or Progress()
        return make_backup(self.path, reason=reason, progress=active, longest_log_bytes=longest_log_bytes)

    def start_backups(self) -> None:
        """Start periodic backups, for sessions of a window; single commands do not need them."""
        self.backups = BackupScheduler(self)


def _work_as_added_person(session: Session) -> None:
    """Go on as the person whom somebody has added to the project under this name, if there is one."""
    try:
        with convert_disk_errors():
            person = added_person(session.actor, session.reader)
        if person is not None:
            session.use_actor(person)
    except BaseException:
        session.close()
        raise
