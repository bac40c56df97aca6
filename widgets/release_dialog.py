"""The dialog that creates a release: export format, items and folder."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from annotator.commands.releases import CreateRelease
from annotator.domain.query import ItemQuery
from annotator.release.exporters import EXPORTERS
from widgets.combo_box import ComboBox
from widgets.dialog import FormDialog
from widgets.labels import label
from widgets.settings import Settings
from widgets.translation import tr, trn

DEFAULT_FORM = "native"


class ReleaseDialog(FormDialog):
    """Lets the user choose export format, items and folder.

    Signals:
        submitted: Carries the ``CreateRelease`` to execute.
    """

    submitted = Signal(object)

    def __init__(
        self, window: QWidget, *, settings: Settings, project: Path, query: ItemQuery, found: int, total: int
    ) -> None:
        """Create the dialog.

        Args:
            window: Parent window.
            settings: Stores the export format.
            project: Path of the project file; the default folder of the release is next to it.
            query: The filters set in the list.
            found: Number of items that they select.
            total: Number of all items.
        """
        super().__init__(window, width=640, title=tr("Create release"))
        self._settings, self._project, self._query = settings, project, query
        self.form = ComboBox()
        for name, exporter in EXPORTERS.items():
            self.form.addItem(tr(exporter.title), name)
        chosen = self.form.findData(settings.text("release/form"))
        self.form.setCurrentIndex(chosen if chosen >= 0 else self.form.findData(DEFAULT_FORM))
        self.all = QRadioButton(trn("All {n} item", "All {n} items", n=total))
        self.filtered = QRadioButton(
            trn("{n} item in the filtered list", "{n} items in the filtered list", n=found)
        )
        self.all.setChecked(True)
        self.filtered.setEnabled(query != ItemQuery())
        self.flagged = QCheckBox(tr("Include items with open errors"))
        self.folder = QLineEdit(str(self._default_folder()))
        self.folder.setAccessibleName(tr("Folder"))
        self._lay_out()
        self.main = self.add_buttons(tr("Create release"))
        self.main.clicked.connect(self._on_main_clicked)
        self.form.currentIndexChanged.connect(self._on_form_changed)
        self.folder.textChanged.connect(self._on_folder_text_changed)

    def _lay_out(self) -> None:
        choose = QPushButton(tr("Choose…"))
        choose.clicked.connect(self._on_choose_clicked)
        folder = QHBoxLayout()
        folder.setSpacing(8)
        folder.addWidget(self.folder, 1)
        folder.addWidget(choose)
        what = QVBoxLayout()
        what.setSpacing(0)
        for part in (self.all, self.filtered, self.flagged):
            what.addWidget(part)
        fields = QFormLayout()
        fields.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)
        fields.setHorizontalSpacing(16)
        fields.setVerticalSpacing(8)
        fields.addRow(label(tr("Export format"), role="dim"), self.form)
        fields.addRow(label(tr("Items"), role="dim"), what)
        fields.addRow(label(tr("New folder"), role="dim"), folder)
        self.body.addLayout(fields)
        words = tr(
            "The checks run first. Rejected items and items with open errors are withheld and "
            "listed next to the release. The same content always has the same SHA-256."
        )
        self.body.addWidget(label(words, role="dim", wrap=True))

    def _default_folder(self) -> Path:
        return self._project.parent / f"{self._project.stem}-{self.form.currentData()}"

    def _on_form_changed(self, _at: int) -> None:
        self.folder.setText(str(self._default_folder()))

    def _on_folder_text_changed(self, text: str) -> None:
        self.main.setEnabled(bool(text.strip()))

    def _on_choose_clicked(self) -> None:
        dialog = QFileDialog(self, tr("Parent folder of the release"), str(self._project.parent))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.fileSelected.connect(self._on_parent_selected)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _on_parent_selected(self, parent: str) -> None:
        self.folder.setText(str(Path(parent) / self._default_folder().name))

    def _on_main_clicked(self) -> None:
        form = str(self.form.currentData())
        self._settings.keep("release/form", form)
        selection = self._query if self.filtered.isChecked() else ItemQuery()
        out, flagged = Path(self.folder.text().strip()), self.flagged.isChecked()
        self.accept()
        self.submitted.emit(CreateRelease(out=out, form=form, include_flagged=flagged, selection=selection))
