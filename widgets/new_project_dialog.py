"""The dialog for a new project: name, folder and task set."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFileDialog, QFormLayout, QLineEdit, QPushButton, QWidget

from annotator.database_files import PROJECT_SUFFIX
from annotator.domain import task_set_files
from widgets import display_text
from widgets.box_layout import row_layout
from widgets.combo_box import ComboBox
from widgets.dialog import FormDialog
from widgets.labels import label
from widgets.translation import join_texts, tr, trn

FORBIDDEN = '<>:"/\\|?*'
"""Characters that are invalid in file names on at least one operating system."""


class NewProjectDialog(FormDialog):
    """Form for name, folder and task set of a new project.

    Signals:
        submitted: Emitted on acceptance; carries the project file and the id of the task set, "" for none.
    """

    submitted = Signal(str, str)

    def __init__(self, window: QWidget, *, folder: Path) -> None:
        super().__init__(window, width=600, title=tr("New project"))
        self.name = QLineEdit()
        self.name.setPlaceholderText(tr("Example: harbour 2026"))
        self.folder_field = QLineEdit(str(folder))
        self.choose = QPushButton(tr("Choose…"))
        self.choose.clicked.connect(self.choose_folder)
        self.task_set = ComboBox()
        self.task_set.addItem(tr("Decide later"), "")
        for task_set in map(task_set_files.builtin, task_set_files.builtin_ids()):
            display_text.load_task_set_titles_of(task_set)
            self.task_set.addItem(display_text.task_set_title(task_set.id), task_set.id)
        self.about = label(role="dim", wrap=True)
        self.problem_label = label(role="warn", wrap=True)
        self._lay_out()
        self.main = self.add_buttons(tr("Create project"))
        self.main.clicked.connect(self._on_main_clicked)
        for field in (self.name, self.folder_field):
            field.textChanged.connect(self._check)
        self.task_set.currentIndexChanged.connect(self._show_about)
        self._show_about()
        self._check()

    def path(self) -> Path:
        """Return the path of the project file."""
        return (
            Path(self.folder_field.text().strip()).expanduser()
            / f"{self.name.text().strip()}{PROJECT_SUFFIX}"
        )

    def choose_folder(self) -> None:
        """Open the system's dialog for a folder."""
        dialog = QFileDialog(self, tr("Project folder"), self.folder_field.text())
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.fileSelected.connect(self.folder_field.setText)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _lay_out(self) -> None:
        row = row_layout(spacing_px=8)
        row.addWidget(self.folder_field, 1)
        row.addWidget(self.choose)
        fields = QFormLayout()
        fields.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)
        fields.setHorizontalSpacing(16)
        fields.setVerticalSpacing(8)
        fields.addRow(label(tr("Name"), role="dim"), self.name)
        fields.addRow(label(tr("Folder"), role="dim"), row)
        fields.addRow(label(tr("Task set"), role="dim"), self.task_set)
        self.body.addLayout(fields)
        self.body.addWidget(self.about)
        self.body.addWidget(self.problem_label)

    def _show_about(self) -> None:
        chosen = str(self.task_set.currentData())
        if not chosen:
            text = tr(
                "A task set is the list of tasks of a benchmark. You can also choose it later, when "
                "items are drafted."
            )
        else:
            tasks = task_set_files.builtin(chosen).tasks
            names = join_texts(display_text.task_title(task.id, chosen) for task in tasks[:6])
            text = f"{trn('{n} task', '{n} tasks', n=len(tasks))}: {names}{' …' if len(tasks) > 6 else ''}"
        self.about.setText(text)

    def _check(self) -> None:
        name, folder = self.name.text().strip(), Path(self.folder_field.text().strip()).expanduser()
        # Checked while the user types, before the file system reports an error.
        problem = ""
        if any(character in FORBIDDEN for character in name):
            problem = tr(
                "A file name must not contain any of these characters: {characters}", characters=FORBIDDEN
            )
        elif not folder.is_dir():
            problem = tr("The folder does not exist.")
        elif name and self.path().exists():
            problem = tr("A project with this name already exists.")
        self.problem_label.setText(problem)
        self.main.setEnabled(bool(name) and not problem)

    def _on_main_clicked(self) -> None:
        path, task_set = str(self.path()), str(self.task_set.currentData())
        self.accept()
        self.submitted.emit(path, task_set)
