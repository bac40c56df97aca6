"""How images and videos are grouped into scenes and views: naming scheme, pattern, time or CSV file."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from PySide6.QtCore import Signal
from PySide6.QtGui import QDoubleValidator
from PySide6.QtWidgets import (
    QFileDialog,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QRadioButton,
    QWidget,
)

from annotator.media.naming_presets import presets
from annotator.media.scene_grouping import Grouping
from widgets.box_layout import column_layout
from widgets.combo_box import ComboBox
from widgets.import_wizard.choices import GroupingMethod, MediaChoice
from widgets.import_wizard.pill_stack import PillStack
from widgets.import_wizard.tables import tall_table
from widgets.labels import label
from widgets.translation import join_texts, mark, tr, trn

SCENES_SHOWN = 500
NAMES_SHOWN = 500
EXAMPLE = "{scene}-{view}.{ext}"
HINTS = {
    "pattern": mark(
        "Enter a file name with {scene} and {view} in place of the scene and view names. * matches any "
        "text, ** matches any folders, and [ ] encloses an optional part. {dataset}, {frame} and "
        "{time:%Y%m%d_%H%M%S} are also available."
    ),
    "time": mark(
        "Each folder is one camera. Images whose capture times differ by at most this many seconds form "
        "one scene. Capture times are those recorded by the cameras."
    ),
    "table": mark(
        "A CSV file with the columns scene, view and path. The columns licence and source are optional."
    ),
}
"""Instructions for grouping methods that need input from the user."""


class MediaPage(QWidget):
    """Shows the media of an import and their grouping, updated while the user edits the pattern.

    Signals:
        grouping_changed: Emitted when the files have to be grouped again.
    """

    grouping_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._choice: MediaChoice | None = None
        self.method = ComboBox()
        # Otherwise the longest scheme title would define the minimum width of the page.
        self.method.setSizeAdjustPolicy(ComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.method.setMinimumContentsLength(24)
        self.pattern = QLineEdit()
        self.pattern.setPlaceholderText(EXAMPLE)
        self.tolerance = QLineEdit()
        self.tolerance.setValidator(QDoubleValidator(0.0, 86_400.0, 3, self.tolerance))
        self.table = QPushButton(tr("Choose CSV file…"))
        self.dataset, self.licence = QLineEdit(), QLineEdit()
        self.dataset.setPlaceholderText(tr("From the file names"))
        self.licence.setPlaceholderText(tr("Not specified"))
        self.stay = QRadioButton(tr("Keep the files in their folder"))
        self.link = QRadioButton(tr("Link or copy the files into the project folder"))
        self.hint = label(role="dim", wrap=True)
        self.fault = label(role="bad", wrap=True)
        self.counts = label(role="strong")
        self.pages = PillStack()
        self._lay_out()
        self._connect()

    def show_choice(self, choice: MediaChoice) -> None:
        """Show the media of an import."""
        self._choice = choice
        self._fill_methods(choice)
        self.pattern.setText(choice.pattern)
        self.tolerance.setText(f"{choice.tolerance_s:g}")
        self.dataset.setText(choice.dataset)
        self.licence.setText(choice.licence)
        (self.stay if choice.stays else self.link).setChecked(True)
        self._show_method()
        self.refresh()

    def refresh(self) -> None:
        """Show the current grouping."""
        if self._choice is None:
            return
        self.fault.setText(self._choice.fault)
        self.fault.setVisible(bool(self._choice.fault))
        grouping = self._choice.grouping
        if grouping is None:
            self.counts.setText("" if self._choice.fault else tr("Grouping…"))
            return
        self.counts.setText(_counts(grouping))
        self.pages.show_pages(_pages(grouping, folder=self._choice.part.folder))

    def _lay_out(self) -> None:
        form = QGridLayout()
        form.setHorizontalSpacing(12)
        form.setVerticalSpacing(4)
        names = (tr("Scenes and views"), tr("Dataset"), tr("Licence"))
        for column, (name, field) in enumerate(
            zip(names, (self.method, self.dataset, self.licence), strict=True)
        ):
            form.addWidget(label(name, role="label"), 0, column)
            form.addWidget(field, 1, column)
            form.setColumnStretch(column, 2 if column == 0 else 1)
            field.setAccessibleName(name)
        self.pattern.setAccessibleName(tr("File name pattern"))
        self.tolerance.setAccessibleName(tr("Maximum time difference in seconds"))
        self.tolerance.setMaximumWidth(96)
        layouts = QHBoxLayout()
        layouts.addWidget(self.stay)
        layouts.addSpacing(16)
        layouts.addWidget(self.link)
        layouts.addStretch()
        extra = QHBoxLayout()
        extra.addWidget(self.pattern, 1)
        extra.addWidget(self.tolerance)
        extra.addWidget(self.table)
        whole = column_layout(self, margins_px=0, spacing_px=8)
        whole.addLayout(form)
        whole.addLayout(extra)
        whole.addWidget(self.hint)
        whole.addLayout(layouts)
        whole.addWidget(self.fault)
        whole.addWidget(self.counts)
        whole.addWidget(self.pages, 1)

    def _connect(self) -> None:
        self.method.activated.connect(self._on_method_activated)
        self.pattern.textEdited.connect(self._on_pattern_text_edited)
        self.tolerance.editingFinished.connect(self._on_tolerance_editing_finished)
        self.table.clicked.connect(self._on_table_clicked)
        self.dataset.editingFinished.connect(self._on_search_edited)
        self.licence.editingFinished.connect(self._on_search_edited)
        self.stay.toggled.connect(self._on_stay_toggled)

    def _fill_methods(self, choice: MediaChoice) -> None:
        self.method.clear()
        recognised = {found.scheme.id: found.matched for found in choice.part.recognised}
        # Schemes that match some files come first; the others follow at the end of the list.
        for scheme_id, matched in recognised.items():
            title = presets()[scheme_id].title
            counted = tr("{n} of {total}", n=f"{matched:,}", total=f"{len(choice.part.listing.names):,}")
            self.method.addItem(f"{title}   {counted}", ("scheme", scheme_id))
        self.method.addItem(tr("By file name pattern"), ("pattern", ""))
        self.method.addItem(tr("By time"), ("time", ""))
        self.method.addItem(tr("From a CSV file"), ("table", ""))
        self.method.addItem(tr("One scene per file"), ("alone", ""))
        for scheme_id, scheme in presets().items():
            if scheme_id not in recognised:
                self.method.addItem(scheme.title, ("scheme", scheme_id))
        wanted = (choice.method, choice.scheme.id if choice.method == "scheme" and choice.scheme else "")
        # Not findData: Qt converts a tuple to a list, which never equals the tuple.
        entries = [self.method.itemData(at) for at in range(self.method.count())]
        self.method.setCurrentIndex(
            next((at for at, entry in enumerate(entries) if tuple(entry) == wanted), 0)
        )

    def _show_method(self) -> None:
        method = self._choice.method if self._choice else "alone"
        self.pattern.setVisible(method == "pattern")
        self.tolerance.setVisible(method == "time")
        self.table.setVisible(method == "table")
        self.hint.setText(tr(HINTS[method]) if method in HINTS else "")
        self.hint.setVisible(method in HINTS)

    def _on_method_activated(self, at: int) -> None:
        if self._choice is None:
            return
        method, scheme_id = self.method.itemData(at)
        self._choice.method = cast("GroupingMethod", method)
        self._choice.scheme = presets()[scheme_id] if scheme_id else None
        if method == "pattern" and not self._choice.pattern:
            # An example is easier to edit than an empty field.
            self._choice.pattern = EXAMPLE
            self.pattern.setText(EXAMPLE)
        self._show_method()
        if method == "pattern":
            self.pattern.setFocus()
        # The table is missing, so that nothing can be grouped; the hint asks for it.
        if method != "table" or self._choice.table is not None:
            self.grouping_changed.emit()

    def _on_pattern_text_edited(self, text: str) -> None:
        if self._choice is not None:
            self._choice.pattern = text
            self.grouping_changed.emit()

    def _on_tolerance_editing_finished(self) -> None:
        if self._choice is not None and self.tolerance.hasAcceptableInput():
            seconds = float(self.tolerance.text())
            if seconds != self._choice.tolerance_s:
                self._choice.tolerance_s = seconds
                self.grouping_changed.emit()

    def _on_table_clicked(self) -> None:
        folder = str(self._choice.part.listing.base) if self._choice else ""
        dialog = QFileDialog(self, tr("CSV file of scenes"), folder)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilters([tr("CSV files ({patterns})", patterns="*.csv"), tr("All files (*)")])
        dialog.fileSelected.connect(self._on_table_selected)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _on_table_selected(self, name: str) -> None:
        if self._choice is not None:
            self._choice.table = Path(name)
            self.table.setText(Path(name).name)
            self.grouping_changed.emit()

    def _on_search_edited(self) -> None:
        if self._choice is not None:
            self._choice.dataset = self.dataset.text().strip()
            self._choice.licence = self.licence.text().strip()

    def _on_stay_toggled(self, is_on: bool) -> None:
        if self._choice is not None:
            self._choice.stays = is_on


def _counts(grouping: Grouping) -> str:
    by_views = grouping.scenes_by_views
    parts = [
        trn(
            "{n} scene with {views}",
            "{n} scenes with {views}",
            n=scenes,
            views=trn("{n} view", "{n} views", n=views),
        )
        for views, scenes in by_views.items()
    ]
    if grouping.unmatched:
        parts.append(tr("{n} not grouped", n=f"{len(grouping.unmatched):,}"))
    return " · ".join(parts) or tr("This grouping creates no scenes.")


def _pages(grouping: Grouping, *, folder: str) -> list[tuple[str, QWidget]]:
    scenes = tuple(
        (
            scene.name,
            scene.dataset,
            "   ".join(
                f"{member.view or '–'}: {member.name.removeprefix(f'{folder}/')}" for member in scene.members
            ),
        )
        for scene in grouping.scenes[:SCENES_SHOWN]
    )
    head = (tr("Scene"), tr("Dataset"), tr("Views"))
    pages: list[tuple[str, QWidget]] = [
        (tr("Scenes {n}", n=f"{len(grouping.scenes):,}"), tall_table(tr("Scenes"), columns=head, rows=scenes))
    ]
    if grouping.unmatched:
        rows = tuple((name,) for name in grouping.unmatched[:NAMES_SHOWN])
        title = tr("Not grouped {n}", n=f"{len(grouping.unmatched):,}")
        pages.append((title, tall_table(tr("Files not grouped"), columns=(tr("File"),), rows=rows)))
    if grouping.clashes:
        lines = tuple(
            (clash.scene, clash.view, join_texts(clash.names)) for clash in grouping.clashes[:NAMES_SHOWN]
        )
        head = (tr("Scene"), tr("View name"), tr("Matching files; the first is used"))
        pages.append(
            (
                tr("Conflicts {n}", n=f"{len(grouping.clashes):,}"),
                tall_table(tr("Conflicts"), columns=head, rows=lines),
            )
        )
    if grouping.remarks:
        rows = tuple((remark,) for remark in grouping.remarks)
        pages.append(
            (tr("Notes {n}", n=len(rows)), tall_table(tr("Notes"), columns=(tr("Note"),), rows=rows))
        )
    return pages
