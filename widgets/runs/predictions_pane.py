"""The predictions of a run: filters, table, and details of the current one."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QWidget

from annotator.domain.run import Run
from annotator.domain.work import JobQuery
from annotator.session import Session
from widgets import run_text
from widgets.box_layout import column_layout, row_layout
from widgets.bridge import Bridge
from widgets.combo_box import ComboBox
from widgets.kept_splitter import REST_PX, KeptSplitter
from widgets.labels import label
from widgets.runs.prediction_rows import PredictionDetail, PredictionRow, read_detail, read_numbers
from widgets.runs.prediction_view import PredictionView
from widgets.runs.predictions_table import PredictionsTable
from widgets.search_box import SearchBox
from widgets.settings import Settings
from widgets.translation import tr

KINDS = ("answer", "unparsed", "empty", "error", "waiting")
VIEW_PX = 340


class PredictionsPane(QWidget):
    """Filters and shows the predictions of one run.

    Signals:
        items_requested: Emitted when the user opens a job's record in the Library; carries the query.
    """

    items_requested = Signal(object)

    def __init__(self, *, session: Session, bridge: Bridge, settings: Settings) -> None:
        super().__init__()
        self._session, self._bridge, self._settings = session, bridge, settings
        self._run = ""
        self.kinds = [self._pill(kind) for kind in KINDS]
        self.model = ComboBox()
        self.model.setAccessibleName(tr("Model"))
        self.search, self.count = SearchBox(), label(role="label")
        self.search.setPlaceholderText(tr("Search item names"))
        self.search.setAccessibleName(tr("Search item names"))
        self.table = PredictionsTable(session=session, bridge=bridge)
        self.view = PredictionView()
        self._lay_out()
        self.model.currentIndexChanged.connect(self._on_model_changed)
        self.search.textChanged.connect(self._on_search_text_changed)
        self.search.left.connect(self.table.setFocus)
        self.table.chosen.connect(self._on_table_chosen)
        self.table.opened.connect(self._on_row_opened)
        self.view.opened.connect(self._on_row_opened)

    @property
    def query(self) -> JobQuery:
        """The query of the current filters."""
        model = self.model.currentData()
        return JobQuery(
            run=self._run,
            kinds=tuple(kind for kind, pill in zip(KINDS, self.kinds, strict=True) if pill.isChecked()),
            models=(model,) if model else (),
            text=self.search.text().strip(),
        )

    def show_run(self, run: Run) -> None:
        """Show the predictions of a run, without filters."""
        self._run = run.id
        # Signals are blocked: each reset filter would start a query of its own.
        for part in (self.model, self.search, *self.kinds):
            part.blockSignals(True)
        self.search.clear()
        for pill in self.kinds:
            pill.setChecked(False)
        self.model.clear()
        self.model.addItem(tr("All models"), "")
        for name in run.models:
            self.model.addItem(name, name)
        for part in (self.model, self.search, *self.kinds):
            part.blockSignals(False)
        self.model.setVisible(len(run.models) > 1)
        self._find()

    def show_kind(self, kind: str) -> None:
        """Show only predictions of one kind."""
        for name, pill in zip(KINDS, self.kinds, strict=True):
            pill.setChecked(name == kind)

    def refresh(self) -> None:
        """Read the rows again after new predictions."""
        # Without a filter by kind the set of jobs is constant: only the contents of the rows are read again.
        if self.query.kinds:
            self._find()
        else:
            self.table.predictions.refresh()
        # The current job may have been answered since it was shown.
        self._ask_detail(self.table.number_at_hand())

    def is_settled(self) -> bool:
        """Return whether all requested rows are loaded."""
        detail = self.view.detail
        shown = detail.row.job.number if detail is not None else 0
        return (
            not self._bridge.is_waiting((id(self), "numbers"))
            and self.table.predictions.is_settled()
            and shown == self.table.number_at_hand()
        )

    def _lay_out(self) -> None:
        row = row_layout(margins_px=(12, 8, 12, 8), spacing_px=8)
        for pill in self.kinds:
            row.addWidget(pill)
        row.addWidget(self.model)
        row.addWidget(self.search, 1)
        row.addWidget(self.count)
        split = KeptSplitter(
            (self.table, self.view),
            stretched=0,
            usual=(REST_PX, VIEW_PX),
            settings=self._settings,
            name="runs/predictions_splitter",
        )
        self.table.setMinimumWidth(320)
        self.view.setMinimumWidth(240)
        column = column_layout(self, margins_px=0, spacing_px=0)
        column.addLayout(row)
        column.addWidget(split, 1)

    def _pill(self, kind: str) -> QPushButton:
        made = QPushButton(run_text.kind_label(kind))
        made.setProperty("kind", "pill")
        made.setCheckable(True)
        made.toggled.connect(self._on_pill_toggled)
        return made

    def _find(self) -> None:
        self._bridge.query(
            self._session,
            partial(read_numbers, query=self.query),
            done=self._on_numbers,
            channel=(id(self), "numbers"),
        )

    def _ask_detail(self, number: int) -> None:
        if number:
            question = partial(read_detail, number=number)
            self._bridge.query(self._session, question, done=self._on_detail, channel=(id(self), "detail"))

    def _on_numbers(self, numbers: list[int]) -> None:
        self.count.setText(f"{len(numbers):,}")
        self.table.show_numbers(numbers)

    def _on_table_chosen(self, number: int) -> None:
        if number:
            self._ask_detail(number)
        else:
            self._bridge.drop((id(self), "detail"))
            self.view.show_detail(None)

    def _on_row_opened(self, row: PredictionRow) -> None:
        query = row.record_query()
        if query is not None:
            self.items_requested.emit(query)

    def _on_detail(self, detail: PredictionDetail | None) -> None:
        self.view.show_detail(detail)

    def _on_pill_toggled(self, _is_on: bool) -> None:
        self._find()

    def _on_model_changed(self, _at: int) -> None:
        self._find()

    def _on_search_text_changed(self, _text: str) -> None:
        self._find()
