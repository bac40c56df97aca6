"""The status bar: time of the last save, next undo step, progress of tasks."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import partial

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QFrame, QHBoxLayout, QProgressBar, QToolButton, QWidget

from annotator.progress import ProgressUpdate
from annotator.session import Session
from widgets import display_text, icons, run_text
from widgets.labels import ElidedLabel, label, set_role
from widgets.runs.run_status import RunRow
from widgets.task import Task, describe
from widgets.translation import tr
from widgets.undo_place import UndoPlace

HEIGHT_PX = 29
SHOW_AFTER_MS = 300
"""Shorter tasks show no progress bar, ms."""


class StatusBar(QFrame):
    """The status bar of the window."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("status_bar")
        self.setFixedHeight(HEIGHT_PX)
        self.saved = ElidedLabel(role="label")
        self._saved_text, self._saving = "", ""
        self.undo = ElidedLabel(role="label")
        self.runs = ElidedLabel(role="label")
        self.exchange = ElidedLabel(role="label")
        self.exchange.hide()
        self.hint = label(role="label")
        self.work = WorkLine()
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 0, 16, 0)
        row.setSpacing(12)
        row.addWidget(self.saved)
        row.addWidget(self.undo, 1)
        row.addWidget(self.exchange)
        row.addWidget(self.runs)
        row.addWidget(self.work)
        row.addWidget(self.hint)

    def show_saved(self, saved_at: float) -> None:
        """Show the time of the last commit.

        Args:
            saved_at: Local wall time of the COMMIT, seconds since the epoch.
        """
        time = datetime.fromtimestamp(saved_at).astimezone().strftime("%H:%M:%S")
        self._saved_text = tr("Saved {time}", time=time)
        self._refresh_saved()

    def show_saving(self, state: str) -> None:
        """Show that edits wait for the disk.

        Args:
            state: ``saving``, ``refused``, ``lost`` where the file is gone, or "" when none waits any more.
        """
        self._saving = state
        self._refresh_saved()

    def show_unchanged(self, session: Session | None) -> None:
        """Show that all changes are saved, before the first change; nothing without a project."""
        if session is None:
            self._saved_text, self._saving = "", ""
        else:
            self._saved_text = tr("Open for reading") if session.is_read_only else tr("All changes saved")
        self._refresh_saved()

    def _refresh_saved(self) -> None:
        """Show the time of the last commit only while nothing waits behind it."""
        waiting = {"saving": tr("Saving…"), "refused": tr("Not saved"), "lost": tr("Nothing more is saved")}
        self.saved.setText(waiting.get(self._saving, self._saved_text))
        set_role(self.saved, "bad" if self._saving in {"refused", "lost"} else "label")

    def show_runs(self, rows: Sequence[RunRow]) -> None:
        """Show the state of the newest unfinished run."""
        newest = rows[0] if rows else None
        text = run_text.status_text(newest.run, newest.condition, newest.progress) if newest else ""
        self.runs.setText(text)
        self.runs.setVisible(bool(text))

    def show_exchange(self, text: str) -> None:
        """Show the state of the exchange with other workstations, "" for none."""
        self.exchange.setText(text)
        self.exchange.setVisible(bool(text))

    def show_undo(self, undo_place: UndoPlace | None) -> None:
        """Show the next undo step and where it was made, None for none."""
        text = (
            tr("Undo: {what}", what=f"{undo_place.what()} · {undo_place.where()}")
            if undo_place is not None
            else ""
        )
        self.undo.setText(f"·   {text}" if text else "")


class WorkLine(QWidget):
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
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
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
        work.stepped.connect(partial(self._on_work_stepped, work))
        work.finished.connect(partial(self._on_work_ended, work))
        work.failed.connect(partial(self._on_work_ended, work))
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
        self.title.setText(display_text.phase_word(step.what) if step.what else work.title)
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
