"""The dialogs for state, issue classes and task of several items."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtWidgets import QCheckBox, QLineEdit, QWidget

from annotator.commands.command import Command
from annotator.commands.item_batches import EditItems
from annotator.commands.item_edits import SetIssueClasses, SetTask
from annotator.commands.item_states import ChangeState
from annotator.domain.item import ItemState
from annotator.domain.item_life import may_follow
from annotator.domain.rows import ItemRow
from annotator.domain.task_set_catalogue import TaskSetCatalogue
from widgets import display_text
from widgets.combo_box import ComboBox
from widgets.refine.batch_dialog import BatchDialog
from widgets.refine.issue_class_bar import CLASSES
from widgets.translation import tr

NEED_REASON = frozenset({"rejected", "in_refinement"})
"""States for which a reason is required: of rejections, and of items that are sent back."""


class StateDialog(BatchDialog):
    """Asks for the new state of items; those that it cannot follow are left as they are."""

    def __init__(self, window: QWidget, *, rows: Sequence[ItemRow]) -> None:
        super().__init__(
            window,
            title=tr("Set state of items"),
            count=len(rows),
            explanation=tr("Items whose state cannot change to the new one stay as they are."),
        )
        self._rows = rows
        self.state, self.reason = ComboBox(), QLineEdit()
        for state in display_text.STATES:
            if count := len(self._following(state)):
                text = tr(
                    "{state} ({n} of {total})",
                    state=display_text.item_state_title(state),
                    n=count,
                    total=len(rows),
                )
                self.state.addItem(text, state)
        self.reason.setPlaceholderText(tr("Becomes a comment on each item"))
        self.add_field(tr("State"), self.state)
        self.add_field(tr("Reason"), self.reason)
        self.first = self.state
        self.state.currentIndexChanged.connect(self._on_changed)
        self.reason.textChanged.connect(self._on_changed)
        self.end(tr("Set state"))

    def command(self) -> Command | None:
        """Return the change of the state; None while a required reason is missing."""
        state, reason = self.state.currentData(), self.reason.text().strip()
        if state is None or (state in NEED_REASON and not reason):
            return None
        return ChangeState(items=self._following(state), state=state, reason=reason)

    def _following(self, state: str) -> tuple[str, ...]:
        return tuple(row.id for row in self._rows if _may_follow(row.state, state))

    def _on_changed(self) -> None:
        self.check()


class IssueClassDialog(BatchDialog):
    """Asks for the issue classes of items, which replace those that they have."""

    def __init__(self, window: QWidget, *, items: tuple[str, ...]) -> None:
        super().__init__(
            window,
            title=tr("Set issue classes of items"),
            count=len(items),
            explanation=tr(
                "The chosen classes replace those of the items; none means a draft without issues."
            ),
        )
        self._items = items
        self.boxes = {name: QCheckBox(display_text.issue_class_title(name)) for name in CLASSES}
        for box in self.boxes.values():
            self.body.addWidget(box)
        self.first = self.boxes[CLASSES[0]]
        self.end(tr("Set classes"))

    def command(self) -> Command:
        """Return the edit."""
        chosen = tuple(name for name, box in self.boxes.items() if box.isChecked())
        return EditItems(
            edits=tuple(SetIssueClasses(item=item, issue_classes=chosen) for item in self._items)
        )


class TaskDialog(BatchDialog):
    """Asks for the task of items; an answer that the format of the task cannot read is cleared."""

    def __init__(self, window: QWidget, *, items: tuple[str, ...], project: Path, shown: ItemRow) -> None:
        super().__init__(
            window,
            title=tr("Set task of items"),
            count=len(items),
            explanation=tr("An answer key that the answer format of the task cannot read is cleared."),
        )
        self._items, self._catalogue = items, TaskSetCatalogue.of(project)
        self.task_set, self.task = ComboBox(), ComboBox()
        for task_set in map(self._catalogue.get, self._catalogue.ids):
            display_text.load_task_set_titles_of(task_set)
            self.task_set.addItem(display_text.task_set_title(task_set.id), task_set.id)
        for field in (self.task_set, self.task):
            field.fit_column()
        self.add_field(tr("Task set"), self.task_set)
        self.add_field(tr("Task"), self.task)
        self.first = self.task
        self.task_set.setCurrentIndex(max(0, self.task_set.findData(shown.task_set)))
        self._show_tasks()
        self.task.setCurrentIndex(max(0, self.task.findData(shown.task)))
        self.task_set.currentIndexChanged.connect(self._on_task_set_changed)
        self.end(tr("Set task"))

    def command(self) -> Command:
        """Return the edit."""
        task_set, task = str(self.task_set.currentData()), str(self.task.currentData())
        return EditItems(
            edits=tuple(SetTask(item=item, task_set=task_set, task=task) for item in self._items)
        )

    def _show_tasks(self) -> None:
        task_set = self._catalogue.get(str(self.task_set.currentData()))
        self.task.clear()
        for task in task_set.tasks:
            self.task.addItem(display_text.task_title(task.id, task_set.id), task.id)

    def _on_task_set_changed(self, _at: int) -> None:
        self._show_tasks()


def _may_follow(before: str, after: str) -> bool:
    states: tuple[ItemState, ItemState] = (before, after)  # type: ignore[assignment]
    return may_follow(*states)
