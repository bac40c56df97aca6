"""The layout of a grid: rows and columns of equal cells, in pixels of the whole contents."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from PySide6.QtCore import QPoint, QRect, QSize, Qt

from widgets.library.cell_painter import CellSize

SPACE_PX = 8
"""Space around the cells, px."""
ARROWS = {Qt.Key.Key_Left: (-1, 0), Qt.Key.Key_Right: (1, 0), Qt.Key.Key_Up: (0, -1), Qt.Key.Key_Down: (0, 1)}


@dataclass(frozen=True, kw_only=True)
class GridLayout:
    """The layout of a number of cells.

    Attributes:
        size: The cells as they are painted.
        columns: Cells side by side, at least 1.
        count: Number of cells.
    """

    size: CellSize
    columns: int
    count: int

    @classmethod
    def fit(cls, least: CellSize, *, width_px: int, count: int) -> GridLayout:
        """Return the layout that fills a width with as many columns as have room.

        Args:
            least: The smallest cells; the images take what the columns leave over.
            width_px: Width to fill.
            count: Number of cells.
        """
        room, step = width_px - SPACE_PX, least.cell.width() + SPACE_PX
        columns = max(1, room // step)
        wider = max(0, room - columns * step) // columns
        return cls(size=least.stretched(least.width_px + wider), columns=columns, count=count)

    @property
    def cell(self) -> QSize:
        """Size of a cell."""
        return self.size.cell

    @property
    def step(self) -> QSize:
        """Distance between the origins of adjacent cells."""
        return self.cell + QSize(SPACE_PX, SPACE_PX)

    @property
    def rows(self) -> int:
        """Number of rows; the last one may be short."""
        return -(-self.count // self.columns)

    @property
    def height_px(self) -> int:
        """Height of all rows."""
        return self.rows * self.step.height() + SPACE_PX

    def rect(self, index: int) -> QRect:
        """Return the rectangle of a cell."""
        row, column = divmod(index, self.columns)
        step = self.step
        corner = QPoint(SPACE_PX + column * step.width(), SPACE_PX + row * step.height())
        return QRect(corner, self.cell)

    def position_at(self, at: QPoint) -> int:
        """Return the place of the cell at a point, -1 for a point outside all cells."""
        column, x = divmod(at.x() - SPACE_PX, self.step.width())
        # Left of the first column and above the first row the quotient is -1, which the check below rejects.
        row, y = divmod(at.y() - SPACE_PX, self.step.height())
        index = row * self.columns + column
        is_cell = x < self.cell.width() and y < self.cell.height() and 0 <= column < self.columns
        return index if is_cell and 0 <= index < self.count else -1

    def positions_in(self, top: int, bottom: int) -> range:
        """Return the places of the cells in a vertical range."""
        step = self.step.height()
        first = max(0, (top - SPACE_PX) // step) * self.columns
        last = ((bottom - SPACE_PX) // step + 1) * self.columns
        return range(min(first, self.count), max(0, min(last, self.count)))

    def runs_in(self, band: QRect) -> Iterator[tuple[int, int]]:
        """Yield the first and the last place of each row that a rectangle intersects."""
        first, last = _touched(band.left(), band.right(), step=self.step.width(), cell=self.cell.width())
        top, bottom = _touched(band.top(), band.bottom(), step=self.step.height(), cell=self.cell.height())
        last = min(last, self.columns - 1)
        for row in range(top, min(bottom, self.rows - 1) + 1):
            start, end = row * self.columns + first, min(row * self.columns + last, self.count - 1)
            if first <= last and start <= end:
                yield start, end

    def target(self, index: int, *, key: Qt.Key, height_px: int) -> int | None:
        """Return the place that a key moves to, None for any other key.

        Args:
            index: The current place.
            key: The key.
            height_px: Height of the viewport, for Page Up and Page Down.
        """
        if not self.count:
            return None
        if key in ARROWS:
            return self._beside(index, *ARROWS[key])
        page = max(1, height_px // self.step.height()) * self.columns
        targets = {
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: self.count - 1,
            Qt.Key.Key_PageUp: max(index % self.columns, index - page),
            Qt.Key.Key_PageDown: min(self.count - 1, index + page),
        }
        return targets.get(key)

    def _beside(self, index: int, across: int, down: int) -> int:
        target = index + across + down * self.columns
        # The last row may be short: down from a place above its gap moves to the last cell.
        if down > 0 and target >= self.count and index // self.columns < self.rows - 1:
            target = self.count - 1
        return target if 0 <= target < self.count else index


def _touched(low: int, high: int, *, step: int, cell: int) -> tuple[int, int]:
    """Return the first and the last column (or row) of cells that an interval intersects."""
    first, within = divmod(max(0, low - SPACE_PX), step)
    # An interval that begins in the spacing after a cell intersects the next one first.
    return first + (within >= cell), max(-1, (high - SPACE_PX) // step)
