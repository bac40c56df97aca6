"""The left pane of the error browser: filters, and the list of predictions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import cast

import msgspec
import numpy as np
from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QWidget

from annotator.domain.error_classes import ErrorClassCatalogue
from annotator.queries.reader import Reader
from annotator.scoring.row_filter import UNLABELLED, Outcome, RowFilter, RowOrder
from annotator.scoring.scored_rows import ScoredRows
from annotator.session import Session
from widgets import display_text
from widgets.action_registry import ActionRegistry
from widgets.box_layout import column_layout
from widgets.bridge import Bridge
from widgets.combo_box import ComboBox
from widgets.labels import ElidedLabel
from widgets.paged_model import Numbers
from widgets.scores.error_table import ErrorRowModel, ErrorTable
from widgets.scores.error_text import ORDERS, OUTCOMES, class_title, model_title
from widgets.search_box import SearchBox
from widgets.translation import join_texts, tr

TYPING_MS = 200
"""Pause after which a typed search begins."""
FIRST_ORDER: RowOrder = "release"
FIELDS = ("outcome", "model", "task", "error_class")
"""Fields of the filter that have a box, in the order of the boxes."""


class ErrorList(QWidget):
    """Lists the predictions of a file that a filter lets through.

    Signals:
        chosen: Another row is current; carries its number, -1 for none.
        found: The rows of a filter were found.
        selection_changed: Other rows are selected.
    """

    chosen = Signal(int)
    found = Signal()
    selection_changed = Signal()

    def __init__(self, *, session: Session, bridge: Bridge, registry: ActionRegistry) -> None:
        super().__init__()
        self.setObjectName("pane")
        self._session, self._bridge, self._registry = session, bridge, registry
        self.file: ScoredRows | None = None
        self.catalogue = ErrorClassCatalogue()
        self.filter, self.order = RowFilter(), FIRST_ORDER
        self._number = -1
        self.model = ErrorRowModel(session=session, bridge=bridge, parent=self)
        self.table = ErrorTable(self.model, title_of=self.class_title)
        self.boxes = {name: ComboBox() for name in (*FIELDS, "order")}
        self._values: dict[str, Sequence[str]] = {}
        self.search = SearchBox()
        self.count, self.also = ElidedLabel(role="label"), ElidedLabel(role="label")
        self._typing = QTimer(self)
        self._typing.setSingleShot(True)
        self._typing.setInterval(TYPING_MS)
        self._lay_out()
        self._connect()

    @property
    def is_empty(self) -> bool:
        """Whether no row matches the filter."""
        return self.file is not None and not self.is_finding and not len(self.model.numbers)

    @property
    def number(self) -> int:
        """Number of the current row, -1 for none."""
        return self._number

    def selected_numbers(self) -> Numbers:
        """Return the numbers of the selected rows, in the order of the list."""
        indices = sorted(index.row() for index in self.table.selectionModel().selectedRows())
        return self.model.numbers[np.array(indices, dtype=np.int64)]

    def class_title(self, name: str) -> str:
        """Return the title of an error class by its id."""
        return class_title(self.catalogue.find(name), name)

    def show_file(self, file: ScoredRows, catalogue: ErrorClassCatalogue, wanted: RowFilter) -> None:
        """List the rows of a file."""
        self.file = self.model.file = file
        self.catalogue = catalogue
        self._number = -1
        self._fill_boxes(file)
        self.show_filter(wanted)

    def show_filter(self, wanted: RowFilter) -> None:
        """List other rows of the file."""
        self.filter = wanted
        self._typing.stop()
        # Only another text: to set the same one moves the cursor, and drops a space that was typed last.
        if self.search.text().strip() != wanted.text:
            self.search.setText(wanted.text)
        for name in FIELDS:
            values = self._values.get(name, ("",))
            value = getattr(wanted, name)
            self.boxes[name].setCurrentIndex(values.index(value) if value in values else 0)
        self.table.show_models(not wanted.model)
        self._show_also()
        self.list_rows()

    @property
    def is_finding(self) -> bool:
        """Whether the rows of the filter are being found."""
        return self._bridge.is_waiting((id(self), "rows"))

    def list_rows(self) -> None:
        """Find the rows of the filter again; the current row stays, or the one in its place follows."""
        if self.file is None:
            return
        question = partial(_find, file=self.file, wanted=self.filter, order=self.order)
        self._bridge.query(self._session, question, done=self._on_found, channel=(id(self), "rows"))

    def is_settled(self) -> bool:
        """Return whether the rows of the filter are listed."""
        return not (self.is_finding or self._typing.isActive()) and self.model.is_settled()

    def step(self, step: str) -> None:
        """Go to the next ("1") or previous ("-1") row."""
        index = self.table.current_position() + int(step)
        if 0 <= index < self.model.rowCount():
            self.table.choose_row(index)

    def following(self) -> int:
        """Return the number of the row after the current one, -1 for none."""
        index = self.table.current_position() + 1
        return int(self.model.numbers[index]) if 0 < index < self.model.rowCount() else -1

    def choose_next(self, name: str) -> None:
        """Choose the next value of a filter, or the next order; after the last one the first."""
        box = self.boxes[name]
        if box.count():
            box.setCurrentIndex((box.currentIndex() + 1) % box.count())
            self._on_box_activated(name)

    def clear_filters(self) -> None:
        """List all rows."""
        self.show_filter(RowFilter())

    def focus_search(self) -> None:
        """Set the keyboard focus to the search."""
        self.search.setFocus()
        self.search.selectAll()

    def _lay_out(self) -> None:
        grid = QGridLayout()
        grid.setSpacing(4)
        for at, (name, box) in enumerate(self.boxes.items()):
            box.fit_column()
            action = f"errors.next_{name}"
            text, key = self._registry.action(action).text(), self._registry.key(action)
            box.setAccessibleName(text)
            box.setToolTip(f"{text}  {key}".strip())
            grid.addWidget(box, at // 2, at % 2)
        self.search.set_hint(tr("Reply or item"), key=self._registry.key("errors.search"))
        grid.addWidget(self.search, 2, 1)
        top = QHBoxLayout()
        top.addWidget(self._registry.button("errors.back"))
        top.addWidget(self.count, 1)
        column = column_layout(self, margins_px=(0, 8, 0, 0), spacing_px=4)
        filters = column_layout(margins_px=(8, 0, 8, 4), spacing_px=4)
        filters.addLayout(top)
        filters.addLayout(grid)
        filters.addWidget(self.also)
        column.addLayout(filters)
        column.addWidget(self.table, 1)

    def _connect(self) -> None:
        for name, box in self.boxes.items():
            # Not ``currentIndexChanged``, which is also emitted when a filter sets the boxes.
            box.activated.connect(partial(self._on_box_activated, name))
        self.search.textChanged.connect(self._on_search_changed)
        self.search.left.connect(self.table.setFocus)
        self._typing.timeout.connect(self._on_typing_ended)
        self.table.row_chosen.connect(self._on_table_row_chosen)
        self.table.selectionModel().selectionChanged.connect(self._on_selection_changed)

    def _fill_boxes(self, file: ScoredRows) -> None:
        models, tasks = file.names("model"), sorted(file.names("task"))
        shared = display_text.tasks_of_same_title(tasks)
        classes = [kind.id for one in self.catalogue.sets for kind in one.classes]
        titles: dict[str, list[tuple[str, str]]] = {
            "outcome": [(name, tr(title)) for name, title in OUTCOMES.items()],
            "model": [("", tr("All models")), *((name, model_title(name)) for name in models)],
            "task": [
                ("", tr("All tasks")),
                *((name, display_text.task_label(name, shared=shared)) for name in tasks),
            ],
            "error_class": [
                ("", tr("All error classes")),
                (UNLABELLED, tr("No error class")),
                *((name, self.class_title(name)) for name in dict.fromkeys(classes)),
            ],
            "order": [(name, tr(title)) for name, title in ORDERS.items()],
        }
        for name, entries in titles.items():
            self._values[name] = [value for value, _ in entries]
            self.boxes[name].clear()
            self.boxes[name].addItems([title for _, title in entries])

    def _show_also(self) -> None:
        """Show the conditions that have no box: those of a cell of the table of scores."""
        wanted = self.filter
        shared = display_text.tasks_of_same_title(list(wanted.tasks))
        footage = "" if wanted.source == "unknown" else wanted.source
        parts = [
            join_texts(display_text.task_label(name, shared=shared) for name in wanted.tasks),
            display_text.plain(wanted.group.partition("/")[2]) if wanted.group else "",
            display_text.format_title(wanted.format) if wanted.format else "",
            display_text.footage_title(footage) if wanted.source else "",
            wanted.item,
        ]
        key = self._registry.key("errors.clear")
        text = join_texts(filter(None, parts))
        self.also.setText(
            tr("Only: {conditions}. {key} lists all.", conditions=text, key=key) if text else ""
        )
        self.also.setVisible(bool(text))

    def _on_box_activated(self, name: str, _at: int = 0) -> None:
        value = self._values[name][self.boxes[name].currentIndex()]
        if name == "order":
            self.order = cast("RowOrder", value)
            self.list_rows()
        elif name == "outcome":
            self.show_filter(msgspec.structs.replace(self.filter, outcome=cast("Outcome", value)))
        else:
            others = {"tasks": ()} if name == "task" else {}
            self.show_filter(msgspec.structs.replace(self.filter, **{name: value}, **others))

    def _on_search_changed(self, _text: str) -> None:
        if self.search.text().strip() != self.filter.text:
            self._typing.start()

    def _on_typing_ended(self) -> None:
        self.show_filter(msgspec.structs.replace(self.filter, text=self.search.text().strip()))

    def _on_found(self, answer: tuple[Numbers, int]) -> None:
        numbers, total = answer
        index = max(0, self.table.current_position())
        self.model.show_numbers(numbers)
        self.count.setText(
            tr("{found} of {total} predictions", found=f"{len(numbers):,}", total=f"{total:,}")
        )
        at = self.model.index_of(self._number) if self._number >= 0 else -1
        if at < 0 and len(numbers):
            at = min(index, len(numbers) - 1) if self._number >= 0 else 0
        if at >= 0:
            self.table.choose_row(at)
        self._on_table_row_chosen(at)
        self.found.emit()

    def _on_selection_changed(self, _now: object, _before: object) -> None:
        self.selection_changed.emit()

    def _on_table_row_chosen(self, index: int) -> None:
        # A reset of the model leaves no row; the current one is chosen again right after.
        if self.is_finding:
            return
        number = int(self.model.numbers[index]) if 0 <= index < len(self.model.numbers) else -1
        if number != self._number:
            self._number = number
            self.chosen.emit(number)


def _find(_reader: Reader, *, file: ScoredRows, wanted: RowFilter, order: RowOrder) -> tuple[Numbers, int]:
    """Find rows; called on the reading thread."""
    return file.numbers(wanted, order=order), file.total
