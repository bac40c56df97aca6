"""The columns of a list: visibility, widths, and the menu for columns and sort order."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Protocol

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QHeaderView, QMenu, QTableView, QWidget

from annotator.domain.query import SortOrder
from widgets.settings import Settings
from widgets.translation import tr

NARROWEST_PX = 48
REST_PX = 160
"""Minimum width of the stretched column, px."""
ARROW_PX = 20
"""Space for the sort arrow in a heading, px."""
NAME_SHARE, COLUMN_SHARE = 0.4, 0.22
"""Maximum share of the list width for the fitted first column, and for any other column."""


ARRIVAL = SortOrder()
"""The order in which the records were added."""


class ListColumn(Protocol):
    """What is needed of a column, see ``RecordColumn``."""

    @property
    def id(self) -> str:
        """Name in the settings."""

    @property
    def title(self) -> str:
        """English heading."""

    @property
    def width_px(self) -> int:
        """Default width; 0 takes the remaining width."""

    @property
    def hidden_below_px(self) -> int:
        """Width of the list below which the column is hidden."""

    @property
    def is_sortable(self) -> bool:
        """Whether the list can be sorted by it."""

    @property
    def is_optional(self) -> bool:
        """Whether it is hidden until the user shows it."""


class ListColumns(QObject):
    """Shows, sizes and orders the columns of a table, and stores the user's choice.

    Signals:
        order_chosen: Emitted when another sort order is selected; carries the ``SortOrder``.
    """

    order_chosen = Signal(object)

    def __init__(
        self,
        table: QTableView,
        columns: Sequence[ListColumn],
        *,
        name: str,
        settings: Settings,
        usual: SortOrder = ARRIVAL,
    ) -> None:
        """Create the columns.

        Args:
            table: The table; owns this.
            columns: Its columns, in order; the first one is never hidden.
            name: Name of the list in the settings.
            settings: Stores the choice.
            usual: The order of a list that is not sorted by the user.
        """
        super().__init__(table)
        self.order = self._usual = usual
        self._table, self._columns, self._name, self._settings = table, columns, name, settings
        self._is_fitting = True
        self._header = table.horizontalHeader()
        self._header.setMinimumSectionSize(NARROWEST_PX)
        # Only visible rows are measured: with Qt's usual 1,000 rows, each banner that was shown above a list
        # cost the GUI thread 50 ms.
        self._header.setResizeContentsPrecision(0)
        self._header.setSortIndicatorClearable(True)
        # With Qt's sorting enabled, a click on a heading does not select the whole column.
        table.setSortingEnabled(True)
        self._show_indicator()
        self._header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.arrange(table.width())
        self._is_fitting = False
        self._header.sectionResized.connect(self._on_section_resized)
        self._header.sortIndicatorChanged.connect(self._on_sort_indicator_changed)

    def shown(self, width_px: int) -> list[str]:
        """Return the ids of the columns that a table of this width shows."""
        # An explicit choice of the user applies to tables of any width.
        chosen = self._settings.texts(self._shown_key())
        if chosen:
            return [column.id for column in self._columns if column.id in chosen]
        return [
            column.id
            for column in self._columns
            if not column.is_optional and width_px >= column.hidden_below_px
        ]

    def arrange(self, width_px: int) -> None:
        """Show the columns that fit the width of the table; one of them takes the remaining width."""
        shown = self.shown(width_px)
        rest = self._rest(shown)
        was_fitting, self._is_fitting = self._is_fitting, True
        for at, column in enumerate(self._columns):
            self._table.setColumnHidden(at, column.id not in shown)
            modes = QHeaderView.ResizeMode
            self._header.setSectionResizeMode(at, modes.Stretch if column.id == rest else modes.Interactive)
            if column.id != rest and column.id in shown:
                self._header.resizeSection(at, self._width(column))
        self._leave_room()
        self._is_fitting = was_fitting

    def fit(self) -> None:
        """Fit columns to their content and heading, unless the user has set their width."""
        was_fitting, self._is_fitting = self._is_fitting, True
        for at, column in enumerate(self._columns):
            is_fixed = self._header.sectionResizeMode(at) == QHeaderView.ResizeMode.Interactive
            if is_fixed and not self._table.isColumnHidden(at) and not self._kept_width(column):
                self._header.resizeSection(at, self._fitting_width(at))
        self._leave_room()
        self._is_fitting = was_fitting

    def _leave_room(self) -> None:
        """Shrink the columns if they would leave too little width for the stretched one."""
        modes = QHeaderView.ResizeMode
        fixed = [
            at
            for at in range(self._header.count())
            if self._header.sectionResizeMode(at) == modes.Interactive and not self._table.isColumnHidden(at)
        ]
        total = sum(self._header.sectionSize(at) for at in fixed)
        room = self._table.viewport().width() - REST_PX
        # A table that is not laid out yet has no width to share.
        if 0 < room < total:
            for at in fixed:
                width = self._header.sectionSize(at) * room // total
                self._header.resizeSection(at, max(NARROWEST_PX, width))

    def toggle(self, column_id: str) -> None:
        """Show or hide a column, and store the choice."""
        shown = self.shown(self._table.width())
        chosen = [one for one in shown if one != column_id] if column_id in shown else [*shown, column_id]
        self._settings.keep(self._shown_key(), chosen)
        self.arrange(self._table.width())
        self.fit()

    def reset(self) -> None:
        """Show the default columns in default widths."""
        self._settings.forget(self._shown_key())
        for column in self._columns:
            self._settings.forget(self._width_key(column))
        self.arrange(self._table.width())
        self.fit()

    def show_order(self, order: SortOrder) -> None:
        """Mark the column that defines the sort order."""
        self.order = order
        self._show_indicator()

    def choose_order(self, order: SortOrder) -> None:
        """Set the sort order, and emit ``order_chosen``."""
        order = order if order.column else self._usual
        if order != self.order:
            self.show_order(order)
            self.order_chosen.emit(order)

    def menu(self, parent: QWidget) -> QMenu:
        """Return the menu of the columns and the order; it deletes itself when it is closed."""
        menu = QMenu(parent)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        shown = self.shown(self._table.width())
        for column in self._columns:
            action = _checkable(menu, tr(column.title), column.id in shown)
            # The first column is always shown: a row without its name cannot be identified.
            action.setEnabled(column is not self._columns[0])
            action.triggered.connect(partial(self.toggle, column.id))
        menu.addSeparator()
        self._add_orders(menu.addMenu(tr("Sort by")))
        menu.addSeparator()
        menu.addAction(tr("Reset columns")).triggered.connect(self.reset)
        return menu

    def _add_orders(self, menu: QMenu) -> None:
        group = QActionGroup(menu)
        orders = [(c.id, tr(c.title)) for c in self._columns if c.is_sortable]
        if self._usual == ARRIVAL:
            orders.insert(0, ("", tr("Order added")))
        for column_id, title in orders:
            action = _checkable(menu, title, self.order.column == column_id)
            group.addAction(action)
            is_descending = self.order.is_descending
            order = SortOrder(column=column_id, is_descending=is_descending)
            action.triggered.connect(partial(self.choose_order, order))
        menu.addSeparator()
        flipped = SortOrder(column=self.order.column, is_descending=not self.order.is_descending)
        action = _checkable(menu, tr("Descending"), self.order.is_descending)
        action.triggered.connect(partial(self.choose_order, flipped))

    def _rest(self, shown: list[str]) -> str:
        """Return the column that takes the remaining width: the intended one, or the last visible one."""
        meant = [column.id for column in self._columns if column.width_px == 0 and column.id in shown]
        return meant[0] if meant else shown[-1]

    def _width(self, column: ListColumn) -> int:
        return max(NARROWEST_PX, self._kept_width(column) or column.width_px or NARROWEST_PX * 4)

    def _fitting_width(self, at: int) -> int:
        most = int(self._table.width() * (COLUMN_SHARE if at else NAME_SHARE))
        heading = self._header.fontMetrics().horizontalAdvance(tr(self._columns[at].title)) + ARROW_PX
        return max(NARROWEST_PX, min(max(self._table.sizeHintForColumn(at), heading), most))

    def _kept_width(self, column: ListColumn) -> int:
        return self._settings.number(self._width_key(column), 0)

    def _width_key(self, column: ListColumn) -> str:
        return f"column_width/{self._name}.{column.id}"

    def _shown_key(self) -> str:
        return f"columns_shown/{self._name}"

    def _show_indicator(self) -> None:
        ids = [column.id for column in self._columns]
        at = ids.index(self.order.column) if self.order.column in ids else -1
        directions = Qt.SortOrder
        direction = directions.DescendingOrder if self.order.is_descending else directions.AscendingOrder
        # The signal stands for a choice of the user.
        self._header.blockSignals(True)
        self._header.setSortIndicator(at, direction)
        self._header.blockSignals(False)
        self._header.viewport().update()

    def _on_sort_indicator_changed(self, at: int, direction: Qt.SortOrder) -> None:
        if at >= 0 and not self._columns[at].is_sortable:
            self._show_indicator()
            return
        column = self._columns[at].id if at >= 0 else ""
        is_descending = bool(column) and direction == Qt.SortOrder.DescendingOrder
        self.choose_order(SortOrder(column=column, is_descending=is_descending))

    def _on_section_resized(self, at: int, _before: int, width: int) -> None:
        # Qt reports a column that is hidden as one of width 0.
        is_chosen = self._header.sectionResizeMode(at) == QHeaderView.ResizeMode.Interactive
        if not self._is_fitting and is_chosen and width:
            self._settings.keep(self._width_key(self._columns[at]), width)


def _checkable(menu: QMenu, text: str, is_checked: bool) -> QAction:
    action = menu.addAction(text)
    action.setCheckable(True)
    action.setChecked(is_checked)
    return action


def keep_order(settings: Settings, name: str, order: SortOrder) -> None:
    """Store the order of a list."""
    settings.keep(f"order/{name}", f"{'-' if order.is_descending else ''}{order.column}")


def kept_order(
    settings: Settings, name: str, columns: Sequence[ListColumn], *, usual: SortOrder = ARRIVAL
) -> SortOrder:
    """Return the stored order of a list.

    Args:
        settings: The settings.
        name: Name of the list.
        columns: Its columns; an order by any other one is not used.
        usual: The order if none is stored.
    """
    text = settings.text(f"order/{name}")
    column = text.removeprefix("-")
    if any(known.id == column and known.is_sortable for known in columns):
        return SortOrder(column=column, is_descending=text.startswith("-"))
    return SortOrder(is_descending=text.startswith("-")) if usual == ARRIVAL else usual
