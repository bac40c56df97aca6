"""The field for the text of a comment, with completion of the names of people after ``@``."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent, QTextCursor
from PySide6.QtWidgets import QFrame, QListWidget, QPlainTextEdit, QWidget

from widgets.box_layout import column_layout
from widgets.focus import ENTER
from widgets.theme import ROW
from widgets.translation import tr

HEIGHT_PX, NAMES_SHOWN, LONGEST_NAME = 72, 5, 60


class CommentEdit(QPlainTextEdit):
    """Takes Ctrl+Enter, Escape and, while names are offered, the keys that choose one.

    Signals:
        sent: Ctrl+Enter was pressed.
        left: Escape was pressed.
        name_stepped: The next (1) or previous (-1) name is to be marked.
        name_chosen: The marked name is to be inserted.
    """

    sent = Signal()
    left = Signal()
    name_stepped = Signal(int)
    name_chosen = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.is_offering = False
        self.setTabChangesFocus(True)
        self.setFixedHeight(HEIGHT_PX)
        self.setAccessibleName(tr("Comment text"))
        self.setPlaceholderText(tr("Write a comment; @ mentions a person"))

    def event(self, event: QEvent) -> bool:
        """Take the keys of the field before they are shortcuts of the window."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride and self._use(event):
            event.accept()
            return True
        # Qt moves the focus with Tab before a widget gets the key.
        is_tab = event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent)
        if is_tab and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Tab and self.is_offering:
            self.name_chosen.emit()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Execute the keys of the field; others edit the text."""
        signal = self._use(event)
        if signal == "step":
            self.name_stepped.emit(1 if event.key() == Qt.Key.Key_Down else -1)
        elif signal:
            {"send": self.sent, "leave": self.left, "choose": self.name_chosen}[signal].emit()
        else:
            super().keyPressEvent(event)

    def _use(self, event: QKeyEvent) -> str:
        """Return what a key does, "" for one that edits the text."""
        if event.key() in ENTER and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            return "send"
        if event.key() == Qt.Key.Key_Escape:
            return "leave"
        if self.is_offering and event.key() in {Qt.Key.Key_Up, Qt.Key.Key_Down}:
            return "step"
        return "choose" if self.is_offering and event.key() in ENTER else ""


class CommentField(QWidget):
    """A text with a list of names below it, which appears after ``@`` and the first letters of a name.

    Signals:
        sent: Ctrl+Enter was pressed.
        left: Escape was pressed while no names were offered.
    """

    sent = Signal()
    left = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.edit, self.names = CommentEdit(), QListWidget()
        self._people: tuple[str, ...] = ()
        self.names.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.names.setFrameShape(QFrame.Shape.NoFrame)
        self.names.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.names.setAccessibleName(tr("People"))
        self.names.hide()
        column = column_layout(self, margins_px=0, spacing_px=4)
        column.addWidget(self.edit)
        column.addWidget(self.names)
        self.setFocusProxy(self.edit)
        self.edit.sent.connect(self.sent)
        self.edit.left.connect(self._on_edit_left)
        self.edit.name_stepped.connect(self._on_name_stepped)
        self.edit.name_chosen.connect(self._insert_name)
        self.edit.cursorPositionChanged.connect(self._offer)
        self.names.itemClicked.connect(self._insert_name)

    def text(self) -> str:
        """Return the text without surrounding spaces."""
        return self.edit.toPlainText().strip()

    def show_text(self, text: str) -> None:
        """Replace the text, with the cursor behind it."""
        self.edit.setPlainText(text)
        self.edit.moveCursor(QTextCursor.MoveOperation.End)
        self._close_names()

    def show_people(self, names: Iterable[str]) -> None:
        """Set the names that can be completed."""
        self._people = tuple(sorted(set(names), key=str.casefold))

    def _offer(self) -> None:
        written = self._written()
        fitting = [
            name
            for name in self._people
            if written is not None and name.casefold().startswith(written.casefold()) and name != written
        ][:NAMES_SHOWN]
        if not fitting:
            self._close_names()
            return
        self.names.clear()
        self.names.addItems(fitting)
        self.names.setCurrentRow(0)
        self.names.setFixedHeight(ROW * len(fitting) + 4)
        self.names.show()
        self.edit.is_offering = True

    def _written(self) -> str | None:
        """Return the letters between the last ``@`` and the cursor, None without one."""
        cursor = self.edit.textCursor()
        # Qt counts UTF-16 units, of which an emoji has two.
        units = cursor.block().text().encode("utf-16-le", "surrogatepass")[: 2 * cursor.positionInBlock()]
        before = units.decode("utf-16-le", "surrogatepass")
        at = before.rfind("@", max(0, len(before) - LONGEST_NAME))
        is_address = at > 0 and before[at - 1].isascii() and before[at - 1].isalnum()
        return None if at < 0 or is_address or cursor.hasSelection() else before[at + 1 :]

    def _insert_name(self) -> None:
        written = self._written()
        if written is None or not self.names.count():
            return
        cursor = self.edit.textCursor()
        # Qt moves by UTF-16 units.
        left = QTextCursor.MoveOperation.Left
        cursor.movePosition(left, QTextCursor.MoveMode.KeepAnchor, len(written.encode("utf-16-le")) // 2)
        cursor.insertText(f"{self.names.currentItem().text()} ")
        self._close_names()

    def _close_names(self) -> None:
        self.names.hide()
        self.edit.is_offering = False

    def _on_name_stepped(self, step: int) -> None:
        count = self.names.count()
        self.names.setCurrentRow((self.names.currentRow() + step) % max(1, count))

    def _on_edit_left(self) -> None:
        if self.edit.is_offering:
            self._close_names()
        else:
            self.left.emit()
