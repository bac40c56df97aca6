"""The slot of the Runs workspace: polls the runs, and creates the workspace when it is first opened."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal

from annotator.session import Session
from widgets.action import ActionNeed
from widgets.action_lists.runs import RUNS
from widgets.library.workspace import LibraryWorkspace
from widgets.runs.run_controller import RunController
from widgets.runs.run_scoring import RunScoring
from widgets.runs.run_status import RunRow, RunStatuses, RunStatusPoller
from widgets.runs.unfinished_runs import QuitDialog, WaitingNotice
from widgets.translation import mark as _
from widgets.workspace_parts import WorkspaceParts
from widgets.workspace_services import WorkspaceServices
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


class RunsSlot(WorkspaceSlot["RunsWorkspace"]):
    """Polls the runs of a project and contains their workspace. Its name is the title of the shown run.

    Signals:
        unfinished_changed: Emitted when unfinished runs change; carries their rows, newest first.
    """

    id = rail = icon = "runs"
    title = _("Runs")
    key = "Ctrl+5"
    purpose = _(
        "This workspace starts and monitors runs (detection, drafting, blind filter and "
        "consensus) and shows their rate, cost and errors. Open a project or create a new "
        "one."
    )
    actions = RUNS
    contexts = frozenset({"runs"})
    # Its figures are polled: other processes write them.
    records = frozenset()
    unfinished_changed = Signal(object)

    def __init__(self, parts: WorkspaceParts) -> None:
        super().__init__(parts)
        self.watch: RunStatusPoller | None = None
        self.run_controller: RunController | None = None
        self._unfinished: tuple[RunRow, ...] = ()
        self._waiting = WaitingNotice(parts.banner)
        self._served: Session | None = None

    def serve(self, session: Session, *, library: LibraryWorkspace) -> None:
        """Start polling the runs of a project that was opened."""
        super().serve(session, library=library)
        controller, bridge, registry = self.parts.controller, self.parts.bridge, self.parts.registry
        self.watch = RunStatusPoller(session=session, bridge=bridge, parent=self)
        self.watch.changed.connect(self._on_watch_changed)
        self.run_controller = RunController(
            session=session,
            controller=controller,
            bridge=bridge,
            registry=registry,
            watch=self.watch,
            library=library,
            window=self.parts.window,
        )
        self.run_controller.begun.connect(self._on_run_started)
        registry.connect_owner("runs", self.run_controller)
        scoring = RunScoring(
            session=session,
            controller=controller,
            registry=registry,
            settings=self.parts.settings,
            run_controller=self.run_controller,
        )
        registry.connect_owner("run_scoring", scoring)
        # Compared in ``leave``: a change of language opens the same session again.
        self._served = session
        self._waiting.expect()

    def create(self, services: WorkspaceServices) -> RunsWorkspace:
        """Create the workspace."""
        from widgets.runs.workspace import RunsWorkspace

        if self.watch is None or self.run_controller is None:
            raise RuntimeError("The runs of a project are polled from its opening on.")
        workspace = RunsWorkspace(services, watch=self.watch, run_controller=self.run_controller)
        workspace.items_requested.connect(self.show_in_library)
        return workspace

    def refresh(self) -> None:
        """Read the runs: the poller may be up to a second old, and the page shows current figures."""
        if self.watch is not None:
            self.watch.refresh()

    def ask_quit(self, close: Callable[[], object]) -> bool:
        """Ask whether to close the window while runs are in progress; return whether the dialog was opened.

        Args:
            close: Called when the user confirms.
        """
        rows = self._rows_at_work()
        if not rows or self.run_controller is None:
            return False
        dialog = QuitDialog(
            self.parts.window, rows=rows, is_worker_ours=self.run_controller.is_worker_at_work()
        )
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
            if self.parts.controller.session is not self._served:
                # Only for a closed project: a closing window and a change of language need no notice.
                self._waiting.show_left(left)
        if self.workspace is not None:
            # Otherwise menus would keep the run actions enabled without a run.
            for need in NEEDS:
                self.parts.registry.set_there(need, False)
        super().leave()

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
        self.parts.registry.run("go.runs")
        if self.workspace is not None:
            self.workspace.expect(run)
