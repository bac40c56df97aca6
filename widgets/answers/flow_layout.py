"""A layout that places widgets in rows from left to right, and breaks full rows."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem

GAP_PX = 4


class FlowLayout(QLayout):
    """Rows of widgets in their preferred sizes; its height follows from its width."""

    def __init__(self) -> None:
        super().__init__()
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
        sizes = [item.sizeHint() for item in self._items]
        width = sum(size.width() + GAP_PX for size in sizes) - GAP_PX
        return QSize(max(0, width), max((size.height() for size in sizes), default=0))

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
        x, y, row_px = rect.x(), rect.y(), 0
        for item in self._items:
            size = item.sizeHint()
            if x > rect.x() and x + size.width() > rect.right() + 1:
                x, y, row_px = rect.x(), y + row_px + GAP_PX, 0
            if is_moving:
                item.setGeometry(QRect(QPoint(x, y), size))
            x, row_px = x + size.width() + GAP_PX, max(row_px, size.height())
        return y + row_px - rect.y()
