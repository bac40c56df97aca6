"""Executes the actions on runs: create, pause, resume, retry, cancel, limit and compare; edits profiles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from annotator.domain.profile import ModelProfile
from annotator.domain.query import ItemQuery
from annotator.domain.run import Run
from annotator.domain.work import PlanResult, RunOrder
from annotator.session import Session
from widgets import run_text
from widgets.action_registry import ActionRegistry
from widgets.bridge import Bridge
from widgets.library.workspace import LibraryWorkspace
from widgets.project_controller import ProjectController
from widgets.runs.confirm_dialog import RunConfirmation
from widgets.runs.run_status import RunRow, RunStatuses, RunStatusPoller
from widgets.translation import tr, trn

if TYPE_CHECKING:
    # Imported on demand in ``ask_…``: the dialogs are not needed until the user opens one.
    from widgets.runs.run_comparison import Comparison

SCORED_KINDS = frozenset({"blind", "consensus", "evaluation"})
"""Kinds of runs that ask about items, so that their answers can be scored."""
GOING, HALTED, OPEN = {"running"}, {"paused", "stopped"}, {"running", "paused", "stopped"}


class RunController(QObject):
    """Executes actions on the current run, off the GUI thread.

    Signals:
        begun: Emitted when a run has been created; carries its id.
    """

    begun = Signal(str)

    def __init__(
        self,
        *,
        session: Session,
        controller: ProjectController,
        bridge: Bridge,
        registry: ActionRegistry,
        watch: RunStatusPoller,
        library: LibraryWorkspace,
        window: QWidget,
    ) -> None:
        """Create the controller without a current run.

        Args:
            session: The open project.
            controller: Reports failures and shows long tasks.
            bridge: Delivers results of other threads to the GUI thread.
            registry: Gets the preconditions of the run actions.
            watch: Provides the states of the runs.
            library: Provides the filters and the selection for a new run.
            window: Parent of the dialogs.
        """
        super().__init__(watch)
        self._session, self._controller, self._bridge = session, controller, bridge
        self._registry, self._watch, self._library, self._window = registry, watch, library, window
        self.run = ""
        self._pending_steps = 0
        self._confirmation = RunConfirmation(
            window, session=session, change_state=self._change_state, start_worker=self.start_worker
        )
        watch.changed.connect(self._on_watch_changed)

    def take(self, run: str) -> None:
        """Set the current run, "" for none."""
        self.run = run
        self._show_needs()

    def row(self) -> RunRow | None:
        """Return the current run with its progress, None for no run."""
        statuses = self._watch.statuses
        return statuses.row(self.run) if statuses is not None else None

    def ask_new(self, kind: str = "") -> None:
        """Open the dialog for a new run."""
        self._controller.open_after(
            partial(_read_profiles, self._session), show=partial(self._open_new, kind)
        )

    def ask_models(self) -> None:
        """Open the dialog for model profiles."""
        self._controller.open_after(partial(_read_profiles, self._session), show=self._on_profiles_for_models)

    def start(self, orders: RunOrder | Sequence[RunOrder]) -> None:
        """Create a run, or the runs of an evaluation, and start a worker for them."""
        together = [orders] if isinstance(orders, RunOrder) else orders
        work = self._controller.run_query(
            lambda session, progress: session.runs.start(*together, progress=progress).result(),
            title=trn("Planning the run", "Planning {n} runs", n=len(together)),
        )
        work.finished.connect(self._on_run_begun)

    def start_worker(self) -> None:
        """Start a worker for all waiting jobs; warn each time if it uses a cluster without encryption."""
        if warning := self._session.runs.cluster_warning():
            self._controller.failed.emit(warning, tr("Cluster"))
        self._session.runs.worker.start()

    def is_worker_at_work(self) -> bool:
        """Return whether the worker of this window is running or about to restart."""
        runs = self._session.runs
        return runs.has_started_worker and runs.worker.state().condition in {"running", "resting"}

    def worker_text(self) -> tuple[str, str]:
        """Return the state of this window's worker as text, and the tone of the text."""
        if not self._session.runs.has_started_worker:
            return "", "dim"
        state = self._session.runs.worker.state()
        # The worker's own message comes before the process details, which may be elided in a narrow window.
        at_work = f"{tr('A worker is running (process {pid}).', pid=state.pid)} {state.last_output}".strip()
        states = {
            "off": ("", "dim"),
            "running": (at_work, "warn" if state.last_output else "dim"),
            "resting": (tr("The worker stopped and is restarting. {words}", words=state.last_output), "warn"),
            "refused": (tr("The worker cannot run. {words}", words=state.last_output), "bad"),
        }
        return states[state.condition]

    def pause(self) -> None:
        """Pause the current run; requests in flight are completed."""
        self._change_state(lambda: self._session.runs.pause(self.run), title=tr("Pause the run"))

    def resume(self) -> None:
        """Resume the current run; for one from another machine, ask first."""
        if self._confirmation.asks(self.row()):
            return
        self._change_state(lambda: self._session.runs.resume(self.run), title=tr("Resume the run"))
        self.start_worker()

    def retry(self) -> None:
        """Queue the failed jobs of the current run again."""
        if self._confirmation.asks(self.row()):
            return
        self._change_state(lambda: self._session.runs.retry_failed(self.run), title=tr("Retry failed jobs"))
        self.start_worker()

    def cancel(self) -> None:
        """Cancel the current run."""
        self._change_state(lambda: self._session.runs.cancel(self.run), title=tr("Cancel the run"))

    def limit(self, limit_micro: int | None) -> None:
        """Set the cost limit of the current run; a run that stopped at its old limit resumes."""
        run = self.run
        row = self.row()
        runs = self._session.runs
        self._change_state(lambda: runs.limit_run(run, limit_micro), title=tr("Change the limit"))
        if row is not None and row.run.state == "stopped":
            self.resume()

    def limit_all(self, day_micro: int | None, project_micro: int | None) -> None:
        """Set the cost limits of all runs together, in millionths; None removes a limit."""
        runs = self._session.runs
        self._change_state(lambda: runs.limit_all("day", day_micro), title=tr("Change the limits"))
        self._change_state(lambda: runs.limit_all("project", project_micro), title=tr("Change the limits"))

    def ask_cancel(self) -> None:
        """Ask for confirmation before the current run is cancelled."""
        from widgets.runs.limit_dialog import CancelDialog

        row = self.row()
        if row is not None:
            sheet = CancelDialog(self._window, row=row)
            sheet.submitted.connect(self.cancel)
            sheet.open(sheet.keep_button)

    def ask_limit(self) -> None:
        """Ask for the cost limit of the current run."""
        from widgets.runs.limit_dialog import LimitDialog

        row = self.row()
        if row is not None:
            sheet = LimitDialog(self._window, row=row)
            sheet.submitted.connect(self.limit)
            sheet.open(sheet.limit)

    def ask_limits(self) -> None:
        """Ask for the cost limits of all runs together."""
        from widgets.runs.limit_dialog import AllLimitsDialog

        statuses = self._watch.statuses
        if statuses is not None:
            sheet = AllLimitsDialog(self._window, statuses=statuses)
            sheet.submitted.connect(self.limit_all)
            sheet.open(sheet.day)

    def ask_compare(self) -> None:
        """Ask for the run to compare the current one with."""
        from widgets.runs.compare_dialog import CompareDialog

        row, statuses = self.row(), self._watch.statuses
        if row is not None and statuses is not None:
            sheet = CompareDialog(self._window, run=row.run, statuses=statuses)
            sheet.submitted.connect(self._on_compare_accepted)
            sheet.open(sheet.other)

    def is_settled(self) -> bool:
        """Return whether all requested state changes are completed."""
        return not self._pending_steps

    def _open_new(self, kind: str, profiles: dict[str, ModelProfile]) -> None:
        from widgets.runs.new_run_dialog import NewRunDialog

        items = self._library.listings["item"]
        sheet = NewRunDialog(
            self._window,
            session=self._session,
            bridge=self._bridge,
            profiles=profiles,
            query=items.query if isinstance(items.query, ItemQuery) else ItemQuery(),
            selected=[int(number) for number in items.table.selected_numbers()],
            kind=kind,
        )
        sheet.submitted.connect(self.start)
        sheet.study_submitted.connect(self.start)
        sheet.models_requested.connect(self.ask_models)
        sheet.open(sheet.kind)

    def _on_profiles_for_models(self, profiles: dict[str, ModelProfile]) -> None:
        from widgets.runs.models_dialog import ModelsDialog

        sheet = ModelsDialog(self._window, session=self._session, profiles=profiles)
        sheet.open(sheet.names)

    def _change_state(self, step: Callable[[], Future[Any]], *, title: str) -> None:
        # A counter: the user can pause one run and limit another before the first change is committed.
        self._pending_steps += 1
        self._bridge.wait_for(step(), done=self._on_step_done, failed=partial(self._on_step_failed, title))

    def _on_step_done(self, _result: object) -> None:
        self._pending_steps -= 1
        self._watch.refresh()

    def _on_step_failed(self, title: str, error: BaseException) -> None:
        self._pending_steps -= 1
        self._controller.failed.emit(error, title)

    def _on_run_begun(self, begun: tuple[Run, PlanResult]) -> None:
        run, _planned = begun
        self.start_worker()
        self._watch.refresh()
        self.begun.emit(run.id)

    def _on_compare_accepted(self, one: str, other: str) -> None:
        from widgets.runs.run_comparison import compare

        work = self._controller.run_query(
            lambda session, progress: compare(session.reader, one=one, other=other, progress=progress),
            title=tr("Comparing two runs"),
        )
        work.finished.connect(self._on_compared)

    def _on_compared(self, found: Comparison) -> None:
        from widgets.runs.compare_dialog import report

        sheet = report(self._window, found)
        sheet.open(sheet.close_button)

    def _on_watch_changed(self, _statuses: RunStatuses) -> None:
        self._show_needs()

    def _show_needs(self) -> None:
        row = self.row()
        state = row.run.state if row is not None else ""
        self._registry.set_there("run", row is not None)
        self._registry.set_there("run_scored", row is not None and row.run.kind in SCORED_KINDS)
        self._registry.set_there("run_going", state in GOING)
        is_held = row is not None and not row.is_confirmed and state in OPEN
        self._registry.set_there("run_halted", state in HALTED or is_held)
        self._registry.set_there("run_open", state in OPEN)
        has_failed = row is not None and row.progress.failed > 0
        self._registry.set_there("run_failed", has_failed and state != "received")


def _read_profiles(session: Session) -> dict[str, ModelProfile]:
    return session.runs.profiles()


def title_of(row: RunRow) -> str:
    """Return the title of a run, with its models."""
    return f"{run_text.title_of(row.run)} · {', '.join(row.run.models)}"
