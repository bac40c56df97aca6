"""The live checks of the item in the editor: what is wrong, with a jump and, where there is one, a repair."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from annotator.commands.item_edits import ItemEdit
from annotator.commands.item_repairs import balancing_swap, repair_of
from annotator.domain.changes import Changes
from annotator.domain.item import LETTERS, Item
from annotator.quality.blind_summary import BlindSummary
from annotator.quality.finding import Finding
from annotator.quality.live_checks import LiveChecks, LiveContext, read_live_context, run_live_checks
from annotator.queries.reader import Reader
from annotator.session import Session
from widgets.answer_balance_plot import AnswerBalancePlot
from widgets.balance_text import length_text, letters_text
from widgets.box_layout import column_layout
from widgets.bridge import Bridge
from widgets.deferred_changes import DeferredChanges
from widgets.display_text import command_summary_text
from widgets.labels import caption
from widgets.message_text import message_text
from widgets.refine.check_row import CheckRow
from widgets.translation import mark, tr

T = TypeVar("T")
CHECKED = ("item", "region", "medium")
"""Kinds of records that the checks of an item depend on."""
TOPICS = {
    "answer": mark("answer key is valid"),
    "options": mark("options differ"),
    "text": mark("texts are clean"),
    "regions": mark("regions exist"),
    "media": mark("media are in the project"),
    "duplicates": mark("no near-duplicate in {n} items"),
}
"""English statements about what is in order, by topic."""
TONES = {"error": "bad", "warning": "warn"}


class LiveChecksPane(QWidget):
    """Checks the item in the editor after each change, off the GUI thread; the newest request counts.

    Attributes:
        checks: The findings on the shown item, None while it was not checked yet.
        context: What is known about the items like it, None while it was not read yet.

    Signals:
        checked: There are new findings; ``messages_of`` has those of a field.
        jump_requested: A field is to be edited; carries it: ``question``, ``options[1]``, ``answer_key``.
        repair_requested: A repair is to be done; carries the command.
        item_requested: Another item is to be shown; carries its id.
    """

    checked = Signal()
    jump_requested = Signal(str)
    repair_requested = Signal(object)
    item_requested = Signal(str)

    def __init__(self, *, session: Session, bridge: Bridge) -> None:
        super().__init__()
        self._session, self._bridge = session, bridge
        self._item: Item | None = None
        self._waiting: set[str] = set()
        self._shown: object = None
        self.checks: LiveChecks | None = None
        self.context: LiveContext | None = None
        self.rows: list[CheckRow] = []
        self.plot = AnswerBalancePlot()
        self._list = column_layout(spacing_px=4)
        column = column_layout(self, margins_px=0, spacing_px=8)
        column.addWidget(caption(tr("Checks")))
        column.addLayout(self._list)
        column.addWidget(self.plot)
        self.plot.hide()
        DeferredChanges(self, bridge=bridge).arrived.connect(self._on_changes_arrived)

    def show_item(self, item: Item | None) -> None:
        """Check an item in the form that it has in the editor, saved or not; None for no item."""
        is_other = self._item is None or item is None or item.id != self._item.id
        self._item = item
        if is_other:
            self.checks = self.context = None
            self._refresh()
        if item is not None:
            self._run_checks(item)
            if is_other:
                self._read_context(item)

    def is_settled(self) -> bool:
        """Return whether the findings are those of the item in its present form."""
        return not self._waiting

    def findings_of(self, field: str) -> tuple[Finding, ...]:
        """Return the findings on one field, errors first."""
        return self.checks.of_field(field) if self.checks is not None else ()

    def messages_of(self, field: str) -> tuple[str, ...]:
        """Return what is wrong with one field, in the language of the window."""
        return tuple(message_text(finding.message) for finding in self.findings_of(field))

    def repair_first(self) -> bool:
        """Request the first repair that is offered; return whether there is one."""
        repair = next((row.repair for row in self.rows if row.repair is not None), None)
        if repair is not None:
            self.repair_requested.emit(repair)
        return repair is not None

    def _run_checks(self, item: Item) -> None:
        self._ask("checks", partial(run_live_checks, item=item), done=self._on_checks_read)

    def _read_context(self, item: Item) -> None:
        self._ask("context", partial(read_live_context, item=item), done=self._on_context_read)

    def _ask(self, what: str, question: Callable[[Reader], T], *, done: Callable[[T], None]) -> None:
        self._waiting.add(what)
        self._bridge.query(
            self._session,
            question,
            done=done,
            failed=partial(self._on_query_failed, what),
            channel=(id(self), what),
        )

    def _on_query_failed(self, what: str, error: BaseException) -> None:
        self._waiting.discard(what)
        self._bridge.failed.emit(error)

    def _on_checks_read(self, checks: LiveChecks) -> None:
        self._waiting.discard("checks")
        # The channel drops answers to earlier requests; an editor without an item asks for nothing.
        if self._item is not None and checks.item is self._item:
            self.checks = checks
            self._refresh()
            self.checked.emit()

    def _on_context_read(self, context: LiveContext) -> None:
        self._waiting.discard("context")
        if self._item is not None:
            self.context = context
            self._refresh()

    def _on_changes_arrived(self, changes: Changes) -> None:
        if self._item is not None and any(changes.concerns(entity) for entity in CHECKED):
            self._run_checks(self._item)
            self._read_context(self._item)

    def _refresh(self) -> None:
        checks = self.checks
        found = None if checks is None else (checks.findings, checks.passed, checks.duplicates)
        state = (self._item and (self._item.id, self._item.answer_key), found, self.context)
        # Typing that changes no finding leaves the rows, and the keyboard focus in them, as they are.
        if state == self._shown:
            return
        self._shown = state
        for row in self.rows:
            row.hide()
            row.deleteLater()
        self.rows = self._make_rows()
        for row in self.rows:
            self._list.addWidget(row)
        balance = self.context.balance if self.context is not None and self.checks is not None else None
        self.plot.show_balance(balance, letter=self._item.answer_key if self._item is not None else "")
        self.plot.setVisible(balance is not None)

    def _make_rows(self) -> list[CheckRow]:
        if self.checks is None or self._item is None:
            return []
        rows = [self._passed_row(self.checks)] if self.checks.passed else []
        rows += [self._finding_row(finding, self.checks) for finding in self.checks.findings]
        if self.context is not None:
            rows += self._context_rows(self.context, self._item)
        for row in rows:
            row.jump_requested.connect(self.jump_requested)
            row.repair_requested.connect(self.repair_requested)
            row.item_requested.connect(self.item_requested)
        return rows

    def _passed_row(self, checks: LiveChecks) -> CheckRow:
        count = "" if self.context is None else f"{self.context.items:,}"
        texts = [tr(TOPICS[topic], n=count) for topic in checks.passed if topic != "duplicates" or count]
        # A line does not begin with the separator.
        text = "\u00a0· ".join(texts)
        return CheckRow(text[:1].upper() + text[1:], tone="good")

    def _finding_row(self, finding: Finding, checks: LiveChecks) -> CheckRow:
        repair = repair_of(finding, checks.item, heading_deg=checks.heading_deg)
        is_duplicate = finding.check == "near_duplicate"
        return CheckRow(
            message_text(finding.message),
            tone=TONES[finding.severity],
            advice=message_text(finding.advice),
            field=finding.field_path,
            repair=repair,
            repair_text=command_summary_text(repair.summary) if repair is not None else "",
            other_item=checks.duplicates[0].item if is_duplicate else "",
        )

    def _context_rows(self, context: LiveContext, item: Item) -> list[CheckRow]:
        rows = [_blind_row(context.blind)] if context.blind is not None else []
        balance = context.balance
        if balance is None:
            return rows
        swap: ItemEdit | None = None
        if balance.is_uneven:
            counts = dict(zip(LETTERS, balance.letters, strict=False))
            swap = balancing_swap(item, counts=counts)
        text = command_summary_text(swap.summary) if swap is not None else ""
        tone = "warn" if balance.is_uneven else "dim"
        rows.append(CheckRow(letters_text(balance), tone=tone, repair=swap, repair_text=text))
        if balance.is_length_biased:
            rows.append(CheckRow(length_text(balance), tone="warn", field="options"))
        return rows


def _blind_row(blind: BlindSummary) -> CheckRow:
    if not blind.answers:
        text = tr("Blind: models answered only an earlier form of the item")
        return CheckRow(text, tone="dim")
    text = tr(
        "Blind: {right} of {models} models right, {share} % of {answers} answers (chance {chance} %)",
        right=blind.right_models,
        models=blind.models,
        share=f"{100 * blind.share:.0f}",
        answers=blind.answers,
        chance=f"{100 * blind.chance:.0f}",
    )
    return CheckRow(text, tone="warn" if blind.is_guessed else "good")
