"""The tab with the replies that people have settled: each decision can be changed or withdrawn."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QWidget

from annotator.commands.prediction_decisions import SettleTexts, TextDecision
from annotator.domain.settled_text import SettledText
from annotator.session import Session
from widgets.action_registry import ActionRegistry
from widgets.box_layout import column_layout, row_layout
from widgets.bridge import Bridge
from widgets.labels import label
from widgets.scores.settled_table import SettledList, SettledTable, read_settled
from widgets.text_prompt import TextPrompt
from widgets.translation import tr, trn

SHOWN_REPLY = 500
"""Characters of a reply in the dialog."""


class SettledPane(QWidget):
    """Lists the decisions of the project on replies.

    Signals:
        commanded: A decision is changed or withdrawn; carries the ``SettleTexts``.
        listed: The list was read; carries the number of decisions.
        text_chosen: Another decision is current, or none.
    """

    commanded = Signal(object)
    listed = Signal(int)
    text_chosen = Signal()

    def __init__(self, *, session: Session, bridge: Bridge, registry: ActionRegistry) -> None:
        super().__init__()
        self._session, self._bridge = session, bridge
        self.table, self.note = SettledTable(), label(role="dim", wrap=True)
        self.buttons = row_layout(spacing_px=8)
        for name in ("scores.change_settled", "scores.withdraw_settled"):
            made = QPushButton(f"{registry.action(name).text()}  {registry.key(name)}".strip())
            made.clicked.connect(partial(registry.run, name))
            self.buttons.addWidget(made)
        self.buttons.addStretch(1)
        column = column_layout(self, margins_px=0, spacing_px=8)
        column.addWidget(self.note)
        column.addWidget(self.table, 1)
        column.addLayout(self.buttons)
        self.table.row_chosen.connect(self._on_table_row_chosen)
        self.table.edit_requested.connect(self.ask_answer)
        self.setFocusProxy(self.table)
        registry.connect_owner("settled_texts", self)

    def read(self) -> None:
        """Read the decisions of the project again."""
        self._bridge.query(self._session, read_settled, done=self._on_read, channel=(id(self), "settled"))

    def is_settled(self) -> bool:
        """Return whether the decisions are listed as they are."""
        return not self._bridge.is_waiting((id(self), "settled"))

    def has_text(self) -> bool:
        """Return whether a decision is shown that can be changed."""
        return self.isVisible() and self.table.settled is not None and not self._session.is_read_only

    def ask_answer(self) -> None:
        """Ask what the current reply means."""
        one = self.table.settled
        if one is None or not self.has_text():
            return
        dialog = TextPrompt(
            self.window(),
            title=tr("Change settled reply"),
            explanation=one.text[:SHOWN_REPLY]
            + "\n\n"
            + tr("Where the answer does not fit the format of an item, the reply stays unreadable."),
            placeholder=tr("No answer"),
            button=tr("Settle reply"),
            text=one.answer,
            may_be_empty=True,
        )
        dialog.answered.connect(partial(self._decide, one))
        dialog.open(dialog.field)

    def withdraw(self) -> None:
        """Withdraw the current decision: the reply counts as unreadable again."""
        one = self.table.settled
        if one is not None:
            self._decide(one, None)

    def _decide(self, one: SettledText, answer: str | None) -> None:
        decision = TextDecision(
            text=one.text,
            answer=answer,
            item=one.item,
            model=one.model,
            answer_format=one.answer_format,
        )
        self.commanded.emit(SettleTexts(decisions=(decision,), person=self._session.actor.id))

    def _on_read(self, settled: SettledList) -> None:
        self.table.show_list(settled)
        count = len(settled.texts)
        self.note.setText(
            trn("{n} reply is settled.", "{n} replies are settled.", n=count)
            if count
            else tr(
                "No reply is settled. Settle the replies that no answer can be read from in the previous tab."
            )
        )
        self.listed.emit(count)
        self.text_chosen.emit()

    def _on_table_row_chosen(self, _index: int) -> None:
        self.text_chosen.emit()
