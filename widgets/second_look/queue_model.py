"""The items that wait in a second look: the rows of the queue, and how their cells are painted."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QObject, QRect, QRectF, Qt
from PySide6.QtGui import QPainter

from annotator.domain.rows import QueuedItem
from annotator.queries.reader import Reader
from annotator.session import Session
from widgets import display_text, icons, theme
from widgets.bridge import Bridge
from widgets.column_table import CellContent, CellDelegate, ColumnModelMixin, TableColumn
from widgets.paged_model import Index, Numbers, PagedModel
from widgets.translation import mark as _

MARK_PX, NAME_PX, NAMED_FROM_PX = 20, 104, 200


COLUMNS = (
    TableColumn(title=_("Task")),
    TableColumn(title=_("Name"), width_px=NAME_PX, hidden_below_px=NAMED_FROM_PX),
)


class QueueModel(ColumnModelMixin, PagedModel):
    """The items of the queue; those that were answered since it was opened stay in their places.

    Attributes:
        waiting: Row numbers of the items that still wait.
    """

    columns = COLUMNS

    def __init__(self, *, session: Session, bridge: Bridge, parent: QObject) -> None:
        super().__init__(read=_read_rows, session=session, bridge=bridge, parent=parent)
        self.waiting: frozenset[int] = frozenset()

    def show_waiting(self, numbers: list[int], *, keeps_answered: bool) -> None:
        """Show the items that wait now.

        Args:
            numbers: Their row numbers.
            keeps_answered: Whether those that no longer wait stay in the list.
        """
        self.waiting = frozenset(numbers)
        shown = self.numbers.tolist() if keeps_answered else []
        known = set(shown)
        self.show_numbers(np.array([*shown, *(n for n in numbers if n not in known)], dtype=np.int64))

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return the task or the name of an item; None until it is loaded."""
        row = self.row(index.row())
        if not isinstance(row, QueuedItem) or role not in {
            Qt.ItemDataRole.DisplayRole,
            Qt.ItemDataRole.AccessibleTextRole,
        }:
            return None
        return row.name if index.column() else display_text.task_title(row.task, row.task_set)


class QueueCells(CellDelegate):
    """Paints an item; one that was answered has a check mark and is dim."""

    def cell(self, index: Index) -> CellContent | None:
        """Return the content of a cell, None while it is not loaded."""
        text = index.data()
        if text is None:
            return None
        token = "text" if _waits(index) else "text_dim"
        if index.column():
            return CellContent(text=text, token="text_dim", font="mono_small", gives_way_in_middle=True)
        return CellContent(text=text, token=token)

    def paint_before(self, painter: QPainter, room: QRect, index: Index) -> QRect:
        """Paint the check mark of an answered item."""
        if index.column():
            return room
        if not _waits(index):
            rect = QRectF(room.x(), room.center().y() - 7, 16, 16)
            icons.draw(painter, "check", rect=rect, ink=theme.current().color("good"))
        return room.adjusted(MARK_PX, 0, 0, 0)


def _waits(index: Index) -> bool:
    model = index.model()
    return isinstance(model, QueueModel) and int(model.numbers[index.row()]) in model.waiting


def _read_rows(reader: Reader, numbers: Numbers) -> dict[int, QueuedItem]:
    rows = reader.responses.queued_items(numbers.tolist())
    display_text.load_task_set_titles({row.task_set for row in rows}, project=reader.path)
    return {row.n: row for row in rows}
