"""The line of the status bar with the progress of a task."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QProgressBar, QToolButton, QWidget

from annotator.progress import ProgressUpdate
from widgets import display_text, icons
from widgets.box_layout import row_layout
from widgets.labels import ElidedLabel, label
from widgets.task import Task, describe, while_exists
from widgets.translation import tr

SHOW_AFTER_MS = 300
"""Shorter tasks show no progress bar, ms."""


class TaskLine(QWidget):
    """Title, progress bar, rate and cancel button of the newest running task."""

    def __init__(self) -> None:
        super().__init__()
        self._works: list[Task] = []
        self.title = ElidedLabel(role="label")
        self.title.setMaximumWidth(280)
        self.bar = QProgressBar()
        self.bar.setFixedWidth(120)
        self.bar.setTextVisible(False)
        self.figures = label(role="label")
        self.cancel = QToolButton()
        self.cancel.setIcon(icons.icon("close"))
        self.cancel.setIconSize(icons.SMALL)
        self.cancel.setToolTip(tr("Cancel and discard changes"))
        self.cancel.setAccessibleName(tr("Cancel and discard changes"))
        self.cancel.clicked.connect(self._on_cancel_clicked)
        row = row_layout(self, margins_px=0, spacing_px=8)
        for part in (self.title, self.bar, self.figures, self.cancel):
            row.addWidget(part)
        # A timer, not a wait: tasks under 300 ms are never shown.
        self._late = QTimer(self)
        self._late.setSingleShot(True)
        self._late.setInterval(SHOW_AFTER_MS)
        self._late.timeout.connect(self._on_late_timeout)
        self.hide()

    def follow(self, work: Task) -> None:
        """Show a task until it ends, then the newest task that is still running.

        A comment that is written during an import ends in a moment, while the import goes on.
        """
        self._works.append(work)
        work.stepped.connect(while_exists(self, partial(self._on_work_stepped, work)))
        work.finished.connect(while_exists(self, partial(self._on_work_ended, work)))
        work.failed.connect(while_exists(self, partial(self._on_work_ended, work)))
        self._show_work(work)
        self._late.start()

    def _show_work(self, work: Task) -> None:
        self.cancel.setEnabled(not work.is_cancelling)
        if work.step is not None:
            self._show_step(work, work.step)
            return
        self.title.setText(work.title)
        self.figures.setText(tr("Stopping …") if work.is_cancelling else "")
        # Without a range the bar is indeterminate: the total is not known yet.
        self.bar.setRange(0, 0)

    def _show_step(self, work: Task, step: ProgressUpdate) -> None:
        show_step(self.bar, step)
        self.title.setText(display_text.phase_text(step.what) if step.what else work.title)
        self.figures.setText(tr("Stopping …") if work.is_cancelling else describe(step))

    def _on_late_timeout(self) -> None:
        self.show()

    def _on_work_stepped(self, work: Task, step: ProgressUpdate) -> None:
        if work is self._works[-1]:
            self._show_step(work, step)

    def _on_work_ended(self, work: Task, _outcome: object) -> None:
        self._works.remove(work)
        if self._works:
            self._show_work(self._works[-1])
        else:
            self._late.stop()
            self.hide()

    def _on_cancel_clicked(self) -> None:
        if self._works:
            self._works[-1].cancel()
            self._show_work(self._works[-1])


def show_step(bar: QProgressBar, step: ProgressUpdate) -> None:
    """Show the progress of a step: a share, or an indeterminate bar without a total."""
    bar.setRange(0, 1000 if step.total else 0)
    if step.total:
        bar.setValue(round(1000 * min(1.0, step.done / step.total)))
