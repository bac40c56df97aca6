"""The answers to an item as cards side by side: what, who, when, how long, and why."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QPushButton, QWidget

from annotator.domain.answer_groups import is_same
from annotator.domain.item import Item
from widgets import display_text
from widgets.box_layout import column_layout, row_layout
from widgets.labels import ElidedLabel, chip, cut, label
from widgets.review.case_answers import CaseAnswer
from widgets.review.headline import short_answer
from widgets.translation import tr

COLUMNS = 2
LONGEST_REASON = 400
"""Maximum number of characters of a reason on a card; the tab of the evidence has all of a reply."""


class AnswerCard(QFrame):
    """One answer.

    Signals:
        key_requested: The answer is to be the answer key; carries it.
    """

    key_requested = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("flag_card")
        self.given: CaseAnswer | None = None
        self.answer, self.who = label(role="strong", wrap=True), ElidedLabel()
        self.facts, self.reason = label(role="label", wrap=True), label(role="dim", wrap=True)
        self.mark: QLabel = chip("")
        self.take = QPushButton(tr("Set as answer key"))
        self.take.setProperty("kind", "pill")
        self.take.clicked.connect(self._on_take_clicked)
        top = row_layout(spacing_px=8)
        top.addWidget(self.who, 1)
        top.addWidget(self.mark)
        column = column_layout(self, margins_px=(12, 8, 12, 8), spacing_px=4)
        column.addWidget(self.answer)
        column.addLayout(top)
        for part in (self.facts, self.reason):
            column.addWidget(part)
        column.addStretch(1)
        column.addWidget(self.take, alignment=Qt.AlignmentFlag.AlignLeft)

    def show_answer(self, given: CaseAnswer, *, item: Item) -> None:
        """Show an answer to an item."""
        self.given = given
        option = next((one.text for one in item.options if one.letter == given.answer), "")
        text = "  ".join(filter(None, (short_answer(given.answer), option))) or tr("No answer")
        self.answer.setText(text)
        self.who.setText(given.who or (tr("Unknown person") if given.is_person else tr("Unknown model")))
        self.facts.setText(" · ".join(_facts(given)))
        reason = cut(given.reason[:LONGEST_REASON])
        self.reason.setText(reason if reason.strip() != given.answer else "")
        self.reason.setVisible(bool(self.reason.text()))
        is_key = (
            bool(item.answer_key) and bool(given.answer) and is_same(given.answer, item.answer_key, item=item)
        )
        self._show_mark(given, is_key=is_key)
        self.take.setVisible(given.is_present and bool(given.answer) and not is_key)
        self.setAccessibleName(f"{self.who.text()}: {text}")

    def _show_mark(self, given: CaseAnswer, *, is_key: bool) -> None:
        if not given.is_present:
            text, tone = tr("earlier form"), "plain"
            meaning = tr("This answer is to an earlier form of the item.")
        elif is_key:
            text, tone, meaning = tr("agrees"), "good", tr("This answer agrees with the answer key.")
        else:
            text, tone, meaning = tr("differs"), "warn", tr("This answer differs from the answer key.")
        self.mark.setVisible(bool(given.answer))
        self.mark.setText(text)
        self.mark.setToolTip(meaning)
        self.mark.setAccessibleDescription(meaning)
        if self.mark.property("chip") != tone:
            self.mark.setProperty("chip", tone)
            self.mark.style().polish(self.mark)

    def _on_take_clicked(self) -> None:
        if self.given is not None:
            self.key_requested.emit(self.given.answer)


class AnswerCards(QWidget):
    """All answers to an item.

    Signals:
        key_requested: An answer is to be the answer key; carries it.
    """

    key_requested = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.cards: list[AnswerCard] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 4, 0, 0)
        self._grid.setSpacing(8)
        for column in range(COLUMNS):
            self._grid.setColumnStretch(column, 1)

    def show_answers(self, answers: Sequence[CaseAnswer], *, item: Item) -> None:
        """Show the answers to an item; cards that are there already are kept."""
        while len(self.cards) < len(answers):
            card = AnswerCard()
            card.key_requested.connect(self.key_requested)
            at = len(self.cards)
            self._grid.addWidget(card, at // COLUMNS, at % COLUMNS)
            self.cards.append(card)
        for at, card in enumerate(self.cards):
            card.setVisible(at < len(answers))
            if at < len(answers):
                card.show_answer(answers[at], item=item)

    def shown(self) -> list[AnswerCard]:
        """Return the cards that show an answer."""
        return [card for card in self.cards if not card.isHidden()]


def _facts(given: CaseAnswer) -> list[str]:
    facts = [tr("Person") if given.is_person else tr("Model")]
    if given.when:
        facts.append(display_text.local_time(given.when))
    if given.duration_s:
        facts.append(tr("{seconds} s", seconds=f"{given.duration_s:,.0f}"))
    if given.repeats is not None:
        same, count = given.repeats
        facts.append(tr("{same} of {count} answers", same=same, count=count))
    return facts
