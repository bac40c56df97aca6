"""The right pane of the error browser: the prediction with its error class, or the counts by class."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QScrollArea, QStackedWidget, QWidget

from annotator.queries.reader import Reader
from annotator.scoring.row_filter import UNLABELLED, RowFacet, RowFilter
from annotator.scoring.scored_rows import ScoredRows
from annotator.session import Session
from widgets.action_registry import ActionRegistry
from widgets.box_layout import column_layout
from widgets.bridge import Bridge
from widgets.scores.error_class_bar import ErrorClassBar
from widgets.scores.error_counts import ErrorCountPane, ErrorCounts
from widgets.scores.error_view import ErrorView
from widgets.scores.prediction_form import PredictionForm


class ErrorPanel(QStackedWidget):
    """Shows a prediction, or the counts of the predictions that are listed."""

    def __init__(
        self, *, session: Session, bridge: Bridge, registry: ActionRegistry, title_of: Callable[[str], str]
    ) -> None:
        super().__init__()
        self.setObjectName("pane")
        self._session, self._bridge = session, bridge
        self._file: ScoredRows | None = None
        self._filter = RowFilter()
        self.form, self.classes = PredictionForm(), ErrorClassBar(registry=registry)
        self.counts = ErrorCountPane(registry=registry, title_of=title_of)
        self.reading = QScrollArea()
        self.reading.setWidgetResizable(True)
        self.reading.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.reading.setFrameShape(QScrollArea.Shape.NoFrame)
        self.reading.setWidget(self.form)
        self.prediction = QWidget()
        column = column_layout(self.prediction, margins_px=0, spacing_px=0)
        column.addWidget(self.reading, 1)
        column.addWidget(self.classes)
        self.addWidget(self.prediction)
        self.addWidget(self.counts)

    @property
    def front(self) -> QWidget:
        """The part that takes the keyboard."""
        return self.counts.table if self.currentWidget() is self.counts else self.reading

    def show_view(self, view: ErrorView | None) -> None:
        """Show a prediction, nothing for None."""
        before = self.form.name.text()
        self.form.show_view(view)
        self.classes.setVisible(view is not None)
        if self.form.name.text() != before:
            self.reading.verticalScrollBar().setValue(0)

    def toggle(self) -> None:
        """Show the counts by class, or the prediction."""
        is_counts = self.currentWidget() is self.counts
        self.setCurrentWidget(self.prediction if is_counts else self.counts)
        self._count()

    def turn(self) -> None:
        """Count by model, or by task."""
        self.counts.facet = "task" if self.counts.facet == "model" else "model"
        self.setCurrentWidget(self.counts)
        self._count()

    def count_rows(self, file: ScoredRows | None, wanted: RowFilter) -> None:
        """Count the predictions that a filter lets through; they are read once the counts are shown."""
        self._file, self._filter = file, wanted
        self._count()

    def _count(self) -> None:
        if self._file is None or self.currentWidget() is not self.counts:
            return
        question = partial(_count, file=self._file, wanted=self._filter, facet=self.counts.facet)
        done = self.counts.show_counts
        self._bridge.query(self._session, question, done=done, channel=(id(self), "counts"))


def _count(_reader: Reader, *, file: ScoredRows, wanted: RowFilter, facet: RowFacet) -> ErrorCounts:
    """Count labels; called on the reading thread."""
    return ErrorCounts(
        facet=facet,
        labels=file.label_counts(facet, wanted),
        unlabelled=file.facet_counts(facet, wanted, error_class=UNLABELLED),
    )
