"""The item, the reply of the model and the replies of other models, for reading."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from annotator.domain.item import Item
from annotator.scoring.scored_row import ScoredRow
from widgets import display_text
from widgets.box_layout import column_layout, row_layout
from widgets.labels import ElidedLabel, caption, chip, label
from widgets.scores.error_text import flight_lines, model_title, outcome_of, short_reply
from widgets.scores.error_view import ErrorView
from widgets.translation import tr

LETTER_PX, MARK_PX = 20, 20
LONGEST_KEY = 4_000
"""Characters of an answer key that are shown: a recorded flight has thousands of numbers."""
LONGEST_FLIGHT = 200
"""Characters that are shown of a reply that is a flight, which the plot shows."""


class OptionMarks(QWidget):
    """The options of an item, with the answer key and the answer of the model."""

    def __init__(self) -> None:
        super().__init__()
        self.marks: dict[str, QLabel] = {}
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(4)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnMinimumWidth(0, MARK_PX)
        self._grid.setColumnMinimumWidth(1, LETTER_PX)
        self._grid.setColumnStretch(2, 1)

    def show_options(self, item: Item, *, key: str, answer: str) -> None:
        """Show the options; for formats without options, key and answer only."""
        _clear(self._grid)
        self.marks = {}
        for at, option in enumerate(item.options):
            is_key, is_answer = option.letter == key.strip(), option.letter == answer.strip()
            mark = label("●" if is_key else "", role="good")
            mark.setToolTip(tr("Answer key") if is_key else "")
            text = label(option.text, role="strong" if is_key else "body", wrap=True)
            self._grid.addWidget(mark, at, 0, Qt.AlignmentFlag.AlignTop)
            self._grid.addWidget(label(option.letter, role="strong"), at, 1, Qt.AlignmentFlag.AlignTop)
            self._grid.addWidget(text, at, 2)
            if is_answer:
                chosen = chip(tr("Model"), tone="good" if is_key else "bad")
                self._grid.addWidget(chosen, at, 3, Qt.AlignmentFlag.AlignTop)
                self.marks[option.letter] = chosen


class PredictionForm(QWidget):
    """Shows one prediction. All of it is text for reading."""

    def __init__(self) -> None:
        super().__init__()
        self.name = label(role="mono", selectable=True)
        self.outcome, self.model = chip(""), ElidedLabel(role="strong")
        self.origin = label(role="label", wrap=True)
        self.question = label(role="strong", wrap=True, selectable=True)
        self.options = OptionMarks()
        self.answers = label(wrap=True, selectable=True)
        self.reply = label(wrap=True, selectable=True)
        self.others = QWidget()
        self._others = QGridLayout(self.others)
        self._others.setContentsMargins(0, 0, 0, 0)
        self._others.setColumnStretch(1, 1)
        self.others_title = caption(tr("Other models"))
        self._lay_out()

    def show_view(self, view: ErrorView | None) -> None:
        """Show a prediction, nothing for None."""
        self.setVisible(view is not None)
        if view is None:
            return
        row, item = view.row, view.item
        self.name.setText(row.item)
        self.model.setText(model_title(row.model))
        self._show_outcome(row)
        self.origin.setText(_origin(view))
        self.origin.setVisible(bool(self.origin.text()))
        self.question.setText(
            item.question if item is not None else tr("Neither the project nor the release has the question.")
        )
        has_options = item is not None and bool(item.options)
        self.options.setVisible(has_options)
        if item is not None:
            self.options.show_options(item, key=row.key, answer=row.answer)
        self.answers.setText("" if has_options and row.answer else _answers(view))
        self.answers.setVisible(bool(self.answers.text()))
        self.reply.setText(_reply(view))
        self._show_others(view.others)

    def _show_outcome(self, row: ScoredRow) -> None:
        text, tone = outcome_of(row)
        self.outcome.setText(text)
        if self.outcome.property("chip") != tone:
            self.outcome.setProperty("chip", tone)
            self.outcome.style().polish(self.outcome)

    def _show_others(self, others: Sequence[ScoredRow]) -> None:
        _clear(self._others)
        for at, row in enumerate(others):
            text, tone = outcome_of(row)
            self._others.addWidget(ElidedLabel(model_title(row.model), role="dim"), at, 0)
            self._others.addWidget(ElidedLabel(short_reply(row)), at, 1)
            self._others.addWidget(chip(text, tone=tone), at, 2)
        self.others.setVisible(bool(others))
        self.others_title.setVisible(bool(others))

    def _lay_out(self) -> None:
        top = row_layout(spacing_px=8)
        top.addWidget(self.model, 1)
        top.addWidget(self.outcome)
        column = column_layout(self, margins_px=12, spacing_px=8)
        column.addLayout(top)
        item: tuple[QWidget, ...] = (self.name, self.origin, self.question, self.options, self.answers)
        for part in (*item, caption(tr("Reply")), self.reply, self.others_title, self.others):
            column.addWidget(part)
        column.addStretch(1)


def _clear(grid: QGridLayout) -> None:
    while (entry := grid.takeAt(0)) is not None:
        widget = entry.widget()
        if widget is not None:
            # It is painted until it is deleted.
            widget.hide()
            widget.deleteLater()


def _origin(view: ErrorView) -> str:
    task = display_text.task_label(view.row.task, shared=frozenset())
    if view.is_of_project:
        return task
    where = tr("This project does not have the item; it is shown as it was released.")
    return f"{task}. {where}"


def _answers(view: ErrorView) -> str:
    if view.flight is not None:
        return "\n".join(flight_lines(view.flight))
    row = view.row
    key = row.key if len(row.key) <= LONGEST_KEY else f"{row.key[:LONGEST_KEY]} …"
    read = row.answer or tr("none")
    return "\n".join(
        (tr("Answer key: {answer}", answer=key), tr("Answer of the model: {answer}", answer=read))
    )


def _reply(view: ErrorView) -> str:
    text = view.row.text.strip()
    if view.flight is not None and view.flight.flown and len(text) > LONGEST_FLIGHT:
        return f"{text[:LONGEST_FLIGHT]} …"
    return text or tr("The reply is empty.")
