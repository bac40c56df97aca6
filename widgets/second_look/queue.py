"""The left panel of the second look: the items that wait for an answer, and their number."""

from __future__ import annotations

from functools import partial
from itertools import chain
from typing import NamedTuple

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from annotator.domain.item import Item
from annotator.domain.response_queue import ResponseQueue, reference_queue, validation_queue
from annotator.queries.reader import Reader
from annotator.session import Session
from widgets.box_layout import column_layout
from widgets.bridge import Bridge
from widgets.column_table import ColumnTable
from widgets.labels import ElidedLabel, label
from widgets.record_reference import RecordReference
from widgets.second_look.queue_model import COLUMNS, QueueCells, QueueModel
from widgets.translation import mark as _
from widgets.translation import tr, trn

WIDTH_PX = 288
TITLES = {"validate": _("Validation"), "reference": _("Reference")}
"""Titles of the queues by the role of their assignments."""


class _Waiting(NamedTuple):
    """Row numbers of the items that wait by queue, and the number of assigned items that are not asked."""

    numbers: dict[ResponseQueue, list[int]]
    barred: int


class SecondLookQueue(QWidget):
    """Lists the items that wait for an answer of a person, and steps through them.

    Signals:
        chosen: Another item is current; carries its row number, -1 for none.
        found: The items that wait were read.
        queue_requested: Another queue of the person is to be shown; carries the ``ResponseQueue``.
    """

    chosen = Signal(int)
    found = Signal()
    queue_requested = Signal(object)

    def __init__(self, *, session: Session, bridge: Bridge) -> None:
        super().__init__()
        self.setObjectName("pane")
        self._session, self._bridge = session, bridge
        self.queue = validation_queue(session.actor.id)
        self.model = QueueModel(session=session, bridge=bridge, parent=self)
        self.table = ColumnTable(
            self.model, columns=COLUMNS, painter=QueueCells(self), name=tr("Items to answer")
        )
        self.table.horizontalHeader().hide()
        self.count, self.barred = ElidedLabel(role="label"), label(role="label", wrap=True)
        self._group = QButtonGroup(self)
        self.pills = {role: self._make_pill(role) for role in TITLES}
        self._lay_out()
        self.table.row_chosen.connect(self._on_row_chosen)
        self._show_counts({})
        self.barred.hide()

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
        index, numbers = self.table.currentIndex().row(), self.model.numbers
        return int(numbers[index]) if 0 <= index < len(numbers) else -1

    def following(self) -> int:
        """Return the row number of the next item that waits, after the last of the first; -1 for none."""
        index, numbers = self.table.currentIndex().row(), self.model.numbers
        after = map(int, chain(numbers[index + 1 :], numbers[: max(index, 0)]))
        return next((number for number in after if number in self.model.waiting), -1)

    def step(self, step: str) -> None:
        """Go to the next ("1") or previous ("-1") item."""
        index = self.table.currentIndex().row() + int(step)
        if 0 <= index < self.model.rowCount():
            self.table.choose_row(index)

    def go_to(self, number: int) -> None:
        """Make an item current, if it is in the list."""
        index = self.model.index_of(number)
        if index >= 0:
            self.table.choose_row(index)

    def show_item(self, record: RecordReference) -> None:
        """Make an item current, if it is in the list, also where its row is not loaded."""
        question = partial(_find_numbers, item=record.id, name=record.name)
        self._bridge.query(self._session, question, done=self._go_to_first, channel=(id(self), "item"))

    def is_settled(self) -> bool:
        """Return whether the items that wait are shown."""
        return not self._bridge.is_waiting((id(self), "waiting")) and self.model.is_settled()

    def leave(self) -> None:
        """Stop background work."""
        self.model.leave()

    def choose_role(self, role: str) -> None:
        """Request the queue of a role of this person."""
        queues = _queues_of(self._session.actor.id)
        self.queue_requested.emit(next(one for one in queues if one.role == role))

    def _lay_out(self) -> None:
        head, foot = QHBoxLayout(), QVBoxLayout()
        head.setContentsMargins(12, 12, 12, 8)
        head.setSpacing(4)
        for pill in self.pills.values():
            head.addWidget(pill)
        head.addStretch(1)
        foot.setContentsMargins(12, 4, 12, 8)
        foot.addWidget(self.count)
        foot.addWidget(self.barred)
        column = column_layout(self, margins_px=0, spacing_px=0)
        column.addLayout(head)
        column.addWidget(self.table, 1)
        column.addLayout(foot)

    def _make_pill(self, role: str) -> QPushButton:
        made = QPushButton(tr(TITLES[role]))
        made.setProperty("kind", "pill")
        made.setCheckable(True)
        made.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        made.clicked.connect(partial(self.choose_role, role))
        self._group.addButton(made)
        return made

    def _read(self, *, keeps_answered: bool, keeps_current: bool) -> None:
        question = partial(_read_waiting, queue=self.queue)
        done = partial(self._on_read, keeps_answered=keeps_answered, keeps_current=keeps_current)
        self._bridge.query(self._session, question, done=done, channel=(id(self), "waiting"))

    def _on_read(self, found: _Waiting, *, keeps_answered: bool, keeps_current: bool) -> None:
        numbers = found.numbers[self.queue]
        before = self.number() if keeps_current else -1
        self.model.show_waiting(numbers, keeps_answered=keeps_answered)
        self._show_counts({queue.role: len(some) for queue, some in found.numbers.items()})
        self._show_barred(found.barred)
        if self.number() < 0 or self.number() != before:
            index = max(self.model.index_of(before), 0) if before >= 0 else 0
            if self.model.rowCount():
                self.table.choose_row(index)
            else:
                self.chosen.emit(-1)
        self.found.emit()

    def _show_counts(self, counts: dict[str, int]) -> None:
        for role, pill in self.pills.items():
            pill.setText(f"{tr(TITLES[role])} {counts.get(role, 0):,}")
            pill.setChecked(role == self.queue.role)
        # Most people are not asked for the human reference.
        self.pills["reference"].setVisible(bool(counts.get("reference")) or self.queue.role == "reference")
        n = len(self.model.waiting)
        self.count.setText(trn("{n} item waits for your answer", "{n} items wait for your answer", n=n))

    def _show_barred(self, n: int) -> None:
        self.barred.setVisible(n > 0)
        self.barred.setText(
            trn(
                "{n} assigned item does not wait: you worked on it or saw its answer key",
                "{n} assigned items do not wait: you worked on them or saw their answer keys",
                n=n,
            )
        )

    def _go_to_first(self, numbers: list[int]) -> None:
        number = next((one for one in numbers if self.model.index_of(one) >= 0), None)
        if number is not None:
            self.go_to(number)

    def _on_row_chosen(self, _index: int) -> None:
        self.chosen.emit(self.number())


def _find_numbers(reader: Reader, *, item: str, name: str) -> list[int]:
    """Return the row numbers of an item by its id, or of those with a name, which imported ones can share."""
    ids = (item,) if item else [one.id for one in reader.find(Item, name=name)]
    numbers: list[int] = reader.gates.numbers_of_items(ids).tolist()
    return numbers


def _queues_of(person: str) -> tuple[ResponseQueue, ...]:
    return validation_queue(person), reference_queue(person)


def _read_waiting(reader: Reader, *, queue: ResponseQueue) -> _Waiting:
    queues = dict.fromkeys((queue, *_queues_of(queue.person)))
    return _Waiting(
        numbers={one: reader.responses.queued_numbers(one) for one in queues},
        barred=len(reader.responses.barred_numbers(queue)),
    )
