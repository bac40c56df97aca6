"""The list of files of predictions with their models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, Qt
from PySide6.QtGui import QPaintEvent

from widgets.column_table import CellContent, CellDelegate, ColumnModelMixin, ColumnTable, TableColumn
from widgets.focus import paint_view_focus
from widgets.paged_model import Index
from widgets.translation import mark as _
from widgets.translation import tr

COLUMNS = (TableColumn(title=_("Model")), TableColumn(title=_("State"), width_px=112))
ROW_ROLE = Qt.ItemDataRole.UserRole


@dataclass(frozen=True, kw_only=True)
class FileRow:
    """One file.

    Attributes:
        name: Names of its models, or of the file.
        state: What is known about it, in one or two words.
        token: Colour of the state.
    """

    name: str
    state: str
    token: str = "text_dim"


class FileModel(ColumnModelMixin, QAbstractTableModel):
    """One row per file."""

    columns = COLUMNS

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.rows: tuple[FileRow, ...] = ()

    def show_rows(self, rows: Sequence[FileRow]) -> None:
        """Replace the rows."""
        self.beginResetModel()
        self.rows = tuple(rows)
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """Return the number of files."""
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return the text of a cell."""
        row = self.rows[index.row()]
        if role == ROW_ROLE:
            return row
        if role in {Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole}:
            return (row.name, row.state)[index.column()]
        return None


class FileCells(CellDelegate):
    """Paints a file; the state has a colour beside its word."""

    def cell(self, index: Index) -> CellContent:
        """Return the content of a cell."""
        row: FileRow = index.data(ROW_ROLE)
        if index.column():
            return CellContent(text=row.state, token=row.token)
        return CellContent(text=row.name, gives_way_in_middle=True)


class FileTable(ColumnTable):
    """Shows the files of predictions."""

    def __init__(self) -> None:
        self.files = FileModel()
        super().__init__(self.files, columns=COLUMNS, painter=FileCells(), name=tr("Predictions"))
        self.files.setParent(self)

    def show_rows(self, rows: Sequence[FileRow]) -> None:
        """Show files; the current row stays current."""
        before = self.currentIndex().row()
        self.files.show_rows(rows)
        self.choose_row(min(max(before, 0), len(rows) - 1))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the table, and the frame of the keyboard."""
        super().paintEvent(event)
        paint_view_focus(self)
