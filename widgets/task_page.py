"""The page of a long task in the centre of the window, with progress and cancel button."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QLabel, QProgressBar, QPushButton, QVBoxLayout, QWidget

from annotator.progress import ProgressUpdate
from widgets import display_text
from widgets.box_layout import column_layout
from widgets.labels import ElidedLabel, label
from widgets.task import Task, describe
from widgets.task_line import SHOW_AFTER_MS, show_step
from widgets.translation import tr

WIDTH_PX = 480


class TaskPage(QWidget):
    """Title, explanation, progress bar and cancel button of a task; empty for the first moment."""

    def __init__(self, task: Task, *, explanation: str = "") -> None:
        """Create the page of a task.

        Args:
            task: The task; it may have started already.
            explanation: Purpose of the task, "" for none.
        """
        super().__init__()
        self.task = task
        self.headline = label(task.title, role="big")
        self.explanation = label(explanation, role="dim", wrap=True)
        self.phase, self.figures = ElidedLabel(role="dim"), label(role="label")
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setRange(0, 0)
        self.bar.setAccessibleName(task.title)
        self.cancel = QPushButton(tr("Cancel"))
        self.cancel.clicked.connect(self._on_cancel_clicked)
        self._lay_out(has_explanation=bool(explanation))
        task.stepped.connect(self._on_task_stepped)
        if task.step is not None:
            self._on_task_stepped(task.step)
        # A timer, not a wait: a project that opens quickly shows no page.
        self._late = QTimer(self)
        self._late.setSingleShot(True)
        self._late.setInterval(SHOW_AFTER_MS)
        self._late.timeout.connect(self._on_late_timeout)
        self._late.start()

    def _lay_out(self, *, has_explanation: bool) -> None:
        centred: tuple[QLabel, ...] = (self.headline, self.explanation, self.phase, self.figures)
        for part in centred:
            part.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._inner = QWidget()
        self._inner.setFixedWidth(WIDTH_PX)
        column = column_layout(self._inner, margins_px=0, spacing_px=8)
        column.addWidget(self.headline)
        if has_explanation:
            column.addWidget(self.explanation)
            # A word-wrapped label reports its height only when its width and font are known.
            self.explanation.ensurePolished()
            self.explanation.setMinimumHeight(self.explanation.heightForWidth(WIDTH_PX))
        column.addSpacing(12)
        for row in (self.phase, self.bar, self.figures):
            column.addWidget(row)
        column.addSpacing(12)
        column.addWidget(self.cancel, alignment=Qt.AlignmentFlag.AlignHCenter)
        outer = QVBoxLayout(self)
        outer.addStretch(2)
        outer.addWidget(self._inner, alignment=Qt.AlignmentFlag.AlignHCenter)
        outer.addStretch(3)
        self._inner.hide()

    def _on_late_timeout(self) -> None:
        self._inner.show()
        # The page may be waiting for deletion, if a project replaced it while the timer ran.
        if self.isVisible():
            self.cancel.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_task_stepped(self, step: ProgressUpdate) -> None:
        show_step(self.bar, step)
        self.phase.setText(display_text.phase_text(step.what))
        self.figures.setText(tr("Stopping …") if self.task.is_cancelling else describe(step))

    def _on_cancel_clicked(self) -> None:
        self.task.cancel()
        self.cancel.setEnabled(False)
        self.figures.setText(tr("Stopping …"))
