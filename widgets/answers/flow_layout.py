"""A layout that places widgets in rows from left to right, and breaks full rows."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem

GAP_PX = 4


class FlowLayout(QLayout):
    """Rows of widgets in their preferred sizes; its height follows from its width."""

    def __init__(self, *, gap_px: int = GAP_PX, is_filling: bool = False, columns: int = 0) -> None:
        """Create an empty layout.

        Args:
            gap_px: Between items, and between rows.
            is_filling: Whether the items of a row are widened to its end.
            columns: Most items of a row, which then all have the same width; 0 for as many as there is room.
        """
        super().__init__()
        self._gap_px, self._is_filling, self._columns = gap_px, is_filling, columns
        self._items: list[QLayoutItem] = []
        self.setContentsMargins(0, 0, 0, 0)

    def addItem(self, item: QLayoutItem) -> None:
        """Add an item at the end."""
        self._items.append(item)

    def count(self) -> int:
        """Return the number of items."""
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        """Return an item, None beyond the end."""
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        """Remove and return an item, None beyond the end."""
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        """Return that it does not need more space."""
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        """Return that the height follows from the width."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Return the height of all rows."""
        return self._place(QRect(0, 0, width, 0), is_moving=False)

    def sizeHint(self) -> QSize:
        """Return the size of one row with all items."""
        shown = [item for item in self._items if not item.isEmpty()]
        height = max((item.sizeHint().height() for item in shown), default=0)
        return QSize(max(0, self._width_px(shown)), height)

    def minimumSize(self) -> QSize:
        """Return the size of the largest item."""
        size = QSize()
        for item in self._items:
            size = size.expandedTo(item.minimumSize())
        return size

    def setGeometry(self, rect: QRect) -> None:
        """Place the items."""
        super().setGeometry(rect)
        self._place(rect, is_moving=True)

    def _place(self, rect: QRect, *, is_moving: bool) -> int:
        """Place the items or only measure them; return the height."""
        y, rows = rect.y(), self._rows(rect.width())
        for row in rows:
            x, row_px = rect.x(), max(item.sizeHint().height() for item in row)
            extra_px = self._extra_px(rows[0] if self._columns else row, rect.width())
            for item in row:
                size = QSize(self._item_px(item) + extra_px, item.sizeHint().height())
                if is_moving:
                    item.setGeometry(QRect(QPoint(x, y), size))
                x += size.width() + self._gap_px
            y += row_px + self._gap_px
        return max(0, y - self._gap_px - rect.y())

    def _rows(self, width_px: int) -> list[list[QLayoutItem]]:
        """Return the visible items in rows that fit into a width."""
        rows: list[list[QLayoutItem]] = []
        for item in self._items:
            if item.isEmpty():
                continue
            is_full = not rows or len(rows[-1]) == self._columns
            if not is_full and self._width_px([*rows[-1], item]) <= width_px:
                rows[-1].append(item)
            else:
                rows.append([item])
        return rows

    def _item_px(self, item: QLayoutItem) -> int:
        if not self._columns:
            return item.sizeHint().width()
        return max(one.sizeHint().width() for one in self._items)

    def _width_px(self, row: list[QLayoutItem]) -> int:
        return sum(self._item_px(item) + self._gap_px for item in row) - self._gap_px

    def _extra_px(self, row: list[QLayoutItem], width_px: int) -> int:
        """Return by how much each item of a row is widened; negative where one alone does not fit."""
        return (width_px - self._width_px(row)) // len(row) if self._is_filling else 0
