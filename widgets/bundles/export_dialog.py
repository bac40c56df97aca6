"""The dialog that exports a bundle: its file, and which events."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QRadioButton,
    QWidget,
)

from annotator.progress import Progress
from widgets import display_text
from widgets.box_layout import column_layout, row_layout
from widgets.bundles.bundle_files import SUFFIX, typed_path
from widgets.bundles.signing_choice import SigningChoice, SigningKey
from widgets.dialog import FormDialog
from widgets.labels import label, plain_tip
from widgets.translation import tr, trn

if TYPE_CHECKING:
    from annotator.exchange.carried_predictions import CarriedCount
    from annotator.exchange.media_exchange import MediaToCarry


@dataclass(frozen=True, kw_only=True)
class BundleChoice:
    """What to export.

    Attributes:
        file: The bundle to write.
        since: An earlier bundle whose events are left out, None for all events.
        is_with_media: Whether it carries media files.
        is_with_predictions: Whether it carries the predictions of finished runs.
        is_signed: Whether the person signs it.
    """

    file: Path
    since: Path | None = None
    is_with_media: bool = False
    is_with_predictions: bool = False
    is_signed: bool = False


class ExportBundleDialog(FormDialog):
    """Form for file and contents of a bundle.

    Attributes:
        counting: Cancels the count of media files.

    Signals:
        submitted: Emitted on acceptance; carries the ``BundleChoice``.
    """

    submitted = Signal(object)

    def __init__(self, window: QWidget, *, project: Path, folder: Path, key: SigningKey) -> None:
        """Create the dialog.

        Args:
            window: Parent window.
            project: The project file, whose name the bundle gets.
            folder: Folder of the bundle.
            key: The key that can sign it.
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
        self.media = QCheckBox(tr("Carry the media files (counting …)"))
        self.media.setEnabled(False)
        self.counting = Progress()
        self.predictions = QCheckBox(tr("Carry predictions of models (counting …)"))
        self.predictions.setEnabled(False)
        self.media_note = label(role="dim", wrap=True)
        self.signing = SigningChoice(key)
        self.problem_label = label(role="warn", wrap=True)
        self.all.setChecked(True)
        self._lay_out()
        self.main = self.add_buttons(tr("Export bundle"))
        self._connect()
        self._check()

    def choice(self) -> BundleChoice:
        """Return what is chosen."""
        file = typed_path(self.file.text())
        since = typed_path(self.since.text()) if self.new.isChecked() else None
        has_suffix = file.suffix == SUFFIX or not file.name
        return BundleChoice(
            file=file if has_suffix else file.with_name(file.name + SUFFIX),
            since=since,
            is_with_media=self.media.isChecked(),
            is_with_predictions=self.predictions.isChecked(),
            is_signed=self.signing.box.isChecked(),
        )

    def show_media(self, media: MediaToCarry) -> None:
        """Show how many media files a bundle can carry, and their size."""
        count = len(media.files)
        size = display_text.size_text(media.size_bytes)
        text = trn("Carry {n} media file, {size}", "Carry {n} media files, {size}", n=count, size=size)
        self.media.setText(text if count else tr("There are no media files to carry"))
        self.media.setEnabled(bool(count))
        if media.absent:
            self.media_note.setText(
                trn(
                    "{n} has no file on this computer, or its content was never read, and is only named.",
                    "{n} have no file on this computer, or their content was never read, and are only named.",
                    n=media.absent,
                )
            )
        self.media_note.setVisible(bool(media.absent))

    def show_no_media(self, _error: BaseException) -> None:
        """Show that the media files could not be counted."""
        self.media.setText(tr("The media files could not be counted"))

    def show_predictions(self, found: CarriedCount) -> None:
        """Show how many predictions of finished runs a bundle can carry, and about their size."""
        size = display_text.size_text(found.size_bytes)
        text = trn(
            "Carry {n} prediction of models in finished runs, about {size}",
            "Carry {n} predictions of models in finished runs, about {size}",
            n=found.predictions,
            size=size,
        )
        self.predictions.setText(text if found.runs else tr("There are no predictions to carry"))
        self.predictions.setEnabled(bool(found.runs))

    def show_no_predictions(self, _error: BaseException) -> None:
        """Show that the predictions could not be counted."""
        self.predictions.setText(tr("The predictions could not be counted"))

    def done(self, result: int) -> None:
        """Close the dialog, and count no further."""
        self.counting.cancel()
        super().done(result)

    def _lay_out(self) -> None:
        text = tr(
            "A bundle has the changes of this project for other workstations: send it by mail, on a drive or "
            "through a synchronised folder. Others choose 'Merge bundle…', in any order and as often as "
            "they like."
        )
        self.body.addWidget(label(text, role="dim", wrap=True))
        contents = column_layout(spacing_px=4)
        contents.addWidget(self.all)
        contents.addWidget(self.new)
        contents.addLayout(_beside(self.since, self.choose_since, indent_px=24))
        contents.addSpacing(8)
        contents.addWidget(self.media)
        contents.addWidget(self.media_note)
        contents.addWidget(self.predictions)
        about = tr(
            "The answers of models, so that others see them in Review. Addresses, API keys and paths of "
            "models stay here."
        )
        self.predictions.setToolTip(plain_tip(about))
        self.media_note.hide()
        fields = QFormLayout()
        fields.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)
        fields.setHorizontalSpacing(16)
        fields.setVerticalSpacing(12)
        fields.addRow(label(tr("File"), role="dim"), _beside(self.file, self.choose))
        fields.addRow(label(tr("Contents"), role="dim"), contents)
        fields.addRow(label(tr("Signature"), role="dim"), self.signing)
        self.body.addLayout(fields)
        self.body.addWidget(self.problem_label)

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
        self.problem_label.setText(problem)
        self.problem_label.setVisible(bool(problem))
        self.main.setEnabled(not problem)

    def _problem(self) -> str:
        choice = self.choice()
        if not choice.file.name or "\0" in str(choice.file) or choice.file.is_dir():
            return tr("Enter a file name.")
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
    row = row_layout(margins_px=(indent_px, 0, 0, 0), spacing_px=8)
    row.addWidget(field, 1)
    row.addWidget(button)
    return row
