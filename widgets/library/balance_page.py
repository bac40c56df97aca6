"""The page of answers: per task, how often each letter is the answer key and whether lengths give it away."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QPushButton, QVBoxLayout

from annotator.commands.item_batches import RebalanceLetters
from annotator.domain.changes import Changes
from annotator.domain.query import ItemQuery, qualified_task
from annotator.quality.answer_balance import AnswerBalance, balances_of
from annotator.queries.reader import Reader
from annotator.session import Session
from widgets import display_text
from widgets.answer_balance_plot import AnswerBalancePlot
from widgets.balance_text import length_text, letters_text
from widgets.box_layout import column_layout, row_layout
from widgets.bridge import Bridge
from widgets.labels import label
from widgets.library.library_page import LibraryPage
from widgets.read_only import disable_edits, read_only_reason
from widgets.translation import tr, trn

PLOT_PX = 320
OPEN_STATES = ("drafted", "filtered", "in_refinement", "refined", "flagged", "accepted")


class BalancePage(LibraryPage):
    """Shows letters and lengths of the answers of each task.

    Signals:
        query_chosen: Emitted when the user opens the items of a task; carries the ``ItemQuery``.
        commanded: Emitted when letters are to be balanced; carries the command.
    """

    query_chosen = Signal(object)
    commanded = Signal(object)

    def __init__(self, *, session: Session, bridge: Bridge) -> None:
        super().__init__(title=tr("Answer letters"), session=session, bridge=bridge)
        self.balances: list[AnswerBalance] | None = None
        self.plots: list[AnswerBalancePlot] = []
        self.balance_buttons: list[QPushButton] = []
        bridge.changed.connect(self._on_bridge_changed)

    def refresh(self) -> None:
        """Request the figures."""
        self._bridge.query(
            self._session, read_balances, done=self._on_balances, channel=(id(self), "balances")
        )

    def _on_balances(self, balances: list[AnswerBalance]) -> None:
        # Unchanged figures keep the widgets, and with them the keyboard focus.
        if balances == self.balances:
            return
        self.balances, self.plots, self.balance_buttons = balances, [], []
        self.clear()
        hint = tr("The dashed line is the share that gives nothing away: 1 divided by the number of options.")
        empty = tr("No item has an option letter as its answer key yet. Import questions, or draft items.")
        self.column.addWidget(label(hint if balances else empty, role="dim", wrap=True))
        for balance in balances:
            self._add(balance)
        self.column.addStretch(1)

    def _add(self, balance: AnswerBalance) -> None:
        title = display_text.task_title(balance.task, balance.task_set)
        self.add_heading(f"{title} · {display_text.task_set_title(balance.task_set)}")
        plot = AnswerBalancePlot()
        plot.setFixedWidth(PLOT_PX)
        plot.show_balance(balance)
        self.plots.append(plot)
        row = row_layout(spacing_px=16)
        row.addWidget(plot)
        row.addLayout(self._texts(balance), 1)
        self.column.addLayout(row)

    def _texts(self, balance: AnswerBalance) -> QVBoxLayout:
        column = column_layout(spacing_px=4)
        letters = "warn" if balance.is_uneven else "body"
        column.addWidget(label(_marked(letters_text(balance), balance.is_uneven), role=letters))
        if text := length_text(balance):
            role = "warn" if balance.is_length_biased else "dim"
            column.addWidget(label(_marked(text, balance.is_length_biased), role=role))
        buttons = row_layout(spacing_px=8)
        count = trn("Show {n} item", "Show {n} items", n=balance.items)
        buttons.addWidget(_button(count, partial(self._show_items, balance)))
        balance_letters = _button(tr("Rebalance letters"), partial(self._request_balance, balance))
        balance_letters.setToolTip(
            tr("Exchanges options so that each letter is the answer equally often. Undo reverts it at once.")
        )
        disable_edits(read_only_reason(self._session), balance_letters)
        self.balance_buttons.append(balance_letters)
        buttons.addWidget(balance_letters)
        buttons.addStretch(1)
        column.addLayout(buttons)
        column.addStretch(1)
        return column

    def _show_items(self, balance: AnswerBalance) -> None:
        self.query_chosen.emit(_items_of(balance))

    def _request_balance(self, balance: AnswerBalance) -> None:
        self._bridge.query(
            self._session,
            partial(read_items_of, balance=balance),
            done=self._on_items,
            channel=(id(self), "items"),
        )

    def _on_items(self, items: tuple[str, ...]) -> None:
        self.commanded.emit(RebalanceLetters(items=items))

    def _on_bridge_changed(self, _changes: Changes) -> None:
        # A hidden page is not updated: it reads the data when it is shown.
        if self.isVisible():
            self.refresh()


def read_balances(reader: Reader) -> list[AnswerBalance]:
    """Read the figures of a project; called on the reading thread."""
    with reader.snapshot():
        balances = balances_of(reader)
        task_sets = {balance.task_set for balance in balances}
        display_text.load_task_set_titles(task_sets, project=reader.path)
        return balances


def read_items_of(reader: Reader, *, balance: AnswerBalance) -> tuple[str, ...]:
    """Read the ids of the items of a task that can be balanced; called on the reading thread."""
    numbers = reader.items.numbers(_items_of(balance))
    return tuple(row.id for row in reader.items.rows(numbers))


def _items_of(balance: AnswerBalance) -> ItemQuery:
    return ItemQuery(tasks=(qualified_task(balance.task_set, balance.task),), states=OPEN_STATES)


def _marked(text: str, is_marked: bool) -> str:
    # Colour is never the only sign.
    return f"! {text}" if is_marked else text


def _button(text: str, call: partial[None]) -> QPushButton:
    made = QPushButton(text)
    made.setProperty("kind", "pill")
    made.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    made.clicked.connect(call)
    return made
