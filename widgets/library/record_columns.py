"""The columns of a list: visibility, widths, and the menu for columns and sort order."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QHeaderView, QMenu, QTableView, QWidget

from annotator.domain.query import SortOrder
from widgets.library.record_types import RecordColumn, RecordTypeView
from widgets.settings import Settings
from widgets.translation import tr

NARROWEST_PX = 48
REST_PX = 160
"""Minimum width of the stretched column, px."""
ARROW_PX = 20
"""Space for the sort arrow in a heading, px."""
NAME_SHARE, COLUMN_SHARE = 0.4, 0.22
"""Maximum share of the list width for the fitted first column, and for any other column."""


class RecordColumns(QObject):
    """Shows, sizes and orders the columns of a table, and stores the user's choice.

    Signals:
        order_chosen: Emitted when another sort order is selected; carries the ``SortOrder``.
    """

    order_chosen = Signal(object)

    def __init__(self, table: QTableView, kind: RecordTypeView, *, settings: Settings) -> None:
        super().__init__(table)
        self.order = SortOrder()
        self._table, self._kind, self._settings = table, kind, settings
        self._is_fitting = True
        self._header = table.horizontalHeader()
        self._header.setMinimumSectionSize(NARROWEST_PX)
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
            return [column.id for column in self._kind.columns if column.id in chosen]
        return [
            column.id
            for column in self._kind.columns
            if not column.is_optional and width_px >= column.hidden_below_px
        ]

    def arrange(self, width_px: int) -> None:
        """Show the columns that fit the width of the table; one of them takes the remaining width."""
        shown = self.shown(width_px)
        rest = self._rest(shown)
        was_fitting, self._is_fitting = self._is_fitting, True
        for at, column in enumerate(self._kind.columns):
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
        for at, column in enumerate(self._kind.columns):
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
        for column in self._kind.columns:
            self._settings.forget(self._width_key(column))
        self.arrange(self._table.width())
        self.fit()

    def show_order(self, order: SortOrder) -> None:
        """Mark the column that defines the sort order."""
        self.order = order
        self._show_indicator()

    def choose_order(self, order: SortOrder) -> None:
        """Set the sort order, and emit ``order_chosen``."""
        if order != self.order:
            self.show_order(order)
            self.order_chosen.emit(order)

    def menu(self, parent: QWidget) -> QMenu:
        """Return the menu of the columns and the order; it deletes itself when it is closed."""
        menu = QMenu(parent)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        shown = self.shown(self._table.width())
        for column in self._kind.columns:
            action = _checkable(menu, tr(column.title), column.id in shown)
            # The first column is always shown: a row without its name cannot be identified.
            action.setEnabled(column is not self._kind.columns[0])
            action.triggered.connect(partial(self.toggle, column.id))
        menu.addSeparator()
        self._add_orders(menu.addMenu(tr("Sort by")))
        menu.addSeparator()
        menu.addAction(tr("Reset columns")).triggered.connect(self.reset)
        return menu

    def _add_orders(self, menu: QMenu) -> None:
        group = QActionGroup(menu)
        orders = [
            ("", tr("Order added")),
            *((c.id, tr(c.title)) for c in self._kind.columns if c.is_sortable),
        ]
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
        meant = [column.id for column in self._kind.columns if column.width_px == 0 and column.id in shown]
        return meant[0] if meant else shown[-1]

    def _width(self, column: RecordColumn) -> int:
        return max(NARROWEST_PX, self._kept_width(column) or column.width_px or NARROWEST_PX * 4)

    def _fitting_width(self, at: int) -> int:
        most = int(self._table.width() * (COLUMN_SHARE if at else NAME_SHARE))
        heading = self._header.fontMetrics().horizontalAdvance(tr(self._kind.columns[at].title)) + ARROW_PX
        return max(NARROWEST_PX, min(max(self._table.sizeHintForColumn(at), heading), most))

    def _kept_width(self, column: RecordColumn) -> int:
        return self._settings.number(self._width_key(column), 0)

    def _width_key(self, column: RecordColumn) -> str:
        return f"column_width/{self._kind.id}.{column.id}"

    def _shown_key(self) -> str:
        return f"columns_shown/{self._kind.id}"

    def _show_indicator(self) -> None:
        ids = [column.id for column in self._kind.columns]
        at = ids.index(self.order.column) if self.order.column in ids else -1
        directions = Qt.SortOrder
        direction = directions.DescendingOrder if self.order.is_descending else directions.AscendingOrder
        self._header.blockSignals(True)
        self._header.setSortIndicator(at, direction)
        self._header.blockSignals(False)
        self._header.viewport().update()

    def _on_sort_indicator_changed(self, at: int, direction: Qt.SortOrder) -> None:
        if at >= 0 and not self._kind.columns[at].is_sortable:
            self._show_indicator()
            return
        column = self._kind.columns[at].id if at >= 0 else ""
        is_descending = bool(column) and direction == Qt.SortOrder.DescendingOrder
        self.choose_order(SortOrder(column=column, is_descending=is_descending))

    def _on_section_resized(self, at: int, _before: int, width: int) -> None:
        is_chosen = self._header.sectionResizeMode(at) == QHeaderView.ResizeMode.Interactive
        if not self._is_fitting and is_chosen and width:
            self._settings.keep(self._width_key(self._kind.columns[at]), width)


def _checkable(menu: QMenu, text: str, is_checked: bool) -> QAction:
    action = menu.addAction(text)
    action.setCheckable(True)
    action.setChecked(is_checked)
    return action
