"""The tab with the plots of scores: bars, radar, correlation of tasks."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QPushButton, QScrollArea, QStackedWidget, QWidget

from annotator.scoring.score_report import ScoreReport
from annotator.scoring.table_text import write_content
from widgets import display_text
from widgets.action_registry import ActionRegistry
from widgets.answers.flow_layout import FlowLayout
from widgets.box_layout import column_layout, row_layout
from widgets.combo_box import ComboBox
from widgets.labels import label
from widgets.message_text import message_text
from widgets.project_controller import ProjectController
from widgets.scores.bar_plot import BarPlot
from widgets.scores.heat_map import CorrelationMap
from widgets.scores.plot_export import ENDINGS, plot_bytes
from widgets.scores.plot_view import series_colour
from widgets.scores.radar_plot import LEAST_AXES, RadarPlot
from widgets.scores.save_dialog import ask_file
from widgets.scores.score_grid import score_grid
from widgets.task import while_exists
from widgets.translation import mark as _
from widgets.translation import tr

PLOTS = {
    "bars": _("Bars with intervals"),
    "radar": _("Radar of tasks"),
    "correlation": _("Correlation of tasks over models"),
}
"""English titles of the plots."""
SWATCH_PX = 10
FILTERS = (_("Drawing (*.svg)"), _("Image (*.png)"), _("Numbers (*.csv)"))


class _Swatch(QWidget):
    """A square in the colour of a model."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self._number = number
        self.setFixedSize(QSize(SWATCH_PX, SWATCH_PX))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the square."""
        QPainter(self).fillRect(QRectF(self.rect()), series_colour(self._number))


class PlotsPane(QWidget):
    """Shows one plot at a time."""

    def __init__(self, *, registry: ActionRegistry, controller: ProjectController) -> None:
        super().__init__()
        self._registry, self._controller = registry, controller
        self.report: ScoreReport | None = None
        self.box = ComboBox()
        for title in PLOTS.values():
            self.box.addItem(tr(title))
        self.bars, self.radar, self.correlation = BarPlot(), RadarPlot(), CorrelationMap()
        self.note = label(role="dim", wrap=True)
        self._stack = QStackedWidget()
        self._lay_out()
        self.box.currentIndexChanged.connect(self._on_box_changed)
        self.correlation.pair_pointed.connect(self.note.setText)
        self.setFocusProxy(self.box)
        registry.connect_owner("score_plots", self)

    @property
    def plot(self) -> str:
        """Name of the plot that is shown."""
        return list(PLOTS)[self.box.currentIndex()]

    def show_report(self, report: ScoreReport) -> None:
        """Show the scores of a report."""
        self.report = report
        grid = score_grid(report, grouping="tasks", measure="score")
        self.bars.show_grid(grid)
        self.radar.show_grid(grid)
        tasks = report.correlation.tasks
        shared = display_text.tasks_of_same_title(tasks)
        titles = [display_text.task_label(task, shared=shared) for task in tasks]
        self.correlation.show_correlation(
            report.correlation, names=[f"{at}  {title}" for at, title in enumerate(titles, start=1)]
        )
        self._show_legend(report)
        self._show_note()

    def choose_next_plot(self) -> None:
        """Show the next plot, after the last one the first."""
        self.box.setCurrentIndex((self.box.currentIndex() + 1) % self.box.count())

    def ask_save(self) -> None:
        """Ask for the file in which the plot or its numbers are saved; its ending decides which."""
        ask_file(self, title=tr("Save plot"), filters=[tr(title) for title in FILTERS], call=self.save)

    def save(self, file: str) -> None:
        """Save the plot that is shown."""
        if self.report is None:
            return
        path = Path(file)
        content = plot_bytes(self.report, self.plot, ENDINGS.get(path.suffix.lower(), "svg"))
        work = self._controller.run_task(partial(write_content, path, content), title=tr("Saving plot"))
        work.finished.connect(while_exists(self, partial(self._on_saved, path)))

    def _on_saved(self, path: Path, _result: object) -> None:
        self.note.setText(tr("The plot is saved in {file}.", file=path))

    def _lay_out(self) -> None:
        action = self._registry.action("scores.next_plot")
        self.box.setAccessibleName(action.text())
        row = row_layout(spacing_px=8)
        row.addWidget(label(self._registry.key("scores.next_plot"), role="label"))
        row.addWidget(self.box)
        save = self._registry.action("scores.save")
        self.save_button = QPushButton(f"{save.text()}  {self._registry.key('scores.save')}".strip())
        self.save_button.clicked.connect(partial(self._registry.run, "scores.save"))
        row.addWidget(self.save_button)
        row.addStretch(1)
        self._legend = QWidget()
        self._entries = FlowLayout()
        self._legend.setLayout(self._entries)
        for plot in (self.bars, self.radar, self.correlation):
            area = QScrollArea()
            area.setWidgetResizable(True)
            inner = QWidget()
            column = column_layout(inner, margins_px=0)
            column.addWidget(plot)
            column.addStretch(1)
            area.setWidget(inner)
            self._stack.addWidget(area)
        column = column_layout(self, margins_px=0, spacing_px=8)
        column.addLayout(row)
        column.addWidget(self._legend)
        column.addWidget(self._stack, 1)
        column.addWidget(self.note)

    def _show_legend(self, report: ScoreReport) -> None:
        while (entry := self._entries.takeAt(0)) is not None:
            if (part := entry.widget()) is not None:
                part.deleteLater()
        for number, model in enumerate(report.models):
            made = QWidget()
            row = row_layout(made, margins_px=(0, 0, 8, 0))
            row.addWidget(_Swatch(number))
            row.addWidget(label(model.name, role="label"))
            self._entries.addWidget(made)

    def _show_note(self) -> None:
        if self.report is None:
            return
        self._legend.setVisible(self.plot != "correlation")
        correlation = self.report.correlation
        few_axes = tr("A radar plot needs at least {n} tasks.", n=LEAST_AXES)
        notes = {
            "bars": tr("Mean score in percent with its 95 % interval."),
            "radar": few_axes if len(self.radar.axes) < LEAST_AXES else tr("Mean score in percent."),
            "correlation": message_text(correlation.reason)
            or tr("Pearson's coefficient over the models. Point at a cell for its interval."),
        }
        self.note.setText(notes[self.plot])

    def _on_box_changed(self, at: int) -> None:
        self._stack.setCurrentIndex(at)
        self._show_note()
