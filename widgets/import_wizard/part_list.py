"""The parts of an import: one row each, with a check box, a name and a summary."""

from __future__ import annotations

from PySide6.QtCore import (
    QAbstractItemModel,
    QEvent,
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import (
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from widgets import icons, theme
from widgets.import_wizard.choices import Choice
from widgets.import_wizard.summaries import summary_of, title_of
from widgets.labels import plain_tip
from widgets.translation import tr

ROW_PX = 48
TICK_PX = 14
SUMMARY_ROLE = Qt.ItemDataRole.UserRole + 1
FAULT_ROLE = Qt.ItemDataRole.UserRole + 2
_CHECKED = Qt.CheckState.Checked


class PartList(QListWidget):
    """Lists the parts; the space bar includes or excludes a part.

    Signals:
        chosen: Emitted when the current part changes; carries its place, -1 for none.
        selection_changed: Emitted when a part is included or excluded.
    """

    chosen = Signal(int)
    selection_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._choices: list[Choice] = []
        self.setAccessibleName(tr("Detected files"))
        self.setItemDelegate(_PartPainter(self))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setUniformItemSizes(True)
        self.currentRowChanged.connect(self.chosen)
        self.itemChanged.connect(self._on_item_changed)

    def show_choices(self, choices: list[Choice]) -> None:
        """Show these parts; the current part stays current where it still exists."""
        before = self._choices[self.currentRow()] if self.currentRow() >= 0 and self._choices else None
        self._choices = choices
        self.clear()
        for choice in choices:
            self.addItem(QListWidgetItem())
            self.refresh(choice)
        at = choices.index(before) if before is not None and before in choices else 0
        self.setCurrentRow(at if choices else -1)

    def refresh(self, choice: Choice) -> None:
        """Show the current state of a part."""
        item = self.item(self._choices.index(choice))
        # setText and setData emit itemChanged, which stands for a toggled check box here.
        self.blockSignals(True)
        item.setText(title_of(choice))
        item.setData(SUMMARY_ROLE, summary_of(choice))
        item.setData(FAULT_ROLE, not choice.can_be_read)
        item.setToolTip(plain_tip(f"{title_of(choice)}\n{summary_of(choice)}"))
        if choice.can_be_read:
            item.setCheckState(_CHECKED if choice.is_selected else Qt.CheckState.Unchecked)
        self.blockSignals(False)
        self.viewport().update()

    def _on_item_changed(self, item: QListWidgetItem) -> None:
        self._choices[self.row(item)].is_selected = item.checkState() == _CHECKED
        self.selection_changed.emit()


class _PartPainter(QStyledItemDelegate):
    """Paints a part in two lines; a click on its check box toggles it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """Return the height of two lines."""
        return QSize(120, ROW_PX)

    def editorEvent(
        self,
        event: QEvent,
        model: QAbstractItemModel,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> bool:
        """Toggle the check box when it is clicked, and at the space bar."""
        rect: QRect = option.rect
        state = index.data(Qt.ItemDataRole.CheckStateRole)
        is_click = (
            isinstance(event, QMouseEvent)
            and event.type() == QEvent.Type.MouseButtonRelease
            and event.position().x() < rect.left() + TICK_PX + 16
        )
        is_key = isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Space
        # Elsewhere on the row a click only selects the part.
        if state is None or not (is_click or is_key):
            return False
        turned = Qt.CheckState.Unchecked if Qt.CheckState(state) == _CHECKED else _CHECKED
        return model.setData(index, turned, Qt.ItemDataRole.CheckStateRole)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Paint background, check box, name and summary."""
        colors = theme.current()
        rect: QRect = option.rect
        state: QStyle.StateFlag = option.state
        is_current = bool(state & QStyle.StateFlag.State_Selected)
        painter.save()
        if is_current:
            painter.fillRect(rect, colors.color("raised"))
        if state & QStyle.StateFlag.State_HasFocus:
            painter.fillRect(QRect(rect.left(), rect.top(), 2, rect.height()), colors.color("focus"))
        self._paint_tick(painter, rect, index)
        left = rect.left() + TICK_PX + 20
        width = rect.right() - left - 8
        lines = (
            (index.data(Qt.ItemDataRole.DisplayRole), "body", "text", rect.top() + 6),
            (
                index.data(SUMMARY_ROLE),
                "label",
                "bad" if index.data(FAULT_ROLE) else "text_dim",
                rect.top() + 26,
            ),
        )
        for text, role, ink, top in lines:
            # Names are elided in the middle, because files often differ in their suffix or number.
            mode = Qt.TextElideMode.ElideRight if role == "label" else Qt.TextElideMode.ElideMiddle
            painter.setFont(theme.font("label" if role == "label" else "body"))
            painter.setPen(colors.color(ink))
            shown = painter.fontMetrics().elidedText(text or "", mode, width)
            painter.drawText(QRect(left, top, width, 18), int(Qt.AlignmentFlag.AlignVCenter), shown)
        painter.restore()

    def _paint_tick(self, painter: QPainter, rect: QRect, index: QModelIndex | QPersistentModelIndex) -> None:
        colors = theme.current()
        state = index.data(Qt.ItemDataRole.CheckStateRole)
        area = QRect(rect.left() + 10, rect.center().y() - TICK_PX // 2, TICK_PX, TICK_PX)
        if state is None:
            painter.setPen(colors.color("bad"))
            painter.setFont(theme.font("strong"))
            painter.drawText(area, int(Qt.AlignmentFlag.AlignCenter), "!")
            return
        is_on = Qt.CheckState(state) == _CHECKED
        painter.setPen(colors.color("accent" if is_on else "text_dim"))
        painter.setBrush(colors.color("accent") if is_on else QColor(Qt.GlobalColor.transparent))
        painter.drawRoundedRect(area, 3, 3)
        if is_on:
            icons.draw(painter, "check", rect=QRectF(area), ink=colors.color("on_accent"))
