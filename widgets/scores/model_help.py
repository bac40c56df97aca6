"""Lets a person choose models that help to score, and counts what would be sent to them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from annotator.domain.profile import ModelProfile
from annotator.scoring.judged_scores import JudgeOptions
from annotator.scoring.score_report import ScoreOrder, ScoreReport
from annotator.session import Session
from widgets.action_registry import ActionRegistry
from widgets.project_controller import ProjectController
from widgets.scores.ask_models_dialog import AskModelsDialog
from widgets.scores.score_choice import ScoreChoice
from widgets.scores.score_work import compute_scores
from widgets.task import Task, while_exists
from widgets.translation import tr


class ModelHelp(QObject):
    """Opens the dialog for models that help to score.

    Signals:
        chosen: Models are to be asked; carries the ``JudgeOptions``.
    """

    chosen = Signal(object)

    def __init__(
        self,
        parent: QWidget,
        *,
        session: Session,
        controller: ProjectController,
        registry: ActionRegistry,
        choice: Callable[[], ScoreChoice],
    ) -> None:
        """Create it.

        Args:
            parent: The workspace.
            session: The project.
            controller: Counts requests beside other work.
            registry: Has the action that opens the dialog.
            choice: Returns what is scored now.
        """
        super().__init__(parent)
        self._parent, self._session, self._controller = parent, session, controller
        self._choice = choice
        self._counting: Task | None = None
        self._dialog: AskModelsDialog | None = None
        registry.connect_owner("score_models", self)

    def ask_models(self) -> None:
        """Ask which models read replies and grade free texts."""
        self._controller.open_after(self._session.runs.profiles, show=self._on_profiles_read)

    def is_settled(self) -> bool:
        """Return whether nothing is being counted."""
        return self._counting is None

    def leave(self) -> None:
        """Stop counting, because the workspace is being closed."""
        if self._counting is not None:
            self._counting.supersede()
            self._counting = None

    def _order(self) -> ScoreOrder:
        return self._choice().order(project=str(self._session.path))

    def _on_profiles_read(self, profiles: dict[str, ModelProfile]) -> None:
        # Another workspace may be shown by now.
        if not self._parent.isVisible():
            return
        dialog = AskModelsDialog(self._parent.window(), profiles=profiles, options=self._choice().options)
        self._dialog = dialog
        dialog.submitted.connect(self.chosen)
        dialog.models_chosen.connect(self._count)
        dialog.finished.connect(self._on_dialog_finished)
        dialog.open(dialog.reader)
        self._count(dialog.counted_options)

    def _count(self, options: JudgeOptions) -> None:
        self.leave()
        if self._dialog is None or options.is_empty:
            return
        self._dialog.show_counting()
        call = partial(compute_scores, order=self._order(), options=options, make_catalogue=None)
        work = self._counting = self._controller.run_query(call, title=tr("Counting requests"))
        work.finished.connect(while_exists(self, partial(self._on_counted, work)))
        work.failed.connect(while_exists(self, partial(self._on_counting_failed, work)))

    def _on_counted(self, work: Task, report: ScoreReport) -> None:
        if work is self._counting:
            self._counting = None
            if self._dialog is not None:
                self._dialog.show_counts(report.judged)

    def _on_counting_failed(self, work: Task, _error: BaseException) -> None:
        if work is self._counting:
            self._counting = None
            if self._dialog is not None:
                self._dialog.show_failure()

    def _on_dialog_finished(self, _result: int) -> None:
        self._dialog = None
        self.leave()
