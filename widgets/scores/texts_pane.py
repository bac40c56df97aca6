"""The tab in which people settle what replies mean that no answer can be read from."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QPushButton, QScrollArea, QWidget

from annotator.commands.prediction_decisions import SettleTexts, TextDecision
from annotator.domain.item import Item, Option
from annotator.scoring.score_report import ScoreReport
from annotator.scoring.unreadable_replies import UnreadableText
from widgets.action_registry import ActionRegistry
from widgets.answers.answer_widget import AnswerWidget
from widgets.answers.option_answer import OptionAnswer
from widgets.answers.registry import make_answer_widget
from widgets.box_layout import column_layout, row_layout
from widgets.focus import ENTER, holds_keyboard
from widgets.labels import caption, label
from widgets.scores.text_table import TextTable
from widgets.translation import join_clauses, join_texts, tr, trn

LIST_STRETCH, DETAIL_STRETCH = 5, 4


class TextsPane(QWidget):
    """Lists unreadable replies, and shows the current one with its question and a key per answer.

    Signals:
        commanded: A person has settled a reply; carries the ``SettleTexts``.
        text_chosen: Another reply is current, or none.
    """

    commanded = Signal(object)
    text_chosen = Signal()

    def __init__(self, *, registry: ActionRegistry, person: str) -> None:
        super().__init__()
        self._registry, self._person = registry, person
        self._report: ScoreReport | None = None
        self._sent: set[tuple[str, str]] = set()
        self.table = TextTable()
        self.note = label(role="dim", wrap=True)
        self.reply, self.question = label(wrap=True, selectable=True), label(wrap=True)
        self.models = label(role="dim", wrap=True)
        self.answer: AnswerWidget | None = None
        self.for_all = QCheckBox()
        self.main, self.none, self.ask = QPushButton(), QPushButton(), QPushButton()
        self._lay_out()
        self.table.row_chosen.connect(self._on_table_row_chosen)
        self.table.letter_pressed.connect(self._on_table_letter_pressed)
        self.table.edit_requested.connect(self.settle_shown)
        self.main.clicked.connect(self.settle_shown)
        self.none.clicked.connect(partial(registry.run, "scores.no_answer"))
        self.ask.clicked.connect(partial(registry.run, "scores.ask_models"))
        self.setFocusProxy(self.table)
        registry.connect_owner("score_texts", self)

    def show_report(self, report: ScoreReport) -> None:
        """Show the unreadable replies of a report."""
        self._report = report
        self._sent.clear()
        self._show_texts()

    def settle(self, answer: str) -> None:
        """Settle that the current reply means an answer, "" for none; the next reply follows."""
        text = self.table.text
        if text is None:
            return
        is_for_all = self.for_all.isChecked()
        decision = TextDecision(
            text=text.text,
            answer=answer,
            item="" if is_for_all else text.item,
            answer_format=text.answer_format if is_for_all else "",
        )
        # The list does not wait for the scores: the next key is about the next reply.
        same = (one for one in self.table.replies.texts if _is_same(one, text))
        self._sent |= {(one.item, one.text) for one in (same if is_for_all else (text,))}
        self._show_texts()
        self.table.setFocus(Qt.FocusReason.OtherFocusReason)
        self.commanded.emit(SettleTexts(decisions=(decision,), person=self._person))

    def settle_shown(self) -> None:
        """Settle the answer that is entered; without one, go to its field."""
        if self.answer is None:
            return
        if self.answer.apply() and self.answer.text():
            self.settle(self.answer.text())
        else:
            self.answer.setFocus(Qt.FocusReason.OtherFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Settle the entered answer at Enter that no field has handled."""
        if event.key() in ENTER and self.answer is not None and holds_keyboard(self.answer):
            self.settle_shown()
        else:
            super().keyPressEvent(event)

    def decline(self) -> None:
        """Settle that the current reply is no answer."""
        self.settle("")

    def toggle_all(self) -> None:
        """Settle for all items with this text, or for this item alone."""
        self.for_all.toggle()

    def has_text(self) -> bool:
        """Return whether a reply is shown that can be settled."""
        return self.isVisible() and self.table.text is not None

    def restore(self) -> None:
        """Show replies again that could not be settled."""
        self._sent.clear()
        self._show_texts()

    def _show_texts(self) -> None:
        report = self._report
        if report is None:
            return
        self.table.show_texts([one for one in report.unreadable if (one.item, one.text) not in self._sent])
        left = report.unreadable_count - len(self._sent)
        more = report.unreadable_count - len(report.unreadable)
        notes = [trn("{n} reply cannot be read", "{n} replies cannot be read", n=left)]
        if more:
            notes.append(tr("the {n} most frequent are listed", n=f"{len(report.unreadable):,}"))
        self.note.setText(join_clauses(notes) if left else tr("Every reply can be read or is settled."))
        self._show_text()

    def _show_text(self) -> None:
        text = self.table.text
        self.for_all.setChecked(False)
        self._detail.setVisible(text is not None)
        if text is not None:
            self.reply.setText(text.text)
            self.question.setText(text.question)
            self.models.setText(join_texts(text.models))
            key = self._registry.key("scores.for_all")
            message = trn(
                "For the {n} reply with this text", "For all {n} replies with this text", n=text.same_text
            )
            self.for_all.setText(f"{message}  {key}".strip())
            self._show_answer(text)
        self.text_chosen.emit()

    def _show_answer(self, text: UnreadableText) -> None:
        if self.answer is not None:
            self._answers.removeWidget(self.answer)
            self.answer.hide()
            self.answer.deleteLater()
        self.answer = make_answer_widget(text.answer_format, is_blind=True)
        self.answer.show_item(_item(text), None)
        self.answer.committed.connect(self._on_answer_committed)
        self._answers.addWidget(self.answer)

    def _lay_out(self) -> None:
        self.main.setText(f"{tr('Settle reply')}  Enter")
        self.main.setProperty("kind", "main")
        for button, action in ((self.none, "scores.no_answer"), (self.ask, "scores.ask_models")):
            text = self._registry.action(action).text()
            button.setText(f"{text}  {self._registry.key(action)}".strip())
        self._detail = QWidget()
        column = column_layout(self._detail, margins_px=(0, 0, 8, 0), spacing_px=6)
        for title, part in (
            (tr("Reply"), self.reply),
            (tr("Models"), self.models),
            (tr("Question"), self.question),
        ):
            column.addWidget(caption(title))
            column.addWidget(part)
        column.addWidget(caption(tr("What the reply means")))
        self._answers = column_layout(spacing_px=4)
        column.addLayout(self._answers)
        column.addWidget(self.for_all)
        buttons = row_layout(spacing_px=8)
        buttons.addWidget(self.main)
        buttons.addWidget(self.none)
        buttons.addStretch(1)
        column.addLayout(buttons)
        column.addStretch(1)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setWidget(self._detail)
        row = row_layout(spacing_px=16)
        row.addWidget(self.table, LIST_STRETCH)
        row.addWidget(area, DETAIL_STRETCH)
        whole = column_layout(self, margins_px=0, spacing_px=8)
        head = QHBoxLayout()
        head.addWidget(self.note, 1)
        head.addWidget(self.ask)
        whole.addLayout(head)
        whole.addLayout(row, 1)

    def _on_table_row_chosen(self, _index: int) -> None:
        self._show_text()

    def _on_table_letter_pressed(self, letter: str) -> None:
        if isinstance(self.answer, OptionAnswer):
            self.answer.choose(letter)

    def _on_answer_committed(self, answer: str) -> None:
        # A letter is the whole answer; other formats take several keys, and Enter ends them.
        if answer and isinstance(self.answer, OptionAnswer) and self.answer.is_single:
            # Not now: the widget that reports the answer is replaced by that of the next reply.
            QTimer.singleShot(0, self, partial(self.settle, answer))


def _is_same(one: UnreadableText, other: UnreadableText) -> bool:
    return (one.text, one.answer_format) == (other.text, other.answer_format)


def _item(text: UnreadableText) -> Item:
    """Return an item as far as the widget of its answer needs it."""
    return Item(
        id=text.item_id or text.item,
        name=text.item,
        task_set="",
        question=text.question,
        options=tuple(Option(letter=letter, text=text) for letter, text in text.options),
        answer_format=text.answer_format,
    )
