"""Base class of the tables: single-line rows of fixed height, headings without a frame."""

from __future__ import annotations

from PySide6.QtCore import QAbstractTableModel, QItemSelectionModel, QModelIndex, Qt
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QTableView

from widgets import theme

LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
"""Alignment of texts and numbers; numbers are right-aligned."""


class ReadOnlyTable(QTableView):
    """A read-only table; subclasses define the column widths."""

    def __init__(self, model: QAbstractTableModel, *, name: str) -> None:
        """Create the table.

        Args:
            model: Its rows.
            name: Accessible name.
        """
        super().__init__()
        self.setModel(model)
        self.setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setWordWrap(False)
        # Tab leaves the table; the arrow keys move inside it.
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        rows, columns = self.verticalHeader(), self.horizontalHeader()
        rows.hide()
        # Fixed: otherwise Qt asks the delegate for the height of each row.
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setDefaultSectionSize(theme.ROW)
        columns.setDefaultAlignment(LEFT)
        columns.setHighlightSections(False)
        # A header asks for each column whether every row is selected, which takes seconds for 10^5 rows and
        # 8 s for 10^6. It gets a selection model of its own, which stays empty.
        columns.setSelectionModel(QItemSelectionModel(model, columns))
        columns.setFixedHeight(theme.ROW)

    def keyboardSearch(self, _text: str, /) -> None:
        """Disable the type-ahead search: letters are shortcuts of the surrounding place."""

    def moveCursor(
        self, action: QAbstractItemView.CursorAction, modifiers: Qt.KeyboardModifier
    ) -> QModelIndex:
        """Return the target of a cursor key: Home and End go to the first and last row, as in a list."""
        ends = {QAbstractItemView.CursorAction.MoveHome: 0}
        ends[QAbstractItemView.CursorAction.MoveEnd] = self.model().rowCount() - 1
        if action in ends:
            return self.model().index(ends[action], max(0, self.currentIndex().column()))
        return super().moveCursor(action, modifiers)
