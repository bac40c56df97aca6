"""The dialog for drafting items by rule."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QIntValidator
from PySide6.QtWidgets import QFormLayout, QLineEdit, QWidget

from annotator.domain.task_set import TaskSet
from annotator.domain.task_set_catalogue import TaskSetCatalogue
from annotator.draft.rules import RULES
from widgets import display_text
from widgets.combo_box import ComboBox
from widgets.dialog import FormDialog
from widgets.labels import label
from widgets.translation import join_texts, tr


class DraftDialog(FormDialog):
    """Form for the task set and the seed of drafting by rule.

    Signals:
        submitted: Emitted on acceptance; carries the id of the task set and the seed.
    """

    submitted = Signal(str, int)

    def __init__(self, window: QWidget, *, project: Path, chosen: str = "") -> None:
        """Create the dialog.

        Args:
            window: Parent window.
            project: The project file, whose own task sets are offered as well.
            chosen: Id of the task set that is selected first, "" for the default.
        """
        super().__init__(window, width=560, title=tr("Draft items by rule"))
        known = TaskSetCatalogue.of(project)
        self._sets = [task_set for task_set in map(known.get, known.ids) if tasks_with_rules(task_set)]
        self.task_set = ComboBox()
        for task_set in self._sets:
            display_text.load_task_set_titles_of(task_set)
            self.task_set.addItem(display_text.task_set_word(task_set.id), task_set.id)
        self.seed = QLineEdit("0")
        self.seed.setValidator(QIntValidator(0, 2**31 - 1, self.seed))
        self.seed.textChanged.connect(self._on_seed_text_changed)
        self.tasks = label(role="dim", wrap=True)
        fields = QFormLayout()
        fields.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)
        fields.setHorizontalSpacing(16)
        fields.setVerticalSpacing(8)
        fields.addRow(label(tr("Task set"), role="dim"), self.task_set)
        fields.addRow(label(tr("Random seed"), role="dim"), self.seed)
        self.body.addLayout(fields)
        self.body.addWidget(self.tasks)
        self.main = self.add_buttons(tr("Draft"))
        self.main.clicked.connect(self._on_main_clicked)
        self.task_set.currentIndexChanged.connect(self._on_task_set_changed)
        self.task_set.setCurrentIndex(max(0, self.task_set.findData(chosen)))
        self._on_task_set_changed(self.task_set.currentIndex())

    def _on_task_set_changed(self, at: int) -> None:
        names = join_texts(
            display_text.task_word(task, self._sets[at].id) for task in tasks_with_rules(self._sets[at])
        )
        self.tasks.setText(
            tr(
                "Tasks drafted from labels: {tasks}. The seed determines the order of the options. "
                "Existing items do not change.",
                tasks=names,
            )
        )

    def _on_seed_text_changed(self, _text: str) -> None:
        self.main.setEnabled(self.seed.hasAcceptableInput())

    def _on_main_clicked(self) -> None:
        self.accept()
        self.submitted.emit(str(self.task_set.currentData()), int(self.seed.text()))


def tasks_with_rules(task_set: TaskSet) -> list[str]:
    """Return the ids of the tasks in a set that have a drafting rule."""
    return [task.id for task in task_set.tasks if task.drafted_by in RULES]
