"""The command palette: finds actions and searches the list as the user types."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSize,
    Qt,
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

from widgets import icons, theme
from widgets.action import ActionSpec
from widgets.action_registry import ActionRegistry
from widgets.action_search import Match, match_action, texts_of
from widgets.dialog import FormDialog
from widgets.translation import tr

ROW_PX = 36
SHOWN_ROWS = 10
HIDDEN = {"help.palette", "go.inspect", "go.next_pane", "go.next_tab"}
"""Actions that are left out of the palette."""
Index = QModelIndex | QPersistentModelIndex
_STEPS = {
    Qt.Key.Key_Down: 1,
    Qt.Key.Key_Up: -1,
    Qt.Key.Key_PageDown: SHOWN_ROWS,
    Qt.Key.Key_PageUp: -SHOWN_ROWS,
}


@dataclass(frozen=True, kw_only=True)
class PaletteEntry:
    """One line of the palette.

    Attributes:
        text: Text of the entry.
        action_id: Id of its action, "" for none.
        texts: The text in every language.
        detail: Title of its menu, and whether the project does not allow it.
        key: Its shortcut.
        icon: Name of an icon.
        is_possible: Whether its precondition is met.
        run: Executes it.
    """

    text: str
    action_id: str = ""
    texts: tuple[str, ...] = ()
    detail: str = ""
    key: str = ""
    icon: str = ""
    is_possible: bool = True
    run: Callable[[], object]


def _rate(typed: str, choice: PaletteEntry) -> Match | None:
    return match_action(
        typed,
        action_id=choice.action_id,
        texts=(choice.text, *choice.texts),
        menu=choice.detail,
        is_possible=choice.is_possible,
    )


class _PaletteModel(QAbstractListModel):
    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.choices: list[PaletteEntry] = []

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        return 0 if parent.isValid() else len(self.choices)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role in {Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole}:
            return self.choices[index.row()].text
        return None

    def show_choices(self, choices: list[PaletteEntry]) -> None:
        self.beginResetModel()
        self.choices = choices
        self.endResetModel()


class _PaletteDelegate(QStyledItemDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(200, ROW_PX)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        model = index.model()
        if not isinstance(model, _PaletteModel):
            return
        choice, tokens, rect = model.choices[index.row()], theme.current(), option.rect
        ink = "text" if choice.is_possible else "text_dim"
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, tokens.color("raised"))
            painter.fillRect(rect.x(), rect.y(), 2, rect.height(), tokens.color("accent"))
        if choice.icon:
            area = QRectF(rect.x() + 12, rect.center().y() - 8, 16, 16)
            icons.draw(painter, choice.icon, rect=area, ink=tokens.color("text_dim"))
        text_rect = QRect(rect.x() + 40, rect.y(), rect.width() - 52, rect.height())
        painter.setFont(theme.font("body"))
        painter.setPen(tokens.color(ink))
        painter.drawText(text_rect, Qt.AlignmentFlag.AlignVCenter, choice.text)
        after = painter.fontMetrics().horizontalAdvance(choice.text) + 12
        painter.setFont(theme.font("label"))
        painter.setPen(tokens.color("text_dim"))
        painter.drawText(text_rect.adjusted(after, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, choice.detail)
        painter.drawText(text_rect, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, choice.key)


class CommandPalette(FormDialog):
    """Finds actions for the typed text and executes the selected one."""

    def __init__(
        self, window: QWidget, *, registry: ActionRegistry, search: Callable[[str], object] | None
    ) -> None:
        """Create the palette.

        Args:
            window: Parent window.
            registry: The actions.
            search: Searches the list for the typed text; None if there is no list.
        """
        super().__init__(window, width=640, height=ROW_PX * SHOWN_ROWS + 64)
        self._registry, self._search = registry, search
        self.setWindowTitle(tr("Search or run a command"))
        self.field = QLineEdit()
        self.field.setPlaceholderText(tr("Enter an action or a search term."))
        self.field.setAccessibleName(self.windowTitle())
        self.field.textChanged.connect(self._on_field_text_changed)
        self.model = _PaletteModel(self)
        self.list = QListView()
        self.list.setModel(self.model)
        self.list.setItemDelegate(_PaletteDelegate(self.list))
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setUniformItemSizes(True)
        # The focus stays in the text field; the dialog moves the selection.
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.clicked.connect(self._on_list_clicked)
        self.body.setContentsMargins(8, 8, 8, 8)
        self.body.addWidget(self.field)
        self.body.addWidget(self.list)
        self._on_field_text_changed("")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the selection with the arrow keys, execute it at Enter; the focus stays in the text field."""
        key = Qt.Key(event.key())
        if key in _STEPS:
            self._choose(self.list.currentIndex().row() + _STEPS[key])
        elif key in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self._run(self.list.currentIndex())
        elif key == Qt.Key.Key_Escape and self.field.text():
            self.field.clear()
        else:
            super().keyPressEvent(event)

    def _on_field_text_changed(self, typed: str) -> None:
        fitting = self._all_choices()
        if typed.strip():
            rated = [(_rate(typed.strip(), choice), choice) for choice in fitting]
            # Disabled actions are listed last instead of being left out: users look for the reason.
            found = [(match, choice) for match, choice in rated if match is not None]
            found.sort(key=lambda pair: pair[0], reverse=True)
            fitting = [choice for _match, choice in found]
        self.model.show_choices(fitting + self._searches(typed.strip()))
        self._choose(0)

    def _on_list_clicked(self, index: QModelIndex) -> None:
        self._run(index)

    def _all_choices(self) -> list[PaletteEntry]:
        return [self._choice(action) for action in self._registry.table.actions if action.id not in HIDDEN]

    def _choice(self, action: ActionSpec) -> PaletteEntry:
        return PaletteEntry(
            text=self._registry.action(action.id).text(),
            action_id=action.id,
            texts=texts_of(action.text),
            detail=self._detail(action),
            key=self._registry.key(action.id),
            icon=action.icon,
            is_possible=self._registry.can_run(action.id),
            run=lambda: self._registry.run(action.id),
        )

    def _detail(self, action: ActionSpec) -> str:
        menu = tr(action.menu) if action.menu else ""
        reason = tr("project is read-only") if self._registry.refusal(action.id) else ""
        return " · ".join(filter(None, (menu, reason)))

    def _searches(self, typed: str) -> list[PaletteEntry]:
        if not typed or self._search is None:
            return []
        search = self._search
        text = tr("Search the list for “{words}”", words=typed)
        return [PaletteEntry(text=text, icon="search", run=lambda: search(typed))]

    def _choose(self, row: int) -> None:
        last = self.model.rowCount() - 1
        index = self.model.index(max(0, min(row, last)))
        self.list.setCurrentIndex(index)
        self.list.scrollTo(index)

    def _run(self, index: QModelIndex) -> None:
        if not index.isValid() or not self.model.choices[index.row()].is_possible:
            return
        choice = self.model.choices[index.row()]
        self.accept()
        # After closing: the action can open a dialog of its own.
        choice.run()
