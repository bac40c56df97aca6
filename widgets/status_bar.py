"""The status bar: time of the last save, next undo step, progress of tasks."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from PySide6.QtWidgets import QFrame

from annotator.session import Session
from widgets import run_text
from widgets.box_layout import row_layout
from widgets.labels import ElidedLabel, label, set_role
from widgets.runs.run_status import RunRow
from widgets.task_line import TaskLine
from widgets.translation import tr
from widgets.undo_location import UndoLocation

HEIGHT_PX = 29


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
        self.work = TaskLine()
        row = row_layout(self, margins_px=(16, 0, 16, 0), spacing_px=12)
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
            self._saved_text = ""
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

    def show_undo(self, undo_location: UndoLocation | None) -> None:
        """Show the next undo step and where it was made, None for none."""
        text = (
            tr("Undo: {what}", what=f"{undo_location.what()} · {undo_location.where()}")
            if undo_location is not None
            else ""
        )
        self.undo.setText(f"·   {text}" if text else "")
