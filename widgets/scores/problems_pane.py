"""The tab with what the scores do not contain: the list, and the current problem in full."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from annotator.scoring.score_report import PROBLEMS_SHOWN, ScoreReport
from widgets.box_layout import column_layout
from widgets.labels import label
from widgets.scores.problem_table import problem_count, problem_rows, problem_table
from widgets.translation import tr


class ProblemsPane(QWidget):
    """Shows the problems of a report."""

    def __init__(self) -> None:
        super().__init__()
        self.table = problem_table()
        self.note, self.detail = label(role="dim", wrap=True), label(wrap=True, selectable=True)
        column = column_layout(self, margins_px=0, spacing_px=8)
        column.addWidget(self.note)
        column.addWidget(self.table, 1)
        column.addWidget(self.detail)
        self.table.row_chosen.connect(self._on_table_row_chosen)
        self.setFocusProxy(self.table)

    def show_report(self, report: ScoreReport) -> None:
        """Show the problems of a report."""
        rows, count = problem_rows(report), problem_count(report)
        self.table.show_rows(rows)
        if not count:
            text = tr("Every prediction is scored.")
        elif count > len(rows):
            text = tr(
                "{n} problems; the first {most} of each kind and model are listed.",
                n=f"{count:,}",
                most=f"{PROBLEMS_SHOWN:,}",
            )
        else:
            text = ""
        self.note.setText(text)
        self.note.setVisible(bool(text))

    def _on_table_row_chosen(self, index: int) -> None:
        rows = self.table.texts.rows
        texts = rows[index] if 0 <= index < len(rows) else ()
        self.detail.setText(" · ".join(filter(None, texts)))
        self.detail.setVisible(bool(texts))
