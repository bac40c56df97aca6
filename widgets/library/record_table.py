"""The list on the screen: a table of fixed rows over a model of any size."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import (
    QItemSelection,
    QItemSelectionModel,
    QItemSelectionRange,
    QModelIndex,
    QPoint,
    Qt,
    Signal,
)
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QWidget

from widgets.library.record_columns import RecordColumns
from widgets.library.record_types import Numbers
from widgets.library.row_model import RowModel
from widgets.library.row_painter import RowDelegate
from widgets.plain_table import ReadOnlyTable
from widgets.settings import Settings
from widgets.translation import tr

MOST_RANGES = 500
"""Ranges of a selection that is kept through a change of the list; Qt takes a second for 100,000."""


# A table and not a list view: QListView and QTreeView lay out every row, 2.5 and 1.3 s for a million;
# QTableView takes 2 ms.
class RecordTable(ReadOnlyTable):
    """Shows a ``RowModel`` in columns that a person can choose, size and sort by.

    Signals:
        chosen: The row that the keyboard is at changed; carries its place, -1 for none.
        selection_changed: Other rows are selected.
        typed: A letter was typed, to be searched for.
    """

    chosen = Signal(int)
    selection_changed = Signal()
    typed = Signal(str)

    def __init__(self, model: RowModel, *, settings: Settings) -> None:
        super().__init__(model, name=tr(model.kind.title))
        self._model = model
        self._is_fitted = False
        self.setItemDelegate(RowDelegate(self))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.columns = RecordColumns(self, model.kind, settings=settings)
        self.horizontalHeader().customContextMenuRequested.connect(self._on_header_menu_requested)
        model.rows_arrived.connect(self._on_rows_arrived)
        self.selectionModel().currentRowChanged.connect(self._on_current_row_changed)
        self.selectionModel().selectionChanged.connect(self._on_selection_changed)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Hand letters to the search box; leave the rest to the table."""
        text = event.text()
        modifiers = (
            event.modifiers() & ~Qt.KeyboardModifier.ShiftModifier & ~Qt.KeyboardModifier.KeypadModifier
        )
        if text.strip() and text.isprintable() and modifiers == Qt.KeyboardModifier.NoModifier:
            self.typed.emit(text)
            return
        super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Hide what there is no room for."""
        self.columns.arrange(event.size().width())
        super().resizeEvent(event)
        if self._is_fitted:
            self.columns.fit()

    def place(self) -> int:
        """Return the place of the row that the keyboard is at, -1 for none."""
        return self.currentIndex().row()

    def selected_numbers(self) -> Numbers:
        """Return the row numbers selected, int64 (n,), rising."""
        # Whole ranges at once: with an index per row, a million selected rows take seconds.
        spans = [self._model.numbers[span.top() : span.bottom() + 1] for span in self._spans()]
        return np.unique(np.concatenate(spans)) if spans else self._model.numbers[:0]

    def selected_count(self) -> int:
        """Return how many rows are selected."""
        return sum(span.height() for span in self._spans())

    def select_numbers(self, numbers: Numbers, *, current: int | None = None) -> None:
        """Select the rows with these numbers as far as they are in the list.

        Args:
            numbers: Row numbers, int64 (n,), rising.
            current: Number of the row that the keyboard shall be at, None for the first selected.
        """
        places = np.flatnonzero(np.isin(self._model.numbers, numbers))
        selection = self._ranges(places)
        at = self._model.place_of(current) if current is not None else -1
        if at < 0 and len(places):
            at = int(places[0])
        flags = QItemSelectionModel.SelectionFlag
        if at >= 0:
            self.selectionModel().setCurrentIndex(self._model.index(at, 0), flags.NoUpdate)
        self.selectionModel().select(selection, flags.ClearAndSelect)

    def choose_row(self, place: int) -> None:
        """Make a row current and select it."""
        if 0 <= place < self._model.rowCount():
            # Not selectRow: it would ask for the keys that are held down right now.
            flags = QItemSelectionModel.SelectionFlag
            index = self._model.index(place, 0)
            self.selectionModel().setCurrentIndex(index, flags.ClearAndSelect | flags.Rows)
            self.scrollTo(self._model.index(place, 0))

    def _ranges(self, places: Numbers) -> QItemSelection:
        """Return rows as ranges; only the first of them where they lie too scattered."""
        selection = QItemSelection()
        last = self._model.columnCount() - 1
        runs = np.split(places, np.flatnonzero(np.diff(places) > 1) + 1)
        for run in runs[: MOST_RANGES if len(runs) <= MOST_RANGES else 1]:
            if len(run):
                selection.select(self._model.index(int(run[0]), 0), self._model.index(int(run[-1]), last))
        return selection

    def _spans(self) -> list[QItemSelectionRange]:
        selection = self.selectionModel().selection()
        return [selection.at(place) for place in range(selection.count())]

    def open_column_menu(self, view: QWidget) -> None:
        """Open the menu of the columns and the order at the top of what shows the list.

        Args:
            view: This table, or the grid in its place.
        """
        self.columns.menu(view).popup(view.mapToGlobal(QPoint(0, self.horizontalHeader().height())))

    def _on_header_menu_requested(self, at: QPoint) -> None:
        self.columns.menu(self).popup(self.horizontalHeader().mapToGlobal(at))

    def _on_rows_arrived(self) -> None:
        # Once: widths that change while one reads are worse than a text that is cut.
        if not self._is_fitted and self.isVisible() and self._model.row(0) is not None:
            self._is_fitted = True
            self.columns.fit()

    def _on_current_row_changed(self, current: QModelIndex, _before: QModelIndex) -> None:
        self.chosen.emit(current.row())

    def _on_selection_changed(self, _now: QItemSelection, _before: QItemSelection) -> None:
        self.selection_changed.emit()
