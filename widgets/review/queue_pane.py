"""The left panel of Review: filters by reason, the queue of cases and its counts."""

from __future__ import annotations

from functools import partial
from typing import cast

import msgspec
from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QMenu, QPushButton, QToolButton, QWidget

from annotator.domain.review import ReviewCase, ReviewQuery
from annotator.session import Session
from widgets import icons
from widgets.answers.flow_layout import FlowLayout
from widgets.box_layout import column_layout, row_layout
from widgets.bridge import Bridge
from widgets.labels import ElidedLabel
from widgets.library.facet_menu import make_facet_menu
from widgets.library.queue_painter import QueueCell, QueueDelegate
from widgets.library.record_list import RecordList
from widgets.library.record_types import FoundRecords, toggled
from widgets.review.case_list import (
    CASES,
    REASONS,
    as_query,
    case_state_title,
    case_task_title,
    case_title,
    reason_title,
    record_kind_title,
    severity_title,
)
from widgets.settings import Settings
from widgets.translation import tr

WIDTH_PX = 296
ALL = ""
MENU_FACETS = (
    ("task", "tasks", case_task_title),
    ("entity", "entities", record_kind_title),
    ("severity", "severities", severity_title),
    ("state", "states", case_state_title),
)
"""Facets of the filter menu, with their fields and titles."""


class CaseDelegate(QueueDelegate):
    """Paints a case: why it waits, and the name of its record."""

    def cell(self, row: object) -> QueueCell | None:
        """Return what is painted of a case, None for one that is not loaded."""
        if not isinstance(row, ReviewCase):
            return None
        return QueueCell(title=case_title(row), name=row.name, kinds=(), state=row.state, record=row.target)


class QueuePane(QWidget):
    """Lists the cases, and steps through them.

    Signals:
        chosen: Another case is current; carries its ``ReviewCase``, or None.
        typed: A letter or digit was typed in the list; carries it.
    """

    chosen = Signal(object)
    typed = Signal(str)

    def __init__(self, *, session: Session, bridge: Bridge, settings: Settings, screen: QWidget) -> None:
        """Create the queue without cases.

        Args:
            session: The project.
            bridge: Delivers results of other threads to the GUI thread.
            settings: Stores column widths.
            screen: The workspace: while it is hidden, updates are deferred.
        """
        super().__init__()
        self.setObjectName("pane")
        self.listing = RecordList(CASES, session=session, bridge=bridge, settings=settings, screen=screen)
        self.table = self.listing.table
        self.table.setItemDelegate(CaseDelegate(self.table))
        self.table.horizontalHeader().hide()
        # A record list always has facets. Here they are hidden, and deleted with the pane.
        self.listing.facets.setParent(self)
        self.listing.facets.hide()
        self.count = ElidedLabel(role="label")
        self.chips = {reason: self._make_chip(reason) for reason in (ALL, *REASONS)}
        self.filter = QToolButton()
        self.filter.setIcon(icons.icon("filter"))
        self.filter.setToolTip(tr("Filter by task, record and severity"))
        self.filter.setAccessibleName(tr("Filter by task, record and severity"))
        self._lay_out()
        self.filter.clicked.connect(self._on_filter_clicked)
        self.listing.chosen.connect(self.chosen)
        self.listing.found.connect(self._on_found)
        self.table.typed.connect(self.typed)

    @property
    def query(self) -> ReviewQuery:
        """The cases of the queue."""
        query: object = self.listing.query
        return cast("ReviewQuery", query)

    def row(self) -> ReviewCase | None:
        """Return the current case, None if there is none or it is not loaded."""
        row: object = self.listing.current_row()
        return row if isinstance(row, ReviewCase) else None

    def next_row(self) -> ReviewCase | None:
        """Return the case after the current one, before it at the end; None if it is not loaded."""
        index, count = self.table.current_position(), self.listing.model.rowCount()
        at = index + 1 if index + 1 < count else index - 1
        row: object = self.listing.model.row(at) if 0 <= at < count else None
        return row if isinstance(row, ReviewCase) else None

    def step(self, step: str) -> bool:
        """Go to the next ("1") or previous ("-1") case; return whether there is one."""
        index = self.table.current_position() + int(step)
        is_there = 0 <= index < self.listing.model.rowCount()
        if is_there:
            self.table.choose_row(index)
        return is_there

    def has(self, number: int) -> bool:
        """Return whether a case is in the list."""
        return self.listing.model.index_of(number) >= 0

    def go_to(self, number: int) -> None:
        """Make a case current, if it is in the list."""
        self.table.choose_row(self.listing.model.index_of(number))

    def refresh(self) -> None:
        """Read the queue again."""
        self._find(self.query)

    def choose_reason(self, reason: str) -> None:
        """Show the cases with a reason, "" for all, and keep the other filters."""
        self._find(msgspec.structs.replace(self.query, reasons=(reason,) if reason else ()))

    def clear_filters(self) -> None:
        """Show all cases."""
        self._find(ReviewQuery())

    def make_filter_menu(self) -> QMenu:
        """Return the menu of tasks, records, severities and states, with their numbers of cases."""
        return make_facet_menu(
            self,
            answer=self.listing.answer,
            query=self.listing.query,
            facets=MENU_FACETS,
            toggle=self._toggle,
        )

    def _toggle(self, field: str, value: str) -> None:
        self.listing.find(toggled(self.listing.query, field=field, value=value))

    def _find(self, query: ReviewQuery) -> None:
        self.listing.find(as_query(query))

    def _lay_out(self) -> None:
        chips = FlowLayout()
        for chip in self.chips.values():
            chips.addWidget(chip)
        head = column_layout(margins_px=(12, 12, 12, 8))
        head.addLayout(chips)
        foot = row_layout(margins_px=(12, 4, 8, 4))
        foot.addWidget(self.count, 1)
        foot.addWidget(self.filter)
        column = column_layout(self, margins_px=0, spacing_px=0)
        column.addLayout(head)
        column.addWidget(self.table, 1)
        column.addLayout(foot)

    def _make_chip(self, reason: str) -> QPushButton:
        made = QPushButton(reason_title(reason) if reason else tr("All"))
        made.setProperty("kind", "pill")
        made.setCheckable(True)
        made.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        made.clicked.connect(partial(self.choose_reason, reason))
        return made

    def _on_found(self, answer: FoundRecords) -> None:
        counts = {one.value: one.count for one in answer.facets["reason"]}
        chosen = self.query.reasons or (ALL,)
        for reason, chip in self.chips.items():
            title = reason_title(reason) if reason else tr("All")
            # A case with two reasons counts for both of them.
            count = counts.get(reason, 0) if reason else answer.total
            chip.setText(f"{title} {count:,}")
            chip.setChecked(reason in chosen)
            chip.setVisible(bool(count) or reason in chosen or not reason)
        self.count.setText(
            tr("{n} of {total} cases", n=f"{len(answer.numbers):,}", total=f"{answer.total:,}")
        )

    def _on_filter_clicked(self) -> None:
        menu = self.make_filter_menu()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self.filter.mapToGlobal(QPoint(0, -menu.sizeHint().height())))
