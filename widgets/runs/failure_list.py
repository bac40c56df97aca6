"""The failures of a run by kind, each with an example and a recommended action."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QSizePolicy

from annotator.domain.work import FailureCount
from widgets import run_text
from widgets.box_layout import column_layout
from widgets.labels import chip, label
from widgets.library.record_form import RecordForm
from widgets.message_text import message_text
from widgets.translation import tr, trn

PREDICTION_KIND_OF = {"unparsed": "unparsed", "empty": "empty"}
"""Failures that have a prediction kind of their own; all others have the kind 'error'."""

PASSING = frozenset({"rate", "timeout", "server", "cut"})
"""Failures that are retried automatically, because they need no action of the user."""


class FailureList(RecordForm):
    """Lists the kinds of failures of a run.

    Signals:
        kind_chosen: Emitted when the user requests the predictions of a kind; carries the kind.
    """

    kind_chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(tr("Errors"))
        self.failures: tuple[FailureCount, ...] | None = None

    def show_failures(self, failures: Sequence[FailureCount]) -> None:
        """Show the failures, the most frequent kind first."""
        # Called once a second: rebuilding unchanged cards would clear a selection of text.
        if self.failures == tuple(failures):
            return
        self.failures = tuple(failures)
        self.clear()
        self.column.setSpacing(8)
        if not failures:
            self.add_text(tr("No errors."), role="dim")
        for failure in failures:
            self.add(self._card(failure))
        self.end()

    def _card(self, failure: FailureCount) -> QFrame:
        card = QFrame()
        card.setObjectName("flag_card")
        card.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        column = column_layout(card, margins_px=(12, 8, 12, 8), spacing_px=4)
        head = QHBoxLayout()
        head.addWidget(label(run_text.failure_kind_title(failure.kind), role="strong"))
        head.addStretch()
        tone = "warn" if failure.kind in PREDICTION_KIND_OF or failure.kind in PASSING else "bad"
        head.addWidget(chip(trn("{n} time", "{n} times", n=failure.count), tone=tone))
        column.addLayout(head)
        column.addWidget(label(message_text(failure.sample), role="mono", wrap=True, selectable=True))
        column.addWidget(label(run_text.failure_advice(failure.kind), role="dim", wrap=True))
        # Requests that were repeated have another prediction, or none yet.
        if failure.left:
            column.addLayout(self._button_row(failure))
        return card

    def _button_row(self, failure: FailureCount) -> QHBoxLayout:
        show = QPushButton(tr("Show predictions"))
        show.setProperty("kind", "pill")
        show.clicked.connect(partial(self.kind_chosen.emit, PREDICTION_KIND_OF.get(failure.kind, "error")))
        row = QHBoxLayout()
        row.addWidget(show)
        row.addStretch()
        return row
