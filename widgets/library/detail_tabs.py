"""Tabs beside a stage: a page of the workspace, then flags, evidence and history of the record."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QButtonGroup, QPushButton, QStackedWidget, QWidget

from widgets.action_registry import ActionRegistry
from widgets.box_layout import column_layout, row_layout
from widgets.library.flags_view import FlagsView, flag_tab_text
from widgets.library.history_view import HistoryView, history_records
from widgets.library.predictions_view import PredictionsView
from widgets.library.record_details import ItemDetail, RecordDetail
from widgets.translation import mark as _
from widgets.translation import tr

TITLES = (_("Flags"), _("Evidence"), _("History"))
FLAGS = 1


class DetailTabs(QWidget):
    """Shows one page at a time, and fills the one that is shown."""

    def __init__(self, first: QWidget, *, title: str, registry: ActionRegistry) -> None:
        """Create the tabs without a record.

        Args:
            first: Page of the first tab, which the workspace fills.
            title: English title of the first tab.
            registry: The actions.
        """
        super().__init__()
        self._titles = (title, *TITLES)
        self._fresh: set[int] = set()
        self.detail: RecordDetail | None = None
        self.flags, self.evidence = FlagsView(registry=registry), PredictionsView()
        self.history = HistoryView(registry=registry)
        self._stack, self._group = QStackedWidget(), QButtonGroup(self)
        self.tabs = [self._make_tab(at, text) for at, text in enumerate(self._titles)]
        self._lay_out(first)
        self.choose(0)

    def show_detail(self, detail: RecordDetail | None) -> None:
        """Show a record, None for none."""
        if detail == self.detail and detail is not None:
            return
        self.detail = detail
        self._fresh.clear()
        for tab, title, count in zip(self.tabs, self._titles, _counts(detail), strict=True):
            tab.setText(f"{tr(title)} {count}" if count else tr(title))
        flags = self.tabs[FLAGS]
        text, tip = flag_tab_text(tr(self._titles[FLAGS]), detail)
        flags.setText(text)
        flags.setToolTip(tip)
        self._fill()

    def choose(self, at: int) -> None:
        """Show a tab."""
        self.tabs[at].setChecked(True)
        self._stack.setCurrentIndex(at)
        self._fill()

    def show_next(self) -> None:
        """Show the next tab."""
        self.choose((self._stack.currentIndex() + 1) % len(self.tabs))

    def _fill(self) -> None:
        at = self._stack.currentIndex()
        # Only the visible tab is filled: forty flag cards would delay the next item.
        if at == 0 or at in self._fresh:
            return
        self._fresh.add(at)
        form = self._forms()[at - 1]
        if self.detail is None:
            form.clear()
        else:
            form.show_detail(self.detail)

    def _forms(self) -> tuple[FlagsView, PredictionsView, HistoryView]:
        return self.flags, self.evidence, self.history

    def _lay_out(self, first: QWidget) -> None:
        for part in (first, *self._forms()):
            self._stack.addWidget(part)
        pills = row_layout(margins_px=(16, 0, 16, 4), spacing_px=6)
        for tab in self.tabs:
            pills.addWidget(tab)
        pills.addStretch()
        column = column_layout(self, margins_px=0, spacing_px=0)
        column.addLayout(pills)
        column.addWidget(self._stack, 1)

    def _make_tab(self, at: int, title: str) -> QPushButton:
        made = QPushButton(tr(title))
        made.setProperty("kind", "pill")
        made.setCheckable(True)
        made.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        made.clicked.connect(partial(self.choose, at))
        self._group.addButton(made)
        return made


def _counts(detail: RecordDetail | None) -> tuple[int, ...]:
    if detail is None:
        return 0, 0, 0, 0
    evidence = len(detail.evidence) if isinstance(detail, ItemDetail) else 0
    return 0, 0, evidence, len(history_records(detail))
