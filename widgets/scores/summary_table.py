"""A table whose cells are finished texts."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, Qt
from PySide6.QtGui import QPaintEvent

from widgets.column_table import CellContent, CellDelegate, ColumnModelMixin, ColumnTable, TableColumn
from widgets.focus import paint_view_focus
from widgets.paged_model import Index

SummaryRow = tuple[str, ...]
"""The texts of one row, one per column."""


class SummaryModel(ColumnModelMixin, QAbstractTableModel):
    """Rows of texts.

    Attributes:
        columns: What the texts of a row are.
        rows: The texts.
    """

    def __init__(self, columns: tuple[TableColumn, ...], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.columns = columns
        self.rows: list[SummaryRow] = []

    def show_rows(self, rows: Sequence[SummaryRow]) -> None:
        """Replace the rows."""
        self.beginResetModel()
        self.rows = list(rows)
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """Return the number of rows."""
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return the text of a cell."""
        if role in {Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole}:
            return self.rows[index.row()][index.column()]
        return None


class SummaryCells(CellDelegate):
    """Paints texts and numbers.

    Args:
        columns: Those of the table.
        identifiers: Number of the column with names of records, None for no such column.
    """

    def __init__(self, columns: tuple[TableColumn, ...], *, identifiers: int | None) -> None:
        super().__init__()
        self._columns, self._identifiers = columns, identifiers

    def cell(self, index: Index) -> CellContent:
        """Return the content of a cell."""
        is_identifier = index.column() == self._identifiers
        return CellContent(
            text=str(index.data()),
            font="mono" if is_identifier else "body",
            is_number=self._columns[index.column()].is_number,
            gives_way_in_middle=is_identifier,
        )


class SummaryTable(ColumnTable):
    """Shows rows of texts.

    Attributes:
        texts: The rows.
    """

    def __init__(
        self, columns: tuple[TableColumn, ...], *, name: str, identifiers: int | None = None
    ) -> None:
        """Create the table without rows.

        Args:
            columns: What the texts of a row are.
            name: Title for screen readers.
            identifiers: Number of the column with names of records, which are shortened in the middle.
        """
        self.texts = SummaryModel(columns)
        painter = SummaryCells(columns, identifiers=identifiers)
        super().__init__(self.texts, columns=columns, painter=painter, name=name)
        self.texts.setParent(self)

    def show_rows(self, rows: Sequence[SummaryRow]) -> None:
        """Show rows, the first one current."""
        self.texts.show_rows(rows)
        self.choose_row(0 if rows else -1)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the table, and the frame of the keyboard."""
        super().paintEvent(event)
        paint_view_focus(self)
