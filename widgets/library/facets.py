"""The filters of a list: each facet with its values and counts, toggled by a click or the space bar."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import QAbstractItemView, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from annotator.domain.rows import FacetCount
from widgets import icons, theme
from widgets.labels import plain_tip
from widgets.library.record_types import FoundRecords, RecordFacet, RecordTypeView
from widgets.library.row_model import Index
from widgets.library.state_icon import paint_state
from widgets.settings import Settings
from widgets.translation import tr, trn

FEW = 8
"""Values of a facet that are visible before 'Show more'."""
ANY = "*"


@dataclass(frozen=True, kw_only=True)
class FacetRow:
    """One line of the filters.

    Attributes:
        part: ``head`` of a facet, a ``value`` of it, or ``more`` of them.
        facet: The facet.
        value: The value, "" for the other parts.
        text: What is shown.
        count: Number of records.
        is_chosen: Whether the value filters now.
        is_open: Whether the facet shows its values.
    """

    part: str
    facet: RecordFacet
    text: str
    value: str = ""
    count: int = 0
    is_chosen: bool = False
    is_open: bool = True


class FacetModel(QAbstractListModel):
    """Rows of the filter list for one selection."""

    def __init__(self, kind: RecordTypeView, *, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._kind, self._settings = kind, settings
        self._found: FoundRecords | None = None
        self._unfolded: set[str] = set()
        self.rows: list[FacetRow] = []

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """Return the number of lines."""
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return the text of a line, with the count for screen readers."""
        row = self.rows[index.row()]
        if role == Qt.ItemDataRole.AccessibleTextRole and row.part == "value":
            return f"{row.text}, {row.count:,}"
        if role in {Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole}:
            return row.text
        return plain_tip(row.text) if role == Qt.ItemDataRole.ToolTipRole else None

    def show_found(self, found: FoundRecords) -> None:
        """Show the counts of a selection; unchanged rows keep their position and the keyboard focus."""
        self._found = found
        rows = [row for facet in self._kind.facets for row in self._lines(facet, found)]
        if [(row.part, row.facet.id, row.value) for row in rows] == [
            (r.part, r.facet.id, r.value) for r in self.rows
        ]:
            pairs = zip(rows, self.rows, strict=True)
            changed = [at for at, (row, before) in enumerate(pairs) if row != before]
            self.rows = rows
            for at in changed:
                # Row by row: one signal from the first to the last would repaint all lines between.
                self.dataChanged.emit(self.index(at), self.index(at))
            return
        # Reset only if rows were added or removed: a reset moves the current row to the top.
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def fold(self, facet: RecordFacet) -> None:
        """Collapse or expand a facet."""
        self._settings.keep(self._key(facet), not self._is_folded(facet))
        self._show_again()

    def unfold(self, facet: RecordFacet) -> None:
        """Show all values of a facet until the project is closed."""
        self._unfolded.add(facet.id)
        self._show_again()

    def _show_again(self) -> None:
        if self._found is not None:
            self.show_found(self._found)

    def _key(self, facet: RecordFacet) -> str:
        return f"folded/{self._kind.id}.{facet.id}"

    def _is_folded(self, facet: RecordFacet) -> bool:
        return self._settings.switch(self._key(facet), False)

    def _lines(self, facet: RecordFacet, found: FoundRecords) -> list[FacetRow]:
        values = self._values(facet, found)
        if not values:
            return []
        head = FacetRow(part="head", facet=facet, text=tr(facet.title), is_open=not self._is_folded(facet))
        if not head.is_open:
            # A collapsed facet still shows its active filters.
            return [head, *(row for row in values if row.is_chosen)]
        # An active value is never hidden behind 'Show more': the user has to see what filters the list.
        hidden = [row for row in values[FEW:] if not row.is_chosen]
        # A row 'Show 1 more' would take the space of the value itself.
        if facet.id in self._unfolded or len(hidden) < 2:
            return [head, *values]
        more = trn("Show {n} more", "Show {n} more", n=len(hidden))
        return [
            head,
            *(r for r in values if r not in hidden),
            FacetRow(part="more", facet=facet, text=more, count=-1),
        ]

    def _values(self, facet: RecordFacet, found: FoundRecords) -> list[FacetRow]:
        chosen: tuple[str, ...] = getattr(found.query, facet.field)
        counts = {count.value: count.count for count in found.facets[facet.id]}
        # An active value stays listed with a count of 0, so that it can be cleared.
        counts = counts | {value: 0 for value in chosen if value not in counts and value != ANY}
        known = [FacetCount(value=value, count=count) for value, count in counts.items()]
        rows = [
            self._value(facet, found, count)
            for count in sorted(known, key=lambda count: _order(facet, count))
        ]
        if facet.any_title and (rows or ANY in chosen):
            # Not the sum of the values: a record can have several.
            (any_count,) = found.facets[f"{facet.id}{ANY}"]
            rows.insert(0, self._value(facet, found, any_count))
        return rows

    def _value(self, facet: RecordFacet, found: FoundRecords, count: FacetCount) -> FacetRow:
        return FacetRow(
            part="value",
            facet=facet,
            value=count.value,
            text=tr(facet.any_title)
            if facet.any_title and count.value == ANY
            else facet.title_of(count.value, found),
            count=count.count,
            is_chosen=count.value in getattr(found.query, facet.field),
        )


def _order(facet: RecordFacet, count: FacetCount) -> tuple[int, str]:
    if facet.order:
        known = count.value in facet.order
        return facet.order.index(count.value) if known else len(facet.order), count.value
    return -count.count, count.value


class FacetDelegate(QStyledItemDelegate):
    """Paints one line of the filters."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Return the height of a row; headings have extra space above."""
        model = index.model()
        is_head = isinstance(model, FacetModel) and model.rows[index.row()].part == "head"
        return QSize(80, theme.ROW + 8 if is_head else theme.ROW)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint one line."""
        model = index.model()
        if not isinstance(model, FacetModel):
            return
        row, rect = model.rows[index.row()], option.rect
        has_keyboard = bool(option.state & QStyle.StateFlag.State_HasFocus)
        if row.part == "head":
            self._paint_head(painter, rect.adjusted(0, 8, 0, 0), row=row, has_keyboard=has_keyboard)
        else:
            is_hovered = bool(option.state & QStyle.StateFlag.State_MouseOver)
            self._paint_value(painter, rect, row=row, is_raised=is_hovered or row.is_chosen)
        if has_keyboard:
            painter.setPen(theme.current().color("focus"))
            painter.drawRoundedRect(QRectF(rect).adjusted(4.5, 1.5, -4.5, -1.5), 4, 4)

    def _paint_head(self, painter: QPainter, rect: QRect, *, row: FacetRow, has_keyboard: bool) -> None:
        tokens = theme.current()
        name = "chevron-down" if row.is_open else "chevron-right"
        area = QRectF(rect.x() + 8, rect.center().y() - 5, 11, 11)
        icons.draw(painter, name, rect=area, ink=tokens.color("text" if has_keyboard else "text_dim"))
        painter.setFont(theme.font("label"))
        painter.setPen(tokens.color("text_dim"))
        painter.drawText(rect.adjusted(24, 0, -8, 0), int(Qt.AlignmentFlag.AlignVCenter), row.text.upper())

    def _paint_value(self, painter: QPainter, rect: QRect, *, row: FacetRow, is_raised: bool) -> None:
        tokens = theme.current()
        if is_raised:
            painter.fillRect(rect, tokens.color("raised"))
        if row.is_chosen:
            painter.fillRect(rect.x(), rect.y(), 2, rect.height(), tokens.color("accent"))
        inner = rect.adjusted(24, 0, -12, 0)
        painter.setFont(theme.font("label"))
        painter.setPen(tokens.color("text_dim"))
        count = f"{row.count:,}" if row.count >= 0 else ""
        painter.drawText(inner, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight), count)
        inner.setRight(inner.right() - painter.fontMetrics().horizontalAdvance(count) - 8)
        if row.facet.id == "state" and row.part == "value":
            paint_state(painter, row.value, at=QPoint(inner.x(), rect.center().y() - 5))
            inner.setLeft(inner.left() + 20)
        painter.setFont(theme.font("strong" if row.is_chosen else "body"))
        painter.setPen(tokens.color("accent" if row.part == "more" else "text"))
        text = painter.fontMetrics().elidedText(row.text, Qt.TextElideMode.ElideMiddle, inner.width())
        painter.drawText(inner, int(Qt.AlignmentFlag.AlignVCenter), text)


class FacetView(QListView):
    """The list of filters: one tab stop, arrow keys move inside.

    Signals:
        toggled: Emitted when a value is selected or cleared; carries the query's field and the value.
    """

    toggled = Signal(str, str)

    def __init__(self, model: FacetModel) -> None:
        super().__init__()
        self._model = model
        self.setModel(model)
        self.setItemDelegate(FacetDelegate(self))
        self.setMouseTracking(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(tr("Filters"))
        self.clicked.connect(self._on_clicked)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Toggle the current value when the space bar or Enter is pressed."""
        if event.key() in {Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self._on_clicked(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def _on_clicked(self, index: QModelIndex) -> None:
        if not index.isValid():
            return
        row = self._model.rows[index.row()]
        if row.part == "head":
            self._model.fold(row.facet)
        elif row.part == "more":
            self._model.unfold(row.facet)
        else:
            self.toggled.emit(row.facet.field, row.value)
