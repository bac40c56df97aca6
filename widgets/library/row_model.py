"""The model of a Library list: rows of one kind of record in the columns of that kind."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QModelIndex, QObject, Qt

from annotator.queries.reader import Reader
from annotator.session import Session
from widgets.bridge import Bridge
from widgets.library.record_types import Numbers, RecordTypeView, Row
from widgets.paged_model import NO_ROWS, Index, PagedModel
from widgets.translation import tr

__all__ = ["NO_ROWS", "Index", "RowModel", "RowRole"]

RowRole = Qt.ItemDataRole.UserRole


class RowModel(PagedModel):
    """Rows of a query result.

    Attributes:
        unread: Ids of the records with unread comments.
    """

    def __init__(
        self, kind: RecordTypeView, *, session: Session, bridge: Bridge, parent: QObject | None = None
    ) -> None:
        super().__init__(read=partial(_read_rows, kind), session=session, bridge=bridge, parent=parent)
        self.kind = kind
        self.unread: frozenset[str] = frozenset()

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """Return the number of columns of the kind."""
        return 0 if parent.isValid() else len(self.kind.columns)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """Return a column's heading, over numbers on their side."""
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return tr(self.kind.columns[section].title)
        if role == Qt.ItemDataRole.TextAlignmentRole and self.kind.columns[section].style in {
            "number",
            "share",
        }:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return the text of a cell, or the whole row for ``RowRole``; None until it is loaded."""
        row = self.row(index.row())
        if role == RowRole or row is None:
            return row if role == RowRole else None
        if role in {Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole}:
            return self.kind.columns[index.column()].text(row)
        return None

    def row(self, at: int) -> Row | None:
        """Return a row by its position; None while it is not loaded, which also requests its page."""
        found: Row | None = super().row(at)
        return found


def _read_rows(kind: RecordTypeView, reader: Reader, numbers: Numbers) -> dict[int, Row]:
    return {row.n: row for row in kind.rows(reader, numbers)}
