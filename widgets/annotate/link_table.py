"""The table of links beside the stage: one row for each object that several views show."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import (
    QAbstractTableModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QKeyEvent, QPaintEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

from widgets import icons, theme
from widgets.annotate.link_rows import LinkRow
from widgets.focus import ENTER, paint_view_focus
from widgets.region_colours import region_colour
from widgets.translation import tr

Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
MISMATCH_PX, VIEW_PX = 96, 34
SORT_KEY = Qt.Key.Key_Space


class LinkTableModel(QAbstractTableModel):
    """Links, with a column for each view and one for the mismatch."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.rows: list[LinkRow] = []
        self.views: tuple[str, ...] = ()
        self.order: tuple[int, Qt.SortOrder] | None = None

    def show_rows(self, rows: Sequence[LinkRow], *, views: tuple[str, ...]) -> None:
        """Replace the rows, in the chosen order."""
        self.beginResetModel()
        self.rows, self.views = list(rows), views
        self._sort()
        self.endResetModel()

    def rowCount(self, parent: Index = ROOT) -> int:
        """Return the number of links."""
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = ROOT) -> int:
        """Return the number of columns."""
        return 0 if parent.isValid() else len(self.views) + 1

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """Return the name of a view, or the title of the mismatch."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        is_view = section < len(self.views)
        if role == Qt.ItemDataRole.DisplayRole:
            return self.views[section] if is_view else tr("Mismatch")
        if role == Qt.ItemDataRole.ToolTipRole and not is_view:
            return tr("Distance of the regions by the poses or the ground plane of the views, pixels")
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return the text, colour or tool tip of a cell."""
        row, column = self.rows[index.row()], index.column()
        getters: dict[int, Callable[[LinkRow, int], object]] = {
            Qt.ItemDataRole.DisplayRole: self._text,
            Qt.ItemDataRole.ForegroundRole: self._ink,
            Qt.ItemDataRole.DecorationRole: self._icon,
            Qt.ItemDataRole.ToolTipRole: self._tip,
        }
        getter = getters.get(role)
        return getter(row, column) if getter is not None else None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a view's numbers or by the mismatch; links without one are last."""
        self.order = (column, order) if column >= 0 else None
        self.layoutAboutToBeChanged.emit()
        before = {row.link: index for index, row in enumerate(self.rows)}
        self._sort()
        indices = {before[row.link]: index for index, row in enumerate(self.rows)}
        # Current row and selection of a view are persistent indexes: unmoved, they would point at other
        # links.
        known = self.persistentIndexList()
        self.changePersistentIndexList(known, [self.index(indices[one.row()], one.column()) for one in known])
        self.layoutChanged.emit()

    def _sort(self) -> None:
        if self.order is None or self.order[0] > len(self.views):
            return
        column, order = self.order
        is_down = order == Qt.SortOrder.DescendingOrder
        # Stable twice over: rows without a value stay behind in both directions.
        self.rows.sort(key=lambda row: self._value(row, column) or (), reverse=is_down)
        self.rows.sort(key=lambda row: self._value(row, column) is None)

    def _value(self, row: LinkRow, column: int) -> tuple[float, ...] | None:
        if column < len(self.views):
            return row.numbers[column] or None
        return (row.mismatch.share,) if row.mismatch is not None else None

    def _text(self, row: LinkRow, column: int) -> str:
        if column < len(self.views):
            return ", ".join(map(str, row.numbers[column])) or "–"
        return tr("{n} px", n=f"{row.mismatch.px:.0f}") if row.mismatch is not None else ""

    def _ink(self, row: LinkRow, column: int) -> QColor:
        is_dim = column < len(self.views) and not row.numbers[column]
        is_wrong = column == len(self.views) and row.mismatch is not None and row.mismatch.is_over
        return theme.current().color("warn" if is_wrong else "text_dim" if is_dim else "text")

    def _icon(self, row: LinkRow, column: int) -> object:
        if column == 0:
            return region_colour(row.colour)
        is_wrong = column == len(self.views) and row.mismatch is not None and row.mismatch.is_over
        return icons.icon("flag", "warn") if is_wrong else None

    def _tip(self, row: LinkRow, column: int) -> str | None:
        if column == len(self.views) and row.mismatch is not None and row.mismatch.is_over:
            return tr("Over the limit of {n} px", n=f"{row.mismatch.limit_px:.0f}")
        return row.category or None


class LinkTable(QTableView):
    """Shows links; the arrow keys go from link to link, Space sorts by the current column.

    Signals:
        chosen: Emitted when a link becomes current; carries its row.
        opened: Emitted when a link is to be worked on; carries its row.
        typed: Emitted when a digit is pressed, which begins a typed link; carries it.
        left: Emitted when the table is to be left.
    """

    chosen = Signal(object)
    opened = Signal(object)
    typed = Signal(str)
    left = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.links = LinkTableModel(self)
        self._is_following = False
        self.setModel(self.links)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setAccessibleName(tr("Links of the scene"))
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().setDefaultSectionSize(theme.ROW)
        self.horizontalHeader().setSectionsClickable(True)
        self.horizontalHeader().setSortIndicatorShown(True)
        self.horizontalHeader().setDefaultAlignment(
            Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        )
        self.horizontalHeader().setMinimumSectionSize(VIEW_PX)
        # No column is indicated: enabling the sort sorts at once by the one that is.
        self.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self.setSortingEnabled(True)
        self.selectionModel().currentRowChanged.connect(self._on_current_row_changed)
        self.doubleClicked.connect(self._on_double_clicked)

    def show_rows(self, rows: Sequence[LinkRow], *, views: tuple[str, ...]) -> None:
        """Replace the rows; the current link stays current."""
        current = self.current()
        is_other = views != self.links.views
        self._is_following = True
        self.links.show_rows(rows, views=views)
        if is_other:
            self._lay_out_columns()
        known = [row.link for row in self.links.rows]
        if current is not None and current.link in known:
            self.setCurrentIndex(self.links.index(known.index(current.link), 0))
        self._is_following = False

    def follow(self, selected: Sequence[str]) -> None:
        """Make the link current that has all selected regions."""
        # While the table has the keyboard, it leads and the stage follows.
        if self._is_following or self.hasFocus() or not selected:
            return
        wanted = set(selected)
        index = next((at for at, row in enumerate(self.links.rows) if wanted <= set(row.ids)), None)
        if index is not None:
            self._is_following = True
            self.setCurrentIndex(self.links.index(index, max(0, self.currentIndex().column())))
            self._is_following = False

    def current(self) -> LinkRow | None:
        """Return the row of the current link, or None."""
        index = self.currentIndex().row()
        return self.links.rows[index] if 0 <= index < len(self.links.rows) else None

    def event(self, event: QEvent) -> bool:
        """Keep the keys of the table from the shortcuts of the stage."""
        is_override = event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent)
        if is_override and self._is_own(event):  # type: ignore[arg-type]
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Sort, open the current link, begin a typed link, or leave."""
        current = self.current()
        if event.key() in ENTER:
            if current is not None:
                self.opened.emit(current)
        elif event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        elif event.key() == SORT_KEY:
            self._sort_by_current_column()
        elif _is_digit(event):
            self.typed.emit(event.text())
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the rows, and a frame while the list has the keyboard focus."""
        super().paintEvent(event)
        paint_view_focus(self)

    def keyboardSearch(self, _text: str, /) -> None:
        """Disable the keyboard search: letters are shortcuts of the stage."""

    def _is_own(self, event: QKeyEvent) -> bool:
        return event.key() in (*ENTER, SORT_KEY, Qt.Key.Key_Escape) or _is_digit(event)

    def _sort_by_current_column(self) -> None:
        column, header = max(0, self.currentIndex().column()), self.horizontalHeader()
        is_same = header.sortIndicatorSection() == column
        is_up = is_same and header.sortIndicatorOrder() == Qt.SortOrder.AscendingOrder
        self.sortByColumn(column, Qt.SortOrder.DescendingOrder if is_up else Qt.SortOrder.AscendingOrder)
        self.scrollTo(self.currentIndex())

    def _lay_out_columns(self) -> None:
        header, last = self.horizontalHeader(), len(self.links.views)
        for column in range(last):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(last, QHeaderView.ResizeMode.Fixed)
        header.resizeSection(last, MISMATCH_PX)

    def _on_current_row_changed(self, current: QModelIndex, _before: QModelIndex) -> None:
        row = self.current()
        if not self._is_following and current.isValid() and row is not None:
            self._is_following = True
            self.chosen.emit(row)
            self._is_following = False

    def _on_double_clicked(self, _index: QModelIndex) -> None:
        row = self.current()
        if row is not None:
            self.opened.emit(row)


def _is_digit(event: QKeyEvent) -> bool:
    return event.text().isascii() and event.text().isdigit()
