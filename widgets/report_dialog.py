"""Report of a task: figures, then tables that can be copied."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QPushButton,
    QScrollArea,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from widgets import theme
from widgets.box_layout import column_layout, row_layout
from widgets.dialog import FormDialog
from widgets.labels import caption, label, plain_tip
from widgets.plain_table import LEFT, RIGHT, ReadOnlyTable
from widgets.translation import tr

MOST_ROWS = 12
"""Maximum number of visible rows of a table; further rows scroll."""
LEAST_TEXT_PX = 240
"""A last column of long texts is shortened to this width, with an ellipsis, before the table scrolls."""
MARK_PX = 2
NUMBER = re.compile(r"[-−+]?\d[\d,]*(\.\d+)?(e[-+]?\d+)?( ?%| [kMGT]?B)?")
"""Matches a number as displayed by the window: a count, share, file size or probability."""
NOTHING = frozenset({"", "–"})
"""Placeholders in a column of numbers."""


@dataclass(frozen=True, kw_only=True)
class ReportFigure:
    """A big number with what it counts, and its tone: ``body``, ``good``, ``warn`` or ``bad``."""

    number: int
    title: str
    tone: str = "body"


@dataclass(frozen=True, kw_only=True)
class ReportSection:
    """A section of a report.

    Attributes:
        title: Heading.
        columns: Headings of the table's columns.
        rows: Texts of the table; the column with the longest texts comes last and stretches.
        note: Text below the table, or in place of an empty table.
        open_row: Called with the index of a double-clicked row; None if rows cannot be opened.
    """

    title: str
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    note: str = ""
    open_row: Callable[[int], object] | None = None


class _TextModel(QAbstractTableModel):
    def __init__(self, section: ReportSection) -> None:
        super().__init__()
        self._section = section
        self.are_numbers = [_are_numbers(column) for column in zip(*section.rows, strict=True)]

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._section.rows)

    def columnCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._section.columns)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return self._section.columns[section]
        is_side = role == Qt.ItemDataRole.TextAlignmentRole and orientation == Qt.Orientation.Horizontal
        return self._side(section) if is_side else None

    def data(
        self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        text = self._section.rows[index.row()][index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            # Qt truncates a text of several lines without an ellipsis.
            return " ".join(text.split())
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(text)
        return self._side(index.column()) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def _side(self, column: int) -> Qt.AlignmentFlag:
        return RIGHT if self._section.rows and self.are_numbers[column] else LEFT


def _are_numbers(column: Sequence[str]) -> bool:
    """Return whether a column contains only numbers, and at least one."""
    told = [text for text in column if text not in NOTHING]
    return bool(told) and all(NUMBER.fullmatch(text) for text in told)


class _RowPainter(QStyledItemDelegate):
    """Paints texts as Qt does, with a focus mark at the current row."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().paint(painter, option, index)
        table = cast("QTableView", option.widget)
        if index.column() == 0 and table.hasFocus() and table.currentIndex().row() == index.row():
            rect = option.rect
            painter.fillRect(rect.x(), rect.y(), MARK_PX, rect.height(), theme.current().color("focus"))


class ReportTable(ReadOnlyTable):
    """A table of texts; Ctrl+C copies the selected rows, or all rows, as tab-separated lines.

    Signals:
        opened: Emitted before the record of a row is shown.
    """

    opened = Signal()

    def __init__(self, section: ReportSection) -> None:
        self._section = section
        model = _TextModel(section)
        super().__init__(model, name=section.title)
        model.setParent(self)
        self.setItemDelegate(_RowPainter(self))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.resizeColumnsToContents()
        # A stretched number column would be too far from the columns that it belongs to.
        ends_with_numbers = bool(model.are_numbers and model.are_numbers[-1])
        self._stretched = 0 if ends_with_numbers else len(section.columns) - 1
        self._content_px = self.horizontalHeader().length()
        self._stretched_px = self.columnWidth(self._stretched)
        self._least_px = self._stretched_px if ends_with_numbers else min(self._stretched_px, LEAST_TEXT_PX)
        self.setFixedHeight((min(len(section.rows), MOST_ROWS) + 1) * theme.ROW + 4)
        self.doubleClicked.connect(self._on_double_clicked)

    def text(self) -> str:
        """Return the selected rows, or all rows without a selection, as tab-separated lines."""
        chosen = sorted({index.row() for index in self.selectionModel().selectedRows()})
        rows = [self._section.rows[at] for at in chosen] or list(self._section.rows)
        return "\n".join(
            "\t".join(" ".join(cell.split()) for cell in row) for row in (self._section.columns, *rows)
        )

    def copy(self) -> None:
        """Copy the rows of ``text`` to the clipboard."""
        QGuiApplication.clipboard().setText(self.text())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy at Ctrl+C, open the current row at Enter."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self._on_double_clicked(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give the stretched column the rest; a last one of long texts is shortened, with an ellipsis."""
        super().resizeEvent(event)
        # Qt stretches a last column, but does not make it narrower than its texts: they were cut at the edge.
        rest = self._stretched_px + self.viewport().width() - self._content_px
        self.setColumnWidth(self._stretched, max(self._least_px, rest))

    def _on_double_clicked(self, index: QModelIndex) -> None:
        if self._section.open_row is not None and index.isValid():
            # First, so that the report is closed before the handler shows the record.
            self.opened.emit()
            self._section.open_row(index.row())


class ReportDialog(FormDialog):
    """Shows a report until the user closes it."""

    def __init__(
        self,
        window: QWidget,
        *,
        title: str,
        subtitle: str,
        figures: list[ReportFigure],
        sections: list[ReportSection],
    ) -> None:
        super().__init__(window, width=880, title=title)
        self.tables: list[ReportTable] = []
        self.figures = figures
        if subtitle:
            self.body.addWidget(label(subtitle, role="dim", wrap=True, selectable=True))
        self.body.addLayout(self._figures(figures))
        inner = QWidget()
        column = column_layout(inner, margins_px=(0, 0, 12, 0), spacing_px=4)
        for section in sections:
            self._add(section, column)
        column.addStretch()
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setWidget(inner)
        area.setMinimumHeight(min(480, inner.sizeHint().height() + 8))
        self.body.addWidget(area, 1)
        self.close_button = QPushButton()
        self.name_main(self.close_button, tr("Close"))
        self.close_button.setProperty("kind", "main")
        self.close_button.setDefault(True)
        self.close_button.clicked.connect(self.accept)
        row = QHBoxLayout()
        row.addStretch()
        row.addWidget(self.close_button)
        self.body.addLayout(row)

    def _figures(self, figures: list[ReportFigure]) -> QHBoxLayout:
        row = row_layout(margins_px=(0, 8, 0, 8), spacing_px=32)
        for figure in figures:
            part = column_layout(spacing_px=0)
            number = label(f"{figure.number:,}", role="big" if not figure.number else _BIG[figure.tone])
            part.addWidget(number)
            part.addWidget(label(figure.title, role="label"))
            row.addLayout(part)
        row.addStretch()
        return row

    def _add(self, section: ReportSection, column: QVBoxLayout) -> None:
        head = QHBoxLayout()
        head.addWidget(caption(section.title))
        head.addStretch()
        column.addSpacing(8)
        column.addLayout(head)
        if section.rows:
            table = ReportTable(section)
            table.opened.connect(self.accept)
            self.tables.append(table)
            copy = QPushButton(tr("Copy table"))
            copy.setProperty("kind", "pill")
            copy.clicked.connect(table.copy)
            head.addWidget(copy)
            column.addWidget(table)
        if section.note:
            column.addWidget(label(section.note, role="dim", wrap=True))


_BIG = {"body": "big", "good": "big_good", "warn": "big_warn", "bad": "big_bad"}
