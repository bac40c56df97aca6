"""The Runs workspace: the list of runs, the page of one run, and the empty state."""

from __future__ import annotations

import sys
from functools import partial

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QPushButton, QStackedWidget, QWidget

from annotator.commands.command import Command
from widgets import display_text, run_text
from widgets.box_layout import column_layout, row_layout
from widgets.empty_state import EmptyState
from widgets.focus import focus_next
from widgets.idle_slices import IdleSlices
from widgets.labels import ElidedLabel, set_role
from widgets.runs.run_controller import RunController
from widgets.runs.run_list import RunList
from widgets.runs.run_page import RunPage
from widgets.runs.run_status import RunRow, RunStatuses, RunStatusPoller
from widgets.task import while_exists
from widgets.translation import tr
from widgets.workspace_services import WorkspaceServices
from widgets.workspace_widget import WorkspaceWidget

MENU = [
    "runs.pause",
    "runs.resume",
    "runs.retry",
    "runs.limit",
    "runs.compare",
    "runs.score",
    "",
    "runs.cancel",
]


class RunsWorkspace(WorkspaceWidget):
    """The workspace of one open project.

    Signals:
        items_requested: Emitted when the user opens records in the Library; carries the query.
    """

    items_requested = Signal(object)

    def __init__(
        self, services: WorkspaceServices, *, watch: RunStatusPoller, run_controller: RunController
    ) -> None:
        super().__init__()
        session, controller, registry = services.session, services.controller, services.registry
        self._controller, self._registry, self._bridge = controller, registry, services.bridge
        self._watch, self._run_controller = watch, run_controller
        self._expected = ""
        self._preparing: IdleSlices | None = None
        self.list = RunList(settings=services.settings)
        self.page = RunPage(session=session, controller=controller, bridge=services.bridge, registry=registry)
        # The message of a failed process can be long: the label is elided, the tool tip has the full text.
        self.worker_text = ElidedLabel(role="dim")
        self.worker_text.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.empty = EmptyState(
            icon="runs",
            headline=tr("No runs"),
            text=tr(
                "A run sends many items to models. A blind filter removes questions that can be answered "
                "without the images, consensus finds wrong answer keys, an evaluation measures models, "
                "detection creates regions, and drafting creates items. A run continues after a restart, "
                "does not repeat requests and does not exceed its cost limit."
            ),
            registry=registry,
            steps=(
                "runs.new_blind",
                "runs.new_consensus",
                "runs.new_evaluation",
                "runs.new_detect",
                "runs.new_draft",
                "runs.models",
            ),
        )
        self._stack = QStackedWidget()
        self._lay_out()
        self._connect()
        registry.connect_owner("run_page", self.page)
        registry.add_shortcuts("runs", self)
        if watch.statuses is not None:
            self._on_watch_changed(watch.statuses)

    def open_run(self, run: str) -> None:
        """Show the page of a run."""
        statuses = self._watch.statuses
        row = statuses.row(run) if statuses is not None else None
        if row is not None:
            self._run_controller.take(run)
            self.page.show_row(row)
            self._stack.setCurrentWidget(self.page)
            self._registry.set_there("run_page", True)
            self.page.take_keyboard()
            self.name_changed.emit(run_text.title_of(row.run))

    def expect(self, run: str) -> None:
        """Make a new run current as soon as it is listed."""
        self._expected = run
        self.go_back()

    def go_back(self) -> None:
        """Show the list of runs; the run that was shown is current."""
        at = self.page.run.id if self.page.run is not None else ""
        self._registry.set_there("run_page", False)
        self._show_front(is_list=True)
        self.list.choose(self._expected or at)
        self._run_controller.take(self.list.run_at_hand())
        self.take_keyboard()
        self.name_changed.emit("")

    def take_keyboard(self) -> None:
        """Set the keyboard focus to the visible page."""
        front = self._stack.currentWidget()
        if front is self.page:
            self.page.take_keyboard()
        elif front is self.empty:
            self.empty.steps[0].setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self.list.setFocus(Qt.FocusReason.OtherFocusReason)

    def focus_next_pane(self) -> None:
        """Set the keyboard focus to the next pane: of the page, or the list and the buttons above it."""
        if self._stack.currentWidget() is self.page:
            self.page.focus_next_pane()
        else:
            focus_next((self.list, self.list), (self.new, self.new), (self.empty, self.empty))

    def open_column_menu(self) -> None:
        """Open the menu of columns and sort orders of the list."""
        if self._stack.currentWidget() is self._list_side:
            self.list.open_column_menu()

    def is_settled(self) -> bool:
        """Return whether all requested content is shown."""
        is_page_settled = self._stack.currentWidget() is not self.page or self.page.is_settled()
        return self._watch.is_settled() and self._run_controller.is_settled() and is_page_settled

    def _lay_out(self) -> None:
        self.new, models = self._button("runs.new", is_main=True), self._button("runs.models")
        self.work = self._button("runs.work")
        head = row_layout(margins_px=(16, 12, 16, 12), spacing_px=8)
        head.addWidget(self.new)
        head.addWidget(models)
        head.addWidget(self.worker_text, 1)
        head.addWidget(self.work)
        self._list_side = QWidget()
        column = column_layout(self._list_side, margins_px=0, spacing_px=0)
        column.addLayout(head)
        column.addWidget(self.list, 1)
        for part in (self.empty, self._list_side, self.page):
            self._stack.addWidget(part)
        whole = column_layout(self, margins_px=0)
        whole.addWidget(self._stack)

    def _connect(self) -> None:
        self.list.opened.connect(self.open_run)
        self.list.chosen.connect(self._on_list_chosen)
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.list.customContextMenuRequested.connect(self._on_menu_requested)
        self.page.left.connect(self.go_back)
        self.page.commanded.connect(self._on_page_commanded)
        self.page.items_requested.connect(self.items_requested)
        self._watch.changed.connect(self._on_watch_changed)

    def _button(self, action: str, *, is_main: bool = False) -> QPushButton:
        made = QPushButton(self._registry.action(action).text())
        if is_main:
            made.setProperty("kind", "main")
        made.setToolTip(f"{self._registry.action(action).text()}  {self._registry.key(action)}".strip())
        made.clicked.connect(partial(self._registry.run, action))
        return made

    def _show_front(self, *, is_list: bool) -> None:
        # An update of the list must not close the page of a run.
        if is_list or self._stack.currentWidget() is not self.page:
            has_runs = bool(self.list.runs.rows)
            self._stack.setCurrentWidget(self._list_side if has_runs else self.empty)

    def _show_worker(self, statuses: RunStatuses) -> None:
        worker_text, tone = self._run_controller.worker_text()
        is_idle = statuses.running > 0 and not worker_text and not statuses.workers
        if statuses.workers and statuses.running and not worker_text:
            worker_text = tr("A worker is running in another process.")
        if is_idle:
            worker_text, tone = tr("No worker is running. The runs wait."), "warn"
        self.worker_text.setText(worker_text)
        set_role(self.worker_text, tone)
        self.work.setVisible(is_idle or tone == "bad")

    def _on_watch_changed(self, statuses: RunStatuses) -> None:
        # The list replaces the empty state with the first run, and takes over its keyboard focus.
        had_keyboard = self._stack.currentWidget() is self.empty and self.empty.isAncestorOf(
            self.focusWidget()
        )
        self.list.show_statuses(statuses)
        if self._expected and statuses.row(self._expected) is not None:
            # Only now: a new run is listed with the first poll after its creation.
            self.list.choose(self._expected)
            self._expected = ""
        self._show_front(is_list=False)
        if self._preparing is None and statuses.rows:
            self._prepare(statuses.rows[0])
        if had_keyboard and statuses.rows:
            self.take_keyboard()
        self._show_worker(statuses)
        shown = self.page.run
        if self._stack.currentWidget() is self.page and shown is not None:
            row = statuses.row(shown.id)
            if row is not None:
                self.page.show_row(row)

    def _prepare(self, row: RunRow) -> None:
        """Build the page of a run before it is opened: at once it would take 50 ms."""
        self._preparing = IdleSlices(self.page.prepare(row), is_at_rest=self._is_at_rest, parent=self)

    def _is_at_rest(self) -> bool:
        # ``IdleWork`` loads the library of plots, which takes 0.2 s.
        return "pyqtgraph" in sys.modules and not self._bridge.is_waiting()

    def _on_list_chosen(self, run: str) -> None:
        # Updates of the hidden list must not replace the run of the page.
        if self._stack.currentWidget() is not self.page:
            self._run_controller.take(run)

    def _on_menu_requested(self, at: QPoint) -> None:
        menu = self._registry.pick(self.list, MENU)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self.list.viewport().mapToGlobal(at))

    def _on_page_commanded(self, command: Command) -> None:
        work = self._controller.execute(command, title=display_text.command_summary_text(command.summary))
        work.finished.connect(while_exists(self, partial(self.page.outcome.show_applied, command)))
