"""A field for plain text that grows with its text, and tints words that differ from a draft."""

from __future__ import annotations

import re
from collections.abc import Sequence

from PySide6.QtCore import QEvent, QMimeData, QSize, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QKeyEvent,
    QKeySequence,
    QResizeEvent,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextOption,
)
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QSizePolicy, QTextEdit

from annotator.domain.word_diff import diff_words
from widgets import theme
from widgets.focus import ENTER
from widgets.labels import plain_tip

PADDING_PX = 8
"""Frame and padding of the style sheet above and below the text, px."""
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_PARAGRAPH = "\u2029"
"""Qt's separator of paragraphs in the raw text of a document."""


class TextField(QPlainTextEdit):
    """A text of any length, always as plain text.

    Enter ends the input, Shift+Enter inserts a line break, Tab leaves the field. Undo and redo are those of
    the project: what is typed is saved as commands.

    Signals:
        typed: The user has changed the text.
        ended: The input has ended by Enter, Escape or leaving the field.
        left: Enter or Escape was pressed: the keyboard focus goes back.
        decided: Enter (True) or Escape (False) was pressed; emitted before ``ended``.
    """

    typed = Signal()
    ended = Signal()
    left = Signal()
    decided = Signal(bool)

    def __init__(self, *, name: str, least_lines: int = 1, most_lines: int = 8) -> None:
        """Create an empty field.

        Args:
            name: Accessible name.
            least_lines: Smallest height, in lines.
            most_lines: Largest height; a longer text scrolls.
        """
        super().__init__()
        self._least, self._most = least_lines, most_lines
        self.shown = ""
        """The text that was last shown, before what was typed since."""
        self._draft: str | None = None
        self._doubted: tuple[tuple[int, int], ...] = ()
        self._is_showing = False
        self.setAccessibleName(name)
        self.setTabChangesFocus(True)
        self.setUndoRedoEnabled(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.document().setDocumentMargin(2)
        self.textChanged.connect(self._on_text_changed)
        self.document().documentLayout().documentSizeChanged.connect(self._on_size_changed)
        self._fit()

    def text(self) -> str:
        """Return the text as it was entered."""
        # Not toPlainText, which turns no-break spaces into spaces.
        return self.document().toRawText().replace(_PARAGRAPH, "\n")

    def show_text(self, text: str) -> None:
        """Show a text; the place of the cursor is kept as far as possible, and ``typed`` is not emitted."""
        self.shown = text
        if text == self.text():
            return
        self._is_showing = True
        index = self.textCursor().position()
        self.setPlainText(text)
        cursor = self.textCursor()
        # Qt counts the end of the last paragraph as a character.
        cursor.setPosition(min(index, max(0, self.document().characterCount() - 1)))
        self.setTextCursor(cursor)
        self._is_showing = False
        self._show_difference()

    def compare_with(self, draft: str | None) -> None:
        """Tint the words that differ from a draft; None tints nothing."""
        self._draft = draft
        self._show_difference()

    def underline(self, spans: Sequence[tuple[int, int]]) -> None:
        """Underline parts of the text that a check doubts.

        Args:
            spans: Start and length of each, in characters.
        """
        self._doubted = tuple(spans)
        self._show_difference()

    def mark_wrong(self, problem: str) -> None:
        """Show a red frame with the reason as tool tip; "" removes it."""
        if bool(self.property("is_wrong")) != bool(problem):
            self.setProperty("is_wrong", bool(problem))
            self.style().polish(self)
        self.setToolTip(plain_tip(problem))

    def take_keyboard(self) -> None:
        """Take the keyboard focus with the cursor behind the text."""
        self.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.moveCursor(QTextCursor.MoveOperation.End)

    def sizeHint(self) -> QSize:
        """Return the size that shows the text, between the fewest and the most lines."""
        return QSize(120, self._wanted_px())

    def event(self, event: QEvent) -> bool:
        """Leave undo and redo to the window, and take Enter and Escape before its shortcuts."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride:
            if event.matches(QKeySequence.StandardKey.Undo) or event.matches(QKeySequence.StandardKey.Redo):
                event.ignore()
                return True
            if event.key() in {*ENTER, Qt.Key.Key_Escape} and _is_plain(event):
                event.accept()
                return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """End the input at Enter and Escape."""
        if event.key() in {*ENTER, Qt.Key.Key_Escape} and _is_plain(event):
            event.accept()
            self.decided.emit(event.key() in ENTER)
            self.ended.emit()
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """End the input."""
        super().focusOutEvent(event)
        self.ended.emit()

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Paste as plain text; halves of characters, which cannot be stored, are replaced."""
        if source.hasText():
            self.insertPlainText(_LONE_SURROGATE.sub("\N{REPLACEMENT CHARACTER}", source.text()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Adapt the height to the width."""
        super().resizeEvent(event)
        self._fit()

    def _on_text_changed(self) -> None:
        self._show_difference()
        if not self._is_showing:
            self.typed.emit()

    def _on_size_changed(self) -> None:
        self._fit()

    def _fit(self) -> None:
        wanted = self._wanted_px()
        if self.minimumHeight() != wanted:
            self.setFixedHeight(wanted)

    def _wanted_px(self) -> int:
        # The layout of a plain-text document measures its height in lines.
        lines = round(self.document().documentLayout().documentSize().height())
        shown = max(self._least, min(lines, self._most))
        return round(shown * self._line_px()) + 2 * PADDING_PX

    def _line_px(self) -> float:
        # Not of the font alone: letters of another script come from a font with higher lines.
        first = self.document().firstBlock()
        measured = self.blockBoundingRect(first).height() / max(1, first.lineCount())
        return max(measured, float(self.fontMetrics().lineSpacing()))

    def _show_difference(self) -> None:
        draft, text, tokens = self._draft, self.text(), theme.current()
        tint, doubt = QTextCharFormat(), QTextCharFormat()
        tint.setBackground(tokens.color("good_ground"))
        doubt.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
        doubt.setUnderlineColor(tokens.color("warn"))
        parts = diff_words(draft, text) if draft is not None and draft != text else ()
        shown = [(tint, part.start, len(part.text)) for part in parts if part.kind == "added"]
        shown += [(doubt, start, length) for start, length in self._doubted]
        self.setExtraSelections([self._marked(*one) for one in shown])

    def _marked(self, look: QTextCharFormat, start: int, length: int) -> QTextEdit.ExtraSelection:
        made = QTextEdit.ExtraSelection()
        made.format = look
        made.cursor = _span(self.document(), self.text(), start, length)
        return made


def _span(document: QTextDocument, text: str, start: int, length: int) -> QTextCursor:
    """Return a cursor over a part of a text, whose places Qt counts in UTF-16 units."""
    cursor = QTextCursor(document)
    begin = _units(text[:start])
    cursor.setPosition(begin)
    cursor.setPosition(begin + _units(text[start : start + length]), QTextCursor.MoveMode.KeepAnchor)
    return cursor


def _units(text: str) -> int:
    return len(text) + sum(character > "\uffff" for character in text)


def _is_plain(event: QKeyEvent) -> bool:
    return not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
