"""The editor of an item: its fields, evidence and history in tabs, and the decisions below."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QFrame, QScrollArea

from annotator.domain.changes import Changes
from annotator.session import Session
from widgets import display_text
from widgets.action_registry import ActionRegistry
from widgets.box_layout import column_layout
from widgets.bridge import Bridge
from widgets.keyboard_pane import KeyboardPane
from widgets.labels import ElidedLabel
from widgets.library.detail_tabs import DetailTabs
from widgets.library.record_details import is_concerned, read_detail
from widgets.refine.decision_bar import DecisionBar
from widgets.refine.item_view import ItemView
from widgets.refine.question_form import QuestionForm
from widgets.translation import mark as _
from widgets.translation import tr

FIRST_TAB = _("Question")
LEAST_PX = 360


class ItemEditor(KeyboardPane):
    """The right panel of Refine: its letters set the answer key.

    Signals:
        opened: A key or button asks for a field or tab; a hidden panel is to be shown.
    """

    opened = Signal()

    def __init__(
        self, form: QuestionForm, *, session: Session, bridge: Bridge, registry: ActionRegistry
    ) -> None:
        """Create the editor without an item.

        Args:
            form: The fields of the item.
            session: The project.
            bridge: Delivers results of other threads to the GUI thread.
            registry: The actions.
        """
        super().__init__(name=tr("Item editor"), least_px=LEAST_PX)
        self._session, self._bridge = session, bridge
        self._wanted = ""
        self.form = form
        self.name = ElidedLabel(role="mono", mode=Qt.TextElideMode.ElideMiddle)
        self.facts = ElidedLabel(role="label")
        self.area = QScrollArea()
        self.bar = DecisionBar(registry=registry)
        self.tabs = DetailTabs(self.area, title=FIRST_TAB, registry=registry)
        self._lay_out()
        form.left.connect(self.take_keyboard)

    def show_view(self, view: ItemView | None) -> None:
        """Show an item, and read its flags, evidence and history."""
        self.form.show_view(view, is_read_only=self._session.is_read_only)
        bars = Qt.ScrollBarPolicy
        # The hidden form keeps its height.
        self.area.setVerticalScrollBarPolicy(
            bars.ScrollBarAlwaysOff if view is None else bars.ScrollBarAsNeeded
        )
        self.name.setText(view.item.name if view is not None else tr("No item"))
        self.facts.setText(_facts(view) if view is not None else "")
        self.bar.show_state(view.item.state if view is not None else None)
        self._wanted = view.item.id if view is not None else ""
        self.refresh_detail()

    def follow(self, changes: Changes) -> None:
        """Read flags, evidence and history again after a change that can affect them."""
        detail = self.tabs.detail
        if detail is None or is_concerned(detail, changes):
            self.refresh_detail()

    def refresh_detail(self) -> None:
        """Read flags, evidence and history of the item again."""
        if not self._wanted:
            self.tabs.show_detail(None)
            return
        question = partial(read_detail, entity="item", record_id=self._wanted, roots=self._session.roots)
        self._bridge.query(self._session, question, done=self.tabs.show_detail, channel=(id(self), "detail"))

    def choose_tab(self, at: int) -> None:
        """Show a tab."""
        self.tabs.choose(at)

    def show_next_tab(self) -> None:
        """Show the next tab."""
        self.opened.emit()
        self.tabs.show_next()
        self.take_keyboard()

    def edit(self, call: Callable[[], object]) -> None:
        """Show the fields, and set the keyboard focus to one of them."""
        self.opened.emit()
        self.choose_tab(0)
        call()

    def edit_question(self) -> None:
        """Edit the question."""
        self.edit(self.form.edit_question)

    def edit_answer(self) -> None:
        """Edit the answer; one that is a letter is set by its key."""
        self.opened.emit()
        self.choose_tab(0)
        if not self.form.edit_answer():
            self.bar.show_message(tr("Press the letter of the right option."))

    def edit_option(self, letter: str) -> None:
        """Edit the text of an option."""
        self.edit(partial(self.form.options.edit, letter))

    def ask_for_class(self) -> None:
        """Ask for the issue class that the item needs before it is accepted, scrolled into view."""
        self.choose_tab(0)
        self.form.ask_for_class()
        # The question makes the form higher, which is laid out in the next turn of the event loop.
        QTimer.singleShot(0, self, self._show_classes)

    def _show_classes(self) -> None:
        self.area.ensureWidgetVisible(self.form.classes)

    def _lay_out(self) -> None:
        self.area.setWidgetResizable(True)
        # A click beside the fields gives the focus to the pane, whose letters act on the item.
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.area.setWidget(self.form)
        head = column_layout(margins_px=(16, 12, 16, 8), spacing_px=4)
        head.addWidget(self.name)
        head.addWidget(self.facts)
        line = QFrame()
        line.setObjectName("divider")
        column = column_layout(self, margins_px=0, spacing_px=0)
        column.addLayout(head)
        column.addWidget(self.tabs, 1)
        column.addWidget(line)
        column.addWidget(self.bar)


def _facts(view: ItemView) -> str:
    item = view.item
    state, task = display_text.item_state_title(item.state), display_text.task_title(item.task, item.task_set)
    return "  ·  ".join((state, task, display_text.format_title(item.answer_format)))
