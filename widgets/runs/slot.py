"""The slot of the Runs workspace: polls the runs, and creates the workspace when it is first opened."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from annotator.session import Session
from widgets.action import ActionNeed
from widgets.action_registry import ActionRegistry
from widgets.banner import Banner
from widgets.bridge import Bridge
from widgets.library.record_types import Query
from widgets.library.workspace import LibraryWorkspace
from widgets.project_controller import ProjectController
from widgets.runs.run_controller import RunController
from widgets.runs.run_scoring import RunScoring
from widgets.runs.run_status import RunRow, RunStatuses, RunStatusPoller
from widgets.runs.unfinished_runs import QuitDialog, WaitingNotice
from widgets.settings import Settings
from widgets.workspace_slot import WorkspaceSlot

if TYPE_CHECKING:
    # Imported on demand, to keep the start of the window short.
    from widgets.runs.workspace import RunsWorkspace

NEEDS: tuple[ActionNeed, ...] = (
    "run",
    "run_going",
    "run_halted",
    "run_failed",
    "run_open",
    "run_page",
    "run_scored",
)
"""Preconditions of the run actions; none is met without a project."""


class RunsSlot(WorkspaceSlot):
    """Polls the runs of a project and contains their workspace. Its name is the title of the shown run.

    Signals:
        unfinished_changed: Emitted when unfinished runs change; carries their rows, newest first.
    """

    unfinished_changed = Signal(object)

    def __init__(
        self,
        pages: QStackedWidget,
        *,
        registry: ActionRegistry,
        controller: ProjectController,
        bridge: Bridge,
        window: QWidget,
        banner: Banner,
        settings: Settings,
    ) -> None:
        super().__init__(pages, title="Runs", registry=registry)
        self._controller, self._bridge, self._window = controller, bridge, window
        self._settings = settings
        self.watch: RunStatusPoller | None = None
        self.run_controller: RunController | None = None
        self.workspace: RunsWorkspace | None = None
        self._unfinished: tuple[RunRow, ...] = ()
        self._waiting = WaitingNotice(banner)
        self._served: Session | None = None

    def serve(self, session: Session, *, library: LibraryWorkspace) -> None:
        """Start polling the runs of a project that was opened."""
        self.watch = RunStatusPoller(session=session, bridge=self._bridge, parent=self)
        self.watch.changed.connect(self._on_watch_changed)
        self.run_controller = RunController(
            session=session,
            controller=self._controller,
            bridge=self._bridge,
            registry=self._registry,
            watch=self.watch,
            library=library,
            window=self._window,
        )
        self.run_controller.begun.connect(self._on_run_started)
        self._registry.connect_owner("runs", self.run_controller)
        scoring = RunScoring(
            session=session,
            controller=self._controller,
            registry=self._registry,
            settings=self._settings,
            run_controller=self.run_controller,
        )
        self._registry.connect_owner("run_scoring", scoring)
        # Compared in ``leave``: a change of language opens the same session again.
        self._served = session
        self._waiting.expect()

    def open(self) -> None:
        """Create the workspace if it does not exist."""
        session = self._controller.session
        if session is None or self.watch is None or self.run_controller is None:
            return
        if self.workspace is None:
            from widgets.runs.workspace import RunsWorkspace

            made = self.workspace = RunsWorkspace(
                session=session,
                controller=self._controller,
                bridge=self._bridge,
                registry=self._registry,
                watch=self.watch,
                run_controller=self.run_controller,
                settings=self._settings,
            )
            made.place_changed.connect(self.show_name)
            made.items_requested.connect(self._on_workspace_items_requested)
            self.put(made, settling=made)
        # The poller may be up to a second old: the page shows current figures immediately.
        self.watch.refresh()

    def ask_quit(self, close: Callable[[], object]) -> bool:
        """Ask whether to close the window while runs are in progress; return whether the dialog was opened.

        Args:
            close: Called when the user confirms.
        """
        rows = self._rows_at_work()
        if not rows or self.run_controller is None:
            return False
        dialog = QuitDialog(self._window, rows=rows, is_worker_ours=self.run_controller.is_worker_at_work())
        dialog.submitted.connect(close)
        dialog.open(dialog.keep_button)
        return True

    def leave(self) -> None:
        """Replace the workspace by its placeholder page before the project is closed."""
        if self.watch is not None and self.run_controller is not None:
            left = self._rows_at_work() if self.run_controller.is_worker_at_work() else []
            self.watch.leave()
            self.watch.deleteLater()
            self.run_controller.deleteLater()
            self.watch = self.run_controller = None
            self._tell_unfinished(())
            self._waiting.clear()
            if self._controller.session is not self._served:
                # Only for a closed project: a closing window and a change of language need no notice.
                self._waiting.show_left(left)
        if self.workspace is not None:
            self.workspace = None
            # Otherwise menus would keep the run actions enabled without a run.
            for need in NEEDS:
                self._registry.set_there(need, False)
            self.put_page()

    def _rows_at_work(self) -> list[RunRow]:
        return [row for row in self._unfinished if row.condition == "running"]

    def _tell_unfinished(self, rows: tuple[RunRow, ...]) -> None:
        if rows != self._unfinished:
            self._unfinished = rows
            self.unfinished_changed.emit(rows)

    def _on_watch_changed(self, statuses: RunStatuses) -> None:
        self._tell_unfinished(statuses.unfinished)
        if self.run_controller is not None:
            self._waiting.follow(
                statuses.unfinished,
                has_worker=self.run_controller.is_worker_at_work(),
                start_worker=self.run_controller.start_worker,
            )

    def _on_run_started(self, run: str) -> None:
        # The workspace is created when it is first opened.
        self._registry.run("go.runs")
        if self.workspace is not None:
            self.workspace.expect(run)

    def _on_workspace_items_requested(self, query: Query) -> None:
        handler = self._registry.owner("library")
        if isinstance(handler, LibraryWorkspace):
            self._registry.run("go.library")
            handler.show_query(query)
