"""The report of a release in the Release workspace: makes it, and opens what was written."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QPushButton, QWidget

from annotator.progress import Progress
from annotator.report.report_order import ReportOrder
from annotator.report.report_process import report_in_process
from annotator.session import Session
from widgets.action_registry import ActionRegistry
from widgets.box_layout import column_layout, row_layout
from widgets.bridge import Bridge
from widgets.dialog import OPENING
from widgets.labels import label
from widgets.project_controller import ProjectController
from widgets.release.report_dialog import ReleaseReportDialog
from widgets.scores.recorded_releases import ScoredProject, read_scored_project
from widgets.task import Task, while_exists
from widgets.translation import join_texts, tr


class ReportBar(QWidget):
    """The button that makes a report, and below it the files of the last one.

    Attributes:
        make: The button that asks for a report.
        note: Which files were written.
        open_html: The button that opens the HTML file.
        open_pdf: The button that opens the PDF file.
    """

    def __init__(
        self, *, session: Session, controller: ProjectController, bridge: Bridge, registry: ActionRegistry
    ) -> None:
        super().__init__()
        self._session, self._controller, self._bridge = session, controller, bridge
        self._work: Task | None = None
        self.order: ReportOrder | None = None
        self.make = QPushButton(f"{tr('Make report…')}  {registry.key('release.report')}".strip())
        self.make.clicked.connect(partial(registry.run, "release.report"))
        self.note = label(role="dim", wrap=True)
        self.open_html, self.open_pdf = QPushButton(tr("Open HTML")), QPushButton(tr("Open PDF"))
        self.open_html.clicked.connect(self._on_open_html_clicked)
        self.open_pdf.clicked.connect(self._on_open_pdf_clicked)
        row = row_layout(spacing_px=8)
        row.addWidget(self.open_html)
        row.addWidget(self.open_pdf)
        row.addStretch(1)
        column = column_layout(self, margins_px=0, spacing_px=8)
        column.addWidget(self.make)
        column.addWidget(self.note)
        column.addLayout(row)
        self._show()
        registry.connect_owner("release_report", self)

    def ask_report(self) -> None:
        """Ask which release, which forms and where."""
        self._bridge.query(self._session, read_scored_project, done=self._open_dialog, channel=OPENING)

    def leave(self) -> None:
        """Stop the report, because the workspace is being closed."""
        if self._work is not None:
            self._work.cancel()

    def _open_dialog(self, found: ScoredProject) -> None:
        dialog = ReleaseReportDialog(self.window(), project=self._session.path, folders=found.folders)
        dialog.submitted.connect(self.start)
        dialog.open(dialog.main)

    def start(self, order: ReportOrder) -> None:
        """Make a report; another one that is being made is cancelled."""
        if self._work is not None:
            self._work.supersede()
        self.order = None
        self._work = work = self._controller.run_query(partial(_make, order), title=tr("Making report"))
        work.finished.connect(while_exists(self, partial(self._on_work_finished, work, order)))
        work.failed.connect(while_exists(self, partial(self._on_work_failed, work)))
        self._show()

    def is_settled(self) -> bool:
        """Return whether no report is being made."""
        return self._work is None

    def _show(self) -> None:
        order = self.order
        names = join_texts(file.name for file in order.files) if order is not None else ""
        text = tr("Report written: {files}", files=names) if order is not None else ""
        self.note.setText(tr("Making report…") if self._work is not None else text)
        self.note.setVisible(bool(self.note.text()))
        self.open_html.setVisible(order is not None and bool(order.html))
        self.open_pdf.setVisible(order is not None and bool(order.pdf))

    def _on_work_finished(self, work: Task, order: ReportOrder, _result: object) -> None:
        if work is self._work:
            self._work, self.order = None, order
            self._show()

    def _on_work_failed(self, work: Task, _error: BaseException) -> None:
        # The window reports the failure.
        if work is self._work:
            self._work = None
            self._show()

    def _on_open_html_clicked(self) -> None:
        if self.order is not None:
            _open(self.order.html)

    def _on_open_pdf_clicked(self) -> None:
        if self.order is not None:
            _open(self.order.pdf)


def _make(order: ReportOrder, _session: Session, progress: Progress) -> None:
    """Make a report; called on another thread."""
    report_in_process(order, progress=progress)


def _open(file: str) -> None:
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(Path(file).absolute())))
