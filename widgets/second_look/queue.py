"""The left panel of the second look: the items that wait for an answer, and their number."""

from __future__ import annotations

from functools import partial
from itertools import chain

import numpy as np
from PySide6.QtCore import QObject, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QVBoxLayout, QWidget

from annotator.domain.response_queue import ResponseQueue
from annotator.domain.rows import QueuedItem
from annotator.session import Reader, Session
from widgets import display_text, icons, theme
from widgets.bridge import Bridge
from widgets.column_table import CellContent, CellDelegate, ColumnModelMixin, ColumnTable, TableColumn
from widgets.labels import ElidedLabel, label
from widgets.paged_model import Index, Numbers, PagedModel
from widgets.translation import mark as _
from widgets.translation import tr, trn

WIDTH_PX, MARK_PX, NAME_PX, NAMED_FROM_PX = 264, 20, 104, 200
SEARCHED = 6000
"""Rows of the list that are searched for a name."""
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
        return row.name if index.column() else display_text.task_word(row.task, row.task_set)


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
            place = QRectF(room.x(), room.center().y() - 7, 16, 16)
            icons.draw(painter, "check", rect=place, ink=theme.current().color("good"))
        return room.adjusted(MARK_PX, 0, 0, 0)


class SecondLookQueue(QWidget):
    """Lists the items that wait for an answer of a person, and steps through them.

    Signals:
        chosen: Another item is current; carries its row number, -1 for none.
        found: The items that wait were read.
    """

    chosen = Signal(int)
    found = Signal()

    def __init__(self, *, session: Session, bridge: Bridge) -> None:
        super().__init__()
        self.setObjectName("pane")
        self._session, self._bridge = session, bridge
        self._is_reading = False
        self.queue = ResponseQueue(person=session.actor.id)
        self.model = QueueModel(session=session, bridge=bridge, parent=self)
        self.table = ColumnTable(
            self.model, columns=COLUMNS, painter=QueueCells(self), name=tr("Items to answer")
        )
        self.table.horizontalHeader().hide()
        self.title, self.count = label(role="strong"), ElidedLabel(role="label")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for part, is_stretched in ((self.title, False), (self.table, True), (self.count, False)):
            if not is_stretched:
                part.setContentsMargins(12, 12, 12, 8)
            column.addWidget(part, int(is_stretched))
        self.table.row_chosen.connect(self._on_row_chosen)
        self._show_count()

    @property
    def is_empty(self) -> bool:
        """Whether the list has no items."""
        return not len(self.model.numbers)

    def open(self, queue: ResponseQueue) -> None:
        """Show the items that wait in a queue; the current item stays current if it is among them."""
        is_other, self.queue = queue != self.queue, queue
        self._read(keeps_answered=False, keeps_current=not is_other)

    def refresh(self) -> None:
        """Read which items wait now; those that were answered stay in the list."""
        self._read(keeps_answered=True, keeps_current=True)

    def number(self) -> int:
        """Return the row number of the current item, -1 for none."""
        place, numbers = self.table.currentIndex().row(), self.model.numbers
        return int(numbers[place]) if 0 <= place < len(numbers) else -1

    def following(self) -> int:
        """Return the row number of the next item that waits, after the last of the first; -1 for none."""
        place, numbers = self.table.currentIndex().row(), self.model.numbers
        after = map(int, chain(numbers[place + 1 :], numbers[: max(place, 0)]))
        return next((number for number in after if number in self.model.waiting), -1)

    def step(self, step: str) -> None:
        """Go to the next ("1") or previous ("-1") item."""
        place = self.table.currentIndex().row() + int(step)
        if 0 <= place < self.model.rowCount():
            self.table.choose_row(place)

    def go_to(self, number: int) -> None:
        """Make an item current, if it is in the list."""
        place = self.model.place_of(number)
        if place >= 0:
            self.table.choose_row(place)

    def show_item(self, name: str) -> None:
        """Make the item with a name current, if its row is loaded."""
        rows = (self.model.row(place) for place in range(min(self.model.rowCount(), SEARCHED)))
        found = next((row for row in rows if row is not None and row.name == name), None)
        if found is not None:
            self.go_to(found.n)

    def take_keyboard(self) -> None:
        """Set the keyboard focus to the list."""
        self.table.setFocus(Qt.FocusReason.OtherFocusReason)

    def is_settled(self) -> bool:
        """Return whether the items that wait are shown."""
        return not self._is_reading and self.model.is_settled()

    def leave(self) -> None:
        """Stop background work."""
        self.model.leave()

    def _read(self, *, keeps_answered: bool, keeps_current: bool) -> None:
        self._is_reading = True
        question = partial(_waiting_numbers, queue=self.queue)
        done = partial(self._on_read, keeps_answered=keeps_answered, keeps_current=keeps_current)
        self._bridge.query(self._session, question, done=done, channel=(id(self), "waiting"))

    def _on_read(self, numbers: list[int], *, keeps_answered: bool, keeps_current: bool) -> None:
        self._is_reading = False
        before = self.number() if keeps_current else -1
        self.model.show_waiting(numbers, keeps_answered=keeps_answered)
        self._show_count()
        if self.number() < 0 or self.number() != before:
            place = max(self.model.place_of(before), 0) if before >= 0 else 0
            if self.model.rowCount():
                self.table.choose_row(place)
            else:
                self.chosen.emit(-1)
        self.found.emit()

    def _show_count(self) -> None:
        self.title.setText(tr("Second look"))
        n = len(self.model.waiting)
        self.count.setText(trn("{n} item waits for your answer", "{n} items wait for your answer", n=n))

    def _on_row_chosen(self, _place: int) -> None:
        self.chosen.emit(self.number())


def _waits(index: Index) -> bool:
    model = index.model()
    return isinstance(model, QueueModel) and int(model.numbers[index.row()]) in model.waiting


def _read_rows(reader: Reader, numbers: Numbers) -> dict[int, QueuedItem]:
    rows = reader.queued_items(numbers.tolist())
    display_text.load_task_set_titles({row.task_set for row in rows}, project=reader.path)
    return {row.n: row for row in rows}


def _waiting_numbers(reader: Reader, *, queue: ResponseQueue) -> list[int]:
    return reader.queued_numbers(queue)
