"""The dialog that lists forks, and chooses one of the values of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHeaderView, QVBoxLayout, QWidget

from widgets import display_text
from widgets.bundles.record_text import entity_title, fork_value_text
from widgets.dialog import FormDialog
from widgets.field_titles import field_title
from widgets.labels import label
from widgets.report_dialog import ReportSection, ReportTable
from widgets.translation import tr, trn

if TYPE_CHECKING:
    from annotator.exchange.merge_report import NamedFork

WIDTH_PX, HEIGHT_PX = 960, 520
NO_LIMIT_PX = (1 << 24) - 1
"""Largest height of a widget, as Qt defines it."""


class ForksDialog(FormDialog):
    """Lists the values of all forks; one is kept by the button, Enter or a double click.

    Signals:
        chosen: Emitted with the ``NamedFork`` and the id of the event whose value is kept.
    """

    chosen = Signal(object, str)

    def __init__(self, window: QWidget, *, forks: tuple[NamedFork, ...]) -> None:
        super().__init__(window, width=WIDTH_PX, height=HEIGHT_PX, title=tr("Resolve forks"))
        self.about = label(role="dim", wrap=True)
        self.body.addWidget(self.about)
        self._values_layout = QVBoxLayout()
        self.body.addLayout(self._values_layout, 1)
        self.keep, self.close_button = self._add_row(tr("Keep this value"), tr("Close"))
        self.close_button.clicked.connect(self.reject)
        self.keep.clicked.connect(self._on_keep_clicked)
        self._values: list[tuple[NamedFork, str]] = []
        self.table = self._show(forks)

    def show_forks(self, forks: tuple[NamedFork, ...]) -> None:
        """Show forks in place of those before."""
        self.table.deleteLater()
        self.table = self._show(forks)
        self.table.setFocus()

    def _show(self, forks: tuple[NamedFork, ...]) -> ReportTable:
        self._values = [(fork, value.event) for fork in forks for value in fork.fork.values]
        section = ReportSection(
            title=tr("Forks"),
            columns=(tr("Record"), tr("Field"), tr("Person"), tr("Time"), tr("Value")),
            rows=tuple(row for fork in forks for row in _rows(fork)),
            open_row=self._keep_row,
        )
        table = ReportTable(section)
        table.setMinimumHeight(0)
        table.setMaximumHeight(NO_LIMIT_PX)
        # Long values are cut with an ellipsis; the tool tip has all of them.
        table.horizontalHeader().setStretchLastSection(False)
        table.horizontalHeader().setSectionResizeMode(
            len(section.columns) - 1, QHeaderView.ResizeMode.Stretch
        )
        table.setCurrentIndex(table.model().index(0, 0))
        self._values_layout.addWidget(table)
        self.about.setText(_about(len(forks)))
        self.keep.setEnabled(bool(forks))
        return table

    def _keep_row(self, row: int) -> None:
        # Once: the list shows the next forks when the choice is stored.
        if self.keep.isEnabled():
            self.keep.setEnabled(False)
            self.chosen.emit(*self._values[row])

    def _on_keep_clicked(self) -> None:
        self._keep_row(self.table.currentIndex().row())


def _about(count: int) -> str:
    if not count:
        return tr("There are no forks.")
    text = trn(
        "{n} field was changed by two people independently.",
        "{n} fields were changed by two people independently.",
        n=count,
    )
    return f"{text} " + tr(
        "The first value is the one shown in the project. Until a value is chosen here, the field cannot be "
        "edited. The next bundle contains the choice."
    )


def _rows(named: NamedFork) -> list[tuple[str, ...]]:
    fork = named.fork
    titles = [(f"{entity_title(fork.entity)} {named.name}", field_title(fork.field))]
    titles += [("", "")] * (len(fork.values) - 1)
    return [
        (
            *title,
            value.actor,
            display_text.local_time(value.wall_time),
            fork_value_text(fork.field, value.value),
        )
        for title, value in zip(titles, fork.values, strict=True)
    ]
