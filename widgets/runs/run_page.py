"""The page of one run: details on the left; throughput, predictions, errors and outcome beside them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QHBoxLayout,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from annotator.domain.run import Run
from annotator.domain.work import FailureCount, RunCost, RunPace
from annotator.queries.reader import Reader
from annotator.session import Session
from widgets import run_text
from widgets.action_registry import ActionRegistry
from widgets.box_layout import column_layout, row_layout
from widgets.bridge import Bridge
from widgets.focus import focus_next
from widgets.kept_splitter import REST_PX, KeptSplitter
from widgets.labels import ElidedLabel, label, set_role
from widgets.project_controller import ProjectController
from widgets.runs.failure_list import FailureList
from widgets.runs.outcome_pane import OutcomePane
from widgets.runs.predictions_pane import PredictionsPane
from widgets.runs.run_details import RunDetails
from widgets.runs.run_status import RunRow
from widgets.translation import mark as _
from widgets.translation import tr

if TYPE_CHECKING:
    from widgets.runs.rate_plot import RatePlot

TABS = (_("Predictions"), _("Errors"), _("Outcome"))
PREDICTIONS, ERRORS, OUTCOME = range(3)
TAB_ACTIONS = ("runs.predictions", "runs.errors", "runs.outcome")
FACTS_PX = 280
POLISHED_AT_ONCE = 15
BUTTONS = (
    "runs.pause",
    "runs.resume",
    "runs.retry",
    "runs.limit",
    "runs.score",
    "runs.compare",
    "runs.cancel",
)


class RunPage(QWidget):
    """Shows one run and follows its progress.

    Signals:
        left: Emitted when the user returns to the list.
        commanded: Emitted when the user applies an outcome; carries the command.
        items_requested: Emitted when the user opens records in the Library; carries the query.
    """

    left = Signal()
    commanded = Signal(object)
    items_requested = Signal(object)

    def __init__(
        self, *, session: Session, controller: ProjectController, bridge: Bridge, registry: ActionRegistry
    ) -> None:
        super().__init__()
        self._session, self._bridge, self._registry = session, bridge, registry
        self._settings = controller.settings
        self.row: RunRow | None = None
        self.name, self.state = ElidedLabel(role="big"), label(role="dim")
        self.facts = RunDetails()
        self.plot: RatePlot | None = None
        self._pace: RunPace | None = None
        self._plot_row = QVBoxLayout()
        self.predictions = PredictionsPane(session=session, bridge=bridge, settings=controller.settings)
        self.failures = FailureList()
        self.outcome = OutcomePane(controller=controller, bridge=bridge)
        self._stack = QStackedWidget()
        self._group = QButtonGroup(self)
        self.tabs = [self._tab(at) for at in range(len(TABS))]
        self._lay_out()
        self.failures.kind_chosen.connect(self._on_failures_kind_chosen)
        self.outcome.commanded.connect(self.commanded)
        self.outcome.items_requested.connect(self.items_requested)
        self.predictions.items_requested.connect(self.items_requested)

    @property
    def run(self) -> Run | None:
        """Id of the run that is shown."""
        return self.row.run if self.row is not None else None

    def show_row(self, row: RunRow) -> None:
        """Show a run, or update the one that is shown."""
        before, self.row = self.row, row
        # Called once a second: an unchanged row must not cause queries.
        if before == row:
            return
        self.facts.show_row(row)
        self.name.setText(run_text.title_of(row.run))
        set_role(self.state, run_text.condition_role(row.condition))
        self.state.setText(run_text.condition_text(row.condition))
        failed = f" {row.progress.failed:,}" if row.progress.failed else ""
        self.tabs[ERRORS].setText(f"{tr(TABS[ERRORS])}{failed}")
        if before is None or before.run.id != row.run.id:
            self._show_plot_of(row.run)
            self.predictions.show_run(row.run)
            self.outcome.show_run(row.run)
        else:
            self._keep_up(before, row)
        if before is None or before.condition != row.condition or before.run.id != row.run.id:
            self.outcome.show_condition(row)
        self._ask()
        if self._stack.currentIndex() == OUTCOME and not self.outcome.has_read:
            self.outcome.read()

    def _show_plot_of(self, run: Run) -> None:
        """Give the plot its place before its throughput arrives: the rest would be laid out twice."""
        if self.plot is not None:
            self._pace = RunPace(began_at=0.0, step_s=1.0, counts=()) if run.state == "running" else None
            self._show_pace(self.plot)

    def _keep_up(self, before: RunRow, row: RunRow) -> None:
        self.predictions.refresh()
        has_ended = before.run.state == "running" and row.run.state != "running"
        # Requests in flight of a paused or cancelled run still arrive, without a change of its state.
        has_more = row.run.state != "running" and row.progress.done != before.progress.done
        if has_ended or has_more:
            self.outcome.show_run(row.run)

    def choose_tab(self, at: int) -> None:
        """Show a tab and give it the keyboard focus."""
        self.tabs[at].setChecked(True)
        self._stack.setCurrentIndex(at)
        if at == OUTCOME:
            # Predictions may have arrived since the tab was last visible.
            self.outcome.read()
        self.take_keyboard()

    def take_keyboard(self) -> None:
        """Set the keyboard focus to the current tab."""
        front = (self.predictions.table, self.failures, self.outcome)[self._stack.currentIndex()]
        front.setFocus(Qt.FocusReason.OtherFocusReason)

    def focus_search(self) -> None:
        """Set the keyboard focus to the search box of the predictions."""
        self.choose_tab(PREDICTIONS)
        self.predictions.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.predictions.search.selectAll()

    def focus_next_pane(self) -> None:
        """Set the keyboard focus to the next pane: details, list, details of the prediction."""
        front = (self.predictions.table, self.failures, self.outcome)[self._stack.currentIndex()]
        focus_next((self.facts, self.facts), (front, front), (self.predictions.view, self.predictions.view))

    def show_predictions(self) -> None:
        """Show the tab with the predictions."""
        self.choose_tab(PREDICTIONS)

    def show_errors(self) -> None:
        """Show the tab with the errors."""
        self.choose_tab(ERRORS)

    def show_outcome(self) -> None:
        """Show the tab with the outcome."""
        self.choose_tab(OUTCOME)

    def go_back(self) -> None:
        """Return to the list of runs."""
        self.left.emit()

    def is_settled(self) -> bool:
        """Return whether all requested content is shown."""
        return self.predictions.is_settled() and self.outcome.is_settled()

    def _lay_out(self) -> None:
        for part in (self.predictions, self.failures, self.outcome):
            self._stack.addWidget(part)
        self.tabs[PREDICTIONS].setChecked(True)
        right = QWidget()
        right.setObjectName("pane")
        column = column_layout(right, margins_px=0, spacing_px=0)
        pills = row_layout(margins_px=(12, 8, 12, 0), spacing_px=8)
        for tab in self.tabs:
            pills.addWidget(tab)
        pills.addStretch()
        column.addLayout(self._plot_row)
        column.addLayout(pills)
        column.addWidget(self._stack, 1)
        split = KeptSplitter(
            (self.facts, right),
            stretched=1,
            usual=(FACTS_PX, REST_PX),
            settings=self._settings,
            name="runs/splitter",
        )
        self.facts.setMinimumWidth(220)
        whole = column_layout(self, margins_px=0, spacing_px=0)
        whole.addLayout(self._head())
        whole.addWidget(split, 1)

    def _head(self) -> QHBoxLayout:
        row = row_layout(margins_px=(12, 8, 12, 8), spacing_px=4)
        row.addWidget(self._registry.button("runs.back"))
        row.addWidget(self.name)
        row.addSpacing(8)
        row.addWidget(self.state, 1)
        for action in BUTTONS:
            row.addWidget(self._button(action))
        return row

    def _button(self, action: str) -> QPushButton:
        """Return a button with the action's text, which is visible while the action is enabled."""
        made = QPushButton(self._registry.action(action).text())
        made.setProperty("kind", "pill")
        made.setToolTip(f"{self._registry.action(action).text()}  {self._registry.key(action)}".strip())
        made.clicked.connect(partial(self._registry.run, action))
        qt_action = self._registry.action(action)
        made.setVisible(qt_action.isEnabled())
        qt_action.enabledChanged.connect(made.setVisible)
        return made

    def _tab(self, at: int) -> QPushButton:
        made = QPushButton(tr(TABS[at]))
        made.setProperty("kind", "pill")
        made.setToolTip(f"{tr(TABS[at])}  {self._registry.key(TAB_ACTIONS[at])}".strip())
        made.setCheckable(True)
        made.clicked.connect(partial(self.choose_tab, at))
        self._group.addButton(made)
        return made

    def _ask(self) -> None:
        if self.run is not None:
            question = partial(_read_course, run=self.run.id)
            self._bridge.query(self._session, question, done=self._on_course, channel=(id(self), "course"))

    def _on_course(self, course: tuple[RunPace, list[FailureCount], RunCost]) -> None:
        pace, failures, cost = course
        self.facts.show_cost(cost)
        # A run whose replies all come from the cache has no throughput to plot.
        has_pace = any(pace.counts) or (self.run is not None and self.run.state == "running")
        self._pace = pace if has_pace else None
        if self.plot is not None:
            self._show_pace(self.plot)
        elif has_pace:
            # It takes 18 ms, and other answers to the page arrive in this turn of the event loop.
            QTimer.singleShot(0, self, self._on_plot_due)
        self.failures.show_failures(failures)

    def _on_plot_due(self) -> None:
        self.make_plot()
        QTimer.singleShot(0, self, self._on_plot_made)

    def _on_plot_made(self) -> None:
        if self.plot is not None:
            self._show_pace(self.plot)

    def make_plot(self) -> None:
        """Create the plot, which is shown with the first throughput."""
        # Imported with the first plot: its library takes 200 ms, which the list of runs need not wait for.
        from widgets.runs.rate_plot import RatePlot

        if self.plot is None:
            self.plot = RatePlot()
            self.plot.hide()
            self._plot_row.addWidget(self.plot)

    def prepare(self, row: RunRow) -> Iterator[None]:
        """Do in pieces what the first opening of the page would do at once.

        Args:
            row: The run that is probably opened first.
        """
        if self.row is None:
            self.facts.show_row(row)
        yield
        widgets = self.findChildren(QWidget)
        for first in range(0, len(widgets), POLISHED_AT_ONCE):
            for widget in widgets[first : first + POLISHED_AT_ONCE]:
                # Of a turn before: the page may have been filled meanwhile.
                if isValid(widget):
                    widget.ensurePolished()
            yield
        self.make_plot()
        yield

    def _show_pace(self, plot: RatePlot) -> None:
        # Another run can be on the page by the time its plot is created.
        if self._pace is not None:
            plot.show_pace(self._pace)
        plot.setVisible(self._pace is not None)

    def _on_failures_kind_chosen(self, kind: str) -> None:
        self.choose_tab(PREDICTIONS)
        self.predictions.show_kind(kind)


def _read_course(reader: Reader, *, run: str) -> tuple[RunPace, list[FailureCount], RunCost]:
    return reader.runs.pace(run), reader.runs.failures(run), reader.runs.cost(run)
