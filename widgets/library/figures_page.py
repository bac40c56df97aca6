"""The page of statistics: distributions as plots that lead to the items behind a bar, and their export."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QFileDialog, QPushButton

from annotator.progress import Progress
from annotator.release.dataset_figures import DatasetFigure, dataset_figures, write_figures
from annotator.session import Session
from widgets import display_text
from widgets.bridge import Bridge
from widgets.combo_box import ComboBox
from widgets.labels import label
from widgets.library.figure_plot import FigurePlot
from widgets.library.library_page import LibraryPage
from widgets.project_controller import ProjectController
from widgets.translation import mark, tr, trn

TITLES = {
    "issue_classes": mark("Issue classes"),
    "items": mark("Items per task"),
    "frames": mark("Frames per item"),
    "path": mark("Path length per item"),
    "words": mark("Words per question"),
    "question_words": mark("Words of questions"),
    "option_words": mark("Words of options"),
    "answers": mark("Answers"),
    "regions": mark("Regions per image"),
}
"""English titles of figures by their subject."""
CHOOSER_PX = 360


class FiguresPage(LibraryPage):
    """Shows one distribution at a time.

    Signals:
        query_chosen: Emitted when a bar is clicked; carries the ``ItemQuery``.
    """

    query_chosen = Signal(object)

    def __init__(self, *, session: Session, bridge: Bridge, controller: ProjectController) -> None:
        """Create the page.

        Args:
            session: The project.
            bridge: Delivers results of other threads to the GUI thread.
            controller: Counts the items on another thread, as a task that can be cancelled.
        """
        super().__init__(title=tr("Statistics"), session=session, bridge=bridge)
        self._controller = controller
        self.figures: list[DatasetFigure] = []
        self.is_reading = False
        self._folder, self._unwritten = Path(), list[str]()
        self.chooser = ComboBox()
        self.chooser.setAccessibleName(tr("Distribution"))
        self.chooser.setMinimumWidth(CHOOSER_PX)
        self.chooser.currentIndexChanged.connect(self._on_chooser_changed)
        self.export = QPushButton(tr("Export figures…"))
        self.export.setToolTip(tr("Writes each distribution as SVG, PNG and CSV into a folder"))
        self.export.clicked.connect(self._on_export_clicked)
        self.buttons.addWidget(self.export)
        self.hint = label(role="dim", wrap=True)
        self.plot = FigurePlot()
        self.plot.bar_chosen.connect(self._on_plot_bar_chosen)
        self.column.setSpacing(8)
        self.column.addWidget(self.chooser, 0, Qt.AlignmentFlag.AlignLeft)
        self.column.addWidget(self.hint)
        self.column.addWidget(self.plot)
        self.column.addStretch(1)

    def refresh(self) -> None:
        """Count the items again; the figures stay until the new ones are there."""
        if self.is_reading:
            return
        self.is_reading = True
        self.hint.setText(tr("Counting items…"))
        work = self._controller.run_query(_read_figures, title=tr("Counting items"))
        work.finished.connect(self._on_work_finished)
        work.failed.connect(self._on_work_failed)

    def is_settled(self) -> bool:
        """Return whether the figures are read, and written if that was requested."""
        return not self.is_reading and not self._unwritten

    def choose(self, figure_id: str) -> None:
        """Show a figure by its id."""
        self.chooser.setCurrentIndex(next(n for n, each in enumerate(self.figures) if each.id == figure_id))

    def write_all(self, folder: Path) -> None:
        """Write every figure as SVG, PNG and CSV: the tables on another thread, one plot after the other."""
        self._folder, self._unwritten = folder, [figure.id for figure in self.figures]
        call = partial(write_figures, self.figures, folder)
        work = self._controller.run_task(call, title=tr("Exporting figures"))
        work.finished.connect(self._on_tables_written)
        work.failed.connect(self._on_export_failed)

    def _on_tables_written(self, _files: object) -> None:
        self._write_next(self.chooser.currentIndex())

    def _write_next(self, shown: int) -> None:
        if not self._unwritten:
            self.chooser.setCurrentIndex(shown)
            self.hint.setText(
                trn(
                    "{n} figure is written to {folder}",
                    "{n} figures are written to {folder}",
                    n=len(self.figures),
                    folder=self._folder,
                )
            )
            return
        name = self._unwritten.pop()
        self.choose(name)
        for ending in ("svg", "png"):
            self.plot.write(self._folder / f"{name}.{ending}")
        # One plot in each turn of the event loop: all of them would block the window.
        QTimer.singleShot(0, self, partial(self._write_next, shown))

    def _on_export_failed(self, _error: BaseException) -> None:
        # The window reports the failure.
        self._unwritten = []

    def _on_work_finished(self, figures: list[DatasetFigure]) -> None:
        self.is_reading = False
        chosen = self.figures[self.chooser.currentIndex()].id if self.figures else ""
        self.figures = figures
        # Each step of the refill would draw a plot.
        self.chooser.blockSignals(True)
        self.chooser.clear()
        self.chooser.addItems([_title(figure) for figure in figures])
        index = next((n for n, each in enumerate(figures) if each.id == chosen), 0)
        self.chooser.setCurrentIndex(index)
        self.chooser.blockSignals(False)
        for shown in (self.chooser, self.plot):
            shown.setVisible(bool(figures))
        self.export.setEnabled(bool(figures))
        if figures:
            self._on_chooser_changed(index)
        else:
            self.hint.setText(tr("There are no items yet. Import questions, or draft items."))

    def _on_work_failed(self, _error: BaseException) -> None:
        # The window reports the failure.
        self.is_reading = False
        self.hint.setText(tr("The items were not counted."))

    def _on_chooser_changed(self, index: int) -> None:
        if 0 <= index < len(self.figures):
            figure = self.figures[index]
            self.plot.show_figure(figure, names=_names(figure))
            leads = any(bar.query is not None for bar in figure.bars)
            self.hint.setText(tr("Click a bar to list its items.") if leads else "")

    def _on_plot_bar_chosen(self, index: int) -> None:
        query = self.figures[self.chooser.currentIndex()].bars[index].query
        if query is not None:
            self.query_chosen.emit(query)

    def _on_export_clicked(self) -> None:
        dialog = QFileDialog(self, tr("Folder for the figures"), str(self._session.path.parent))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.fileSelected.connect(self._on_folder_selected)
        # open(), not exec(): a nested event loop would allow commands while the dialog is open.
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _on_folder_selected(self, folder: str) -> None:
        self.write_all(Path(folder))


def _read_figures(session: Session, progress: Progress) -> list[DatasetFigure]:
    figures = dataset_figures(session.reader, progress=progress)
    task_sets = {
        bar.name.partition("/")[0] for figure in figures if figure.subject == "items" for bar in figure.bars
    }
    display_text.load_task_set_titles(task_sets, project=session.path)
    return figures


def _title(figure: DatasetFigure) -> str:
    title = tr(TITLES[figure.subject])
    return f"{title}: {_task(figure.task)}" if figure.task else title


def _names(figure: DatasetFigure) -> list[str]:
    names = [bar.name for bar in figure.bars]
    if figure.subject == "items":
        shared = display_text.tasks_of_same_title(names)
        return [display_text.task_label(name, shared=shared) for name in names]
    return (
        [display_text.issue_class_title(name) for name in names]
        if figure.subject == "issue_classes"
        else names
    )


def _task(task: str) -> str:
    task_set, _, name = task.partition("/")
    return display_text.task_title(name, task_set)
