"""The answers of formats with options: one letter, or several of the options."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QAbstractButton, QCheckBox, QRadioButton, QWidget

from annotator.domain import answers
from annotator.domain.item import Option
from widgets.answers.answer_widget import AnswerWidget
from widgets.box_layout import column_layout, row_layout
from widgets.labels import label
from widgets.stage.tools.link_keys import PLAIN
from widgets.translation import tr

INDENT_PX = 52
"""Start of the options' texts, right of the letters."""


class OptionRow(QWidget):
    """An option with its letter and its text, which can be long.

    Signals:
        clicked: The option was chosen, with the mouse or the space bar.
    """

    clicked = Signal()

    def __init__(self, option: Option, *, is_single: bool) -> None:
        """Create a row that is not chosen.

        Args:
            option: The option.
            is_single: Whether only one option can be chosen.
        """
        super().__init__()
        self.button: QAbstractButton = QRadioButton(option.letter) if is_single else QCheckBox(option.letter)
        # The answer decides what is chosen; Qt would choose another button with the arrow keys.
        self.button.setAutoExclusive(False)
        self.button.setFixedWidth(INDENT_PX)
        self.button.setAccessibleName(f"{option.letter} {option.text}")
        self.button.clicked.connect(self.clicked)
        row = row_layout(self, margins_px=0, spacing_px=0)
        row.addWidget(self.button, 0, Qt.AlignmentFlag.AlignTop)
        text = label(option.text or tr("empty"), role="body" if option.text else "dim", wrap=True)
        text.setContentsMargins(0, 6, 0, 6)
        row.addWidget(text, 1)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the option with a click on its text."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.button.setFocus(Qt.FocusReason.MouseFocusReason)
            self.clicked.emit()


class OptionAnswer(AnswerWidget):
    """Options as rows; letter keys choose them."""

    formats = ("option_letter", "span_set")

    def __init__(self, answer_format: str, *, is_blind: bool = False) -> None:
        super().__init__(answer_format, is_blind=is_blind)
        self.rows: dict[str, OptionRow] = {}
        self._options: tuple[Option, ...] = ()
        self.empty_line = label(tr("The item has no options."), role="dim")
        self.body.addWidget(self.empty_line)
        self._column = column_layout(spacing_px=0)
        self.body.addLayout(self._column)

    @property
    def is_single(self) -> bool:
        """Whether the answer is one option."""
        return self.answer_format == "option_letter"

    @property
    def letters(self) -> frozenset[str]:
        """The letters of the chosen options."""
        value = self.value()
        if isinstance(value, str):
            return frozenset({value})
        texts = value if isinstance(value, frozenset) else frozenset()
        return frozenset(option.letter for option in self._options if option.text in texts)

    def choose(self, letter: str) -> bool:
        """Answer with an option, or add it or remove it where several can be chosen.

        Returns:
            Whether the item has the option.
        """
        if letter not in self.rows:
            return False
        if self.is_single:
            self.enter(letter)
        else:
            self._enter_set(self.letters ^ {letter})
        # A button that was clicked has changed its own state.
        self.show_answer(self.text())
        return True

    def show_surroundings(self) -> None:
        """Show the options of the item."""
        options = self.surroundings.item.options if self.surroundings is not None else ()
        if options != self._options:
            self._options = options
            self._make_rows(options)
            self.show_answer(self.text())

    def show_answer(self, _text: str, /) -> None:
        """Mark the chosen options."""
        letters = self.letters
        for letter, row in self.rows.items():
            row.button.setChecked(letter in letters)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Choose an option by its letter, and move among the options with the arrow keys."""
        if event.modifiers() in PLAIN and self.choose(event.text().upper()):
            return
        if event.key() in {Qt.Key.Key_Up, Qt.Key.Key_Down}:
            self.focusNextPrevChild(event.key() == Qt.Key.Key_Down)
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Accept letters of options before they trigger shortcuts of the window."""
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.modifiers() in PLAIN
            and event.text().upper() in self.rows
        ):
            event.accept()
            return True
        return super().event(event)

    def _enter_set(self, letters: frozenset[str]) -> None:
        texts = frozenset(option.text for option in self._options if option.letter in letters)
        self.enter(answers.get(self.answer_format).render(texts) if texts else "")

    def _make_rows(self, options: Sequence[Option]) -> None:
        for row in self.rows.values():
            self._column.removeWidget(row)
            row.hide()
            row.deleteLater()
        self.rows = {}
        for option in options:
            row = OptionRow(option, is_single=self.is_single)
            row.clicked.connect(partial(self.choose, option.letter))
            self._column.addWidget(row)
            self.rows[option.letter] = row
        self.empty_line.setVisible(not options)
        if options:
            self.setFocusProxy(self.rows[options[0].letter].button)
