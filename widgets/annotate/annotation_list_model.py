"""The rows of the annotation list as a model, and how they are painted."""

from __future__ import annotations

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from widgets import icons, theme
from widgets.annotate.annotation_rows import AnnotationRow, MarkRows, RowChange
from widgets.region_colours import region_colour
from widgets.translation import tr

Index = QModelIndex | QPersistentModelIndex
SWATCH_PX = 10
PAD_PX = 12
GAP_PX = 8
LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
ROW_ROLE = Qt.ItemDataRole.UserRole
SELECTABLE = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
"""Combined once: Qt asks for the flags of each row that it paints."""


class AnnotationListModel(QAbstractTableModel):
    """Rows of marks, in one column."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.rows = MarkRows({})
        self.hidden: frozenset[str] = frozenset()

    def show_hidden(self, hidden: frozenset[str]) -> None:
        """Set the annotations that are hidden on the stage."""
        self.hidden = hidden
        if len(self.rows):
            self.dataChanged.emit(self.index(0, 0), self.index(len(self.rows) - 1, 0))

    def is_hidden(self, row: AnnotationRow) -> bool:
        """Return whether all annotations of a row are hidden on the stage."""
        return bool(row.ids) and self.hidden.issuperset(row.ids)

    def note_of(self, row: AnnotationRow) -> str:
        """Return the text after the name of a row."""
        return " · ".join(filter(None, (row.note, tr("hidden") if self.is_hidden(row) else "")))

    def show_rows(self, rows: MarkRows) -> None:
        """Replace the rows; for an update of the displayed rows, only the differences are signalled."""
        change = rows.change_from(self.rows)
        if change is None or not self._follow(rows, change):
            self.beginResetModel()
            self.rows = rows
            self.endResetModel()

    def _follow(self, rows: MarkRows, change: RowChange) -> bool:
        """Update the rows incrementally; return False if they differ in several places."""
        if change.removed and change.inserted:
            return False
        indices = change.removed or change.inserted
        if indices and indices[-1] - indices[0] != len(indices) - 1:
            return False
        if change.removed:
            self.beginRemoveRows(QModelIndex(), indices[0], indices[-1])
            self.rows = rows
            self.endRemoveRows()
        elif change.inserted:
            self.beginInsertRows(QModelIndex(), indices[0], indices[-1])
            self.rows = rows
            self.endInsertRows()
        self.rows = rows
        if change.changed is not None:
            self.dataChanged.emit(self.index(change.changed[0], 0), self.index(change.changed[1], 0))
        return True

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        """Return the number of rows."""
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        """Return the number of columns."""
        return 0 if parent.isValid() else 1

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return a row, or its text for screen readers."""
        row = self.rows[index.row()]
        if role == ROW_ROLE:
            return row
        if role in {Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole}:
            return f"{row.text}  {self.note_of(row)}".strip()
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Make annotations selectable; frames are only activated."""
        if self.rows[index.row()].kind in {"heading", "frame"}:
            return Qt.ItemFlag.ItemIsEnabled
        return SELECTABLE


class AnnotationDelegate(QStyledItemDelegate):
    """Paints a row: a swatch in the annotation's colour, its name, a note."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Return the height of a row."""
        return QSize(120, theme.ROW)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint a row."""
        model = index.model()
        if not isinstance(model, AnnotationListModel):
            return
        row = model.rows[index.row()]
        tokens, rect = theme.current(), QRectF(option.rect)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, tokens.color("raised"))
            painter.fillRect(QRectF(rect.left(), rect.top(), 2, rect.height()), tokens.color("accent"))
        inner = rect.adjusted(PAD_PX, 0, -PAD_PX, 0)
        if row.kind == "heading":
            painter.setFont(theme.font("label"))
            painter.setPen(tokens.color("text_dim"))
            painter.drawText(inner, LEFT, row.text)
            painter.drawText(inner, RIGHT, row.note)
            return
        if row.kind == "frame":
            ink = tokens.color("text_dim")
            area = QRectF(inner.left() - 2, rect.center().y() - 7, 14, 14)
            icons.draw(painter, "chevron-right", rect=area, ink=ink)
        else:
            at = QRectF(inner.left(), rect.center().y() - SWATCH_PX / 2 + 0.5, 0, 0)
            self._paint_swatch(painter, row, at)
        text_rect = inner.adjusted(SWATCH_PX + GAP_PX, 0, 0, 0)
        painter.setFont(theme.font("body"))
        painter.setPen(tokens.color("text_dim" if model.is_hidden(row) else "text"))
        text = painter.fontMetrics().elidedText(
            row.text, Qt.TextElideMode.ElideMiddle, int(text_rect.width())
        )
        painter.drawText(text_rect, LEFT, text)
        rest = text_rect.adjusted(painter.fontMetrics().horizontalAdvance(text) + 2 * GAP_PX, 0, 0, 0)
        painter.setFont(theme.font("label"))
        painter.setPen(tokens.color("text_dim"))
        note = painter.fontMetrics().elidedText(
            model.note_of(row), Qt.TextElideMode.ElideRight, int(max(0, rest.width()))
        )
        painter.drawText(rest, RIGHT, note)

    def _paint_swatch(self, painter: QPainter, row: AnnotationRow, at: QRectF) -> None:
        rect = QRectF(at.left(), at.top(), SWATCH_PX, SWATCH_PX)
        colour = region_colour(row.colour)
        if row.kind == "region":
            painter.setPen(QPen(theme.load("dark").color("bg"), 1))
            painter.setBrush(colour)
            painter.drawRect(rect)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            return
        # Light region colours need a dark background to be visible in the light theme.
        painter.fillRect(rect.adjusted(-2, -2, 2, 2), theme.load("dark").color("bg"))
        icons.draw(painter, row.kind, rect=rect.adjusted(-1, -1, 1, 1), ink=colour)
