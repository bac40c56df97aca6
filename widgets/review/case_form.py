"""The page of a case: what is asked, who answers what, versions, and why it waits."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from annotator.domain.flag import Flag
from annotator.domain.item import LETTERS, Item
from widgets import display_text
from widgets.box_layout import column_layout
from widgets.field_titles import field_title
from widgets.labels import chip, label
from widgets.library.flags_view import TONES, grouped
from widgets.library.item_form import OptionRows, keys_of
from widgets.library.record_form import RecordForm
from widgets.message_text import message_text
from widgets.review.answer_cards import AnswerCards
from widgets.review.case_view import CaseView
from widgets.review.field_versions import DifferingLabels, fork_versions, label_versions
from widgets.review.fork_form import ForkForm
from widgets.translation import join_texts, tr, trn

FLAGS_SHOWN = 12
REMARKS_SHOWN = 5


class CaseForm(RecordForm):
    """Shows a case; its parts are kept for the next one.

    Signals:
        key_requested: An answer is to be the answer key; carries it.
    """

    key_requested = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.cards: AnswerCards | None = None
        self.forks: ForkForm | None = None
        self._shown = ""

    def show_case(self, view: CaseView | None) -> None:
        """Show a case, None for none."""
        if view is None:
            self.cards = self.forks = None
            self.clear()
            return
        self.begin()
        self.cards = self.forks = None
        if view.forks:
            title = tr("Versions of two workstations")
            self.forks = self.next_part("forks", partial(ForkForm, title))
            self.forks.show_fields(fork_versions(view.forks))
        if view.differing is not None:
            title = tr("Event labels of several persons")
            self.forks = self.next_part("labels", partial(ForkForm, title))
            self.forks.show_fields(label_versions(view.differing), hint=_keys_of_labels(view.differing))
        if view.item is not None:
            self._add_item(view.item)
            self._add_answers(view, view.item)
        self._add_flags(view.flags)
        self._add_remarks(view)
        self.end()
        if view.key != self._shown:
            self._shown = view.key
            self.verticalScrollBar().setValue(0)

    def _add_item(self, item: Item) -> None:
        self.add_heading(tr("Question"))
        self.add_text(item.question or tr("No question"), role="body" if item.question else "dim")
        if item.options:
            self.next_part("options", OptionRows).show_options(item.options, keys=keys_of(item))
        if not item.options or not keys_of(item):
            self.add_fields([(tr("Answer key"), item.answer_key or tr("No answer key"), "strong")])

    def _add_answers(self, view: CaseView, item: Item) -> None:
        if not view.answers:
            return
        self.add_heading(tr("Answers"))
        self.cards = self.next_part("cards", self._make_cards)
        self.cards.show_answers(view.answers, item=item)

    def _make_cards(self) -> AnswerCards:
        made = AnswerCards()
        made.key_requested.connect(self.key_requested)
        return made

    def _add_flags(self, flags: Sequence[Flag]) -> None:
        groups = grouped(tuple(flags))
        if groups:
            self.add_heading(trn("Flag", "Flags", n=len(flags)))
        for group in groups[:FLAGS_SHOWN]:
            self.next_part("flag", FlagLines).show_flags(group)
        if rest := sum(map(len, groups[FLAGS_SHOWN:])):
            self.add_text(trn("{n} more flag", "{n} more flags", n=rest), role="dim")

    def _add_remarks(self, view: CaseView) -> None:
        remarks = view.detail.remarks[:REMARKS_SHOWN] if view.detail is not None else ()
        if remarks:
            self.add_heading(tr("Comments"))
        for remark in remarks:
            self.add_text(remark.comment.text)
            self.add_text(f"{remark.person} · {display_text.local_time(remark.written_at)}", role="label")


class FlagLines(QWidget):
    """Why the record waits: title and severity, the message, and the field."""

    def __init__(self) -> None:
        super().__init__()
        self._title, self._severity = label(role="strong", wrap=True), chip("")
        self._message, self._about = label(wrap=True, selectable=True), label(role="label", wrap=True)
        column = column_layout(self, margins_px=(0, 4, 0, 4), spacing_px=2)
        for part in (self._title, self._message, self._about):
            column.addWidget(part)
        column.insertWidget(1, self._severity)

    def show_flags(self, flags: tuple[Flag, ...]) -> None:
        """Show flags with the same text."""
        flag = flags[0]
        self._title.setText(display_text.flag_kind_title(flag.kind))
        self._severity.setText(tr(display_text.SEVERITIES[flag.severity]))
        self._severity.setProperty("chip", TONES[flag.severity])
        self._severity.style().polish(self._severity)
        message = message_text(flag.message)
        self._message.setText(message)
        self._message.setVisible(bool(message))
        parts = [display_text.origin_title(flag.raised_by)]
        if flag.field:
            parts.insert(0, tr("field {field}", field=field_title(flag.field)))
        self._about.setText(" · ".join(parts))


def _keys_of_labels(differing: DifferingLabels) -> str:
    named = join_texts(f"{letter}: {who}" for letter, who in zip(LETTERS, differing.persons, strict=False))
    return tr("A letter keeps a whole label ({persons}), a digit the answer of one field.", persons=named)
