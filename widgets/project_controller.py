"""The controller of the open project: opens and closes it, executes commands, and runs long tasks on it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from annotator.commands.command import Command
from annotator.database_files import PROJECT_SUFFIX
from annotator.domain.actor import Actor
from annotator.errors import Cancelled
from annotator.model_api import ModelCatalog
from annotator.progress import Progress
from annotator.session import Session
from widgets.bridge import Bridge
from widgets.crash_dialog import SaveStatus
from widgets.dialog import OPENING
from widgets.display_text import command_summary_text
from widgets.new_project_dialog import NewProjectDialog
from widgets.project_opener import ProjectOpener
from widgets.settings import Settings
from widgets.task import Task
from widgets.translation import tr

T = TypeVar("T")


class ProjectController(QObject):
    """Opens and closes projects, and executes commands on the open one.

    Attributes:
        make_catalogue: A class or function of a module that returns what opens models; None without models.

    Signals:
        about_to_change: Emitted before the open project is closed, so that pending edits are sent first.
        session_changed: Emitted when another project is open, or none, or another person works on it.
        work_started: Emitted when a task starts; carries the ``Task``.
        work_ended: Emitted when a task has ended; carries the ``Task``.
        failed: Emitted when a task fails; carries the exception and the title of the task.
    """

    about_to_change = Signal()
    session_changed = Signal()
    work_started = Signal(object)
    work_ended = Signal(object)
    failed = Signal(object, str)

    def __init__(
        self,
        *,
        bridge: Bridge,
        settings: Settings,
        window: QWidget,
        make_demo: Callable[[Progress], Path] | None = None,
    ) -> None:
        """Create the controller without a project.

        Args:
            bridge: Delivers results of other threads to the GUI thread.
            settings: Stores recent projects and folders.
            window: Parent of file dialogs.
            make_demo: Creates the demo project if it does not exist, and returns its path; runs off the
                GUI thread.
        """
        super().__init__(window)
        self.session: Session | None = None
        self.works: list[Task] = []
        self.make_catalogue: Callable[[], ModelCatalog] | None = None
        self._bridge, self.settings, self._window = bridge, settings, window
        self.opener = ProjectOpener(self, bridge=bridge, make_demo=make_demo, parent=self)
        self._copy: Path | None = None
        self._lost_edits: Future[tuple[Command, ...]] | None = None
        self._stop_listening: Callable[[], None] | None = None
        self._threads = ThreadPoolExecutor(max_workers=2, thread_name_prefix="vantage-project")

    def use_session(self, session: Session | None) -> None:
        """Open a project in place of the current one, which is closed."""
        self.about_to_change.emit()
        before, self.session = self.session, session
        if before is not None:
            self._note_lost_edits(before)
        if self._stop_listening is not None:
            self._stop_listening()
            self._stop_listening = None
        self._bridge.connect_session(session)
        if session is not None:
            self._stop_listening = session.subscribe(self._bridge.post_changes)
            self.settings.note_project(session.path)
        # The old project's widgets are deleted by now; its pending writes are completed in the background.
        self.session_changed.emit()
        if session is not None and self.is_copy and self._lost_edits is not None:
            self._bridge.wait_for(self._lost_edits, done=partial(self._repeat, session))
            self._copy, self._lost_edits = None, None
        if before is not None:
            self.run_task(before.close, title=tr("Closing project"))

    @property
    def is_copy(self) -> bool:
        """Whether the project that was opened just now is the copy of the one before, whose file is lost."""
        return self.session is not None and self.session.path == self._copy

    def _note_lost_edits(self, before: Session) -> None:
        # When it is left: the writing thread may still have some to refuse, and screens that are taken down
        # have sent what was typed in them.
        if before.file.failure is not None and before.file.failure.copy == self._copy is not None:
            self._lost_edits = before.lost_edits()

    def _repeat(self, copy: Session, commands: Sequence[Command]) -> None:
        if self.session is copy:
            for command in commands:
                self.execute(command, title=command_summary_text(command.summary), is_gesture=True)

    def use_person(self, person: Actor) -> None:
        """Let another person work on the project from now on; its screens are made again for the person."""
        if self.session is None:
            return
        # What is typed and not sent yet is of the person before.
        self.about_to_change.emit()
        self.session.use_actor(person)
        self.session_changed.emit()

    def ask_new(self) -> None:
        """Open the dialog for a new project."""
        sheet = NewProjectDialog(self._window, folder=Path(self._folder()))
        sheet.submitted.connect(self.create_at)
        sheet.open(sheet.name)

    def ask_open(self) -> None:
        """Open the file dialog for a project."""
        self._ask_file(QFileDialog.FileMode.ExistingFile, tr("Open project"), self.open_at)

    def create_at(self, name: str, task_set: str = "") -> None:
        """Create a project at a path and open it.

        Args:
            name: Path of the file; the suffix is optional.
            task_set: Id of its task set, "" for none.
        """
        path = Path(name)
        path = path if path.suffix == PROJECT_SUFFIX else path.with_name(path.name + PROJECT_SUFFIX)
        self.opener.create_at(path, task_set=task_set)

    def open_at(self, name: str) -> None:
        """Open the project at a path."""
        self.opener.open_at(Path(name))

    def open_copy(self, path: Path) -> None:
        """Open the copy of the project, whose file is lost, and do in it what could not be saved."""
        self._copy = path
        self.opener.open_at(path)

    def open_demo(self) -> None:
        """Open the demo project; create it first if it does not exist."""
        self.opener.open_demo()

    def start_opening(self, call: Callable[[Progress], object], *, title: str) -> Task:
        """Start a task that opens a project; the opener reports its failure."""
        work = self._create_task(title, has_page=True)
        work.follow(self._threads.submit(call, work.progress))
        return work

    def report_failure(self, error: BaseException, *, title: str) -> None:
        """Report the failure of a task to the window."""
        self.failed.emit(error, title)

    def close_project(self) -> None:
        """Close the open project; all changes are saved already."""
        self.use_session(None)

    def undo(self, only: str = "") -> Task | None:
        """Undo the newest command and return the task, None without an open project.

        Args:
            only: Id of the command that was shown: another one is not undone. "" for the newest.
        """
        if self.session is None:
            return None
        work = self._create_task(tr("Undo"), is_command=True)
        work.follow(self.session.undo(only=only, progress=work.progress))
        return work

    def redo(self, only: str = "") -> Task | None:
        """Redo the last undone command and return the task, None without an open project.

        Args:
            only: As in ``undo``.
        """
        if self.session is None:
            return None
        work = self._create_task(tr("Redo"), is_command=True)
        work.follow(self.session.redo(only=only, progress=work.progress))
        return work

    def execute(
        self, command: Command, *, title: str, initiator: object = None, is_gesture: bool = False
    ) -> Task:
        """Execute a command on the project.

        Args:
            command: The command.
            title: Text for the status bar.
            initiator: The screen that handles the result itself, and therefore gets no change.
            is_gesture: Whether it is a single edit, which is saved even if the window closes.
        """
        if self.session is None:
            raise RuntimeError("no project is open")
        work = self._create_task(title, is_command=True)
        work.is_gesture = is_gesture
        # Also from dialogs, which are closed by now: what was typed waits until the disk takes it.
        work.follow(self.session.execute(command, is_kept=True, initiator=initiator, progress=work.progress))
        return work

    def run_task(self, call: Callable[[], T], *, title: str) -> Task:
        """Run a function on another thread, such as a file search, and show it as a task."""
        work = self._create_task(title)
        work.follow(self._threads.submit(call))
        return work

    def run_quietly(self, call: Callable[[], T]) -> Future[T]:
        """Run a computation on another thread without showing a task."""
        return self._threads.submit(call)

    def open_after(self, call: Callable[[], T], *, show: Callable[[T], None]) -> None:
        """Run a function on another thread, then open a dialog about it; the newest request opens one."""
        self._bridge.wait_for(self._threads.submit(call), done=show, channel=OPENING)

    def run_query(self, call: Callable[[Session, Progress], T], *, title: str) -> Task:
        """Read the project on another thread, with progress and cancellation."""
        if self.session is None:
            raise RuntimeError("no project is open")
        work = self._create_task(title)
        work.follow(self._threads.submit(call, self.session, work.progress))
        return work

    def save_status(self, saved_at: float) -> SaveStatus:
        """Return the state of the saved data, for the dialog after an internal error.

        Args:
            saved_at: Local wall time of the last commit, seconds since the epoch; 0 for none so far.
        """
        project = self.session.path.name if self.session is not None else ""
        return SaveStatus(project=project, saved_at=saved_at, tasks=tuple(work.title for work in self.works))

    def leave(self) -> None:
        """Cancel tasks, complete pending edits, and close the project before the window is closed."""
        for work in self.works:
            # A single edit is completed: the user has already seen its result.
            if not work.is_gesture:
                work.cancel()
        if self._stop_listening is not None:
            self._stop_listening()
        # Order matters: stop callbacks into the window, end the threads, then let the session complete its
        # pending writes.
        self._bridge.close()
        self._threads.shutdown(wait=True)
        if self.session is not None:
            self.session.close()

    def _create_task(self, title: str, *, has_page: bool = False, is_command: bool = False) -> Task:
        work = Task(title, bridge=self._bridge, has_page=has_page)
        work.is_command = is_command
        self.works.append(work)
        work.finished.connect(partial(self._on_work_finished, work))
        work.failed.connect(partial(self._on_work_failed, work))
        self.work_started.emit(work)
        return work

    def _on_work_finished(self, work: Task, _result: object) -> None:
        self._end_work(work)

    def _on_work_failed(self, work: Task, error: BaseException) -> None:
        self._end_work(work)
        if not work.has_page and not (work.is_superseded and isinstance(error, Cancelled)):
            self.report_failure(error, title=work.title)

    def _end_work(self, work: Task) -> None:
        self.works.remove(work)
        self.work_ended.emit(work)
        # Its signal connections refer to the task: without deletion by Qt none of them is ever freed.
        work.deleteLater()

    def _ask_file(self, mode: QFileDialog.FileMode, title: str, call: Callable[[str], None]) -> None:
        dialog = QFileDialog(self._window, title, self._folder())
        is_new = mode == QFileDialog.FileMode.AnyFile
        dialog.setFileMode(mode)
        dialog.setAcceptMode(
            QFileDialog.AcceptMode.AcceptSave if is_new else QFileDialog.AcceptMode.AcceptOpen
        )
        dialog.setNameFilter(tr("Vantage projects (*{suffix})", suffix=PROJECT_SUFFIX))
        dialog.setDefaultSuffix(PROJECT_SUFFIX.lstrip("."))
        dialog.fileSelected.connect(call)
        # open(), not exec(): a nested event loop would allow commands while the dialog is open.
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _folder(self) -> str:
        recent = self.settings.recent_projects()
        return str(recent[0].parent if recent else Path.home())
