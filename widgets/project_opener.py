"""Opens, creates and restores projects off the GUI thread, and stores the reason of a failure."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Protocol, TypeVar

from PySide6.QtCore import QObject, Signal

from annotator.commands.projects import ChooseTaskSet
from annotator.domain.backup import Backup
from annotator.errors import Cancelled, VantageError
from annotator.progress import Progress
from annotator.project_recovery import OpenFailure, explain_failure
from annotator.session import Session
from widgets.bridge import Bridge
from widgets.task import Task
from widgets.translation import tr

T = TypeVar("T")


class ProjectHost(Protocol):
    """The controller as an opener sees it: it runs the tasks and gets the project.

    Attributes:
        session: The open project, None for none.
    """

    session: Session | None

    def start_opening(self, call: Callable[[Progress], object], *, title: str) -> Task:
        """Start a task that opens a project; the opener reports its failure."""

    def run_quietly(self, call: Callable[[], T]) -> Future[T]:
        """Run a short function off the GUI thread."""

    def use_session(self, session: Session | None) -> None:
        """Open a project in place of the current one, which is closed."""

    def report_failure(self, error: BaseException, *, title: str) -> None:
        """Report the failure of a task to the window."""


class ProjectOpener(QObject):
    """Opens projects for the controller, off the GUI thread.

    Attributes:
        task: The task that opens a project, None for none.
        is_demo: Whether the task creates the demo project.
        failure: Why the last project could not be opened, None on success.

    Signals:
        changed: Emitted when ``task`` or ``failure`` changes.
        failed: Emitted if a project fails to open while another one is open; carries the ``OpenFailure``.
    """

    changed = Signal()
    failed = Signal(object)

    def __init__(
        self,
        host: ProjectHost,
        *,
        bridge: Bridge,
        make_demo: Callable[[Progress], Path] | None = None,
        parent: QObject,
    ) -> None:
        """Create the opener.

        Args:
            host: Gets the project, and runs the tasks.
            bridge: Delivers results of other threads to the GUI thread.
            make_demo: Creates the demo project if it does not exist, and returns its path.
            parent: Owner.
        """
        super().__init__(parent)
        self.task: Task | None = None
        self.is_demo = False
        self.failure: OpenFailure | None = None
        self._host, self._bridge, self._make_demo = host, bridge, make_demo

    def open_at(self, path: Path) -> None:
        """Open a project; migrating one of an older version can take long."""
        self._start(
            lambda progress: Session.open(path, progress=progress),
            title=tr("Opening project"),
            done=self._on_session_ready,
            path=path,
        )

    def open_for_reading(self) -> None:
        """Open the project that failed to open in read-only mode."""
        if self.failure is not None:
            path = self.failure.path
            self._start(
                lambda _progress: Session.open_for_reading(path),
                title=tr("Opening project"),
                done=self._on_session_ready,
                path=path,
            )

    def restore(self, backup: Backup) -> None:
        """Copy a backup beside the project that failed to open, and open the copy."""
        if (failure := self.failure) is not None:
            self._start(
                lambda _progress: failure.restore(backup),
                title=tr("Restoring backup"),
                done=self.open_at,
            )

    def create_at(self, path: Path, *, task_set: str) -> None:
        """Create a project and open it.

        Args:
            path: The project file.
            task_set: Id of its task set, "" for none yet.
        """
        self._start(
            lambda _progress: _create(path, task_set=task_set),
            title=tr("Creating project"),
            done=self._on_session_ready,
        )

    def join_at(self, path: Path, *, bundle: Path) -> None:
        """Make a project from a bundle that has all events of its project, and open it.

        Args:
            path: The project file.
            bundle: The bundle.
        """
        self._start(
            partial(_join, path, bundle),
            title=tr("Creating project"),
            done=self._on_session_ready,
        )

    def open_demo(self) -> None:
        """Open the demo project; create it first if it does not exist. Repeated requests are ignored."""
        if self._make_demo is not None and not self.is_demo:
            self._start(self._make_demo, title=tr("Creating demo project"), done=self.open_at, is_demo=True)

    def show_failure(self, failure: OpenFailure) -> None:
        """Report that a project could not be opened."""
        self.failure = failure
        if self._host.session is None:
            self.changed.emit()
        else:
            self.failed.emit(failure)

    def _start(
        self,
        call: Callable[[Progress], object],
        *,
        title: str,
        done: Callable[..., object],
        path: Path | None = None,
        is_demo: bool = False,
    ) -> None:
        if self.task is not None:
            self.task.supersede()
        before, self.failure, self.is_demo = self.failure, None, is_demo
        self.task = task = self._host.start_opening(call, title=title)
        task.finished.connect(partial(self._on_task_finished, task, done))
        task.failed.connect(partial(self._on_task_failed, task, path, before))
        self.changed.emit()

    def _end(self, task: Task) -> None:
        # A newer task may have replaced this one.
        if self.task is task:
            self.task, self.is_demo = None, False

    def _on_task_finished(self, task: Task, done: Callable[..., object], result: object) -> None:
        self._end(task)
        if not task.is_superseded:
            done(result)
        elif isinstance(result, Session):
            # It was opened too late: a slow project must not replace the one that was chosen after it.
            self._host.run_quietly(result.close)

    def _on_task_failed(
        self, task: Task, path: Path | None, before: OpenFailure | None, error: BaseException
    ) -> None:
        self._end(task)
        if task.is_superseded:
            return
        if path is None or isinstance(error, Cancelled) or not isinstance(error, VantageError):
            # A backup that cannot be restored leaves the other options.
            self.failure = before
            self.changed.emit()
            self._host.report_failure(error, title=task.title)
        else:
            question = partial(explain_failure, path, error)
            self._bridge.wait_for(self._host.run_quietly(question), done=self.show_failure)

    def _on_session_ready(self, session: Session) -> None:
        if not session.is_read_only:
            session.start_backups()
        self._host.use_session(session)


def _join(path: Path, bundle: Path, progress: Progress) -> Session:
    from annotator.exchange.media_exchange import create_from_bundle

    return create_from_bundle(path, bundle, progress=progress)


def _create(path: Path, *, task_set: str) -> Session:
    session = Session.create(path)
    if task_set:
        try:
            session.execute(ChooseTaskSet(task_set=task_set)).result()
        except BaseException:
            # Nobody else has the session, and an open one keeps the lock of the file.
            session.close()
            raise
    return session
