"""The dialog after an internal error: what is saved, what to do, and a report to copy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from PySide6.QtCore import QUrl, Signal
from PySide6.QtGui import QDesktopServices, QFontDatabase, QGuiApplication
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from annotator.diagnostics.crash_report import CrashReport
from widgets.labels import label
from widgets.translation import join_texts, tr

WIDTH_PX, REPORT_HEIGHT_PX = 640, 220
MAX_REPORTS = 10
"""Maximum number of reports in one dialog; further errors are counted, and are in the log."""


@dataclass(frozen=True, kw_only=True)
class SaveStatus:
    """State of the saved data at the time of an internal error.

    Attributes:
        project: File name of the open project, "" for none.
        saved_at: Local wall time of the last commit, seconds since the epoch; 0 for none so far.
        tasks: Titles of the tasks that are running.
    """

    project: str = ""
    saved_at: float = 0.0
    tasks: tuple[str, ...] = ()

    def text(self) -> str:
        """Return the state as text."""
        if not self.project:
            return tr("No project was open. No data is affected.")
        return " ".join((self._edits(), tr("An unfinished drawing or text may be lost."), *self._tasks()))

    def _edits(self) -> str:
        if not self.saved_at:
            return tr("{project} was not changed in this window.", project=self.project)
        time = datetime.fromtimestamp(self.saved_at).astimezone().strftime("%H:%M:%S")
        return tr("All edits up to {time} are saved in {project}.", time=time, project=self.project)

    def _tasks(self) -> list[str]:
        running = join_texts(self.tasks)
        return (
            [tr("Still running: {tasks}. A failed task does not change the project.", tasks=running)]
            if running
            else []
        )


class CrashDialog(QDialog):
    """Shows internal errors; an open dialog also shows all further errors.

    Signals:
        quit_requested: The user clicked Quit.
    """

    quit_requested = Signal()

    def __init__(
        self, parent: QWidget, report: CrashReport, *, status: SaveStatus, log_path: Path | None
    ) -> None:
        """Create the dialog; ``open`` shows it.

        Args:
            parent: The window that the dialog blocks.
            report: The first error.
            status: State of the saved data.
            log_path: The log file, None where there is none.
        """
        super().__init__(parent)
        self.setWindowTitle(tr("Internal error"))
        self._reports: list[CrashReport] = []
        self._count = 0
        self._log_path = log_path
        self.headline = label(role="big", wrap=True)
        self.saved = label(status.text(), wrap=True)
        self.report = _report_field()
        self.copy = _button(tr("Copy report"), self._on_copy_clicked)
        self.open_log = _button(tr("Open log folder"), self._on_open_log_clicked)
        self.open_log.setVisible(log_path is not None)
        self.quit = _button(tr("Quit Vantage"), self._on_quit_clicked)
        self.go_on = _button(tr("Continue"), self.accept)
        self.go_on.setDefault(True)
        self._lay_out()
        self.add(report)

    def add(self, report: CrashReport) -> None:
        """Add a further error."""
        self._count += 1
        known = {known.signature for known in self._reports}
        if report.signature not in known and len(self._reports) < MAX_REPORTS:
            self._reports.append(report)
            self.report.setPlainText("\n".join(one.text() for one in self._reports))
        self.headline.setText(
            tr("An internal error occurred in Vantage.")
            if self._count == 1
            else tr("{n} internal errors occurred in Vantage.", n=self._count)
        )

    def signatures(self) -> set[str]:
        """Return the signatures of the errors that it shows."""
        return {report.signature for report in self._reports}

    def _lay_out(self) -> None:
        advice = tr(
            "You can continue to work. If the window no longer responds as expected, quit "
            "Vantage and open the project again. To report the error, copy the report and send "
            "it to the maintainer of your installation."
        )
        content = tr("The report contains version numbers and source lines. It contains no project data.")
        column = QVBoxLayout(self)
        for part in (
            self.headline,
            self.saved,
            label(advice, wrap=True),
            label(content, role="dim", wrap=True),
            self.report,
        ):
            column.addWidget(part)
        row = QHBoxLayout()
        row.addWidget(self.copy)
        row.addWidget(self.open_log)
        row.addStretch()
        row.addWidget(self.quit)
        row.addWidget(self.go_on)
        column.addLayout(row)
        self.setMinimumWidth(WIDTH_PX)

    def _on_copy_clicked(self) -> None:
        QGuiApplication.clipboard().setText(self.report.toPlainText())
        self.copy.setText(tr("Copied"))

    def _on_open_log_clicked(self) -> None:
        if self._log_path is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._log_path.parent)))

    def _on_quit_clicked(self) -> None:
        self.accept()
        self.quit_requested.emit()


def _report_field() -> QPlainTextEdit:
    field = QPlainTextEdit()
    field.setReadOnly(True)
    # Otherwise Tab would not leave the field.
    field.setTabChangesFocus(True)
    field.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
    field.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
    field.setFixedHeight(REPORT_HEIGHT_PX)
    field.setAccessibleName(tr("Report"))
    return field


def _button(text: str, call: Callable[[], object]) -> QPushButton:
    made = QPushButton(text)
    # Enter belongs to 'Continue', even while another button has the focus.
    made.setAutoDefault(False)
    made.clicked.connect(call)
    return made
