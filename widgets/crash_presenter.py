"""Shows crash reports of all threads in one dialog on the GUI thread."""

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
    """Shows internal errors in at most one dialog, and each distinct error once.

    Attributes:
        log_path: The log file, None for none.
        dialog: The open dialog, None for none.
    """

    _reported = Signal(object)

    def __init__(
        self, window: QWidget, *, status: Callable[[], SaveStatus], quit_window: Callable[[], object]
    ) -> None:
        """Create the presenter.

        Args:
            window: The window that the dialog blocks.
            status: Returns the state of the saved data; called on the GUI thread.
            quit_window: Closes the window.
        """
        super().__init__(window)
        self.log_path: Path | None = None
        self.dialog: CrashDialog | None = None
        self._window, self._status, self._quit = window, status, quit_window
        self._seen: set[str] = set()
        # Queued, also from the GUI thread: the error may occur inside a paint event.
        self._reported.connect(self._on_reported, Qt.ConnectionType.QueuedConnection)

    def report(self, report: CrashReport) -> None:
        """Queue a report; may be called on any thread."""
        self._reported.emit(report)

    def _on_reported(self, report: CrashReport) -> None:
        if self.dialog is not None:
            self.dialog.add(report)
        # An error that repeats, for instance in a paint event, would reopen the dialog endlessly.
        elif report.signature not in self._seen:
            self._open(report)

    def _open(self, report: CrashReport) -> None:
        self._seen.add(report.signature)
        try:
            # On top of an open dialog: a window below a modal dialog cannot be clicked.
            parent = QApplication.activeModalWidget() or self._window
            self.dialog = CrashDialog(parent, report, status=self._status(), log_path=self.log_path)
        except Exception:
            # The dialog itself may be faulty; the error is in the log.
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
