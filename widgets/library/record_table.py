"""The table of a list: rows of fixed height over a model of any size."""

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

from widgets.library.record_types import Numbers
from widgets.library.row_model import RowModel
from widgets.library.row_painter import RowDelegate
from widgets.list_columns import ListColumns
from widgets.plain_table import ReadOnlyTable
from widgets.settings import Settings
from widgets.translation import tr

MOST_RANGES = 500
"""Maximum number of ranges of a restored selection; Qt takes a second for 100,000."""


# A QTableView: QListView and QTreeView lay out every row, which takes 2.5 s and 1.3 s for a million;
# QTableView takes 2 ms.
class RecordTable(ReadOnlyTable):
    """Shows a ``RowModel`` in columns that the user can select, resize and sort by.

    Signals:
        chosen: Emitted when the current row changes; carries its place, -1 for none.
        selection_changed: Emitted when the selection changes.
        typed: Emitted when a letter is typed; carries it, for the search box.
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
        self.columns = ListColumns(self, model.kind.columns, name=model.kind.id, settings=settings)
        self.horizontalHeader().customContextMenuRequested.connect(self._on_header_menu_requested)
        model.rows_arrived.connect(self._on_rows_arrived)
        self.selectionModel().currentRowChanged.connect(self._on_current_row_changed)
        self.selectionModel().selectionChanged.connect(self._on_selection_changed)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Pass letters to the search box and all other keys to the table."""
        text = event.text()
        modifiers = (
            event.modifiers() & ~Qt.KeyboardModifier.ShiftModifier & ~Qt.KeyboardModifier.KeypadModifier
        )
        if text.strip() and text.isprintable() and modifiers == Qt.KeyboardModifier.NoModifier:
            self.typed.emit(text)
            return
        super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Hide columns that do not fit."""
        self.columns.arrange(event.size().width())
        super().resizeEvent(event)
        # Rows that are not loaded have no content to measure: their arrival fits the columns.
        has_rows = self._model.rowCount() > 0
        self._is_fitted = self._is_fitted and has_rows and self._model.row(max(0, self.rowAt(0))) is not None
        if self._is_fitted:
            self.columns.fit()

    def current_position(self) -> int:
        """Return the position of the current row, -1 for none."""
        return self.currentIndex().row()

    def selected_numbers(self) -> Numbers:
        """Return the selected row numbers, int64 (n,), ascending."""
        # By ranges: one index object per row takes seconds for a million selected rows.
        spans = [self._model.numbers[span.top() : span.bottom() + 1] for span in self._spans()]
        return np.unique(np.concatenate(spans)) if spans else self._model.numbers[:0]

    def selected_count(self) -> int:
        """Return the number of selected rows."""
        return sum(span.height() for span in self._spans())

    def select_numbers(self, numbers: Numbers, *, current: int | None = None) -> None:
        """Select the rows with these numbers; numbers that are not in the list are ignored.

        Args:
            numbers: Row numbers, int64 (n,), ascending.
            current: Number of the row to make current, None for the first selected one.
        """
        indices = np.flatnonzero(np.isin(self._model.numbers, numbers))
        selection = self._ranges(indices)
        at = self._model.index_of(current) if current is not None else -1
        if at < 0 and len(indices):
            at = int(indices[0])
        flags = QItemSelectionModel.SelectionFlag
        if at >= 0:
            # NoUpdate: otherwise setting the current row would change the selection a second time.
            self.selectionModel().setCurrentIndex(self._model.index(at, 0), flags.NoUpdate)
        self.selectionModel().select(selection, flags.ClearAndSelect)

    def choose_row(self, row: int) -> None:
        """Make a row current and select it."""
        if 0 <= row < self._model.rowCount():
            # Not selectRow, which applies the keyboard modifiers that are held down at this moment.
            flags = QItemSelectionModel.SelectionFlag
            index = self._model.index(row, 0)
            self.selectionModel().setCurrentIndex(index, flags.ClearAndSelect | flags.Rows)
            self.scrollTo(self._model.index(row, 0))

    def _ranges(self, indices: Numbers) -> QItemSelection:
        """Merge rows into ranges; only the first is returned if there are more than ``MOST_RANGES``."""
        selection = QItemSelection()
        last = self._model.columnCount() - 1
        runs = np.split(indices, np.flatnonzero(np.diff(indices) > 1) + 1)
        for run in runs[: MOST_RANGES if len(runs) <= MOST_RANGES else 1]:
            if len(run):
                selection.select(self._model.index(int(run[0]), 0), self._model.index(int(run[-1]), last))
        return selection

    def _spans(self) -> list[QItemSelectionRange]:
        selection = self.selectionModel().selection()
        return [selection.at(index) for index in range(selection.count())]

    def open_column_menu(self, view: QWidget) -> None:
        """Open the menu of columns and sort orders at the top of the visible view.

        Args:
            view: This table or the grid.
        """
        self.columns.menu(view).popup(view.mapToGlobal(QPoint(0, self.horizontalHeader().height())))

    def _on_header_menu_requested(self, at: QPoint) -> None:
        self.columns.menu(self).popup(self.horizontalHeader().mapToGlobal(at))

    def _on_rows_arrived(self) -> None:
        # Only once: columns that change their width while the user reads are worse than an elided text.
        if not self._is_fitted and self.isVisible() and self._model.row(0) is not None:
            self._is_fitted = True
            self.columns.fit()

    def _on_current_row_changed(self, current: QModelIndex, _before: QModelIndex) -> None:
        self.chosen.emit(current.row())

    def _on_selection_changed(self, _now: QItemSelection, _before: QItemSelection) -> None:
        self.selection_changed.emit()
