"""Lists what a person has changed in the draft of an item, word by word."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from annotator.domain.item import Item
from annotator.domain.item_diff import FieldDiff, diff_items
from annotator.domain.word_diff import diff_words
from widgets import theme
from widgets.box_layout import column_layout
from widgets.labels import caption, cut
from widgets.translation import tr

FIELDS = ("task", "question", "answer key")
"""Fields that are compared, besides the options; state and issue classes are shown elsewhere."""


class DraftChanges(QWidget):
    """One line for each field that differs: removed words struck out, added words tinted."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[QLabel] = []
        self._shown: tuple[FieldDiff, ...] | None = None
        self._column = column_layout(self, margins_px=0, spacing_px=4)
        self._column.addWidget(caption(tr("Changes to the draft")))

    @property
    def has_changes(self) -> bool:
        """Whether the shown item differs from its draft."""
        return bool(self.lines)

    def show_changes(self, draft: Item, item: Item) -> None:
        """Show the differences of an item from its draft."""
        diffs = tuple(one for one in diff_items(draft, item) if one.field in FIELDS or _is_option(one))
        if diffs == self._shown:
            return
        self._shown = diffs
        for line in self.lines:
            line.hide()
            line.deleteLater()
        self.lines = [_line(diff) for diff in diffs]
        for line in self.lines:
            self._column.addWidget(line)


def _is_option(diff: FieldDiff) -> bool:
    return diff.field.startswith("option ")


def _line(diff: FieldDiff) -> QLabel:
    made = QLabel()
    # The only label with markup: every text in it is escaped.
    made.setTextFormat(Qt.TextFormat.RichText)
    made.setWordWrap(True)
    # One long word would otherwise set the least width of the pane.
    made.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
    made.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    made.setText(f"{_escaped(_title(diff.field))}: {_marked_up(diff)}")
    return made


def _title(field: str) -> str:
    if field.startswith("option "):
        return tr("Option {letter}", letter=field.removeprefix("option "))
    return {"task": tr("Task"), "question": tr("Question"), "answer key": tr("Answer key")}[field]


def _marked_up(diff: FieldDiff) -> str:
    tokens = theme.current()
    styles = {
        "removed": f"color: {tokens.text_dim}; text-decoration: line-through;",
        "added": f"color: {tokens.good}; background: {tokens.good_ground};",
    }
    return "".join(
        f'<span style="{styles[part.kind]}">{_escaped(part.text)}</span>'
        if part.kind in styles
        else _escaped(part.text)
        for part in diff_words(cut(diff.before), cut(diff.after))
    )


def _escaped(text: str) -> str:
    return escape(text).replace("\n", "<br>")
