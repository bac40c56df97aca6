"""The table of predictions: one row per job, fetched in pages as rows become visible."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QModelIndex, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent

from annotator.queries.reader import Reader
from annotator.session import Session
from widgets import run_text
from widgets.bridge import Bridge
from widgets.column_table import CellContent, CellDelegate, ColumnModelMixin, ColumnTable, TableColumn
from widgets.focus import ENTER
from widgets.message_text import message_text
from widgets.paged_model import Index, Numbers, PagedModel
from widgets.runs.prediction_rows import PredictionRow, read_rows
from widgets.translation import mark as _
from widgets.translation import tr

ITEM, MODEL, STATUS, ANSWER, ANSWER_KEY, RIGHT, REPLY = range(7)
COLUMNS = (
    TableColumn(title=_("Item"), width_px=200, takes_rest_for=REPLY),
    TableColumn(title=_("Model"), width_px=110, hidden_below_px=480),
    TableColumn(title=_("Status"), width_px=144),
    TableColumn(title=_("Prediction"), width_px=84),
    TableColumn(title=_("Answer key"), width_px=92, hidden_below_px=660),
    TableColumn(title=_("Right"), width_px=76),
    TableColumn(title=_("Model output"), hidden_below_px=820),
)
TEXT_SHOWN = 300
TONES = {
    "answer": "text",
    "unparsed": "warn",
    "empty": "warn",
    "error": "bad",
    "waiting": "text_dim",
    "outdated": "text_dim",
}


class PredictionsModel(ColumnModelMixin, PagedModel):
    """Jobs of a query."""

    columns = COLUMNS

    def __init__(self, *, session: Session, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(read=_read, session=session, bridge=bridge, parent=parent)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return the text of a cell, None while its page is not loaded."""
        if role in {Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole}:
            row = self.row(index.row())
            return None if row is None else text_of(row, index.column())
        return None

    def row(self, at: int) -> PredictionRow | None:
        """Return a row by its position; None while it is not loaded, which also requests its page."""
        found: PredictionRow | None = super().row(at)
        return found


class _PredictionDelegate(CellDelegate):
    def cell(self, index: Index) -> CellContent | None:
        model = index.model()
        row = model.row(index.row()) if isinstance(model, PredictionsModel) else None
        if row is None:
            return None
        column = index.column()
        return CellContent(
            text=text_of(row, column),
            token=token_of(row, column),
            font="mono" if column in {ITEM, ANSWER, ANSWER_KEY} else "body",
            # Elided in the middle: names of items differ in the number at their end.
            gives_way_in_middle=column == ITEM,
        )


class PredictionsTable(ColumnTable):
    """Shows the predictions of a run.

    Signals:
        chosen: Emitted when the current row changes; carries its job number, 0 for none.
        opened: Emitted when the user opens the job's record in the Library; carries its row.
    """

    # Not ``int``, which is 32 bits wide in a Qt signal: row numbers of a text probe need 64.
    chosen = Signal(object)
    opened = Signal(object)

    def __init__(self, *, session: Session, bridge: Bridge) -> None:
        self.predictions = PredictionsModel(session=session, bridge=bridge)
        super().__init__(
            self.predictions, columns=COLUMNS, painter=_PredictionDelegate(), name=tr("Predictions")
        )
        self.predictions.setParent(self)
        self.row_chosen.connect(self._on_row_chosen)
        self.doubleClicked.connect(self._on_double_clicked)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open the record of the current job when Enter is pressed."""
        if event.key() in ENTER:
            self._on_double_clicked(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def show_numbers(self, found: list[int]) -> None:
        """Show jobs by their numbers; the current job stays current if it is still among them."""
        at = self.number_at_hand()
        numbers: Numbers = np.array(found, dtype=np.int64)
        is_same = np.array_equal(numbers, self.predictions.numbers)
        self.predictions.show_numbers(numbers)
        if not is_same and len(numbers):
            self.choose_row(max(0, self.predictions.index_of(at)))
        elif not len(numbers):
            # An empty list has no current row, so that the table reports none by itself.
            self.chosen.emit(0)

    def number_at_hand(self) -> int:
        """Return the number of the current job, 0 for none."""
        row = self.currentIndex().row()
        return int(self.predictions.numbers[row]) if 0 <= row < len(self.predictions.numbers) else 0

    def _on_double_clicked(self, index: QModelIndex) -> None:
        row = self.predictions.row(index.row()) if index.isValid() else None
        if row is not None:
            self.opened.emit(row)

    def _on_row_chosen(self, _index: int) -> None:
        self.chosen.emit(self.number_at_hand())


def text_of(row: PredictionRow, column: int) -> str:
    """Return the text of a cell on one line."""
    return " ".join(TEXTS[column](row)[:TEXT_SHOWN].split())


def _reply(row: PredictionRow) -> str:
    prediction = row.job.prediction
    return (prediction.text or message_text(prediction.message)) if prediction is not None else ""


# One function per column: a table of forty rows is painted while somebody waits for it.
TEXTS: tuple[Callable[[PredictionRow], str], ...] = (
    lambda row: row.job.name or tr("All items of the run"),
    lambda row: row.job.model,
    lambda row: run_text.kind_label(row.kind),
    lambda row: run_text.answer_text(row.item, row.job.prediction),
    lambda row: row.item.answer_key if row.item is not None else "",
    lambda row: run_text.correctness_text(row.is_right),
    _reply,
)


def token_of(row: PredictionRow, column: int) -> str:
    """Return the colour token of a cell."""
    if column == STATUS:
        return TONES[row.kind]
    if column == RIGHT:
        return "good" if row.is_right else "warn"
    return "text_dim" if column in {MODEL, REPLY} else "text"


def _read(reader: Reader, numbers: Numbers) -> dict[int, PredictionRow]:
    return read_rows(reader, numbers=numbers.tolist())
