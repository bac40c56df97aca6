"""The page of near-duplicates: the items of each pair side by side, with what differs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QPushButton, QVBoxLayout

from annotator.commands.item_states import ChangeState
from annotator.commands.records import DecideFlags
from annotator.domain.changes import Changes
from annotator.domain.flag import Flag
from annotator.domain.item import Item
from annotator.domain.query import ItemQuery
from annotator.domain.text_search import words_of
from annotator.quality.checks.duplicates import NearDuplicates
from annotator.queries.reader import Reader
from annotator.session import Session
from widgets import display_text
from widgets.action_registry import ActionRegistry
from widgets.box_layout import column_layout, row_layout
from widgets.bridge import Bridge
from widgets.labels import label
from widgets.library.library_page import LibraryPage
from widgets.read_only import disable_edits, read_only_reason
from widgets.translation import join_texts, tr, trn

MOST_PAIRS = 40
"""Pairs that are shown at once; decided ones leave the page and make room for others."""
DECIDING = ("first", "second", "keep")
"""Buttons of a pair that change the project."""


@dataclass(frozen=True, kw_only=True)
class DuplicatePair:
    """Two items that ask nearly the same, with the open flags that say so."""

    first: Item
    second: Item
    flags: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class DuplicatePairs:
    """Data of the page, read from one snapshot of the project."""

    pairs: tuple[DuplicatePair, ...]
    flagged: int


class DuplicatesPage(LibraryPage):
    """Shows flagged near-duplicates side by side.

    Signals:
        query_chosen: Emitted when the user opens the items of a pair; carries the ``ItemQuery``.
        commanded: Emitted when a pair is decided; carries the command.
    """

    query_chosen = Signal(object)
    commanded = Signal(object)

    def __init__(self, *, session: Session, bridge: Bridge, registry: ActionRegistry) -> None:
        super().__init__(title=tr("Near-duplicates"), session=session, bridge=bridge)
        self.state: DuplicatePairs | None = None
        self.cards: list[PairCard] = []
        check = QPushButton(registry.action("project.check").text())
        check.clicked.connect(partial(registry.run, "project.check"))
        self.buttons.addWidget(check)
        bridge.changed.connect(self._on_bridge_changed)

    def refresh(self) -> None:
        """Request the pairs."""
        self._bridge.query(self._session, read_pairs, done=self._on_pairs, channel=(id(self), "pairs"))

    def _on_pairs(self, state: DuplicatePairs) -> None:
        if state == self.state:
            return
        self.state = state
        self.clear()
        text = trn("{n} item is flagged", "{n} items are flagged", n=state.flagged)
        if not state.flagged:
            text = tr("No near-duplicates are flagged. Run the checks to look for them.")
        self.column.addWidget(label(text, role="dim", wrap=True))
        self.cards = [PairCard(pair) for pair in state.pairs]
        for card in self.cards:
            card.query_chosen.connect(self.query_chosen)
            card.commanded.connect(self.commanded)
            disable_edits(read_only_reason(self._session), *(card.choices[name] for name in DECIDING))
            self.column.addWidget(card)
        self.column.addStretch(1)

    def _on_bridge_changed(self, changes: Changes) -> None:
        if self.isVisible() and (changes.concerns("flag") or changes.concerns("item")):
            self.refresh()


class PairCard(QFrame):
    """One pair.

    Signals:
        query_chosen: Emitted when the user opens its items; carries the ``ItemQuery``.
        commanded: Emitted on a decision; carries the command.
    """

    query_chosen = Signal(object)
    commanded = Signal(object)

    def __init__(self, pair: DuplicatePair) -> None:
        super().__init__()
        self.setObjectName("flag_card")
        self.pair = pair
        column = column_layout(self, margins_px=(12, 8, 12, 8), spacing_px=8)
        sides = row_layout(spacing_px=24)
        for item, other in ((pair.first, pair.second), (pair.second, pair.first)):
            sides.addLayout(_side(item, other), 1)
        column.addLayout(sides)
        buttons = row_layout(spacing_px=8)
        self.choices = {
            "first": self._button(tr("Reject left"), partial(self._reject, pair.first, pair.second)),
            "second": self._button(tr("Reject right"), partial(self._reject, pair.second, pair.first)),
            "keep": self._button(tr("Keep both"), self._keep),
            "show": self._button(tr("Show both"), self._show_both),
        }
        for made in self.choices.values():
            buttons.addWidget(made)
        buttons.addStretch(1)
        column.addLayout(buttons)

    def _button(self, text: str, call: object) -> QPushButton:
        made = QPushButton(text)
        made.setProperty("kind", "pill")
        made.clicked.connect(call)
        return made

    def _reject(self, item: Item, other: Item) -> None:
        self.commanded.emit(
            ChangeState(items=(item.id,), state="rejected", reason=tr("Duplicate of {name}", name=other.name))
        )

    def _keep(self) -> None:
        reason = tr("Both items are kept")
        self.commanded.emit(DecideFlags(flags=self.pair.flags, state="dismissed", resolution=reason))

    def _show_both(self) -> None:
        self.query_chosen.emit(ItemQuery(ids=(self.pair.first.id, self.pair.second.id)))


def read_pairs(reader: Reader) -> DuplicatePairs:
    """Read the flagged pairs; called on the reading thread."""
    flags: dict[tuple[str, ...], list[Flag]] = {}
    flagged = 0
    with reader.snapshot():
        for flag in reader.find(Flag, kind=NearDuplicates.id, state="open"):
            flagged += 1
            pair = tuple(sorted((flag.target, str(flag.evidence.get("item", "")))))
            if pair in flags or len(flags) < MOST_PAIRS:
                flags.setdefault(pair, []).append(flag)
        pairs = [_pair(reader, ids, found) for ids, found in flags.items()]
        found_pairs = tuple(pair for pair in pairs if pair is not None)
        display_text.load_task_set_titles({pair.first.task_set for pair in found_pairs}, project=reader.path)
        return DuplicatePairs(pairs=found_pairs, flagged=flagged)


def _pair(reader: Reader, ids: tuple[str, ...], flags: list[Flag]) -> DuplicatePair | None:
    items = [item for item in reader.records(Item, ids=list(ids)) if item.state != "rejected"]
    if len(items) < len(ids):
        return None
    first, second = items
    return DuplicatePair(first=first, second=second, flags=tuple(flag.id for flag in flags))


def _side(item: Item, other: Item) -> QVBoxLayout:
    column = column_layout(spacing_px=4)
    about = (display_text.task_title(item.task, item.task_set), display_text.item_state_title(item.state))
    column.addWidget(label(item.name, role="mono"))
    column.addWidget(label("  ·  ".join(about), role="label"))
    column.addWidget(label(item.question, wrap=True, selectable=True))
    if text := _words_only_in(item.question, other.question):
        column.addWidget(label(tr("Only here: {words}", words=text), role="warn", wrap=True))
    others = {option.text for option in other.options}
    for option in item.options:
        sign = "●" if option.letter == item.answer_key else "○"
        role = "body" if option.text in others else "warn"
        column.addWidget(label(f"{sign} {option.letter}  {option.text}", role=role, wrap=True))
    if not item.options:
        column.addWidget(label(tr("Answer: {answer}", answer=item.answer_key), role="dim", wrap=True))
    column.addStretch(1)
    return column


def _words_only_in(text: str, other: str) -> str:
    """Return the words of a text that another lacks, in its order."""
    known = set(words_of(other))
    return join_texts(dict.fromkeys(word for word in words_of(text) if word not in known))
