"""The category chooser beside a region: select by number, by typing letters, or by mouse."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QFrame,
    QLineEdit,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from widgets import theme
from widgets.annotate.categories import CategoryChoice, KnownCategories, category_choices
from widgets.box_layout import column_layout
from widgets.focus import ENTER
from widgets.labels import ElidedLabel
from widgets.translation import tr

Index = QModelIndex | QPersistentModelIndex
WIDTH_PX, GAP_PX, EDGE_PX = 264, 8, 8
SHOWN_ROWS = 9
"""Number of visible rows, each of which has a number key."""
_STEPS = {
    Qt.Key.Key_Down: 1,
    Qt.Key.Key_Up: -1,
    Qt.Key.Key_PageDown: SHOWN_ROWS,
    Qt.Key.Key_PageUp: -SHOWN_ROWS,
}
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


class _ChoiceModel(QAbstractListModel):
    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.choices: list[CategoryChoice] = []
        self.has_numbers = True

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        return 0 if parent.isValid() else len(self.choices)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        choice = self.choices[index.row()]
        if role in {Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole}:
            return f"{choice.text}  {choice.note}".strip()
        return choice.text if role == Qt.ItemDataRole.ToolTipRole else None

    def show_choices(self, choices: list[CategoryChoice], *, has_numbers: bool) -> None:
        self.beginResetModel()
        self.choices, self.has_numbers = choices, has_numbers
        self.endResetModel()


class _ChoiceDelegate(QStyledItemDelegate):
    """Paints a row: its number key, its name, a note."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(120, theme.ROW)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        model = index.model()
        if not isinstance(model, _ChoiceModel):
            return
        choice, tokens, rect = model.choices[index.row()], theme.current(), option.rect
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, tokens.color("raised"))
            painter.fillRect(rect.x(), rect.y(), 2, rect.height(), tokens.color("accent"))
        if model.has_numbers and index.row() < SHOWN_ROWS:
            painter.setFont(theme.font("mono_small"))
            painter.setPen(tokens.color("text_dim"))
            painter.drawText(rect.adjusted(10, 0, 0, 0), _LEFT, str(index.row() + 1))
        text_rect = rect.adjusted(28, 0, -8, 0)
        painter.setFont(theme.font("body"))
        painter.setPen(tokens.color("text"))
        text = painter.fontMetrics().elidedText(choice.text, Qt.TextElideMode.ElideRight, text_rect.width())
        painter.drawText(text_rect, _LEFT, text)
        rest = text_rect.width() - painter.fontMetrics().horizontalAdvance(text) - GAP_PX
        painter.setFont(theme.font("label"))
        painter.setPen(tokens.color("text_dim"))
        note = painter.fontMetrics().elidedText(choice.note, Qt.TextElideMode.ElideRight, max(0, rest))
        painter.drawText(text_rect, _RIGHT, note)


class CategoryChooser(QFrame):
    """A pop-up that requests a category; it closes when it loses the keyboard focus.

    Signals:
        chosen: A category was selected; carries it or "".
        closed: The chooser was closed, with or without a selection; carries whether it had the focus.
    """

    chosen = Signal(str)
    closed = Signal(bool)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._host = parent
        self.setObjectName("sheet")
        self.setFixedWidth(WIDTH_PX)
        self._known = KnownCategories()
        self._recent: tuple[str, ...] = ()
        self._can_remove = False
        self.title = ElidedLabel(role="strong")
        self.field = QLineEdit()
        self.field.setPlaceholderText(tr("Search or enter a category"))
        self.field.setAccessibleName(tr("Category"))
        self.field.textChanged.connect(self._show_choices)
        self.field.installEventFilter(self)
        self.model = _ChoiceModel(self)
        self.list = QListView()
        self.list.setModel(self.model)
        self.list.setItemDelegate(_ChoiceDelegate(self.list))
        self.list.setUniformItemSizes(True)
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        # The field keeps the keyboard focus; its event filter moves the current row.
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.clicked.connect(self._on_list_clicked)
        self.hint = ElidedLabel(tr("1–9 or Enter: choose · Esc: close"), role="label")
        column = column_layout(self, margins_px=EDGE_PX, spacing_px=EDGE_PX)
        for part in (self.title, self.field, self.list, self.hint):
            column.addWidget(part)
        self.hide()

    @property
    def choices(self) -> list[CategoryChoice]:
        """The displayed categories, in order."""
        return self.model.choices

    def ask(self, title: str, *, beside: QRect, recent: Iterable[str], can_remove: bool) -> None:
        """Show the chooser and focus its field.

        Args:
            title: Title.
            beside: Rectangle of the region, in coordinates of the parent.
            recent: Recently selected categories, newest first.
            can_remove: Whether the regions have a category that can be removed.
        """
        self._recent, self._can_remove = tuple(recent), can_remove
        self.title.setText(title)
        self.field.clear()
        self._show_choices("")
        self.move_beside(beside)
        self.show()
        # The views of a scene are made later than this sibling of theirs, and lie above it.
        self.raise_()
        self.field.setFocus(Qt.FocusReason.PopupFocusReason)

    def show_known(self, known: KnownCategories) -> None:
        """Set the categories of the project."""
        self._known = known
        self._show_choices(self.field.text())

    def move_beside(self, rect: QRect) -> None:
        """Move beside a rectangle of the parent, clamped to the parent."""
        outer = self._host.rect().adjusted(GAP_PX, GAP_PX, -GAP_PX, -GAP_PX)
        self.list.setFixedHeight(SHOWN_ROWS * theme.ROW)
        excess = self.sizeHint().height() - outer.height()
        # In a low window, the list shrinks so that field and hint stay visible.
        if excess > 0:
            self.list.setFixedHeight(max(theme.ROW, self.list.height() - excess))
        self.adjustSize()
        right, left = rect.right() + GAP_PX, rect.left() - GAP_PX - self.width()
        # To the left only if there is no room to the right, and never over the region if avoidable.
        x = right if right + self.width() <= outer.right() else left
        x = min(max(x, outer.left()), outer.right() - self.width())
        y = min(max(rect.top(), outer.top()), outer.bottom() - self.height())
        self.move(x, max(outer.top(), y))

    def close_chooser(self) -> None:
        """Close without a selection."""
        if self.isVisible():
            # Emitted before ``hide``, because Qt moves the focus of a hidden field to the first view.
            self.closed.emit(self.field.hasFocus())
            self.hide()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Handle keys for selection, navigation and closing before the window does."""
        if event.type() == QEvent.Type.FocusOut and self.isVisible():
            self.close_chooser()
        if not isinstance(event, QKeyEvent):
            return False
        if event.type() == QEvent.Type.ShortcutOverride:
            return self._override(event)
        return event.type() == QEvent.Type.KeyPress and self._take_key(event)

    def _override(self, event: QKeyEvent) -> bool:
        """Accept own keys before shortcuts of the window do, except e.g. undo while the field is empty."""
        if self._is_own(event):
            event.accept()
            return True
        is_left = not self.field.text() and (
            event.key() == Qt.Key.Key_Delete or event.modifiers() & Qt.KeyboardModifier.ControlModifier
        )
        if is_left:
            event.ignore()
        return bool(is_left)

    def _is_own(self, event: QKeyEvent) -> bool:
        key = Qt.Key(event.key())
        return key in {*ENTER, Qt.Key.Key_Escape, Qt.Key.Key_Down, Qt.Key.Key_Up} or self._number(event) > 0

    def _number(self, event: QKeyEvent) -> int:
        """Return the row selected by a number key, counted from 1, or 0 if the key is text."""
        is_plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        # Digits can be part of a category, so they select a row only in an empty field.
        is_number = is_plain and not self.field.text() and Qt.Key.Key_1 <= event.key() <= Qt.Key.Key_9
        return int(event.key() - Qt.Key.Key_0) if is_number else 0

    def _take_key(self, event: QKeyEvent) -> bool:
        key, row = Qt.Key(event.key()), self.list.currentIndex().row()
        if number := self._number(event):
            self._choose(number - 1)
        elif key in ENTER:
            self._choose(row)
        elif key == Qt.Key.Key_Escape:
            self.close_chooser()
        elif key in _STEPS:
            self._move_to(row + _STEPS[key])
        else:
            return False
        return True

    def _show_choices(self, typed: str) -> None:
        choices = category_choices(self._known, recent=self._recent, typed=typed, can_remove=self._can_remove)
        self.model.show_choices(choices, has_numbers=not typed)
        self._move_to(0)

    def _move_to(self, row: int) -> None:
        index = self.model.index(max(0, min(row, self.model.rowCount() - 1)))
        self.list.setCurrentIndex(index)
        self.list.scrollTo(index)

    def _choose(self, row: int) -> None:
        if 0 <= row < len(self.model.choices):
            category = self.model.choices[row].category
            self.close_chooser()
            self.chosen.emit(category)

    def _on_list_clicked(self, index: QModelIndex) -> None:
        self._choose(index.row())
