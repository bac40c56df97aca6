"""The list of scored predictions: item, model, answer, key, score and error class."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView

from annotator.queries.reader import Reader
from annotator.scoring.scored_row import ScoredRow
from annotator.scoring.scored_rows import ScoredRows
from annotator.session import Session
from widgets.bridge import Bridge
from widgets.column_table import CellContent, CellDelegate, ColumnModelMixin, ColumnTable, TableColumn
from widgets.paged_model import Index, Numbers, PagedModel
from widgets.scores.error_text import model_title, score_text, short_reply
from widgets.translation import mark as _
from widgets.translation import tr

ITEM, MODEL, ANSWER, KEY, SCORE, CLASS = range(6)
COLUMNS = (
    TableColumn(title=_("Item")),
    TableColumn(title=_("Model"), width_px=84, hidden_below_px=300),
    TableColumn(title=_("Reply"), width_px=76),
    TableColumn(title=_("Answer key"), width_px=84),
    TableColumn(title=_("Score"), width_px=52, is_number=True),
    TableColumn(title=_("Error class"), width_px=128, hidden_below_px=460),
)
ListedRow = tuple[ScoredRow, str]
"""A row, and the id of its error class."""


class ErrorRowModel(ColumnModelMixin, PagedModel):
    """Rows of a file of scored predictions."""

    columns = COLUMNS

    def __init__(self, *, session: Session, bridge: Bridge, parent: QObject) -> None:
        self.file: ScoredRows | None = None
        super().__init__(read=self._read_rows, session=session, bridge=bridge, parent=parent)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return the row for painting, and its text for screen readers."""
        row = self.row(index.row()) if index.isValid() else None
        if row is None:
            return None
        if role == Qt.ItemDataRole.UserRole:
            return row
        is_text = role == Qt.ItemDataRole.AccessibleTextRole
        return _cell(row, index.column(), title=str).text if is_text else None

    def _read_rows(self, _reader: Reader, numbers: Numbers) -> dict[int, ListedRow]:
        """Read rows; called on the reading thread."""
        file = self.file
        if file is None:
            return {}
        return {row.n: (row, file.label_of(row.n)) for row in file.rows(numbers)}


class ErrorRowDelegate(CellDelegate):
    """Paints a row.

    Args:
        title_of: Returns the title of an error class by its id.
    """

    def __init__(self, title_of: Callable[[str], str]) -> None:
        super().__init__()
        self._title_of = title_of

    def cell(self, index: Index) -> CellContent | None:
        """Return the content of a cell, None while it is not loaded."""
        row = index.data(Qt.ItemDataRole.UserRole)
        return _cell(row, index.column(), title=self._title_of) if row is not None else None


class ErrorTable(ColumnTable):
    """The list; the arrow keys go through it, and digits belong to its surroundings."""

    def __init__(self, model: ErrorRowModel, *, title_of: Callable[[str], str]) -> None:
        self._has_models = True
        painter = ErrorRowDelegate(title_of)
        super().__init__(model, columns=COLUMNS, painter=painter, name=tr("Predictions"))
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)

    def show_models(self, is_shown: bool) -> None:
        """Show or hide the column of the models, which all rows of one model have the same."""
        self._has_models = is_shown
        self.setColumnHidden(MODEL, not is_shown or self.width() < COLUMNS[MODEL].hidden_below_px)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Hide columns that do not fit."""
        super().resizeEvent(event)
        # The base class shows every column that fits.
        self.show_models(self._has_models)

    def current_position(self) -> int:
        """Return the position of the current row, -1 for none."""
        index = self.currentIndex()
        return index.row() if index.isValid() else -1

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Leave digits to the browser, where each stands for a class."""
        if event.text().isdigit():
            event.ignore()
        else:
            super().keyPressEvent(event)


def _cell(listed: ListedRow, column: int, *, title: Callable[[str], str]) -> CellContent:
    row, label = listed
    if column == ITEM:
        return CellContent(text=row.item, font="mono", gives_way_in_middle=True)
    if column == MODEL:
        return CellContent(text=model_title(row.model), token="text_dim", gives_way_in_middle=True)
    if column == ANSWER:
        token = "good" if row.exact else "text" if row.answer else "warn"
        return CellContent(text=short_reply(row), token=token)
    if column == KEY:
        return CellContent(text=row.key, token="text_dim")
    if column == SCORE:
        return CellContent(text=score_text(row.score), token="text_dim", is_number=True)
    return CellContent(text=title(label) if label else "", token="text_dim")
