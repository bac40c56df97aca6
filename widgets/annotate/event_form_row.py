"""One field of the event-level form: key, title, value, problems, and the values to choose from."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFontMetrics, QMouseEvent
from PySide6.QtWidgets import QLineEdit, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from annotator.domain.task_set import FormField
from widgets.annotate.event_form_data import FormData
from widgets.box_layout import column_layout, row_layout
from widgets.labels import ElidedLabel, chip, label
from widgets.message_text import message_text
from widgets.translation import language, tr

TEXT_FIELD = "other_degradation"
NO_START = frozenset("，。、；：！？）")
QUIET = frozenset(
    {"answer_missing", "when_missing", "what_missing", "partner_missing", "why_missing", "copied"}
)
WRAP_PX = 180
"""Width of a line of a long value: a button does not wrap its text by itself."""


class EventFormRow(QWidget):
    """A row of the form; the current one also shows the values with their digits.

    Signals:
        selected: The row was clicked.
        digit_chosen: A value was clicked; carries its digit.
        text_entered: The text of the field was entered; carries it.
    """

    selected = Signal()
    digit_chosen = Signal(int)
    text_entered = Signal(str)

    def __init__(self, field: FormField, data: FormData, *, is_current: bool) -> None:
        super().__init__()
        self.field = field
        title = field.title.zh if language() == "zh" and field.title.zh else field.title.en
        self.setAccessibleName(title)
        column = column_layout(self, margins_px=(0, 4, 0, 4), spacing_px=4)
        self.value = _value_label(data.value_text(field), is_copied=field.id in data.label.copied)
        head = row_layout(spacing_px=8)
        head.addWidget(chip(field.key, tone="good" if is_current else "plain"))
        head.addWidget(label(title, role="strong" if is_current else "body"))
        head.addWidget(self.value, 1)
        column.addLayout(head)
        self.buttons: list[QPushButton] = []
        self.text: QLineEdit | None = None
        if is_current:
            self._add_choices(column, data)
        self.problems = self._problems_of(data, is_current=is_current)
        for problem in self.problems if data.label.id else ():
            column.addWidget(label(problem, role="note", wrap=True))

    def _problems_of(self, data: FormData, *, is_current: bool) -> list[str]:
        # That fields further down are not answered or confirmed yet is seen from their values.
        found = data.problems.get(self.field.id, ())
        return [message_text(one.message) for one in found if is_current or one.kind not in QUIET]

    def _add_choices(self, column: QVBoxLayout, data: FormData) -> None:
        for choice in data.choices(self.field):
            button = QPushButton(f"{choice.digit}   {_wrapped(choice.text, self.fontMetrics())}")
            # A long text must not widen the panel.
            button.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
            button.setProperty("kind", "answer")
            button.setCheckable(True)
            button.setChecked(choice.is_chosen)
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            button.clicked.connect(partial(self.digit_chosen.emit, choice.digit))
            self.buttons.append(button)
            column.addWidget(button)
        if self.field.id == "count":
            column.addWidget(label(tr("Type the number. A: approximately"), role="dim", wrap=True))
        if self.field.value_list and self.field.id.endswith("boxes"):
            column.addWidget(
                label(tr("Select regions on the image; a digit adds their boxes."), role="dim", wrap=True)
            )
        if self.field.id == TEXT_FIELD:
            self.text = QLineEdit(data.label.other_degradation or "")
            self.text.editingFinished.connect(self._on_text_editing_finished)
            column.addWidget(self.text)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Select the row."""
        self.selected.emit()
        super().mousePressEvent(event)

    def _on_text_editing_finished(self) -> None:
        if self.text is not None:
            self.text_entered.emit(self.text.text())


def _value_label(text: str, *, is_copied: bool) -> ElidedLabel:
    shown = tr("not confirmed: {value}", value=text) if is_copied else text
    value = ElidedLabel(shown, role="note" if is_copied else "body")
    value.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    return value


def typed_text(rows: Iterable[EventFormRow]) -> QLineEdit | None:
    """Return the text field that has the keyboard, None if none of the rows has one."""
    return next((row.text for row in rows if row.text is not None and row.text.hasFocus()), None)


def _wrapped(text: str, metrics: QFontMetrics) -> str:
    # Chinese has no blanks: a line can end after each character.
    blank, lines = (" ", []) if " " in text else ("", [""])
    for word in text.split() if blank else text:
        longer = f"{lines[-1]}{blank}{word}" if lines else word
        # A line does not begin with a full stop or comma.
        if lines and (metrics.horizontalAdvance(longer) <= WRAP_PX or word in NO_START):
            lines[-1] = longer
        else:
            lines.append(word)
    return "\n     ".join(lines)
