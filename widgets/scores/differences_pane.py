"""The tab with the paired differences between models."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QWidget

from annotator.scoring.comparison_csv import differences_csv
from annotator.scoring.score_report import ScoreReport
from annotator.scoring.table_text import BYTE_ORDER_MARK, write_content
from widgets.box_layout import column_layout
from widgets.labels import label
from widgets.project_controller import ProjectController
from widgets.scores.difference_table import DifferenceTable, in_table_order
from widgets.scores.save_dialog import ask_file
from widgets.scores.score_grid import MEASURE_TITLES, Measure
from widgets.task import while_exists
from widgets.translation import tr


class DifferencesPane(QWidget):
    """Shows which models are told apart by the items that both have answered."""

    def __init__(self, *, controller: ProjectController) -> None:
        super().__init__()
        self._controller = controller
        self._report: ScoreReport | None = None
        self.measure: Measure = "score"
        self.table = DifferenceTable()
        self.note = label(role="dim", wrap=True)
        column = column_layout(self, margins_px=0, spacing_px=8)
        column.addWidget(self.note)
        column.addWidget(self.table, 1)
        self.setFocusProxy(self.table)

    def show_report(self, report: ScoreReport) -> None:
        """Show the differences of a report."""
        self._report = report
        self._show()

    def show_measure(self, measure: Measure) -> None:
        """Compare the mean scores, or the shares of right answers."""
        self.measure = measure
        self._show()

    def ask_save(self) -> None:
        """Ask for the file in which the differences are saved."""
        ask_file(self, title=tr("Save differences"), filters=[tr("CSV (*.csv)")], call=self.save)

    def save(self, file: str) -> None:
        """Save the differences of both measures as CSV."""
        if self._report is None:
            return
        path, content = Path(file), BYTE_ORDER_MARK + differences_csv(self._report.differences)
        work = self._controller.run_task(partial(write_content, path, content), title=tr("Saving table"))
        work.finished.connect(while_exists(self, partial(self._on_saved, path)))

    def _on_saved(self, path: Path, _result: object) -> None:
        self.note.setText(tr("The table is saved in {file}.", file=path))

    def _show(self) -> None:
        report = self._report
        if report is None:
            return
        self.table.show_differences(in_table_order(report.differences), self.measure)
        self.note.setText(_note(self.measure) if report.differences else tr("A difference needs two models."))


def _note(measure: Measure) -> str:
    return tr(
        "{measure}: model minus other model, in percentage points, over the items that count for both. "
        "A difference is not significant where its 95 % interval (bootstrap over the items) contains 0. "
        "Of 20 differences without a cause, about one is significant by chance.",
        measure=tr(MEASURE_TITLES[measure]),
    )
