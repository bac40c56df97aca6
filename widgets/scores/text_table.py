"""The list of replies that no answer can be read from, the most frequent first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from PySide6.QtCore import QAbstractTableModel, QEvent, QModelIndex, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPaintEvent

from annotator.scoring.unreadable_replies import UnreadableText
from widgets.column_table import CellContent, CellDelegate, ColumnModelMixin, ColumnTable, TableColumn
from widgets.focus import ENTER, paint_view_focus
from widgets.paged_model import Index
from widgets.translation import mark as _
from widgets.translation import tr

COLUMNS = (
    TableColumn(title=_("Reply")),
    TableColumn(title=_("Item"), width_px=128),
    TableColumn(title=_("Same text"), width_px=80, is_number=True),
)
TEXT, ITEM, COUNT = range(3)


class TextModel(ColumnModelMixin, QAbstractTableModel):
    """One row per item and text."""

    columns = COLUMNS

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.texts: list[UnreadableText] = []

    def show_texts(self, texts: Sequence[UnreadableText]) -> None:
        """Replace the rows."""
        self.beginResetModel()
        self.texts = list(texts)
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """Return the number of rows."""
        return 0 if parent.isValid() else len(self.texts)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return the text of a cell."""
        if role in {Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole}:
            one = self.texts[index.row()]
            return (" ".join(one.text.split()), one.item, f"{one.same_text:,}")[index.column()]
        return None


class TextCells(CellDelegate):
    """Paints a reply."""

    def cell(self, index: Index) -> CellContent:
        """Return the content of a cell."""
        return CellContent(
            text=str(index.data()),
            token="text_dim" if index.column() == COUNT else "text",
            font="mono" if index.column() == ITEM else "body",
            gives_way_in_middle=index.column() == ITEM,
            is_number=COLUMNS[index.column()].is_number,
        )


class TextTable(ColumnTable):
    """Lists replies; a letter of an option of the current one chooses it as what the reply means.

    Signals:
        letter_pressed: A letter of an option was pressed; carries it.
        edit_requested: Enter was pressed.
    """

    letter_pressed = Signal(str)
    edit_requested = Signal()

    def __init__(self) -> None:
        self.replies = TextModel()
        super().__init__(self.replies, columns=COLUMNS, painter=TextCells(), name=tr("Unreadable replies"))
        self.replies.setParent(self)

    @property
    def text(self) -> UnreadableText | None:
        """The current reply, None for none."""
        index = self.currentIndex().row()
        return self.replies.texts[index] if 0 <= index < len(self.replies.texts) else None

    def show_texts(self, texts: Sequence[UnreadableText]) -> None:
        """Show replies; the current one stays current, or the one in its place follows."""
        before, index = self.text, max(0, self.currentIndex().row())
        self.replies.show_texts(texts)
        same = (
            at
            for at, one in enumerate(texts)
            if before and (one.item, one.text) == (before.item, before.text)
        )
        self.choose_row(next(same, min(index, len(texts) - 1)))

    def event(self, event: QEvent) -> bool:
        """Claim the letters of the options, which are shortcuts of the workspace elsewhere."""
        if event.type() == QEvent.Type.ShortcutOverride and self._letter(cast("QKeyEvent", event)):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Report letters of options, and Enter."""
        if letter := self._letter(event):
            self.letter_pressed.emit(letter)
        elif event.key() in ENTER:
            self.edit_requested.emit()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the table, and the frame of the keyboard."""
        super().paintEvent(event)
        paint_view_focus(self)

    def _letter(self, event: QKeyEvent) -> str:
        """Return the option letter of a key, "" for another key."""
        if self.text is None or event.modifiers() not in {
            Qt.KeyboardModifier.NoModifier,
            Qt.KeyboardModifier.KeypadModifier,
        }:
            return ""
        pressed = event.text().upper()
        return pressed if pressed in {letter for letter, _text in self.text.options} else ""
