"""The bar that shows how far the scoring is, and cancels it."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QWidget

from annotator.progress import ProgressUpdate
from annotator.scoring.judged_scores import JudgeOptions
from annotator.scoring.score_report import ScoreOrder, ScoreReport
from widgets import display_text
from widgets.box_layout import row_layout
from widgets.labels import ElidedLabel
from widgets.project_controller import ProjectController
from widgets.scores.score_work import NO_MODELS, compute_scores
from widgets.task import Task, describe, while_exists
from widgets.translation import tr


class ScoringBar(QWidget):
    """Scores one order at a time in a process; hidden while there is none.

    Attributes:
        asks_models: Whether the last order sends requests to models.

    Signals:
        finished: The scores are there; carries the ``ScoreReport``.
        failed: Scoring was cancelled, or has failed; the window reports why.
    """

    finished = Signal(object)
    failed = Signal()

    def __init__(self, *, controller: ProjectController) -> None:
        super().__init__()
        self._controller = controller
        self._work: Task | None = None
        self.asks_models = False
        self.status = ElidedLabel(role="dim")
        self.cancel = QPushButton(tr("Cancel"))
        self.cancel.clicked.connect(self._on_cancel_clicked)
        row = row_layout(self, margins_px=0)
        row.addWidget(self.status, 1)
        row.addWidget(self.cancel)
        self.hide()

    @property
    def is_running(self) -> bool:
        """Whether scores are being computed."""
        return self._work is not None

    def start(self, order: ScoreOrder, *, options: JudgeOptions = NO_MODELS) -> None:
        """Score an order, in place of the one before.

        Args:
            order: What is scored.
            options: The models that help, and at what cost.
        """
        self.stop()
        self.asks_models = not (options.is_empty or options.is_offline)
        call = partial(
            compute_scores, order=order, options=options, make_catalogue=self._controller.make_catalogue
        )
        title = tr("Asking models about replies") if self.asks_models else tr("Scoring predictions")
        work = self._controller.run_query(call, title=title)
        self._work = work
        work.stepped.connect(while_exists(self, partial(self._on_work_stepped, work)))
        work.finished.connect(while_exists(self, partial(self._on_work_finished, work)))
        work.failed.connect(while_exists(self, partial(self._on_work_failed, work)))
        self.status.setText(f"{title}…")
        self.cancel.setEnabled(True)
        self.show()

    def stop(self) -> None:
        """Stop the scoring without a message, because its result is not wanted any longer."""
        if self._work is not None:
            self._work.supersede()
            self._end()

    def _end(self) -> None:
        self._work = None
        self.hide()

    def _on_cancel_clicked(self) -> None:
        if self._work is not None:
            self._work.cancel()
            if self.asks_models:
                self.cancel.setEnabled(False)
                self.status.setText(tr("Waiting for the replies to requests that have been sent…"))

    def _on_work_stepped(self, work: Task, step: ProgressUpdate) -> None:
        if work is self._work and not work.is_cancelling:
            self.status.setText(f"{display_text.phase_text(step.what)} · {describe(step)}")

    def _on_work_finished(self, work: Task, report: ScoreReport) -> None:
        if work is self._work:
            self._end()
            self.finished.emit(report)

    def _on_work_failed(self, work: Task, _error: BaseException) -> None:
        if work is self._work:
            self._end()
            self.failed.emit()
