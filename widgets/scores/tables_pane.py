"""The tab with the table of scores: grouping, measure and direction."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import cast

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPushButton, QWidget

from annotator.scoring.score_report import ScoreReport
from annotator.scoring.table_text import TextForm, write_table
from widgets.action_registry import ActionRegistry
from widgets.box_layout import column_layout, row_layout
from widgets.combo_box import ComboBox
from widgets.labels import label
from widgets.message_text import message_text
from widgets.project_controller import ProjectController
from widgets.scores.save_dialog import ask_file
from widgets.scores.score_grid import GROUPINGS, MEASURE_TITLES, Grouping, Measure, score_grid
from widgets.scores.score_table import ScoreTable
from widgets.scores.table_export import ENDINGS, scores_text
from widgets.settings import Settings
from widgets.task import while_exists
from widgets.translation import mark as _
from widgets.translation import tr

FILTERS = (_("Markdown (*.md)"), _("LaTeX (*.tex)"), _("CSV (*.csv)"))


class ScoreTablesPane(QWidget):
    """Shows the scores of a report in one grouping.

    Attributes:
        report: The report, None for none.
        grouping: What the columns are.
        measure: The mean score, or the share of right answers.
        is_turned: Whether the models are the columns.

    Signals:
        measure_chosen: Another measure is shown; carries it.
    """

    measure_chosen = Signal(str)

    def __init__(
        self, *, registry: ActionRegistry, settings: Settings, controller: ProjectController
    ) -> None:
        super().__init__()
        self._settings, self._registry, self._controller = settings, registry, controller
        self.report: ScoreReport | None = None
        self.grouping: Grouping = "tasks"
        self.measure: Measure = "score"
        self.is_turned = settings.switch("scores/turned", False)
        self.table = ScoreTable()
        self.grouping_box, self.measure_box = ComboBox(), ComboBox()
        for title in GROUPINGS.values():
            self.grouping_box.addItem(tr(title))
        self.measure_box.addItems([tr(title) for title in MEASURE_TITLES.values()])
        self.note = label(role="dim", wrap=True)
        self._lay_out()
        self.grouping_box.activated.connect(self._on_grouping_activated)
        self.measure_box.activated.connect(self._on_measure_activated)
        self.setFocusProxy(self.table)
        registry.connect_owner("score_tables", self)

    def show_report(self, report: ScoreReport) -> None:
        """Show the scores of a report."""
        self.report = report
        self._show()

    def choose_next_grouping(self) -> None:
        """Show the next grouping, after the last one the first."""
        names = list(GROUPINGS)
        self._choose(names[(names.index(self.grouping) + 1) % len(names)])

    def toggle_measure(self) -> None:
        """Show the mean score, or the share of right answers."""
        self._choose_measure("exact" if self.measure == "score" else "score")

    def turn(self) -> None:
        """Turn the table: models are rows or columns."""
        self.is_turned = not self.is_turned
        self._settings.keep("scores/turned", self.is_turned)
        self._show()

    def copy(self, form: str) -> None:
        """Copy the table as it is shown, as text in a form: ``markdown``, ``latex`` or ``csv``."""
        QGuiApplication.clipboard().setText(self.text(cast("TextForm", form)))
        self.note.setText(tr("The table is in the clipboard."))

    def ask_save(self) -> None:
        """Ask for the file in which the table is saved; its ending decides the form."""
        ask_file(self, title=tr("Save table"), filters=[tr(title) for title in FILTERS], call=self.save)

    def save(self, file: str) -> None:
        """Save the table as it is shown."""
        path = Path(file)
        form = ENDINGS.get(path.suffix.lower(), "markdown")
        call = partial(write_table, path, self.text(form), form)
        work = self._controller.run_task(call, title=tr("Saving table"))
        work.finished.connect(while_exists(self, partial(self._on_saved, path)))

    def text(self, form: TextForm) -> str:
        """Return the table as it is shown, as text; "" without scores."""
        if self.report is None:
            return ""
        return scores_text(
            self.report,
            form,
            grouping=self.grouping,
            measure=self.measure,
            is_turned=self.is_turned,
        )

    def _on_saved(self, path: Path, _result: object) -> None:
        self.note.setText(tr("The table is saved in {file}.", file=path))

    def _choose_measure(self, measure: Measure) -> None:
        self.measure = measure
        self._show()
        self.measure_chosen.emit(measure)

    def _choose(self, grouping: Grouping) -> None:
        self.grouping = grouping
        self._show()

    def _lay_out(self) -> None:
        row = row_layout(spacing_px=8)
        for action, box in (("scores.group", self.grouping_box), ("scores.measure", self.measure_box)):
            text, key = self._registry.action(action).text(), self._registry.key(action)
            box.setAccessibleName(text)
            box.setToolTip(f"{text}  {key}".strip())
            row.addWidget(label(key, role="label"))
            row.addWidget(box)
        text = f"{self._registry.action('scores.turn').text()}  {self._registry.key('scores.turn')}"
        self.turn_button = QPushButton(text.strip())
        self.turn_button.clicked.connect(partial(self._registry.run, "scores.turn"))
        row.addWidget(self.turn_button)
        self.save_button = QPushButton(
            f"{self._registry.action('scores.save').text()}  {self._registry.key('scores.save')}".strip()
        )
        self.save_button.clicked.connect(partial(self._registry.run, "scores.save"))
        row.addWidget(self.save_button)
        row.addStretch(1)
        column = column_layout(self, margins_px=0, spacing_px=8)
        column.addLayout(row)
        column.addWidget(self.table, 1)
        column.addWidget(self.note)

    def _show(self) -> None:
        self._show_note()
        self.measure_box.setEnabled(self.grouping != "papers")
        self.grouping_box.setCurrentIndex(list(GROUPINGS).index(self.grouping))
        self.measure_box.setCurrentIndex(int(self.measure == "exact"))
        if self.report is not None:
            grid = score_grid(self.report, grouping=self.grouping, measure=self.measure)
            self.table.show_grid(grid, is_turned=self.is_turned)

    def _show_note(self) -> None:
        lines = [tr("Beside each score: its 95 % interval, by bootstrap over the items.")]
        if self.report is not None and self.grouping == "papers":
            lines += [message_text(note) for table in self.report.papers for note in table.random_notes]
        self.note.setText("\n".join(lines))

    def _on_grouping_activated(self, at: int) -> None:
        self._choose(list(GROUPINGS)[at])

    def _on_measure_activated(self, at: int) -> None:
        self._choose_measure("exact" if at else "score")
