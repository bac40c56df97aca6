"""The dialog that makes the report of a release: which release, which forms, and where."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from annotator.release.manifest import MANIFEST
from annotator.report.report_order import ReportOrder
from widgets.combo_box import ComboBox
from widgets.dialog import FormDialog
from widgets.labels import label
from widgets.translation import LANGUAGES, join_texts, language, tr


class ReleaseReportDialog(FormDialog):
    """Form for the report of a release.

    Signals:
        submitted: Emitted on acceptance; carries the ``ReportOrder``.
    """

    submitted = Signal(object)

    def __init__(self, window: QWidget, *, project: Path, folders: Sequence[str]) -> None:
        """Create the dialog.

        Args:
            window: Parent window.
            project: The project file.
            folders: Folders of the project's releases that are on this computer, the newest first.
        """
        super().__init__(window, width=640, title=tr("Make report"))
        self._project = project
        self.release = ComboBox()
        self.release.setAccessibleName(tr("Release"))
        for folder in folders:
            self._add_release(folder)
        self.html, self.pdf = QCheckBox(tr("HTML file")), QCheckBox(tr("PDF file"))
        self.html.setChecked(True)
        self.pdf.setChecked(True)
        self.language = ComboBox()
        self.language.setAccessibleName(tr("Language"))
        for code, name in LANGUAGES.items():
            self.language.addItem(name, code)
        self.language.setCurrentIndex(self.language.findData(language()))
        self.folder = QLineEdit()
        self.folder.setAccessibleName(tr("Folder"))
        self.summary = label(wrap=True)
        self._lay_out()
        self.main = self.add_buttons(tr("Make report"))
        self.main.clicked.connect(self._on_main_clicked)
        self.release.currentIndexChanged.connect(self._on_release_changed)
        self.folder.textChanged.connect(self._on_folder_text_changed)
        for box in (self.html, self.pdf):
            box.toggled.connect(self._on_box_toggled)
        self._show_release()

    @property
    def order(self) -> ReportOrder:
        """What is chosen."""
        release, folder = self._release(), Path(self.folder.text().strip())
        stem = folder / f"{Path(release).name}-report"
        return ReportOrder(
            release=release,
            project=str(self._project),
            html=f"{stem}.html" if self.html.isChecked() else "",
            pdf=f"{stem}.pdf" if self.pdf.isChecked() else "",
            language=str(self.language.currentData()),
        )

    def choose_release(self, folder: str) -> None:
        """Make the report of another release folder."""
        if (at := self.release.findData(folder)) < 0:
            self._add_release(folder)
            at = self.release.count() - 1
        self.release.setCurrentIndex(at)
        self._show_release()

    def _add_release(self, folder: str) -> None:
        self.release.addItem(Path(folder).name, folder)
        self.release.setItemData(self.release.count() - 1, folder, Qt.ItemDataRole.ToolTipRole)

    def _release(self) -> str:
        return str(self.release.currentData() or "")

    def _lay_out(self) -> None:
        choose_release, choose_folder = QPushButton(tr("Other folder…")), QPushButton(tr("Choose…"))
        choose_release.clicked.connect(self._on_choose_release_clicked)
        choose_folder.clicked.connect(self._on_choose_folder_clicked)
        release, layout, forms = QHBoxLayout(), QHBoxLayout(), QVBoxLayout()
        for row, field, button in (
            (release, self.release, choose_release),
            (layout, self.folder, choose_folder),
        ):
            row.setSpacing(8)
            row.addWidget(field, 1)
            row.addWidget(button)
        forms.setSpacing(0)
        forms.addWidget(self.html)
        forms.addWidget(self.pdf)
        fields = QFormLayout()
        fields.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)
        fields.setHorizontalSpacing(16)
        fields.setVerticalSpacing(8)
        fields.addRow(label(tr("Release"), role="dim"), release)
        fields.addRow(label(tr("Forms"), role="dim"), forms)
        fields.addRow(label(tr("Language"), role="dim"), self.language)
        fields.addRow(label(tr("Folder"), role="dim"), layout)
        self.body.addLayout(fields)
        self.body.addWidget(self.summary)
        text = tr(
            "All numbers are computed from the release and from the project as it was when the release was "
            "made. Texts of the project stay in their language."
        )
        self.body.addWidget(label(text, role="dim", wrap=True))

    def _show_release(self) -> None:
        """Show the default place of the report: beside the release."""
        release = self._release()
        self.folder.setText(str(Path(release).parent) if release else str(self._project.parent))
        self._show_summary()

    def _show_summary(self) -> None:
        release, files = self._release(), self.order.files
        if not release:
            text = tr("No release of this project is on this computer. Choose its folder.")
        elif not (Path(release) / MANIFEST).is_file():
            text = tr("The folder is not a release: it has no {file}.", file=MANIFEST)
        elif not files:
            text = tr("Choose HTML, PDF or both.")
        else:
            written = join_texts(file.name for file in files)
            text = tr("Writes {files}; files of these names are replaced.", files=written)
        is_release = bool(release) and (Path(release) / MANIFEST).is_file()
        self.summary.setText(text)
        self.main.setEnabled(is_release and bool(files) and bool(self.folder.text().strip()))

    def _on_release_changed(self, _at: int) -> None:
        self._show_release()

    def _on_folder_text_changed(self, _text: str) -> None:
        self._show_summary()

    def _on_box_toggled(self, _checked: bool) -> None:
        self._show_summary()

    def _on_choose_release_clicked(self) -> None:
        start = self._release() or str(self._project.parent)
        self._ask_folder(tr("Release folder"), start).fileSelected.connect(self.choose_release)

    def _on_choose_folder_clicked(self) -> None:
        self._ask_folder(tr("Folder of the report"), self.folder.text()).fileSelected.connect(
            self.folder.setText
        )

    def _ask_folder(self, title: str, start: str) -> QFileDialog:
        dialog = QFileDialog(self, title, start)
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()
        return dialog

    def _on_main_clicked(self) -> None:
        order = self.order
        self.accept()
        self.submitted.emit(order)
