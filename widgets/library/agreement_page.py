"""The page of agreement: how far people agree, and the human reference beside models and random answers."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QPushButton

from annotator.domain.changes import Changes
from annotator.progress import Progress
from annotator.quality.people_figures import PeopleFigures
from annotator.quality.people_process import measure_in_process
from annotator.session import Session
from annotator.spreadsheets.people_table import write_people_table
from widgets import display_text
from widgets.action_registry import ActionRegistry
from widgets.bridge import Bridge
from widgets.labels import caption, label
from widgets.library import people_tables
from widgets.library.library_page import LibraryPage
from widgets.library.people_tables import PeopleRow, undefined_text
from widgets.project_controller import ProjectController
from widgets.report_dialog import ReportSection, ReportTable
from widgets.task import while_exists
from widgets.translation import tr

MEASURED = ("actor", "assignment", "event_label", "item", "response")
"""Records that the figures depend on."""
FILE_NAME = "agreement.csv"


class AgreementPage(LibraryPage):
    """Shows the figures of people, as tables.

    Signals:
        query_chosen: Emitted when a row is opened; carries the ``ItemQuery`` of its items.
    """

    query_chosen = Signal(object)

    def __init__(
        self, *, session: Session, bridge: Bridge, controller: ProjectController, registry: ActionRegistry
    ) -> None:
        """Create the page.

        Args:
            session: The project.
            bridge: Delivers results of other threads to the GUI thread.
            controller: Measures in a process, as a task that can be cancelled.
            registry: The actions.
        """
        super().__init__(title=tr("Agreement"), session=session, bridge=bridge)
        self._controller = controller
        self.figures = PeopleFigures()
        self.tables: list[ReportTable] = []
        self.is_reading = self.is_writing = False
        self.status = label(role="dim", wrap=True)
        self.measure = QPushButton(tr("Measure again"))
        self.measure.clicked.connect(self.refresh)
        self.export = QPushButton(tr("Export CSV…"))
        self.export.setToolTip(tr("Writes every figure with its interval, one in each row"))
        self.export.clicked.connect(self._on_export_clicked)
        self.sample = QPushButton(registry.action("items.reference").text())
        self.sample.clicked.connect(partial(registry.run, "items.reference"))
        for button in (self.measure, self.export, self.sample):
            self.buttons.addWidget(button)
        self.column.addWidget(self.status)
        self.column.addStretch(1)
        self._show_status("")
        bridge.changed.connect(self._on_bridge_changed)

    def refresh(self) -> None:
        """Measure again; the tables stay until the new figures are there."""
        if self.is_reading:
            return
        self.is_reading = True
        self._show_status(tr("Measuring agreement…"))
        work = self._controller.run_query(_measure, title=tr("Measuring agreement"))
        work.finished.connect(self._on_work_finished)
        work.failed.connect(self._on_work_failed)

    def is_settled(self) -> bool:
        """Return whether the figures are shown, and written if that was requested."""
        return not self.is_reading and not self.is_writing

    def write_table(self, file: Path) -> None:
        """Write all figures as CSV, on another thread."""
        self.is_writing = True
        call = partial(write_people_table, self.figures, file)
        work = self._controller.run_task(call, title=tr("Exporting figures"))
        work.finished.connect(while_exists(self, partial(self._on_written, file)))
        work.failed.connect(self._on_export_failed)

    def _on_work_finished(self, figures: PeopleFigures) -> None:
        self.is_reading = False
        has_focus = self.hasFocus() or any(table.hasFocus() for table in self.tables)
        self.figures = figures
        self._show_tables(figures)
        if has_focus:
            (self.tables[0] if self.tables else self).setFocus()

    def _on_work_failed(self, _error: BaseException) -> None:
        # The window reports the failure.
        self.is_reading = False
        self._show_status(tr("The agreement was not measured."))

    def _show_tables(self, figures: PeopleFigures) -> None:
        self.tables = []
        # Replaced with the sections, which ``clear`` deletes.
        self.status = label(role="dim", wrap=True)
        self.clear()
        self.column.addWidget(self.status)
        self._show_status(_hint(figures))
        tables = people_tables
        self._add(
            tr("Tasks and fields of the event form"),
            tables.agreement_columns(),
            tables.agreement_rows(figures),
            notes=(undefined_text(tables.agreement_coefficients(figures)),),
        )
        self._add(
            tr("Pairs of people"),
            tables.pair_columns(),
            tables.pair_rows(figures),
            notes=(undefined_text(tables.pair_coefficients(figures)),),
        )
        self._add(
            tr("Human reference"),
            tables.reference_columns(),
            tables.reference_rows(figures),
            notes=(undefined_text(tables.reference_coefficients(figures)), tables.uncounted_text(figures)),
        )
        self.column.addStretch(1)

    def _add(
        self, title: str, columns: tuple[str, ...], rows: list[PeopleRow], *, notes: tuple[str, ...]
    ) -> None:
        if not rows:
            return
        texts = tuple(row.texts for row in rows)
        section = ReportSection(
            title=title, columns=columns, rows=texts, open_row=partial(self._open_row, rows)
        )
        table = ReportTable(section)
        copy = QPushButton(tr("Copy table"))
        copy.setProperty("kind", "pill")
        copy.clicked.connect(table.copy)
        head = QHBoxLayout()
        head.addWidget(caption(title))
        head.addStretch()
        head.addWidget(copy)
        self.column.addSpacing(12)
        self.column.addLayout(head)
        self.column.addWidget(table)
        for note in filter(None, notes):
            self.column.addWidget(label(note, role="dim", wrap=True))
        self.tables.append(table)

    def _open_row(self, rows: list[PeopleRow], at: int) -> None:
        find = rows[at].find
        if find is None:
            self._show_status(tr("This row is about views: it has no items to list."))
            return
        self._bridge.query(self._session, find, done=self.query_chosen.emit, channel=(id(self), "items"))

    def _show_status(self, text: str) -> None:
        self.status.setText(text)
        self.status.setVisible(bool(text))
        self.measure.setEnabled(not self.is_reading)
        self.export.setEnabled(bool(self.figures.agreement or self.figures.reference))

    def _on_export_clicked(self) -> None:
        dialog = QFileDialog(self, tr("File for the figures"), str(self._session.path.with_name(FILE_NAME)))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("csv")
        dialog.fileSelected.connect(self._on_file_selected)
        # open(), not exec(): a nested event loop would allow commands while the dialog is open.
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _on_file_selected(self, file: str) -> None:
        self.write_table(Path(file))

    def _on_written(self, file: Path, _result: object) -> None:
        self.is_writing = False
        self._show_status(tr("The figures are written to {file}", file=file))

    def _on_export_failed(self, _error: BaseException) -> None:
        # The window reports the failure.
        self.is_writing = False

    def _on_bridge_changed(self, changes: Changes) -> None:
        # Not measured again by itself: that takes seconds of a processor, and one answer changes little.
        if self.isVisible() and not self.is_reading and any(map(changes.concerns, MEASURED)):
            self._show_status(
                tr("The project has changed since. Click 'Measure again' to update the figures.")
            )


def _hint(figures: PeopleFigures) -> str:
    if not figures.agreement and not figures.reference:
        return tr(
            "Nobody has answered an item yet. Assign items to people, who answer them without seeing the "
            "answer key, or add a table of answers with: vantage responses."
        )
    return tr(
        "95 % intervals are in brackets. Press Enter or double-click a row of a task to list its items."
    )


def _measure(session: Session, progress: Progress) -> PeopleFigures:
    figures = measure_in_process(session.path, progress=progress)
    tasks = [*(one.subject for one in figures.agreement), *(one.task for one in figures.reference)]
    task_sets = {task.partition("/")[0] for task in tasks if "/" in task}
    display_text.load_task_set_titles(task_sets, project=session.path)
    return figures
