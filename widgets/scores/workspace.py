"""The Scores workspace: what is scored on the left, the scores on the right."""

from __future__ import annotations

import msgspec
from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QHideEvent, QShowEvent
from PySide6.QtWidgets import QStackedWidget, QWidget

from annotator.commands.prediction_decisions import SettleTexts
from annotator.domain.changes import Changes
from annotator.scoring.judged_scores import JudgeOptions
from annotator.scoring.score_report import ScoreReport
from widgets import display_text
from widgets.action import ActionNeed
from widgets.box_layout import column_layout
from widgets.deferred_changes import DeferredChanges
from widgets.drag_drop import dropped_paths
from widgets.empty_state import EmptyState
from widgets.focus import focus_next, holds_keyboard
from widgets.kept_splitter import REST_PX, KeptSplitter
from widgets.labels import label
from widgets.scores.model_help import ModelHelp
from widgets.scores.recorded_releases import ScoredProject, read_scored_project
from widgets.scores.report_page import ReportPage
from widgets.scores.row_files import RowFiles
from widgets.scores.score_cell import cell_filter
from widgets.scores.score_choice import ScoreChoice, keep_choice, read_choice
from widgets.scores.scoring_bar import ScoringBar
from widgets.scores.setup_pane import ScoreSetup
from widgets.translation import tr
from widgets.workspace_services import WorkspaceServices

SETUP_PX = 336
PAUSE_MS = 800
"""Pause after a decision until the scores are computed again."""
NEEDS: tuple[ActionNeed, ...] = (
    "scores_page",
    "scores_release",
    "scores_ready",
    "scores_file",
    "scores_shown",
    "scores_text",
    "scores_settled",
)
"""Preconditions of the actions; none is met in another workspace."""


class ScoresWorkspace(QWidget):
    """The workspace of one open project.

    Attributes:
        report: The scores that are shown, None for none.

    Signals:
        errors_requested: The predictions behind a score are to be shown; carries their file and a filter.
    """

    errors_requested = Signal(object, object)

    def __init__(self, services: WorkspaceServices) -> None:
        super().__init__()
        session, controller, registry = services.session, services.controller, services.registry
        bridge, settings = services.bridge, services.settings
        self._session, self._controller, self._registry = session, controller, registry
        self._bridge, self._settings = bridge, settings
        self._project: ScoredProject | None = None
        self.report: ScoreReport | None = None
        self._rows = RowFiles()
        self.setup = ScoreSetup(registry=registry)
        self.page = ReportPage(session=session, bridge=bridge, registry=registry, controller=controller)
        self.scoring = ScoringBar(controller=controller)
        self.models = ModelHelp(
            self,
            session=session,
            controller=controller,
            registry=registry,
            choice=lambda: self.setup.choice,
        )
        self.empty = QWidget()
        self._lay_out()
        self.setAcceptDrops(True)
        self.scoring.finished.connect(self._on_scoring_finished)
        self.scoring.failed.connect(self._on_scoring_failed)
        self.models.chosen.connect(self._on_models_chosen)
        self.setup.changed.connect(self._on_setup_changed)
        self.setup.file_chosen.connect(self._show_needs)
        self.page.tab_chosen.connect(self._show_needs)
        self.page.tables.table.opened.connect(self._on_cell_opened)
        self.page.texts.text_chosen.connect(self._show_needs)
        self.page.texts.commanded.connect(self._on_texts_commanded)
        self.page.settled.text_chosen.connect(self._show_needs)
        self.page.settled.commanded.connect(self._on_texts_commanded)
        self._changes = DeferredChanges(self, bridge=bridge, concerns=services.concerns)
        self._changes.arrived.connect(self._on_changes_arrived)
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(PAUSE_MS)
        self._pause.timeout.connect(self._on_pause_ended)
        registry.connect_owner("scores", self)
        registry.connect_owner("score_setup", self.setup)
        registry.add_shortcuts("scores", self)

    def read_project(self) -> None:
        """Read which releases the project has: some may have been made since."""
        channel = (id(self), "project")
        self._bridge.query(self._session, read_scored_project, done=self._on_project_read, channel=channel)

    def take_keyboard(self) -> None:
        """Set the keyboard focus to the scores, or to what is offered in place of them."""
        front = self.page.front if self.report is not None else self.empty
        front.setFocus(Qt.FocusReason.OtherFocusReason)

    def focus_next_pane(self) -> None:
        """Set the keyboard focus to the other pane."""
        front = self.page.front if self.report is not None else self.empty
        focus_next((self.setup, self.setup.files), (self.right, front))

    def is_settled(self) -> bool:
        """Return whether the scores are shown as they are."""
        is_scored = not self.scoring.is_running and not self._pause.isActive() and self.models.is_settled()
        return is_scored and self._project is not None and self.page.settled.is_settled()

    def leave(self) -> None:
        """Stop background work, because the workspace is being closed."""
        self._pause.stop()
        self.scoring.stop()
        self.models.leave()
        self._rows.remove()

    def browse_errors(self) -> None:
        """Show the predictions behind the current cell of the table of scores."""
        location = self.page.tables.table.current_cell()
        if location is not None:
            self._on_cell_opened(*location)

    def score(self) -> None:
        """Score what is chosen; the scores that are shown stay until the new ones are there."""
        self._start(self.setup.choice.options)

    def _start(self, options: JudgeOptions) -> None:
        order = self.setup.choice.order(project=str(self._session.path))
        self.scoring.start(msgspec.structs.replace(order, rows=str(self._rows.next())), options=options)

    def showEvent(self, event: QShowEvent) -> None:
        """Enable the actions."""
        super().showEvent(event)
        if not event.spontaneous():
            self._show_needs()

    def hideEvent(self, event: QHideEvent) -> None:
        """Disable the actions; a minimised window keeps them."""
        super().hideEvent(event)
        if not event.spontaneous():
            self.release_needs()

    def release_needs(self) -> None:
        """Disable the actions of the workspace."""
        for need in NEEDS:
            self._registry.set_there(need, False)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept files and folders."""
        if dropped_paths(event):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Take a release folder or predictions that were dropped."""
        self.setup.take(str(path) for path in dropped_paths(event))
        event.acceptProposedAction()

    def _lay_out(self) -> None:
        self._stack = QStackedWidget()
        self._stack.addWidget(self.page)
        self.right = QWidget()
        self.right.setObjectName("pane")
        column = column_layout(self.right, margins_px=(16, 12, 16, 12), spacing_px=8)
        column.addWidget(label(tr("Scores"), role="big"))
        column.addWidget(self.scoring)
        column.addWidget(self._stack, 1)
        self.panes = KeptSplitter(
            (self.setup, self.right),
            stretched=1,
            usual=(SETUP_PX, REST_PX),
            settings=self._settings,
            name="scores/splitter",
        )
        whole = column_layout(self, margins_px=0)
        whole.addWidget(self.panes)
        self._show_empty(ScoreChoice())

    def _show_report(self, report: ScoreReport | None) -> None:
        self.report = report
        self.setup.show_report(report)
        if report is not None and report.models:
            self.page.show_report(report, is_asked=self.scoring.asks_models)
            self._stack.setCurrentWidget(self.page)
        else:
            self.report = None
            self._show_empty(self.setup.choice, is_scored=report is not None)
        self._show_needs()

    def _show_empty(self, choice: ScoreChoice, *, is_scored: bool = False) -> None:
        had_focus = holds_keyboard(self.empty)
        headline = tr("Not scored yet") if choice.is_complete else tr("No scores yet")
        self._stack.removeWidget(self.empty)
        self.empty.deleteLater()
        self.empty = EmptyState(
            icon="scores",
            headline=tr("No usable predictions") if is_scored else headline,
            text=_unusable_text() if is_scored else _next_step(choice),
            registry=self._registry,
            steps=("scores.add", "scores.score") if is_scored else _steps(choice),
        )
        self._stack.addWidget(self.empty)
        self._stack.setCurrentWidget(self.empty)
        if had_focus:
            self.empty.setFocus(Qt.FocusReason.OtherFocusReason)

    def _show_needs(self) -> None:
        if not self.isVisible():
            return
        choice = self.setup.choice
        has = {
            "scores_page": self._project is not None,
            "scores_release": bool(choice.release),
            "scores_ready": choice.is_complete,
            "scores_file": 0 <= self.setup.current_position < len(choice.files),
            "scores_shown": self.report is not None,
            "scores_text": self.report is not None and self.page.texts.has_text(),
            "scores_settled": self.report is not None and self.page.settled.has_text(),
        }
        for need in NEEDS:
            self._registry.set_there(need, has[need])

    def _keep(self) -> None:
        if self._project is not None:
            person = self._session.actor.id
            keep_choice(self._settings, self.setup.choice, project=self._project.id, person=person)

    def _on_project_read(self, project: ScoredProject) -> None:
        is_first, self._project = self._project is None, project
        if not is_first:
            self.setup.show_folders(project.folders)
            return
        choice = read_choice(self._settings, project=project.id, person=self._session.actor.id)
        self.setup.show_choice(choice, folders=project.folders)
        self._show_report(None)
        if self.scoring.is_running and choice.is_complete:
            # Predictions that were added before the choice of the last time was known; it has them, too.
            self.score()
        if self.isVisible():
            self.take_keyboard()

    def _on_setup_changed(self, choice: ScoreChoice) -> None:
        self._keep()
        if choice.is_complete:
            self._show_needs()
            self.score()
            return
        self.scoring.stop()
        self._show_report(None)

    def _on_models_chosen(self, options: JudgeOptions) -> None:
        # Requests are sent now; later scorings of the same choice use the replies that are kept.
        self.setup.change(reader=options.reader, judge=options.judge)
        self._start(options)

    def _on_cell_opened(self, model: str, column: str) -> None:
        file = self._rows.written
        if self.report is not None and file is not None:
            wanted = cell_filter(self.report, model, column, grouping=self.page.tables.grouping)
            self.errors_requested.emit(file, wanted)

    def _on_texts_commanded(self, command: SettleTexts) -> None:
        title = display_text.command_summary_text(command.summary)
        work = self._controller.execute(command, title=title, is_gesture=True)
        work.failed.connect(self._on_settling_failed)
        # Scores without the decision would list the reply again.
        self.scoring.stop()
        self._pause.start()

    def _on_settling_failed(self, _error: BaseException) -> None:
        # The window reports the failure.
        self.page.texts.restore()

    def _on_changes_arrived(self, changes: Changes) -> None:
        if self.report is not None and changes.concerns("settled_text"):
            # People settle one reply after the other; the scores follow when they pause.
            self.page.settled.read()
            self._pause.start()

    def _on_pause_ended(self) -> None:
        if self.report is not None and self.setup.choice.is_complete:
            self.score()

    def _on_scoring_finished(self, report: ScoreReport) -> None:
        self._rows.take()
        # Who adds files goes on in the setup while they are scored.
        had_focus = not holds_keyboard(self.setup)
        self._show_report(report)
        self._keep()
        if self.isVisible() and had_focus:
            self.take_keyboard()

    def _on_scoring_failed(self) -> None:
        if self.scoring.asks_models:
            # The window reports why; what the models have replied before is kept and counts.
            self.score()
        else:
            self._show_report(None)


def _steps(choice: ScoreChoice) -> tuple[str, ...]:
    steps = {
        "scores.score": choice.is_complete,
        "scores.release": not choice.release,
        "scores.add": bool(choice.release) or not choice.files,
    }
    return tuple(step for step, is_next in steps.items() if is_next)


def _unusable_text() -> str:
    return tr(
        "None of the files can be read as predictions for this release. The reason stands below the list "
        "of files. Correct a file and score it again, or add other predictions."
    )


def _next_step(choice: ScoreChoice) -> str:
    if choice.is_complete:
        return tr(
            "Release and predictions are those of the last time. Score them again, or add other predictions."
        )
    if choice.release:
        return tr("Add files with the predictions of models, or drop them here. Each model becomes a row.")
    return tr(
        "Choose a release, and add files with the predictions of models, or drop both here. The scores "
        "are computed from the answer keys of the release; the project does not change."
    )
