"""The model of a long list: all row numbers of the result, and pages of rows loaded on demand.

No call blocks: a row that is not loaded is None, and is repainted when it arrives.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, QTimer, Signal

from annotator.queries.reader import Reader
from annotator.session import Session
from widgets.bridge import Bridge

PAGE = 100
KEPT_PAGES = 64
"""Pages in memory: 6,400 rows, a few megabytes, many screens in either direction."""
PAGES_AT_ONCE = 4
"""Pages per query: one screen, so that a jump does not wait for pages that were passed."""
Index = QModelIndex | QPersistentModelIndex
Numbers = NDArray[np.int64]
"""Row numbers, int64 (n,), in sort order."""
NO_ROWS: Numbers = np.empty(0, dtype=np.int64)
ReadRows = Callable[[Reader, Numbers], Mapping[int, Any]]
"""Reads rows by their numbers, on the reading thread; deleted rows are left out."""


class PagedModel(QAbstractTableModel):
    """Rows of a result of any size; subclasses define the columns.

    Signals:
        rows_arrived: Emitted when a page of rows was loaded.
    """

    rows_arrived = Signal()

    def __init__(
        self, *, read: ReadRows, session: Session, bridge: Bridge, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self.numbers = NO_ROWS
        self._sorter: Numbers | None = None
        self._read, self._session, self._bridge = read, session, bridge
        self._pages: OrderedDict[int, Mapping[int, Any]] = OrderedDict()
        self._stale: set[int] = set()
        self._wanted: list[int] = []
        self._is_asking = False
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        # One query per turn of the event loop, however many cells are painted in it.
        self._soon.setInterval(0)
        self._soon.timeout.connect(self._ask)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """Return the number of rows."""
        return 0 if parent.isValid() else len(self.numbers)

    def row(self, at: int) -> Any:  # noqa: ANN401 - what ``read`` makes of a row
        """Return a row by its position; None while it is not loaded, which also requests its page."""
        page = at // PAGE
        if page not in self._pages or page in self._stale:
            self._want(page)
        return self._pages.get(page, {}).get(int(self.numbers[at]))

    def index_of(self, number: int) -> int:
        """Return the position of a row number, -1 if it is not in the list."""
        # Binary search in a sorted copy: twenty steps for a million rows, in any sort order of the list.
        if self._sorter is None:
            self._sorter = np.argsort(self.numbers, kind="stable")
        at = int(np.searchsorted(self.numbers, number, sorter=self._sorter))
        index = int(self._sorter[at]) if at < len(self.numbers) else -1
        return index if index >= 0 and self.numbers[index] == number else -1

    def show_numbers(self, numbers: Numbers) -> None:
        """Show another result, or the same one with changed rows."""
        if np.array_equal(numbers, self.numbers):
            # Without a reset, at which Qt clears the selection and the current row.
            self.refresh()
            return
        # A reset: with inserts and removals Qt would update a million persistent positions each time.
        self.beginResetModel()
        self.numbers, self._sorter = numbers, None
        self._pages.clear()
        self._stale.clear()
        self._wanted.clear()
        self.endResetModel()

    def refresh(self) -> None:
        """Load the visible rows again."""
        # Old rows stay visible until the new ones are loaded, to avoid flicker.
        self._stale = set(self._pages)
        if self._pages:
            last = min((max(self._pages) + 1) * PAGE, len(self.numbers)) - 1
            self._tell_changed(min(self._pages) * PAGE, last)

    def is_settled(self) -> bool:
        """Return whether no row is being loaded."""
        return not (self._wanted or self._is_asking)

    def leave(self) -> None:
        """Stop loading rows before the workspace is deleted."""
        self._soon.stop()

    def _want(self, page: int) -> None:
        if page not in self._wanted:
            self._wanted.append(page)
            self._soon.start()

    def _ask(self) -> None:
        # One query at a time: scrolling meanwhile changes which pages are needed next.
        if self._is_asking or not self._wanted:
            return
        # Pages that were scrolled past are dropped: the newest requests belong to the visible rows.
        pages, self._wanted = self._wanted[-PAGES_AT_ONCE:], []
        asked = {page: self.numbers[page * PAGE : (page + 1) * PAGE] for page in pages}
        self._is_asking = True
        question = partial(_read_pages, read=self._read, asked=asked)
        self._bridge.query(self._session, question, done=self._on_pages_arrived, failed=self._on_pages_failed)

    def _on_pages_arrived(self, answer: dict[int, tuple[Numbers, Mapping[int, Any]]]) -> None:
        self._is_asking = False
        for page, (numbers, rows) in answer.items():
            # The list may have changed since: its pages contain other rows now.
            if np.array_equal(self.numbers[page * PAGE : (page + 1) * PAGE], numbers):
                before, self._pages[page] = self._pages.get(page, {}), rows
                # The order of loading decides which pages are dropped first.
                self._pages.move_to_end(page)
                self._stale.discard(page)
                self._tell_rows_changed(page, before)
        while len(self._pages) > KEPT_PAGES:
            gone, _rows = self._pages.popitem(last=False)
            self._stale.discard(gone)
        self.rows_arrived.emit()
        self._ask()

    def _on_pages_failed(self, error: BaseException) -> None:
        self._is_asking = False
        self._bridge.failed.emit(error)

    def _tell_rows_changed(self, page: int, before: Mapping[int, Any]) -> None:
        # An edit changes one row of a page: to paint a whole screen of cells takes 10 ms.
        rows, first = self._pages[page], page * PAGE
        numbers = self.numbers[first : first + PAGE].tolist()
        changed = [at for at, number in enumerate(numbers) if before.get(number) != rows.get(number)]
        if changed:
            self._tell_changed(first + changed[0], first + changed[-1])

    def _tell_changed(self, first: int, last: int) -> None:
        self.dataChanged.emit(self.index(first, 0), self.index(last, self.columnCount() - 1))


def _read_pages(
    reader: Reader, *, read: ReadRows, asked: dict[int, Numbers]
) -> dict[int, tuple[Numbers, Mapping[int, Any]]]:
    return {page: (numbers, read(reader, numbers)) for page, numbers in asked.items()}
