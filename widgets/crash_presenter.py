"""Brings crash reports of any thread to the GUI thread and shows them in one dialog."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QApplication, QWidget

from annotator.diagnostics.crash_report import CrashReport
from widgets.crash_dialog import CrashDialog, SaveStatus

log = logging.getLogger(__name__)


class CrashPresenter(QObject):
    """Shows internal errors; never more than one dialog, and each error once.

    Attributes:
        log_path: The log file, None where there is none.
        dialog: The dialog that is open, None for none.
    """

    _reported = Signal(object)

    def __init__(
        self, window: QWidget, *, status: Callable[[], SaveStatus], quit_window: Callable[[], object]
    ) -> None:
        """Prepare for reports.

        Args:
            window: Is blocked while the dialog is open.
            status: Returns what is saved; called on the GUI thread.
            quit_window: Closes the window.
        """
        super().__init__(window)
        self.log_path: Path | None = None
        self.dialog: CrashDialog | None = None
        self._window, self._status, self._quit = window, status, quit_window
        self._seen: set[str] = set()
        # Queued, also from the GUI thread: the error may come from the middle of a paint event.
        self._reported.connect(self._on_reported, Qt.ConnectionType.QueuedConnection)

    def report(self, report: CrashReport) -> None:
        """Show a report soon; may be called on any thread."""
        self._reported.emit(report)

    def _on_reported(self, report: CrashReport) -> None:
        if self.dialog is not None:
            self.dialog.add(report)
        # An error that repeats, in a paint event for instance, would bring the dialog back for ever.
        elif report.signature not in self._seen:
            self._open(report)

    def _open(self, report: CrashReport) -> None:
        self._seen.add(report.signature)
        try:
            # Over a dialog that is open already: what lies under it cannot be clicked.
            parent = QApplication.activeModalWidget() or self._window
            self.dialog = CrashDialog(parent, report, status=self._status(), log_path=self.log_path)
        except Exception:
            # The error may lie in what the dialog is made of; it is in the log.
            log.exception("The crash dialog could not be opened")
            return
        self.dialog.quit_requested.connect(self._quit)
        self.dialog.finished.connect(self._on_dialog_finished)
        self.dialog.open()

    def _on_dialog_finished(self, _result: int) -> None:
        if self.dialog is not None:
            self._seen |= self.dialog.signatures()
            self.dialog.deleteLater()
            self.dialog = None
