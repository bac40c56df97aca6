"""The dialog that exports a bundle: its file, and which events."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from widgets.bundles.bundle_files import SUFFIX
from widgets.dialog import FormDialog
from widgets.labels import label
from widgets.translation import tr


@dataclass(frozen=True, kw_only=True)
class BundleChoice:
    """What to export.

    Attributes:
        file: The bundle to write.
        since: An earlier bundle whose events are left out, None for all events.
    """

    file: Path
    since: Path | None = None


class ExportBundleDialog(FormDialog):
    """Form for file and contents of a bundle.

    Signals:
        submitted: Emitted on acceptance; carries the ``BundleChoice``.
    """

    submitted = Signal(object)

    def __init__(self, window: QWidget, *, project: Path, folder: Path) -> None:
        """Create the dialog.

        Args:
            window: Parent window.
            project: The project file, whose name the bundle gets.
            folder: Folder of the bundle.
        """
        super().__init__(window, width=640, title=tr("Export bundle"))
        stamp = datetime.now().astimezone().strftime("%Y-%m-%d %H%M")
        self.file = QLineEdit(str(folder / f"{project.stem} {stamp}{SUFFIX}"))
        self.choose = QPushButton(tr("Choose…"))
        self.all = QRadioButton(tr("Everything; a new workstation can begin with it"))
        self.new = QRadioButton(tr("Only what is new since an earlier bundle:"))
        self.since = QLineEdit()
        self.since.setPlaceholderText(tr("Earlier bundle of this project"))
        self.choose_since = QPushButton(tr("Choose…"))
        self.trouble = label(role="warn", wrap=True)
        self.all.setChecked(True)
        self._lay_out()
        self.main = self.add_buttons(tr("Export bundle"))
        self._connect()
        self._check()

    def choice(self) -> BundleChoice:
        """Return what is chosen."""
        file = Path(self.file.text().strip()).expanduser()
        since = Path(self.since.text().strip()).expanduser() if self.new.isChecked() else None
        return BundleChoice(
            file=file if file.suffix == SUFFIX else file.with_name(file.name + SUFFIX), since=since
        )

    def _lay_out(self) -> None:
        text = tr(
            "A bundle has the changes of this project for other workstations: send it by mail, on a drive or "
            "through a synchronised folder. Others choose 'Merge bundle…', in any order and as often as "
            "they like."
        )
        self.body.addWidget(label(text, role="dim", wrap=True))
        contents = QVBoxLayout()
        contents.setSpacing(4)
        contents.addWidget(self.all)
        contents.addWidget(self.new)
        contents.addLayout(_beside(self.since, self.choose_since, indent_px=24))
        fields = QFormLayout()
        fields.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)
        fields.setHorizontalSpacing(16)
        fields.setVerticalSpacing(12)
        fields.addRow(label(tr("File"), role="dim"), _beside(self.file, self.choose))
        fields.addRow(label(tr("Contents"), role="dim"), contents)
        self.body.addLayout(fields)
        self.body.addWidget(self.trouble)

    def _connect(self) -> None:
        self.main.clicked.connect(self._on_main_clicked)
        self.choose.clicked.connect(self._on_choose_clicked)
        self.choose_since.clicked.connect(self._on_choose_since_clicked)
        for field in (self.file, self.since):
            field.textChanged.connect(self._check)
        self.new.toggled.connect(self._check)

    def _check(self) -> None:
        self.since.setEnabled(self.new.isChecked())
        self.choose_since.setEnabled(self.new.isChecked())
        problem = self._problem()
        self.trouble.setText(problem)
        self.trouble.setVisible(bool(problem))
        self.main.setEnabled(bool(self.file.text().strip()) and not problem)

    def _problem(self) -> str:
        choice = self.choice()
        if not choice.file.parent.is_dir():
            return tr("The folder {folder} does not exist.", folder=choice.file.parent)
        if choice.since is not None and not choice.since.is_file():
            return tr("Choose an earlier bundle.")
        if choice.since is not None and choice.since == choice.file:
            return tr("The earlier bundle and the new one need different names.")
        return ""

    def _on_choose_clicked(self) -> None:
        dialog = QFileDialog(self, tr("Export bundle"), str(self.choice().file))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setFileMode(QFileDialog.FileMode.AnyFile)
        dialog.setDefaultSuffix(SUFFIX.lstrip("."))
        self._open(dialog, self.file)

    def _on_choose_since_clicked(self) -> None:
        dialog = QFileDialog(self, tr("Earlier bundle"), str(self.choice().file.parent))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        self._open(dialog, self.since)

    def _open(self, dialog: QFileDialog, field: QLineEdit) -> None:
        dialog.setNameFilter(tr("Bundles (*{suffix})", suffix=SUFFIX))
        dialog.fileSelected.connect(field.setText)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _on_main_clicked(self) -> None:
        choice = self.choice()
        self.accept()
        self.submitted.emit(choice)


def _beside(field: QLineEdit, button: QPushButton, *, indent_px: int = 0) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setContentsMargins(indent_px, 0, 0, 0)
    row.setSpacing(8)
    row.addWidget(field, 1)
    row.addWidget(button)
    return row
