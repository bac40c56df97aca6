"""The bar that shows how far the scoring is, and cancels it."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from annotator.progress import Progress, ProgressUpdate
from annotator.scoring.score_process import score_in_process
from annotator.scoring.score_report import ScoreOrder, ScoreReport
from annotator.session import Session
from widgets import display_text
from widgets.labels import ElidedLabel
from widgets.project_controller import ProjectController
from widgets.task import Task, describe
from widgets.translation import tr


class ScoringBar(QWidget):
    """Scores one order at a time in a process; hidden while there is none.

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
        self.status = ElidedLabel(role="dim")
        self.cancel = QPushButton(tr("Cancel"))
        self.cancel.clicked.connect(self._on_cancel_clicked)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.status, 1)
        row.addWidget(self.cancel)
        self.hide()

    @property
    def is_running(self) -> bool:
        """Whether scores are being computed."""
        return self._work is not None

    def start(self, order: ScoreOrder) -> None:
        """Score an order, in place of the one before."""
        self.stop()
        work = self._controller.run_query(partial(_score, order=order), title=tr("Scoring predictions"))
        self._work = work
        work.stepped.connect(partial(self._on_work_stepped, work))
        work.finished.connect(partial(self._on_work_finished, work))
        work.failed.connect(partial(self._on_work_failed, work))
        self.status.setText(tr("Scoring predictions…"))
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

    def _on_work_stepped(self, work: Task, step: ProgressUpdate) -> None:
        if work is self._work:
            self.status.setText(f"{display_text.phase_word(step.what)} · {describe(step)}")

    def _on_work_finished(self, work: Task, report: ScoreReport) -> None:
        if work is self._work:
            self._end()
            self.finished.emit(report)

    def _on_work_failed(self, work: Task, _error: BaseException) -> None:
        if work is self._work:
            self._end()
            self.failed.emit()


def _score(session: Session, progress: Progress, *, order: ScoreOrder) -> ScoreReport:
    """Score in a process; called on another thread."""
    report = score_in_process(order, progress=progress)
    tasks = {task.partition("/")[0] for model in report.models for task in model.tables.tasks}
    display_text.load_task_set_titles(tasks, project=session.path)
    return report
