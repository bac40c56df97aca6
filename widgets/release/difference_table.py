"""The table of a difference between two releases: a row per change, and per item that is new or gone."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, Qt

from annotator.release_difference.difference import ReleaseDifference
from annotator.release_difference.difference_table import rows_of
from widgets import display_text
from widgets.column_table import CellContent, CellDelegate, ColumnModelMixin, ColumnTable, TableColumn
from widgets.field_titles import field_title
from widgets.labels import plain_tip
from widgets.message_text import message_text
from widgets.paged_model import Index
from widgets.release.difference_values import value_text
from widgets.translation import mark as _
from widgets.translation import tr

COLUMNS = (
    TableColumn(title=_("Difference"), width_px=92),
    TableColumn(title=_("Item"), width_px=190),
    TableColumn(title=_("Task"), width_px=150, hidden_below_px=820),
    TableColumn(title=_("Field"), width_px=120),
    TableColumn(title=_("Old")),
    TableColumn(title=_("New")),
)
KINDS = {"changed": _("Changed"), "removed": _("Removed"), "added": _("Added"), "setting": _("Setting")}
TOKENS = {"changed": "warn", "removed": "bad", "added": "good", "setting": "text_dim"}
OWN_TITLES = {
    "split": _("Split"),
    "subset": _("Subset"),
    "images": _("Images"),
    "files": _("Media files"),
    "export_format": _("Export format"),
    "selection": _("Selection"),
    "include_flagged": _("Items with open errors"),
    "pictures": _("Images"),
    "shares": _("Shares of the splits"),
    "seed": _("Seed of the splits"),
    "hidden": _("Hidden answer keys"),
    "waived": _("Waived gates"),
}
"""Titles of what is compared beside the fields of items."""
KEY_FIELDS = frozenset({"answer_key", "answer_format"})
ROW_ROLE = Qt.ItemDataRole.UserRole

DifferenceRow = tuple[str, ...]
"""Difference, task, item, field, old value, new value, reason."""


@dataclass(frozen=True, kw_only=True)
class ShownDifference:
    """A difference with its rows, which are made off the GUI thread: there may be very many.

    Attributes:
        difference: The difference.
        rows: One per change, and per item that is new or gone.
    """

    difference: ReleaseDifference
    rows: list[DifferenceRow]

    @classmethod
    def of(cls, difference: ReleaseDifference) -> ShownDifference:
        """Return a difference with its rows."""
        return cls(difference=difference, rows=list(rows_of(difference)))


class DifferenceModel(ColumnModelMixin, QAbstractTableModel):
    """One row per change."""

    columns = COLUMNS

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.rows: list[DifferenceRow] = []

    def show_rows(self, rows: list[DifferenceRow]) -> None:
        """Replace the rows."""
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """Return the number of changes."""
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return the text of a cell."""
        row = self.rows[index.row()]
        if role == ROW_ROLE:
            return row
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(cell_text(row, index.column()))
        if role not in {Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole}:
            return None
        return " ".join(cell_text(row, index.column()).split())


def cell_text(row: DifferenceRow, column: int) -> str:
    """Return the text of a column; an item that is new or gone has its reason in place of the old value."""
    kind, task, item, field, old, new, why = row
    if column == len(COLUMNS) - 2 and why:
        return message_text(why)
    texts = (
        tr(KINDS[kind]),
        item,
        display_text.task_label(task, shared=frozenset()) if task else "",
        tr(OWN_TITLES[field]) if field in OWN_TITLES else field_title(field),
        value_text(field, old),
        value_text(field, new),
    )
    return texts[column]


class DifferenceCells(CellDelegate):
    """Paints a change; those of answer keys stand out."""

    def cell(self, index: Index) -> CellContent:
        """Return the content of a cell."""
        row: DifferenceRow = index.data(ROW_ROLE)
        is_key = row[3] in KEY_FIELDS and index.column() >= COLUMNS.index(COLUMNS[3])
        token = TOKENS[row[0]] if index.column() == 0 else "text"
        return CellContent(
            text=str(index.data()),
            token=token,
            font="strong" if is_key else "body",
            # Long ids of one release begin alike.
            gives_way_in_middle=index.column() == COLUMNS.index(COLUMNS[1]),
        )


class DifferenceTable(ColumnTable):
    """The differences."""

    def __init__(self) -> None:
        self.differences = DifferenceModel()
        super().__init__(self.differences, columns=COLUMNS, painter=DifferenceCells(), name=tr("Differences"))
        self.differences.setParent(self)
