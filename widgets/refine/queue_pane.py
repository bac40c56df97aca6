"""The left panel of Refine: filter chips, search, the queue and its counts."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import cast

import msgspec
from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QGridLayout,
    QHBoxLayout,
    QMenu,
    QPushButton,
    QToolButton,
    QWidget,
)

from annotator.domain.query import ItemQuery
from annotator.domain.rows import ItemRow
from annotator.queries.reader import Reader
from annotator.session import Session
from widgets import display_text, icons
from widgets.box_layout import column_layout
from widgets.bridge import Bridge
from widgets.labels import ElidedLabel
from widgets.library.facet_menu import make_facet_menu, task_of_facet
from widgets.library.queue_painter import QueueDelegate
from widgets.library.record_list import RecordList
from widgets.library.record_types import FoundRecords, toggled
from widgets.refine.queue_list import (
    CHIPS,
    UNFINISHED,
    QueueStart,
    chip_of,
    count_left,
    done_today,
    items_of_queue,
    with_chip,
)
from widgets.search_box import SearchBox
from widgets.settings import Settings
from widgets.translation import mark as _
from widgets.translation import tr

WIDTH_PX = 312
TITLES = {"todo": _("To do"), "mine": _("Mine"), "flagged": _("Flagged"), "all": _("All")}


class QueuePane(QWidget):
    """Lists the items to refine, and steps through them.

    Signals:
        chosen: Another item is current; carries its ``ItemRow``, or None.
        typed: A letter or digit was typed in the list; carries it.
    """

    chosen = Signal(object)
    typed = Signal(str)

    def __init__(self, *, session: Session, bridge: Bridge, settings: Settings, screen: QWidget) -> None:
        """Create the queue without items.

        Args:
            session: The project.
            bridge: Delivers results of other threads to the GUI thread.
            settings: Stores column widths.
            screen: The workspace: while it is hidden, updates are deferred.
        """
        super().__init__()
        self.setObjectName("pane")
        self._session, self._bridge = session, bridge
        # Another person gets another workspace.
        self.person = session.actor.id
        self._start: QueueStart | None = None
        kind = items_of_queue(session.actor.id)
        self.listing = RecordList(kind, session=session, bridge=bridge, settings=settings, screen=screen)
        self.table = self.listing.table
        self.table.setItemDelegate(QueueDelegate(self.table))
        self.table.horizontalHeader().hide()
        self.listing.facets.setParent(self)
        self.listing.facets.hide()
        self.search, self.count = SearchBox(), ElidedLabel(role="label")
        self._group = QButtonGroup(self)
        self.chips = {chip: self._make_chip(chip) for chip in CHIPS}
        self.filter = QToolButton()
        self.filter.setIcon(icons.icon("filter"))
        self.filter.setToolTip(tr("Filter by state and task"))
        self.filter.setAccessibleName(tr("Filter by state and task"))
        self._done = 0
        self._lay_out()
        self._connect()

    @property
    def query(self) -> ItemQuery:
        """The items of the queue."""
        return cast("ItemQuery", self.listing.query)

    def follow(self, start: QueueStart) -> None:
        """Show the list of the Library, at its current item, unless it is shown already.

        A person who has items left to refine begins with these, unless an item was chosen in the Library.
        """
        is_first, is_chosen = self._start is None, start.is_chosen
        start = replace(start, is_chosen=False)
        if start == self._start:
            return
        self._start = start
        self.listing.order = start.order
        if is_chosen or not is_first:
            self._find(start.query, number=start.number)
            return
        question = partial(count_left, query=start.query, person=self.person)
        done = partial(self._begin, start)
        self._bridge.query(self._session, question, done=done, channel=(id(self), "left"))

    def show_item(self, name: str) -> None:
        """Show the items with a name."""
        self._find(ItemQuery(text=name), number=None)

    def show_only(self, item: str) -> None:
        """List one item alone; the chip All shows the whole queue again."""
        self._find(ItemQuery(ids=(item,)), number=None)

    def show_beside(self, item: str) -> None:
        """List another item beside the current one; the chip All shows the whole queue again."""
        row = self.row()
        ids = tuple(filter(None, (row.id if row is not None else "", item)))
        self.listing.find(ItemQuery(ids=ids), row=len(ids) - 1)

    def number(self) -> int | None:
        """Return the row number of the current item, None for none."""
        row = self.row()
        return row.n if row is not None else None

    def hand_over(self) -> int | None:
        """Return the row number of the current item for the Library, and expect to come back to it."""
        number = self.number()
        if self._start is not None and number is not None:
            self._start = QueueStart(query=self._start.query, order=self._start.order, number=number)
        return number

    def row(self) -> ItemRow | None:
        """Return the current row, None if there is none or it is not loaded."""
        row = self.listing.current_row()
        return row if isinstance(row, ItemRow) else None

    def next_row(self) -> ItemRow | None:
        """Return the row after the current one, None if there is none or it is not loaded."""
        index = self.table.current_position() + 1
        row = self.listing.model.row(index) if index < self.listing.model.rowCount() else None
        return row if isinstance(row, ItemRow) else None

    def next_number(self) -> int | None:
        """Return the row number of the item after the current one, None if there is none."""
        index, numbers = self.table.current_position() + 1, self.listing.model.numbers
        return int(numbers[index]) if 0 < index < len(numbers) else None

    def go_to(self, number: int | None) -> None:
        """Make an item current, if it is in the list; nothing for None."""
        if number is not None:
            self.table.choose_row(self.listing.model.index_of(number))

    def step(self, step: str) -> bool:
        """Go to the next ("1") or previous ("-1") item; return whether there is one."""
        index = self.table.current_position() + int(step)
        is_there = 0 <= index < self.listing.model.rowCount()
        if is_there:
            self.table.choose_row(index)
        return is_there

    def step_unfinished(self) -> None:
        """Go to the next item that waits for refinement; after the last one, to the first."""
        question = partial(_next_unfinished, query=self.query, after=self._numbers_after())
        self._bridge.query(self._session, question, done=self.go_to, channel=(id(self), "unfinished"))

    def show_search_text(self, text: str) -> None:
        """Search within the filters."""
        if text != self.query.text:
            self.listing.find_text(text)

    def choose_chip(self, chip: str) -> None:
        """Show the items of a chip."""
        self._find(with_chip(self.query, chip, person=self.person), number=self.number())

    def count_done(self) -> None:
        """Read how many items this person has finished today."""
        question = partial(done_today, actor=self.person)
        self._bridge.query(self._session, question, done=self._on_done_counted, channel=(id(self), "done"))

    def _begin(self, start: QueueStart, left: int) -> None:
        # Another list may be followed since the items were counted.
        if start == self._start:
            query = with_chip(start.query, "mine", person=self.person) if left else start.query
            self._find(query, number=start.number)

    def _find(self, query: ItemQuery, *, number: int | None) -> None:
        # Whatever is asked for now replaces the list that a person begins with.
        self._bridge.drop((id(self), "left"))
        self.listing.find(query, number=number)
        # After the query: the search is not repeated for a text that is part of the query.
        self.search.setText(query.text)

    def _numbers_after(self) -> list[int]:
        index, numbers = self.table.current_position(), self.listing.model.numbers
        return [*numbers[index + 1 :].tolist(), *numbers[: max(index, 0)].tolist()]

    def _lay_out(self) -> None:
        pills = QGridLayout()
        pills.setSpacing(4)
        # Two rows: in one, four large numbers are wider than the panel.
        for index, chip in enumerate(self.chips.values()):
            pills.addWidget(chip, index // 2, index % 2, Qt.AlignmentFlag.AlignLeft)
        pills.setColumnStretch(2, 1)
        self.tools = search = QHBoxLayout()
        search.setSpacing(4)
        search.addWidget(self.search, 1)
        search.addWidget(self.filter)
        head = column_layout(margins_px=(12, 12, 12, 8), spacing_px=8)
        head.addLayout(pills)
        head.addLayout(search)
        foot = column_layout(margins_px=(12, 4, 12, 8))
        foot.addWidget(self.count)
        column = column_layout(self, margins_px=0, spacing_px=0)
        column.addLayout(head)
        column.addWidget(self.table, 1)
        column.addLayout(foot)
        self.search.setPlaceholderText(tr("Search items"))
        self.search.setAccessibleName(tr("Search items"))

    def _connect(self) -> None:
        self.search.textChanged.connect(self.show_search_text)
        self.search.left.connect(self.table.setFocus)
        self.listing.chosen.connect(self.chosen)
        self.listing.found.connect(self._on_found)
        self.table.typed.connect(self.typed)
        self.filter.clicked.connect(self._on_filter_clicked)

    def _make_chip(self, chip: str) -> QPushButton:
        made = QPushButton(tr(TITLES[chip]))
        made.setProperty("kind", "pill")
        made.setCheckable(True)
        made.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        made.clicked.connect(partial(self.choose_chip, chip))
        self._group.addButton(made)
        return made

    def _show_chips(self, answer: FoundRecords) -> None:
        counts = {one.value: one.count for one in answer.facets["chip"]}
        now = chip_of(self.query, person=self.person)
        # Without an exclusive group for a moment: another filter checks none of them.
        self._group.setExclusive(False)
        for chip, button in self.chips.items():
            button.setText(f"{tr(TITLES[chip])} {counts[chip]:,}")
            button.setChecked(chip == now)
        self._group.setExclusive(True)

    def _show_count(self) -> None:
        answer = self.listing.answer
        if answer is not None:
            text = tr("{n} of {total}", n=f"{len(answer.numbers):,}", total=f"{answer.total:,}")
            left = sum(one.count for one in answer.facets["left"])
            own = (tr("{n} left for you", n=f"{left:,}"),) if left else ()
            self.count.setText("  ·  ".join((text, *own, tr("{n} done today", n=f"{self._done:,}"))))

    def _on_found(self, answer: FoundRecords) -> None:
        self._show_chips(answer)
        self._show_count()
        self.count_done()

    def _on_done_counted(self, count: int) -> None:
        self._done = count
        self._show_count()

    def _on_filter_clicked(self) -> None:
        menu = self.make_filter_menu()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self.filter.mapToGlobal(QPoint(0, self.filter.height() + 4)))

    def make_filter_menu(self) -> QMenu:
        """Return the menu of the states and tasks in the queue, with their numbers of items."""
        return make_facet_menu(
            self, answer=self.listing.answer, query=self.query, facets=MENU_FACETS, toggle=self._toggle
        )

    def _toggle(self, field: str, value: str) -> None:
        query = cast("ItemQuery", toggled(self.query, field=field, value=value))
        self._find(query, number=self.number())


def _task_title(value: str) -> str:
    return display_text.task_title(*task_of_facet(value))


MENU_FACETS = (("state", "states", display_text.item_state_title), ("task", "tasks", _task_title))
"""Facets of the filter menu, with their fields and titles."""


def _next_unfinished(reader: Reader, *, query: ItemQuery, after: list[int]) -> int | None:
    """Return the first of some row numbers whose item waits for refinement; called on the reading thread."""
    states = tuple(state for state in UNFINISHED if not query.states or state in query.states)
    waiting = (
        set(reader.items.numbers(msgspec.structs.replace(query, states=states)).tolist()) if states else ()
    )
    return next((number for number in after if number in waiting), None)
