"""The right panel of Review: the case in words, its evidence in tabs, and the decision below."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame

from widgets import display_text
from widgets.action_registry import ActionRegistry
from widgets.box_layout import column_layout
from widgets.field_titles import field_title
from widgets.keyboard_pane import KeyboardPane
from widgets.labels import ElidedLabel, label
from widgets.library.detail_tabs import DetailTabs
from widgets.review.case_form import CaseForm
from widgets.review.case_list import record_kind_title
from widgets.review.case_view import CaseView
from widgets.review.decision_bar import DecisionBar
from widgets.review.headline import flag_headline, headline
from widgets.translation import join_texts, tr
from widgets.translation import mark as _

FIRST_TAB = _("Case")
LEAST_PX = 360


class CasePanel(KeyboardPane):
    """Shows a case: its letters decide.

    Signals:
        opened: A key asks for a tab; a hidden panel is to be shown.
    """

    opened = Signal()

    def __init__(self, *, registry: ActionRegistry) -> None:
        super().__init__(name=tr("Review case"), least_px=LEAST_PX)
        self.view: CaseView | None = None
        self.name = ElidedLabel(role="mono", mode=Qt.TextElideMode.ElideMiddle)
        self.facts, self.headline = ElidedLabel(role="label"), label(role="headline", wrap=True)
        self.form, self.bar = CaseForm(), DecisionBar(registry=registry)
        self.tabs = DetailTabs(self.form, title=FIRST_TAB, registry=registry)
        self._lay_out()

    def show_view(self, view: CaseView | None) -> None:
        """Show a case, None for none."""
        self.view = view
        self.name.setText(view.case.name if view is not None else tr("No case"))
        self.facts.setText(_facts(view) if view is not None else "")
        self.headline.setText(_headline(view) if view is not None else "")
        self.headline.setVisible(bool(self.headline.text()))
        self.form.show_case(view)
        self.tabs.setVisible(view is not None)
        self.bar.setVisible(view is not None)
        self.tabs.show_detail(view.detail if view is not None else None)
        self.bar.show_case(view)

    def show_next_tab(self) -> None:
        """Show the next tab."""
        self.opened.emit()
        self.tabs.show_next()
        self.take_keyboard()

    def _lay_out(self) -> None:
        head = column_layout(margins_px=(16, 12, 16, 8), spacing_px=4)
        for part in (self.name, self.facts, self.headline):
            head.addWidget(part)
        line = QFrame()
        line.setObjectName("divider")
        column = column_layout(self, margins_px=0, spacing_px=0)
        column.addLayout(head)
        column.addWidget(self.tabs, 1)
        column.addWidget(line)
        column.addWidget(self.bar)


def _headline(view: CaseView) -> str:
    if view.differing is not None:
        fields = join_texts(map(field_title, view.differing.fields))
        n, name = len(view.differing.labels), view.differing.labels[0].view
        return tr("{n} persons label {name} differently: {fields}", n=n, name=name, fields=fields)
    said = headline(view.item, view.groups) if view.item is not None else ""
    return said or flag_headline(view.flags, forks=len(view.forks))


def _facts(view: CaseView) -> str:
    case = view.case
    if view.item is None:
        return record_kind_title(case.entity)
    parts = (
        display_text.item_state_title(view.item.state),
        display_text.task_title(case.task, case.task_set),
        display_text.format_title(view.item.answer_format),
    )
    return "  ·  ".join(parts)
