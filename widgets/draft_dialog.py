"""The dialog for drafting items by rule."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QIntValidator
from PySide6.QtWidgets import QFormLayout, QLineEdit, QListWidget, QListWidgetItem, QPushButton, QWidget

from annotator.domain.task_set import TaskSet
from annotator.domain.task_set_catalogue import TaskSetCatalogue
from annotator.draft.report import DraftReport
from annotator.draft.rules import RULES
from annotator.progress import ProgressUpdate
from widgets import display_text
from widgets.combo_box import ComboBox
from widgets.dialog import FormDialog
from widgets.labels import label
from widgets.message_text import message_text
from widgets.task import Task
from widgets.translation import tr

CHECKED, UNCHECKED = Qt.CheckState.Checked, Qt.CheckState.Unchecked
MOST_ROWS, ROW_PX = 14, 24
"""Tasks that are visible without scrolling."""
MOST_REASONS = 3


class DraftDialog(FormDialog):
    """Form for the task set, the tasks and the seed of drafting by rule.

    Signals:
        submitted: Emitted on acceptance; carries the id of the task set, the seed, and the ids of the tasks.
        count_requested: Emitted to count the items in advance; carries the id of the task set and the seed.
    """

    submitted = Signal(str, int, tuple)
    count_requested = Signal(str, int)

    def __init__(self, window: QWidget, *, project: Path, chosen: str = "") -> None:
        """Create the dialog.

        Args:
            window: Parent window.
            project: The project file, whose own task sets are offered as well.
            chosen: Id of the task set that is selected first, "" for the default.
        """
        super().__init__(window, width=640, title=tr("Draft items by rule"))
        known = TaskSetCatalogue.of(project)
        self._sets = [task_set for task_set in map(known.get, known.ids) if tasks_with_rules(task_set)]
        self._report: DraftReport | None = None
        self._counting: Task | None = None
        self.task_set = ComboBox()
        for task_set in self._sets:
            display_text.load_task_set_titles_of(task_set)
            self.task_set.addItem(display_text.task_set_title(task_set.id), task_set.id)
        self.seed = QLineEdit("0")
        self.seed.setValidator(QIntValidator(0, 2**31 - 1, self.seed))
        self.tasks = QListWidget()
        self.tasks.setAccessibleName(tr("Tasks"))
        self.reasons = label(role="dim", wrap=True)
        self.count = QPushButton(tr("Count items"))
        self._add_fields()
        self.main = self.add_buttons(tr("Draft"), left=self.count)
        self.main.clicked.connect(self._on_main_clicked)
        self.count.clicked.connect(self._on_count_clicked)
        self.seed.textChanged.connect(self._on_seed_text_changed)
        self.tasks.itemChanged.connect(self._on_task_changed)
        self.tasks.currentRowChanged.connect(self._on_current_row_changed)
        self.task_set.currentIndexChanged.connect(self._on_task_set_changed)
        self.task_set.setCurrentIndex(max(0, self.task_set.findData(chosen)))
        self._on_task_set_changed(self.task_set.currentIndex())

    def chosen_tasks(self) -> tuple[str, ...]:
        """Return the ids of the checked tasks."""
        entries = (self.tasks.item(at) for at in range(self.tasks.count()))
        return tuple(
            entry.data(Qt.ItemDataRole.UserRole) for entry in entries if entry.checkState() == CHECKED
        )

    def follow_count(self, task: Task) -> None:
        """Show the progress of counting, and the counts when they are there."""
        self._counting = task
        self.count.setText(tr("Cancel counting"))
        task.stepped.connect(self._on_count_stepped)
        task.finished.connect(self._show_counts)
        task.failed.connect(self._on_count_failed)

    def done(self, result: int) -> None:
        """Close the dialog; counting is cancelled."""
        if self._counting is not None:
            self._counting.cancel()
        super().done(result)

    def _add_fields(self) -> None:
        fields = QFormLayout()
        fields.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)
        fields.setHorizontalSpacing(16)
        fields.setVerticalSpacing(8)
        fields.addRow(label(tr("Task set"), role="dim"), self.task_set)
        fields.addRow(label(tr("Random seed"), role="dim"), self.seed)
        self.body.addLayout(fields)
        self.body.addWidget(self.tasks)
        self.body.addWidget(self.reasons)

    def _on_task_set_changed(self, at: int) -> None:
        self._drop_counts()
        self.tasks.clear()
        for task in tasks_with_rules(self._sets[at]):
            entry = QListWidgetItem(display_text.task_title(task, self._sets[at].id))
            entry.setData(Qt.ItemDataRole.UserRole, task)
            entry.setFlags(entry.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            entry.setCheckState(CHECKED)
            entry.setSizeHint(QSize(0, ROW_PX))
            self.tasks.addItem(entry)
        rows = min(self.tasks.count(), MOST_ROWS)
        self.tasks.setFixedHeight(rows * ROW_PX + 8)
        self.tasks.setCurrentRow(0)

    def _on_seed_text_changed(self, _text: str) -> None:
        # Another seed draws other distractors, but hardly other numbers of items: the counts stay.
        self._enable()

    def _on_task_changed(self, _entry: QListWidgetItem) -> None:
        self._enable()

    def _enable(self) -> None:
        is_seed = self.seed.hasAcceptableInput()
        self.main.setEnabled(is_seed and bool(self.chosen_tasks()))
        self.count.setEnabled(is_seed or self._counting is not None)

    def _on_count_clicked(self) -> None:
        if self._counting is not None:
            self._counting.cancel()
            return
        self.count_requested.emit(str(self.task_set.currentData()), int(self.seed.text()))

    def _on_count_stepped(self, step: ProgressUpdate) -> None:
        if step.total:
            self.reasons.setText(tr("Counting items: {n} %", n=100 * step.done // step.total))

    def _on_count_failed(self, _error: object) -> None:
        self._end_count()
        self.reasons.setText(tr("The items were not counted."))

    def _end_count(self) -> None:
        self._counting = None
        self.count.setText(tr("Count items"))
        self._enable()

    def _drop_counts(self) -> None:
        if self._counting is not None:
            self._counting.cancel()
        self._report = None

    def _show_counts(self, report: DraftReport) -> None:
        self._end_count()
        self._report = report
        had_entries = self.has_entries()
        for at in range(self.tasks.count()):
            entry = self.tasks.item(at)
            entry.setText(self._counted_text(entry.data(Qt.ItemDataRole.UserRole)))
        # The counts are no input of the user.
        if not had_entries:
            self.note_entries()
        self._on_current_row_changed(self.tasks.currentRow())

    def _counted_text(self, task: str) -> str:
        report = self._report or DraftReport()
        skipped = sum(report.reasons_of(task).values())
        counts = (
            tr("{n} new", n=f"{report.tasks[task]:,}"),
            tr("{n} already present", n=f"{report.existing[task]:,}") if report.existing[task] else "",
            tr("{n} without an item", n=f"{skipped:,}") if skipped else "",
        )
        name = display_text.task_title(task, str(self.task_set.currentData()))
        return " · ".join(filter(None, (name, *counts)))

    def _on_current_row_changed(self, row: int) -> None:
        if self._report is None or row < 0:
            self.reasons.setText(
                tr("Items follow from the records of the scenes. Existing items do not change.")
            )
            return
        reasons = self._report.reasons_of(self.tasks.item(row).data(Qt.ItemDataRole.UserRole))
        shown = [f"{count:,} × {message_text(reason)}" for reason, count in reasons.items()][:MOST_REASONS]
        more = tr("{n} more reasons", n=len(reasons) - MOST_REASONS) if len(reasons) > MOST_REASONS else ""
        self.reasons.setText("\n".join(filter(None, (*shown, more))) or tr("Every subject gives an item."))

    def _on_main_clicked(self) -> None:
        self.accept()
        self.submitted.emit(str(self.task_set.currentData()), int(self.seed.text()), self.chosen_tasks())


def tasks_with_rules(task_set: TaskSet) -> list[str]:
    """Return the ids of the tasks in a set that have a drafting rule."""
    return [task.id for task in task_set.tasks if task.drafted_by in RULES]
