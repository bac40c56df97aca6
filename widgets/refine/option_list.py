"""The options of an item as rows: answer key, letter and text."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QPushButton, QWidget

from annotator.domain.item import LETTERS, Item
from widgets import icons, theme
from widgets.box_layout import column_layout, row_layout
from widgets.labels import label
from widgets.library.item_form import keys_of
from widgets.refine.field_note import FieldNote
from widgets.refine.text_field import TextField
from widgets.translation import tr

DOT_PX, LETTER_PX = 20, 16


class KeyButton(QAbstractButton):
    """The mark of an option: filled for the answer key; a click makes its option the key."""

    def __init__(self, letter: str) -> None:
        super().__init__()
        self.setCheckable(True)
        self.setFixedSize(QSize(DOT_PX, theme.ROW))
        # Letters set the key; the Tab key goes through the texts.
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setToolTip(f"{tr('Set as answer key')}  {letter}")
        self.setAccessibleName(tr("Option {letter} is the answer key", letter=letter))

    def nextCheckState(self) -> None:
        """Leave the state to the item: a click only requests it."""

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint a ring or a filled dot."""
        painter, tokens = QPainter(self), theme.current()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        is_lit = self.isChecked() or self.underMouse()
        painter.setPen(QPen(tokens.color("good" if is_lit else "text_dim"), 1.5))
        painter.setBrush(tokens.color("good") if self.isChecked() else Qt.BrushStyle.NoBrush)
        painter.drawEllipse(QRectF(4, self.height() / 2 - 5, 10, 10))


class OptionRow(QWidget):
    """One option.

    Signals:
        typed: Its text was changed by typing; carries its letter.
        key_requested: It is to be the answer key; carries its letter.
    """

    typed = Signal(str)
    key_requested = Signal(str)

    def __init__(self, letter: str) -> None:
        super().__init__()
        self.letter = letter
        self.key = KeyButton(letter)
        self.field = TextField(name=tr("Option {letter}", letter=letter))
        self.note = FieldNote()
        row = row_layout(spacing_px=4)
        top = Qt.AlignmentFlag.AlignTop
        row.addWidget(self.key, alignment=top)
        mark = label(letter, role="strong")
        mark.setFixedSize(QSize(LETTER_PX, theme.ROW))
        row.addWidget(mark, alignment=top)
        row.addWidget(self.field, 1)
        column = column_layout(self, margins_px=0, spacing_px=2)
        column.addLayout(row)
        column.addWidget(self.note)
        self.note.setContentsMargins(DOT_PX + LETTER_PX + 2 * row.spacing(), 0, 0, 0)
        self.key.clicked.connect(partial(self.key_requested.emit, letter))
        self.field.typed.connect(partial(self.typed.emit, letter))


class OptionList(QWidget):
    """The rows of an item's options.

    Signals:
        typed: The text of an option was changed by typing; carries its letter.
        ended: The input into a field has ended.
        left: The keyboard focus goes back.
        decided: Enter (True) or Escape (False) was pressed in a field; carries its letter first.
        key_requested: An option is to be the answer key; carries its letter.
        add_requested: An option is to be added.
    """

    typed = Signal(str)
    ended = Signal()
    left = Signal()
    decided = Signal(str, bool)
    key_requested = Signal(str)
    add_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[OptionRow] = []
        self.add = QPushButton(tr("Add option"))
        self.add.setIcon(icons.icon("plus"))
        self.add.setProperty("kind", "row")
        self.add.clicked.connect(self.add_requested)
        self._column = column_layout(self, margins_px=0, spacing_px=8)
        self._column.addWidget(self.add)

    def show_item(self, item: Item) -> None:
        """Show letters and answer key of an item; its form fills in the texts, as stored or as typed."""
        self._make_rows([option.letter for option in item.options])
        keys = keys_of(item)
        for row in self.rows:
            row.key.setChecked(row.letter in keys)
        self.add.setVisible(len(self.rows) < len(LETTERS))

    def letters(self) -> str:
        """Return the letters of all options."""
        return "".join(row.letter for row in self.rows)

    def row(self, letter: str) -> OptionRow | None:
        """Return the row of a letter, None if there is none."""
        return next((row for row in self.rows if row.letter == letter), None)

    def letter_at_hand(self) -> str:
        """Return the letter of the option whose text has the keyboard focus, "" for none."""
        return next((row.letter for row in self.rows if row.field.hasFocus()), "")

    def edit(self, letter: str) -> bool:
        """Set the keyboard focus to the text of an option; return whether there is such an option."""
        row = self.row(letter)
        if row is not None:
            row.field.take_keyboard()
        return row is not None

    def exchange_texts(self, one: str, other: str) -> None:
        """Exchange the shown texts of two options, before the item is read again."""
        first, second = self.row(one), self.row(other)
        if first is not None and second is not None:
            text = first.field.text()
            first.field.show_text(second.field.text())
            second.field.show_text(text)

    def set_read_only(self, is_read_only: bool) -> None:
        """Allow or forbid changes of the texts."""
        for row in self.rows:
            row.field.setReadOnly(is_read_only)

    def _make_rows(self, letters: list[str]) -> None:
        """Keep the rows of the first options, so that a field in use stays, and add or remove at the end."""
        known = [row.letter for row in self.rows]
        same = next((at for at, (a, b) in enumerate(zip(known, letters, strict=False)) if a != b), None)
        kept = min(len(known), len(letters)) if same is None else same
        for row in self.rows[kept:]:
            row.hide()
            row.deleteLater()
        del self.rows[kept:]
        for letter in letters[kept:]:
            self._add_row(letter)

    def _add_row(self, letter: str) -> None:
        row = OptionRow(letter)
        row.typed.connect(self.typed)
        row.key_requested.connect(self.key_requested)
        row.field.decided.connect(partial(self.decided.emit, letter))
        row.field.ended.connect(self.ended)
        row.field.left.connect(self.left)
        self._column.insertWidget(len(self.rows), row)
        self.rows.append(row)
        # Qt shows a new widget of a layout in the next turn of the event loop; it may get the focus now.
        if self.isVisible():
            row.show()
