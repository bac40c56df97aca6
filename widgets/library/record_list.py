"""One list of the Library: its query, table and filters, updated with the project."""

from __future__ import annotations

from functools import partial

import msgspec
from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

from annotator.domain.changes import Changes
from annotator.domain.query import SortOrder
from annotator.queries.reader import Reader
from annotator.session import Session
from widgets.bridge import Bridge
from widgets.deferred_changes import DeferredChanges
from widgets.library.facets import FacetModel, FacetView
from widgets.library.record_grid import RecordGrid
from widgets.library.record_table import RecordTable
from widgets.library.record_types import (
    FoundRecords,
    Numbers,
    Query,
    RecordTypeView,
    Row,
    chosen_values,
    toggled,
)
from widgets.library.row_model import NO_ROWS, RowModel
from widgets.library.thumbnails import ThumbnailLoader
from widgets.list_columns import keep_order, kept_order
from widgets.settings import Settings

KEPT_SELECTION = 20_000
"""Maximum number of selected rows that are restored after an update."""
SLOW_MS = 300
"""Delay before the progress of a query is shown, ms."""


class RecordList(QObject):
    """Runs the query of a list and shows the result.

    Signals:
        slowed: Emitted when a query takes longer than usual.
        found: Emitted when a result is displayed; carries the ``FoundRecords``.
        chosen: Emitted when the current row changes; carries the row, or None.
        selection_changed: Emitted when the selection changes.
    """

    slowed = Signal()
    found = Signal(object)
    chosen = Signal(object)
    selection_changed = Signal()

    def __init__(
        self,
        kind: RecordTypeView,
        *,
        session: Session,
        bridge: Bridge,
        settings: Settings,
        thumbnails: ThumbnailLoader | None = None,
        screen: QWidget | None = None,
    ) -> None:
        """Create a list without a result.

        Args:
            kind: Kind of list.
            session: The project.
            bridge: Delivers results of other threads to the GUI thread.
            settings: Stores widths, and whether the grid is used.
            thumbnails: Loads the images of the grid, None for a table only.
            screen: The containing screen: while it is hidden, updates are deferred. None updates at once.
        """
        super().__init__(screen)
        self.kind = kind
        self.query: Query = kind.everything
        self.order = SortOrder()
        self.answer: FoundRecords | None = None
        self._session, self._bridge, self._settings = session, bridge, settings
        self._chosen_id = ""
        self._index: int | None = None
        self._number: int | None = None
        self.model = RowModel(kind, session=session, bridge=bridge, parent=self)
        self.table = RecordTable(self.model, settings=settings)
        self.grid: RecordGrid | None = None
        if kind.has_pictures and thumbnails is not None:
            # Table and grid share one selection model, so that switching keeps the selection.
            selection = self.table.selectionModel()
            self.grid = RecordGrid(self.model, selection=selection, loader=thumbnails, settings=settings)
        self.order = kept_order(settings, kind.id, kind.columns)
        self.table.columns.show_order(self.order)
        self.table.columns.order_chosen.connect(self.sort)
        self.facet_model = FacetModel(kind, settings=settings, parent=self)
        self.facets = FacetView(self.facet_model)
        self._has_failed = False
        self._late = QTimer(self)
        self._late.setSingleShot(True)
        self._late.setInterval(SLOW_MS)
        self._late.timeout.connect(self.slowed)
        self._connect(screen)

    def _connect(self, screen: QWidget | None) -> None:
        self.facets.toggled.connect(self._on_facets_toggled)
        self.table.chosen.connect(self._on_table_chosen)
        self.table.selection_changed.connect(self.selection_changed)
        self.model.rows_arrived.connect(self._on_rows_arrived)
        if screen is None:
            self._bridge.changed.connect(self._on_changes_arrived)
        else:
            DeferredChanges(screen, bridge=self._bridge).arrived.connect(self._on_changes_arrived)

    @property
    def is_grid(self) -> bool:
        """Whether the list is shown as a grid."""
        return self.grid is not None and self._settings.switch(f"library/grid.{self.kind.id}", True)

    def view(self) -> RecordTable | RecordGrid:
        """Return the visible view: the table or the grid."""
        return self.grid if self.grid is not None and self.is_grid else self.table

    def views(self) -> tuple[RecordTable | RecordGrid, ...]:
        """Return all views of the list."""
        return (self.table,) if self.grid is None else (self.table, self.grid)

    def show_position(self) -> None:
        """Scroll to the current row."""
        if self.is_grid and self.grid is not None:
            self.grid.show_position(self.table.current_position())
        else:
            self.table.scrollTo(self.table.currentIndex())

    def change_look(self) -> None:
        """Switch to the grid or to the table, and store the choice."""
        self._settings.keep(f"library/grid.{self.kind.id}", not self.is_grid)

    def find(self, query: Query, *, row: int | None = None, number: int | None = None) -> None:
        """Run a query; the result of an older query is discarded.

        Args:
            query: The query.
            row: Row to make current, None to keep the current one.
            number: Row number of the record to make current, 0 for none, None to keep the current one.
        """
        self.query = query
        self._index, self._number = row, number
        self._has_failed = False
        self._late.start()
        question = partial(_find, kind=self.kind, query=query, order=self.order)
        channel = (id(self), "find")
        self._bridge.query(
            self._session, question, done=self._on_found, failed=self._on_find_failed, channel=channel
        )

    def refresh(self) -> None:
        """Run the query again, after a change outside the project."""
        self.find(self.query)

    def sort(self, order: SortOrder, *, query: Query | None = None) -> None:
        """Set the sort order.

        Args:
            order: The new order.
            query: A new query, None to keep the current one.
        """
        self.order = order
        keep_order(self._settings, self.kind.id, order)
        self.table.columns.show_order(order)
        self.find(self.query if query is None else query)

    def find_text(self, text: str) -> None:
        """Search for a text within the current filters."""
        self.find(msgspec.structs.replace(self.query, text=text))

    def clear_filters(self) -> None:
        """Clear all filters and the search text."""
        self.find(self.kind.everything)

    def show_flagged(self, kind: str) -> None:
        """Show the records with one kind of open flag, and clear all other filters."""
        self.find(msgspec.structs.replace(self.kind.everything, flags=(kind,)))

    def bring(self, number: int) -> None:
        """Make a record current by its row number, without filters if they exclude it."""
        index = self.model.index_of(number)
        if index >= 0:
            self.table.choose_row(index)
        else:
            self.find(self.kind.everything, number=number)

    def show_unread(self, ids: frozenset[str]) -> None:
        """Mark the records with unread comments."""
        if self.model.unread != ids:
            self.model.unread = ids
            for view in self.views():
                view.viewport().update()

    def filters_set(self) -> int:
        """Return the number of active filters."""
        return chosen_values(self.query, self.kind)

    def current_row(self) -> Row | None:
        """Return the current row, None if there is none or it is not loaded."""
        index = self.table.current_position()
        return self.model.row(index) if 0 <= index < self.model.rowCount() else None

    def is_settled(self) -> bool:
        """Return whether the displayed result belongs to the current query, or that one has failed."""
        answer = self.answer
        has_answer = answer is not None and (answer.query, answer.order) == (self.query, self.order)
        is_over = has_answer or self._has_failed
        return is_over and self.model.is_settled() and (self.grid is None or self.grid.is_settled())

    def leave(self) -> None:
        """Cancel pending requests before the workspace is closed."""
        self._late.stop()
        self.model.leave()

    def _on_facets_toggled(self, field: str, value: str) -> None:
        self.find(toggled(self.query, field=field, value=value))

    def _on_find_failed(self, error: BaseException) -> None:
        # Otherwise the list would be said to be searched for good.
        self._late.stop()
        self._has_failed = True
        self._bridge.failed.emit(error)

    def _on_found(self, answer: FoundRecords) -> None:
        self._late.stop()
        # Before the numbers are shown: a reset of the model clears the selection and the current row.
        selected, index = self._kept_selection(), self.table.current_position()
        current = int(self.model.numbers[index]) if 0 <= index < len(self.model.numbers) else None
        # Only an update of the same query falls back to the old position, another one to its first row.
        is_same_query = self.answer is not None and self.answer.query == answer.query
        self.answer = answer
        self.model.show_numbers(answer.numbers)
        number, self._number = (self._number, None) if answer.query == self.query else (None, self._number)
        if number is not None and (number == 0 or self.model.index_of(number) >= 0):
            self._go_to(number)
        elif len(answer.numbers) and self.table.current_position() < 0:
            self._select_again(selected, current=current, index=index if is_same_query else 0)
        if self._index is not None and answer.query == self.query:
            self.table.choose_row(self._index)
            self._index = None
        self.facet_model.show_found(answer)
        self.found.emit(answer)
        self._emit_chosen()

    def _go_to(self, number: int) -> None:
        if number:
            self.table.choose_row(self.model.index_of(number))
        else:
            self.table.selectionModel().clear()

    def _kept_selection(self) -> Numbers:
        # A larger selection is not restored: searching for it would block the window.
        is_small = self.table.selected_count() <= KEPT_SELECTION
        return self.table.selected_numbers() if is_small else NO_ROWS

    def _select_again(self, numbers: Numbers, *, current: int | None, index: int) -> None:
        """Restore the selection after an update; a removed row is replaced by the row at its place."""
        self.table.select_numbers(numbers, current=current)
        if self.table.current_position() < 0:
            self.table.choose_row(max(0, min(index, self.model.rowCount() - 1)))
        else:
            self.show_position()

    def _on_table_chosen(self, _index: int) -> None:
        self._emit_chosen()

    def _on_rows_arrived(self) -> None:
        self._emit_chosen()

    def _emit_chosen(self) -> None:
        row = self.current_row()
        if row is None and self.table.current_position() >= 0:
            return  # not loaded yet: the previous record stays visible
        if (row.id if row else "") != self._chosen_id:
            self._chosen_id = row.id if row else ""
            self.chosen.emit(row)

    def _on_changes_arrived(self, changes: Changes) -> None:
        if any(changes.has_changed(entity, fields) for entity, fields in self.kind.depends_on.items()):
            self.find(self.query, row=self._index, number=self._number)


def _find(reader: Reader, *, kind: RecordTypeView, query: Query, order: SortOrder) -> FoundRecords:
    return kind.find(reader, query, order)
