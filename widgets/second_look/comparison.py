"""The answer key beside the person's own answer, shown after the answer was handed in."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QWidget

from annotator.domain.item import Item
from widgets.box_layout import column_layout
from widgets.labels import caption, label, set_role
from widgets.message_text import message_text
from widgets.second_look.blind_view import BlindView, KeyComparison
from widgets.translation import tr


class KeyComparisonView(QWidget):
    """Says whether answer and key are equal, and shows both."""

    def __init__(self) -> None:
        super().__init__()
        self.result = label(role="strong", wrap=True)
        self.own, self.key = label(wrap=True, selectable=True), label(wrap=True, selectable=True)
        self.note = label(role="dim", wrap=True)
        grid = QGridLayout()
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(4)
        top = Qt.AlignmentFlag.AlignTop
        for row, (title, value) in enumerate(((tr("Your answer"), self.own), (tr("Answer key"), self.key))):
            grid.addWidget(label(title, role="dim"), row, 0, top)
            grid.addWidget(value, row, 1)
        grid.setColumnStretch(1, 1)
        column = column_layout(self, margins_px=0, spacing_px=8)
        column.addWidget(caption(tr("Comparison")))
        column.addWidget(self.result)
        column.addLayout(grid)
        column.addWidget(self.note)

    def show_view(self, view: BlindView) -> None:
        """Show the comparison of an item whose key is shown; nothing before."""
        compared, response = view.comparison, view.response
        self.setVisible(compared is not None)
        if compared is None or response is None:
            # Nothing of an earlier item stays in a hidden label.
            for part in (self.result, self.own, self.key, self.note):
                part.setText("")
            return
        self.result.setText(_result_text(compared))
        set_role(self.result, "strong" if compared.is_equal else "warn")
        self.own.setText(answer_text(view.item, response.answer))
        self.key.setText(answer_text(view.item, compared.answer_key))
        self.note.setText(_note(view, compared))
        self.note.setVisible(bool(self.note.text()))


def answer_text(item: Item, answer: str) -> str:
    """Return an answer for display: the letter of an option with its text, else the answer itself."""
    option = next((one for one in item.options if one.letter == answer), None)
    return f"{option.letter}  {option.text}".rstrip() if option is not None else answer or tr("empty")


def _result_text(compared: KeyComparison) -> str:
    if compared.problem:
        return tr("The answer and the answer key cannot be compared.")
    if compared.is_equal:
        return tr("✓ Your answer agrees with the answer key.")
    return tr("≠ Your answer differs from the answer key.")


def _note(view: BlindView, compared: KeyComparison) -> str:
    decision = view.response.decision if view.response is not None else ""
    decided = {"keep": tr("You kept the answer key."), "object": tr("You objected to the answer key.")}
    if compared.problem:
        return message_text(compared.problem)
    score = tr("Score: {score}", score=f"{compared.score:.2f}") if 0 < compared.score < 1 else ""
    return "  ".join(filter(None, (score, decided.get(decision, ""))))
