"""The outcome of a run: its settings, a preview of the changes, and the button that applies them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QPushButton, QVBoxLayout

from annotator.commands.command import Command
from annotator.domain.changes import Changes
from annotator.domain.query import ItemQuery
from annotator.domain.run import UNFINISHED, Run
from annotator.progress import Progress
from annotator.session import Session
from widgets import run_text
from widgets.box_layout import row_layout
from widgets.bridge import Bridge
from widgets.labels import caption, label
from widgets.library.record_form import RecordForm
from widgets.project_controller import ProjectController
from widgets.report_dialog import ReportSection, ReportTable
from widgets.runs.run_status import RunRow
from widgets.translation import tr

if TYPE_CHECKING:
    # Imported with the first panel: they load the commands of drafts and releases, half of the time that the
    # Runs workspace took to open.
    from widgets.runs.outcome_panel import OutcomePanel

WIDEST_PX = 760
IN_LIBRARY = frozenset({"draft", "detect", "depth"})
"""Kinds of runs whose results are displayed in the Library."""


class OutcomePane(RecordForm):
    """Shows the outcome panel of the run's kind; Enter applies the outcome.

    Signals:
        commanded: Emitted when the user applies the outcome; carries the command.
        items_requested: Emitted when the user opens items in the Library; carries the query.
    """

    commanded = Signal(object)
    items_requested = Signal(object)

    def __init__(self, *, controller: ProjectController, bridge: Bridge) -> None:
        super().__init__()
        self.setAccessibleName(tr("Outcome"))
        self._controller, self._bridge = controller, bridge
        self.part: OutcomePanel | None = None
        self._run: Run | None = None
        self._is_reading = self._is_superseded = False
        self._obstacle = ""
        self.has_read = False
        self.main = QPushButton(self.widget())
        bridge.changed.connect(self._on_bridge_changed)

    def show_run(self, run: Run) -> None:
        """Set the run, or update it after new predictions; ``read`` makes its panel and reads predictions."""
        self._run, self.has_read = run, False
        # What is being read now may lack the newest predictions, or belong to another run.
        self._is_superseded = self._is_reading
        if self.part is not None and self.part.run.id != run.id:
            self.part = None

    def show_condition(self, row: RunRow) -> None:
        """Enable the button when the run is finished; until then show why it is disabled."""
        self._obstacle = _obstacle(row)
        self._on_part_changed()

    def read(self) -> None:
        """Show the run's panel, and read the predictions that the outcome depends on."""
        if self.part is None and self._run is not None:
            # Not with the page: a panel takes the GUI thread 200 ms at first, on a tab that few open.
            self._lay_out(self._run)
        part = self.part
        if part is None or part.read is None or self._is_reading:
            return
        self._is_reading, self._is_superseded = True, False
        work = self._controller.run_query(partial(_read, part), title=tr("Reading predictions"))
        work.finished.connect(self._on_read)
        work.failed.connect(self._on_reading_failed)

    def is_settled(self) -> bool:
        """Return whether the shown outcome is up to date."""
        return not self._is_reading and (self.part is None or self.part.is_settled())

    def apply(self) -> None:
        """Apply the outcome that is shown."""
        if self.main.isEnabled() and self.main.isVisibleTo(self):
            self._on_main_clicked()

    def show_applied(self, command: Command, _changes: object = None) -> None:
        """Show the result of the applied outcome."""
        from widgets.runs.apply_report import applied_sections, applied_text

        runs = (command.details.get("run"), *command.details.get("runs", ()))
        if self.part is not None and self.part.run.id in runs:
            self.applied.setText(tr("Applied: {words}.", words=applied_text(command)))
            if sections := applied_sections(command):
                self._show_tables(sections)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Apply the outcome when Enter is pressed."""
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self.apply()
        else:
            super().keyPressEvent(event)

    def _lay_out(self, run: Run) -> None:
        self.clear()
        part = self.part = self._part_of(run)
        part.changed.connect(self._on_part_changed)
        part.item_opened.connect(self._on_part_item_opened)
        self.add(part)
        self.summary = label(role="dim", wrap=True)
        self.reason = label(role="warn", wrap=True)
        self.applied = label(role="good", wrap=True, selectable=True)
        self.main = QPushButton()
        self.main.setProperty("kind", "main")
        self.main.clicked.connect(self._on_main_clicked)
        row = row_layout(spacing_px=8)
        row.addWidget(self.main)
        if run.kind in IN_LIBRARY:
            show = QPushButton(tr("Show Library"))
            show.clicked.connect(partial(self.items_requested.emit, ItemQuery()))
            row.addWidget(show)
        row.addWidget(self.reason, 1)
        row.addStretch()
        self.tables, self.groups = QVBoxLayout(), QHBoxLayout()
        self.groups.setSpacing(8)
        self.column.addSpacing(12)
        self.add(self.summary)
        self.column.addLayout(self.groups)
        self.column.addSpacing(4)
        self.column.addLayout(row)
        self.add(self.applied)
        self.column.addLayout(self.tables)
        self.end()
        self._on_part_changed()

    def _part_of(self, run: Run) -> OutcomePanel:
        from widgets.runs.blind_panel import BlindPanel
        from widgets.runs.consensus_panel import ConsensusPanel
        from widgets.runs.detection_panel import DetectionPanel
        from widgets.runs.evaluation_panel import EvaluationPanel
        from widgets.runs.outcome_panel import OutcomePanel

        if run.kind == "blind":
            return BlindPanel(run, controller=self._controller, bridge=self._bridge)
        if run.kind == "consensus":
            return ConsensusPanel(run, controller=self._controller, bridge=self._bridge)
        if run.kind == "evaluation":
            return EvaluationPanel(run, controller=self._controller, bridge=self._bridge)
        if run.kind == "detect":
            return DetectionPanel(run)
        return OutcomePanel(run, heading=tr("Result of the run"))

    def _show_groups(self, groups: list[tuple[str, tuple[str, ...]]]) -> None:
        _empty(self.groups)
        for text, ids in groups:
            made = QPushButton(text)
            made.setProperty("kind", "pill")
            made.clicked.connect(partial(self.items_requested.emit, ItemQuery(ids=ids)))
            self.groups.addWidget(made)
        self.groups.addStretch()

    def _show_tables(self, sections: list[ReportSection]) -> None:
        _empty(self.tables)
        for section in sections:
            self.tables.addSpacing(12)
            self.tables.addWidget(caption(section.title))
            if section.rows:
                table = ReportTable(section)
                table.setMaximumWidth(max(WIDEST_PX, self.part.table_px if self.part else 0))
                self.tables.addWidget(table)
            if section.note:
                self.tables.addWidget(label(section.note, role="dim", wrap=True))

    def _on_read(self, result: tuple[OutcomePanel, Any]) -> None:
        self._is_reading = False
        if self._is_superseded:
            self.read()
            return
        part, found = result
        self.has_read = True
        part.show_read(found)

    def _on_reading_failed(self, _error: BaseException) -> None:
        self._is_reading = False
        if self._is_superseded:
            self.read()

    def _on_part_changed(self) -> None:
        part = self.part
        if part is None:
            return
        self.summary.setText(part.summary())
        self.main.setText(part.button_text())
        # Not ``setVisible(True)`` before the row has a parent: it would be a window of its own for a moment.
        self.main.setHidden(not part.button_text())
        reason = self._obstacle or part.obstacle()
        self.main.setEnabled(part.command() is not None and part.is_settled() and not reason)
        self.reason.setText(reason)
        self.reason.setVisible(bool(reason))
        if part.is_settled():
            # The old tables stay until the new ones are ready, to avoid flicker.
            self._show_groups(part.groups())
            self._show_tables(part.sections())

    def _on_bridge_changed(self, changes: Changes) -> None:
        if changes.kind == "undo" and self.part is not None and self.applied.text():
            self.applied.setText("")
            self._on_part_changed()
        if self.part is not None and self.isVisible() and any(map(changes.concerns, ("flag", "item"))):
            self.part.refresh()

    def _on_part_item_opened(self, item_id: str) -> None:
        self.items_requested.emit(ItemQuery(ids=(item_id,)))

    def _on_main_clicked(self) -> None:
        command = self.part.command() if self.part is not None else None
        if command is not None:
            # The previous result would look like that of the new command.
            self.applied.setText("")
            self.commanded.emit(command)


def _obstacle(row: RunRow) -> str:
    """Return why the outcome of a run cannot be applied yet, "" if it can."""
    if row.run.state not in UNFINISHED:
        return ""
    return tr(
        "The run is not over ({state}). Wait until it ends, or cancel it to use the answers so far.",
        state=run_text.condition_text(row.condition),
    )


def _empty(layout: QBoxLayout) -> None:
    while layout.count():
        # takeAt leaves the widget visible with its parent; it has to be deleted separately.
        taken = layout.takeAt(0)
        gone = taken.widget() if taken is not None else None
        if gone is not None:
            gone.deleteLater()


def _read(part: OutcomePanel, session: Session, progress: Progress) -> tuple[OutcomePanel, Any]:
    found = part.read(session, part.run, progress) if part.read is not None else None
    return part, found
