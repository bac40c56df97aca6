"""The dialog that compares two releases: which ones, and what differs between them item by item."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QPushButton, QWidget

from annotator.release_difference.difference import ReleaseDifference
from annotator.release_difference.recorded_releases import ListedRelease
from widgets import display_text, theme
from widgets.box_layout import row_layout
from widgets.dialog import FormDialog
from widgets.labels import label
from widgets.message_text import message_text
from widgets.release.difference_table import DifferenceTable, ShownDifference
from widgets.release.difference_values import value_text
from widgets.release.release_list import DIGITS_SHOWN, ReleaseList
from widgets.translation import join_texts, tr

WIDTH_PX, HEIGHT_PX = 1120, 640
ROWS_SHOWN = 5
DETAIL_PX = 72
LONGEST_DETAIL = 600
TABLE_NAME = "release-difference.csv"


class ComparisonDialog(FormDialog):
    """Lists releases, and shows the difference between two of them.

    Signals:
        comparison_requested: Two releases are to be compared; carries the old and the new folder.
        folder_chosen: A folder was chosen that may contain a release; carries it.
        export_requested: The difference is to be written as a table; carries the file.
    """

    comparison_requested = Signal(object, object)
    folder_chosen = Signal(object)
    export_requested = Signal(object)

    def __init__(self, window: QWidget, *, releases: list[ListedRelease], folder: Path) -> None:
        """Create the dialog.

        Args:
            window: Parent window.
            releases: The releases that the project has recorded, the newest first.
            folder: Where a search for folders begins.
        """
        super().__init__(window, width=WIDTH_PX, height=HEIGHT_PX, title=tr("Compare releases"))
        self._folder = folder
        self._is_swapped = self._is_running = False
        self.difference: ReleaseDifference | None = None
        self.list, self.table = ReleaseList(), DifferenceTable()
        self.list.setFixedHeight((ROWS_SHOWN + 1) * theme.ROW + 4)
        self.direction, self.summary = label(role="dim", wrap=True), label(role="strong", wrap=True)
        self.detail = label(wrap=True, selectable=True)
        self.detail.setFixedHeight(DETAIL_PX)
        self.add_folder = QPushButton(tr("Add folder…"))
        self.swap = QPushButton(tr("Swap old and new"))
        self.export = QPushButton(tr("Export CSV…"))
        for button in (self.add_folder, self.swap, self.export):
            button.setAutoDefault(False)
        self.body.addWidget(self.list)
        row = row_layout(spacing_px=8)
        row.addWidget(self.direction, 1)
        row.addWidget(self.swap)
        row.addWidget(self.add_folder)
        self.body.addLayout(row)
        self.body.addWidget(self.summary)
        self.body.addWidget(self.table, 1)
        self.body.addWidget(self.detail)
        self.main, self.close_button = self._add_row(tr("Compare releases"), tr("Close"), left=self.export)
        self._connect()
        self.list.show_releases(releases)
        self.export.setEnabled(False)
        self._show_choice()

    def add_release(self, release: ListedRelease) -> None:
        """Add a folder that contains a release."""
        self.list.add(release)

    def show_difference(self, shown: ShownDifference) -> None:
        """Show a difference."""
        self._is_running = False
        self.difference = shown.difference
        self.table.differences.show_rows(shown.rows)
        self.export.setEnabled(bool(shown.rows))
        self.summary.setText(summary_text(shown.difference))
        self.detail.clear()
        if shown.rows:
            self.table.choose_row(0)
        self._show_choice()

    def show_failure(self, _error: BaseException) -> None:
        """Note that nothing was compared; the window says why."""
        self._is_running = False
        self.summary.setText(tr("The releases were not compared."))
        self._show_choice()

    def _connect(self) -> None:
        self.list.selectionModel().selectionChanged.connect(self._on_selection_changed)
        self.table.row_chosen.connect(self._on_difference_chosen)
        self.add_folder.clicked.connect(self._on_add_folder_clicked)
        self.swap.clicked.connect(self._on_swap_clicked)
        self.export.clicked.connect(self._on_export_clicked)
        self.main.clicked.connect(self._on_main_clicked)
        self.close_button.clicked.connect(self.reject)

    def _sides(self) -> tuple[ListedRelease, ListedRelease] | None:
        """Return the old and the new release, None unless two are selected."""
        chosen = self.list.chosen
        if len(chosen) != 2:
            return None
        # The list begins with the newest one.
        new, old = reversed(chosen) if self._is_swapped else chosen
        return old, new

    def _show_choice(self) -> None:
        sides = self._sides()
        self.swap.setEnabled(sides is not None)
        self.direction.setText(_direction_text(sides))
        is_known = sides is not None and all(side.folder is not None for side in sides)
        self.main.setEnabled(is_known and not self._is_running)

    def _on_selection_changed(self, _now: object, _before: object) -> None:
        self._is_swapped = False
        self._show_choice()

    def _on_swap_clicked(self) -> None:
        self._is_swapped = not self._is_swapped
        self._show_choice()

    def _on_main_clicked(self) -> None:
        sides = self._sides()
        if sides is None or self._is_running:
            return
        self._is_running = True
        self._show_choice()
        self.summary.setText(tr("Comparing releases…"))
        old, new = sides
        self.comparison_requested.emit(old.folder, new.folder)

    def _on_difference_chosen(self, index: int) -> None:
        rows = self.table.differences.rows
        if not 0 <= index < len(rows):
            self.detail.clear()
            return
        *_, field, old, new, why = rows[index]
        before, after = value_text(field, old), value_text(field, new)
        texts = [tr("Old: {value}", value=_short(before)), tr("New: {value}", value=_short(after))]
        self.detail.setText("\n".join(texts) if old or new else message_text(why))

    def _on_add_folder_clicked(self) -> None:
        dialog = QFileDialog(self, tr("Folder of a release"), str(self._folder))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.fileSelected.connect(self._on_folder_selected)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _on_folder_selected(self, folder: str) -> None:
        self.folder_chosen.emit(Path(folder))

    def _on_export_clicked(self) -> None:
        dialog = QFileDialog(self, tr("File for the difference"), str(self._folder / TABLE_NAME))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("csv")
        dialog.fileSelected.connect(self._on_file_selected)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _on_file_selected(self, file: str) -> None:
        self.export_requested.emit(Path(file))


def summary_text(difference: ReleaseDifference) -> str:
    """Return a difference in sentences."""
    items = f"{difference.new.items:,}"
    if difference.is_equal and difference.has_equal_files:
        text = tr("The releases are equal: the same files with {n} items.", n=items)
    elif difference.is_equal:
        text = tr("The releases have the same {n} items without a change.", n=items)
    else:
        parts = (
            tr("added {n}", n=f"{len(difference.added):,}"),
            tr("removed {n}", n=f"{len(difference.removed):,}"),
            tr("changed {n}", n=f"{len(difference.changed):,}"),
            tr("unchanged {n}", n=f"{difference.unchanged:,}"),
            tr("changed answer keys {n}", n=f"{difference.fields.get('answer_key', 0):,}"),
        )
        text = tr("Items: {counts}.", counts=join_texts(parts))
    sentences = [text]
    if count := difference.not_compared:
        sentences.append(tr("Hidden answer keys that were not compared: {n}.", n=f"{count:,}"))
    if count := difference.unreadable:
        sentences.append(tr("Records that cannot be read, and were not compared: {n}.", n=f"{count:,}"))
    return " ".join(sentences)


def _direction_text(sides: tuple[ListedRelease, ListedRelease] | None) -> str:
    if sides is None:
        return tr("Select two releases in the list (Ctrl+click), or add the folder of one.")
    if unknown := [side.sha256[:DIGITS_SHOWN] for side in sides if side.folder is None]:
        return tr("The folder of release {number} is not known here. Add it.", number=unknown[0])
    return tr("Old: {old}. New: {new}.", old=_title(sides[0]), new=_title(sides[1]))


def _title(release: ListedRelease) -> str:
    return f"{display_text.export_title(release.export_format)} {release.sha256[:DIGITS_SHOWN]}"


def _short(text: str) -> str:
    line = " · ".join(text.split("\n"))
    return line if len(line) <= LONGEST_DETAIL else f"{line[:LONGEST_DETAIL]}…"
