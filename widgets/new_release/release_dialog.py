"""The dialog that creates a release: export format, items and folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import get_args

import msgspec
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QFileDialog,
    QFormLayout,
    QLineEdit,
    QPushButton,
    QRadioButton,
    QWidget,
)

from annotator.commands.releases import CreateRelease
from annotator.domain.item import ItemState
from annotator.domain.query import ItemQuery
from annotator.release.exporter import Exporter
from annotator.release.exporters import EXPORTERS
from annotator.release.preview import ACCEPTED, ReleasePreview
from annotator.release.release_filter import NEVER_RELEASED
from annotator.release.split_preview import SplitPreview
from widgets import display_text
from widgets.box_layout import column_layout, row_layout
from widgets.combo_box import ComboBox
from widgets.dialog import FormDialog
from widgets.labels import label
from widgets.new_release.kept_division import KeptDivision, keep_division, kept_division
from widgets.new_release.split_dialog import SplitDialog, division_text
from widgets.settings import Settings
from widgets.translation import join_texts, tr, trn

DEFAULT_FORMAT = "native"


@dataclass(frozen=True, kw_only=True)
class SplitPreviewRequest:
    """What splits and subset are counted of.

    Attributes:
        selection: The filter that chooses the items.
        export_format: Id of the export format.
        include_flagged: Whether items with open errors are included.
        division: The splits and the subset.
    """

    selection: ItemQuery
    export_format: str
    include_flagged: bool
    division: KeptDivision


class ReleaseDialog(FormDialog):
    """Form for export format, items and folder of a release.

    Signals:
        submitted: Emitted on acceptance; carries the ``CreateRelease`` to execute.
        preview_requested: Emitted while splits are chosen; carries the ``SplitPreviewRequest``.
    """

    submitted = Signal(object)
    preview_requested = Signal(object)

    def __init__(
        self,
        window: QWidget,
        *,
        settings: Settings,
        project: Path,
        project_id: str,
        query: ItemQuery,
        everything: ReleasePreview,
        listed: ReleasePreview,
    ) -> None:
        """Create the dialog.

        Args:
            window: Parent window.
            settings: Stores the export format.
            project: Path of the project file; the default folder of the release is next to it.
            project_id: Id of the project, by which splits and subset are stored.
            query: The filters set in the list.
            everything: Items of the project by state.
            listed: Items of the filtered list by state.
        """
        super().__init__(window, width=640, title=tr("Create release"))
        self._settings, self._project, self._query = settings, project, query
        self._project_id = project_id
        self.division = kept_division(settings, project=project_id)
        self.split_dialog: SplitDialog | None = None
        self.export_format = _format_box(settings.text("release/export_format"))
        self._everything, self._listed = everything, listed
        self.all = QRadioButton(trn("All {n} item", "All {n} items", n=_total(everything)))
        self.filtered = QRadioButton(
            trn("{n} item in the filtered list", "{n} items in the filtered list", n=_total(listed))
        )
        self.all.setChecked(True)
        # An unfiltered list is the same as all items.
        self.filtered.setEnabled(query != ItemQuery())
        self.states = {state: QCheckBox() for state in get_args(ItemState) if state not in NEVER_RELEASED}
        self.summary = label(wrap=True)
        self.flagged = QCheckBox(tr("Include items with open errors"))
        self.division_text = label(wrap=True)
        self.choose_splits = QPushButton(tr("Choose splits…"))
        self.choose_splits.clicked.connect(self.ask_splits)
        self.folder = QLineEdit(str(self._default_folder()))
        self.folder.setAccessibleName(tr("Folder"))
        self._lay_out()
        self.main = self.add_buttons(tr("Create release"))
        self._connect()

    def _connect(self) -> None:
        self.main.clicked.connect(self._on_main_clicked)
        self.filtered.toggled.connect(self._show_states)
        self.flagged.toggled.connect(self._show_counts)
        for box in self.states.values():
            box.toggled.connect(self._show_summary)
        self._show_states()
        self.export_format.currentIndexChanged.connect(self._on_format_changed)
        self.folder.textChanged.connect(self._on_folder_text_changed)

    def _lay_out(self) -> None:
        choose = QPushButton(tr("Choose…"))
        choose.clicked.connect(self._on_choose_clicked)
        folder = row_layout(spacing_px=8)
        folder.addWidget(self.folder, 1)
        folder.addWidget(choose)
        what = column_layout(spacing_px=0)
        for part in (self.all, self.filtered, self.flagged):
            what.addWidget(part)
        division = row_layout(spacing_px=8)
        division.addWidget(self.division_text, 1)
        division.addWidget(self.choose_splits)
        states = column_layout(spacing_px=0)
        for box in self.states.values():
            states.addWidget(box)
        fields = QFormLayout()
        fields.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)
        fields.setHorizontalSpacing(16)
        fields.setVerticalSpacing(8)
        fields.addRow(label(tr("Export format"), role="dim"), self.export_format)
        fields.addRow(label(tr("Items"), role="dim"), what)
        fields.addRow(label(tr("States"), role="dim"), states)
        fields.addRow(label(tr("Splits"), role="dim"), division)
        fields.addRow(label(tr("New folder"), role="dim"), folder)
        self.body.addLayout(fields)
        self.body.addWidget(self.summary)
        text = tr(
            "The checks run first. Rejected items and items with open errors or forks are withheld and "
            "listed next to the release. The same content always has the same SHA-256."
        )
        self.body.addWidget(label(text, role="dim", wrap=True))

    def ask_splits(self) -> None:
        """Ask how the items are divided, and which share of them is listed as a subset."""
        self.split_dialog = SplitDialog(self, exporter=self._exporter(), division=self.division)
        self.split_dialog.preview_requested.connect(self._on_split_preview_requested)
        self.split_dialog.submitted.connect(self._on_splits_chosen)
        self.split_dialog.finished.connect(self._on_split_dialog_finished)
        self.split_dialog.open(self.split_dialog.is_divided)
        self.split_dialog.request()

    def show_split_preview(self, request: SplitPreviewRequest, preview: SplitPreview) -> None:
        """Show what splits and subset would contain, while they are chosen."""
        if self.split_dialog is not None:
            self.split_dialog.show_preview(request.division, preview)

    def _on_split_preview_requested(self, division: KeptDivision) -> None:
        request = SplitPreviewRequest(
            selection=self._selection(),
            export_format=self._exporter().id,
            include_flagged=self.flagged.isChecked(),
            division=division,
        )
        self.preview_requested.emit(request)

    def _on_split_dialog_finished(self, _result: int) -> None:
        self.split_dialog = None

    def _on_splits_chosen(self, division: KeptDivision) -> None:
        self.division = division
        keep_division(self._settings, division, project=self._project_id)
        self._show_summary()

    def _selection(self) -> ItemQuery:
        chosen = self._query if self.filtered.isChecked() else ItemQuery()
        states = self._chosen() if self._holds_items() else ()
        return msgspec.structs.replace(chosen, states=states) if states else ItemQuery()

    def _exporter(self) -> Exporter:
        return EXPORTERS[str(self.export_format.currentData())]

    def _preview(self) -> ReleasePreview:
        found = self._listed if self.filtered.isChecked() else self._everything
        return found.with_forked() if self.flagged.isChecked() else found

    def _chosen(self) -> tuple[str, ...]:
        found = self._preview().states
        return tuple(state for state, box in self.states.items() if box.isChecked() and state in found)

    def _holds_items(self) -> bool:
        return self._exporter().holds_items

    def _show_states(self) -> None:
        """Show the states of the selected items; only the accepted ones are selected by default."""
        found = self._preview().states
        for state, box in self.states.items():
            box.setChecked(state == ACCEPTED and state in found)
        self._show_counts()

    def _show_counts(self) -> None:
        """Show the number of items per state; those with a fork count where they are included."""
        found = self._preview().states
        for state, box in self.states.items():
            box.setText(f"{display_text.item_state_title(state)}  {found.get(state, 0):,}")
            box.setVisible(state in found or state == ACCEPTED)
        self._show_summary()

    def _show_summary(self) -> None:
        """Show what the release will contain."""
        has_items = self._holds_items()
        self.all.setEnabled(has_items)
        self.flagged.setEnabled(has_items)
        for state, box in self.states.items():
            box.setEnabled(has_items and state in self._preview().states)
        self.filtered.setEnabled(has_items and self._query != ItemQuery())
        self.summary.setText(self._summary() if has_items else tr("This format contains all event labels."))
        self.choose_splits.setEnabled(has_items)
        self.division_text.setText(self._division_text())
        self._enable_main()

    def _summary(self) -> str:
        preview, chosen = self._preview(), self._chosen()
        parts = []
        if ACCEPTED not in preview.states:
            parts.append(tr("No item is accepted."))
        if chosen:
            count = sum(preview.states[state] for state in chosen)
            texts = join_texts(f"{display_text.item_state_title(s)} {preview.states[s]:,}" for s in chosen)
            parts.append(
                trn(
                    "The release takes {n} item: {states}.",
                    "The release takes {n} items: {states}.",
                    n=count,
                    states=texts,
                )
            )
        elif preview.states:
            parts.append(tr("Select the states to release."))
        if preview.forked:
            n = sum(preview.forked.values())
            parts.append(trn("{n} item with a fork is withheld.", "{n} items with a fork are withheld.", n=n))
        if preview.excluded:
            texts = join_texts(
                f"{display_text.item_state_title(s)} {n:,}" for s, n in preview.excluded.items()
            )
            parts.append(tr("Never released: {states}.", states=texts))
        return " ".join(parts)

    def _division_text(self) -> str:
        if not self._holds_items():
            return tr("This format has no items to divide.")
        text = division_text(self.division)
        if self._can_hide():
            return text
        return f"{text}\n{tr('This format cannot hide answer keys. Choose another format, or other splits.')}"

    def _can_hide(self) -> bool:
        """Return whether the format can be released with the hidden answer keys that were chosen."""
        splits = self.division.splits
        return splits is None or not splits.hidden or self._exporter().can_hide_keys

    def _default_folder(self) -> Path:
        return self._project.parent / f"{self._project.stem}-{self.export_format.currentData()}"

    def _on_format_changed(self, _at: int) -> None:
        self.folder.setText(str(self._default_folder()))
        self._show_summary()

    def _on_folder_text_changed(self, _text: str) -> None:
        self._enable_main()

    def _enable_main(self) -> None:
        # A project without items can still be released with its media and scenes.
        has_choice = bool(self._chosen()) or not self._preview().items or not self._holds_items()
        can_divide = self._can_hide() or not self._holds_items()
        self.main.setEnabled(has_choice and can_divide and bool(self.folder.text().strip()))

    def _on_choose_clicked(self) -> None:
        dialog = QFileDialog(self, tr("Parent folder of the release"), str(self._project.parent))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.fileSelected.connect(self._on_parent_selected)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _on_parent_selected(self, parent: str) -> None:
        # The selected folder is the parent, because a release creates a folder of its own.
        self.folder.setText(str(Path(parent) / self._default_folder().name))

    def _on_main_clicked(self) -> None:
        export_format = str(self.export_format.currentData())
        self._settings.keep("release/export_format", export_format)
        division = self.division if self._holds_items() else KeptDivision()
        command = CreateRelease(
            out=Path(self.folder.text().strip()),
            export_format=export_format,
            include_flagged=self.flagged.isChecked(),
            selection=self._selection(),
            splits=division.splits,
            subset=division.subset,
        )
        self.accept()
        self.submitted.emit(command)


def _total(preview: ReleasePreview) -> int:
    return preview.with_forked().items + sum(preview.excluded.values())


def _format_box(chosen: str) -> ComboBox:
    """Return a box of the export formats with one chosen, the default one if there is none of that name."""
    box = ComboBox()
    for name, exporter in EXPORTERS.items():
        box.addItem(tr(exporter.title), name)
    index = box.findData(chosen)
    box.setCurrentIndex(index if index >= 0 else box.findData(DEFAULT_FORMAT))
    return box
