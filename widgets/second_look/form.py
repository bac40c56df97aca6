"""The right panel of the second look: question, answer, what is wrong, and the key afterwards."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFocusEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QLineEdit, QScrollArea, QWidget

from annotator.domain.item import IssueClass, Item
from widgets import display_text, theme
from widgets.action_registry import ActionRegistry
from widgets.answers.option_answer import OptionAnswer
from widgets.box_layout import column_layout
from widgets.labels import ElidedLabel, caption, label
from widgets.refine.answer_host import AnswerHost
from widgets.refine.issue_class_bar import CLASSES, IssueClassBar
from widgets.second_look.blind_view import BlindView
from widgets.second_look.comparison import KeyComparisonView
from widgets.second_look.decision_bar import SecondLookBar
from widgets.stage.stage import Stage
from widgets.translation import tr

LEAST_PX, LINE_PX, GROUP_PX = 320, 2, 8


@dataclass(frozen=True, kw_only=True)
class AnswerDraft:
    """What a person has entered about an item and not handed in.

    Attributes:
        item: The item in the form that was answered.
        answer: The answer, "" for none.
        issue_classes: The chosen issue classes.
        reason: What is wrong with the item.
    """

    item: Item
    answer: str
    issue_classes: tuple[IssueClass, ...]
    reason: str


class SecondLookForm(QWidget):
    """Shows an item without its key; it takes the keyboard focus itself, so that letters answer.

    What is entered and not handed in stays with its item. An answer to another form of the item is not kept.

    Signals:
        reason_entered: Enter was pressed in the line of the reason.

    Attributes:
        view: The item, None for none.
        issue_classes: The issue classes that are chosen.
    """

    reason_entered = Signal()

    def __init__(self, *, stage: Stage, registry: ActionRegistry) -> None:
        """Create the form without an item.

        Args:
            stage: On which answers are picked.
            registry: The actions.
        """
        super().__init__()
        self.setObjectName("pane")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(tr("Your answer"))
        self.setMinimumWidth(LEAST_PX)
        self.view: BlindView | None = None
        self.issue_classes: tuple[IssueClass, ...] = ()
        self._drafts: dict[str, AnswerDraft] = {}
        self.name = ElidedLabel(role="mono", mode=Qt.TextElideMode.ElideMiddle)
        self.facts = ElidedLabel(role="label")
        self.question = label(role="body", wrap=True, selectable=True)
        self.answer = AnswerHost(stage, is_blind=True)
        self.classes = IssueClassBar()
        self.reason = QLineEdit()
        self.comparison = KeyComparisonView()
        self.bar = SecondLookBar(registry=registry)
        self.area, self._fields = QScrollArea(), QWidget()
        self._lay_out()
        self.classes.toggled.connect(self.toggle_class)
        self.reason.returnPressed.connect(self.reason_entered)
        self.show_view(None)

    def show_view(self, view: BlindView | None, *, is_read_only: bool = False) -> None:
        """Show an item; for a new state of the same question, what was entered stays.

        Args:
            view: The item, None for none.
            is_read_only: Whether the project cannot be changed.
        """
        self._keep_draft()
        before, self.view = self.view, view
        self._fields.setVisible(view is not None)
        self.bar.show_view(view, is_read_only=is_read_only)
        if view is None:
            self.answer.clear()
            self.name.setText(tr("No item"))
            self.facts.setText("")
            return
        self.comparison.show_view(view)
        if before is None or (before.item, before.phase) != (view.item, view.phase):
            self._begin(view, is_read_only=is_read_only)
        else:
            self.answer.show_item(view.item, view.shown if view.shown.media else None)

    def text(self) -> str | None:
        """Return the answer, "" for none; None if what is entered is not valid."""
        is_valid = self.answer.apply()
        widget = self.answer.widget
        return widget.text() if is_valid and widget is not None else None

    def choose(self, letter: str) -> bool:
        """Answer with an option; return whether the item has it and is being answered."""
        widget = self.answer.widget
        is_open = self.view is not None and self.view.phase == "answering"
        return is_open and isinstance(widget, OptionAnswer) and widget.isEnabled() and widget.choose(letter)

    def toggle_class(self, name: IssueClass) -> None:
        """Choose an issue class, or remove it."""
        if self.view is not None and self.view.phase == "answering":
            chosen = {*self.issue_classes} ^ {name}
            self._show_classes(tuple(one for one in CLASSES if one in chosen))

    def ask_reason(self) -> None:
        """Ask why the person objects to the key."""
        self.bar.show_message(tr("Enter what is wrong with the answer key, then press Enter."))
        self.reason.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def take_keyboard(self) -> None:
        """Set the keyboard focus to the form: letters answer; other answers have fields of their own."""
        is_open = self.view is not None and self.view.phase == "answering"
        if not (is_open and not isinstance(self.answer.widget, OptionAnswer) and self.answer.edit()):
            self.setFocus(Qt.FocusReason.OtherFocusReason)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Show by a line along the top that the form has the keyboard focus."""
        super().paintEvent(event)
        if self.hasFocus():
            QPainter(self).fillRect(0, 0, self.width(), LINE_PX, theme.current().color("focus"))

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show the line."""
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Hide the line."""
        super().focusOutEvent(event)
        self.update()

    def _keep_draft(self) -> None:
        view = self.view
        if view is None or view.phase != "answering":
            return
        self.answer.apply()
        widget = self.answer.widget
        draft = AnswerDraft(
            item=view.item,
            answer=widget.text() if widget is not None else "",
            issue_classes=self.issue_classes,
            reason=self.reason.text(),
        )
        self._drafts[view.item.id] = draft

    def _begin(self, view: BlindView, *, is_read_only: bool) -> None:
        """Show another item, or the same one in its next phase."""
        item = view.item
        self.name.setText(item.name)
        self.facts.setText(display_text.task_title(item.task, item.task_set))
        self.question.setText(item.question)
        is_open = view.phase == "answering" and not is_read_only
        self._enter(view, self._drafts.pop(item.id, None))
        if self.answer.widget is not None and not is_open:
            # The answer stays visible on the stage, and cannot be changed there.
            self.answer.widget.detach()
        self.answer.setEnabled(is_open)
        self.classes.setEnabled(is_open)
        self.reason.setReadOnly(is_read_only or view.phase in {"handed_in", "withdrawn"})
        self.area.verticalScrollBar().setValue(0)
        if view.comparison is not None:
            self.area.ensureWidgetVisible(self.comparison)

    def _enter(self, view: BlindView, draft: AnswerDraft | None) -> None:
        """Enter what the person has said about an item: handed in, or in a draft from before."""
        known = draft if view.phase == "answering" else view.response
        answer = known.answer if known is not None else ""
        # Another form of the item is another question.
        is_outdated = bool(answer) and isinstance(known, AnswerDraft) and known.item != view.item
        self.answer.clear()
        self.answer.show_item(view.item, view.shown if view.shown.media else None)
        if self.answer.widget is not None and answer and not is_outdated:
            self.answer.widget.enter(answer)
        self._show_classes(known.issue_classes if known is not None else ())
        self.reason.setText(known.reason if known is not None else "")
        if is_outdated:
            self.bar.show_message(tr("The item was changed meanwhile. Answer it again."))

    def _show_classes(self, chosen: tuple[IssueClass, ...]) -> None:
        self.issue_classes = chosen
        self.classes.show_classes(chosen, proposed=(), is_asked=False)

    def _lay_out(self) -> None:
        fields = column_layout(margins_px=(16, 8, 16, 16), spacing_px=8)
        self.reason.setPlaceholderText(tr("What is wrong, in your words (optional)"))
        self.reason.setAccessibleName(tr("What is wrong"))
        for part in (
            caption(tr("Question")),
            self.question,
            None,
            caption(tr("Your answer")),
            self.answer,
            None,
            self.comparison,
            caption(tr("What is wrong, if anything")),
            self.classes,
            self.reason,
        ):
            if part is None:
                fields.addSpacing(GROUP_PX)
            else:
                fields.addWidget(part)
        fields.addStretch(1)
        self._fields.setLayout(fields)
        self.area.setWidgetResizable(True)
        self.area.setFrameShape(QFrame.Shape.NoFrame)
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.area.setWidget(self._fields)
        head = column_layout(margins_px=(16, 12, 16, 4), spacing_px=2)
        head.addWidget(self.name)
        head.addWidget(self.facts)
        column = column_layout(self, margins_px=0, spacing_px=0)
        column.addLayout(head)
        column.addWidget(self.area, 1)
        column.addWidget(self.bar)
