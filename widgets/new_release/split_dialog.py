"""The dialog for the splits and the subset of a release, with what they would contain."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QIntValidator
from PySide6.QtWidgets import (
    QCheckBox,
    QFormLayout,
    QGridLayout,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from annotator.errors import UserError
from annotator.release.exporter import Exporter
from annotator.release.split_preview import SplitPreview
from annotator.release.splits import Split, SplitSettings, require_splits
from annotator.release.subset import SubsetSettings, require_subset
from widgets import display_text, theme
from widgets.box_layout import row_layout
from widgets.dialog import FormDialog
from widgets.labels import label, set_role
from widgets.message_text import error_text
from widgets.new_release.kept_division import USUAL_SPLITS, USUAL_SUBSET, KeptDivision
from widgets.number_field import number_text, parse_number
from widgets.report_dialog import ReportSection, ReportTable
from widgets.translation import tr, trn

ROWS = 4
LONGEST_NAME = 40
MOST_SHOWN = 7
NUMBER_PX = 72


class _SplitRow:
    """The fields of one split; a row without a name is not used."""

    def __init__(self, number: int) -> None:
        self.name, self.share = QLineEdit(), QLineEdit()
        self.name.setMaxLength(LONGEST_NAME)
        self.name.setPlaceholderText(tr("Name"))
        self.name.setAccessibleName(tr("Name of split {n}", n=number))
        self.share.setFixedWidth(NUMBER_PX)
        self.share.setAccessibleName(tr("Share of split {n} in percent", n=number))
        self.is_hidden = QCheckBox(tr("Hide answer keys"))
        self.is_hidden.setToolTip(tr("The release does not have the answer keys of this split."))

    def show_split(self, split: Split | None, *, is_hidden: bool) -> None:
        self.name.setText(split.name if split is not None else "")
        self.share.setText(number_text(100 * split.share) if split is not None else "")
        self.is_hidden.setChecked(is_hidden)

    @property
    def split(self) -> Split | None:
        name = self.name.text().strip()
        share = parse_number(self.share.text())
        return Split(name=name, share=0.0 if share is None else share / 100) if name else None


class SplitDialog(FormDialog):
    """Form for names and shares of splits, hidden answer keys, subset and seed.

    Signals:
        preview_requested: Emitted when an input changes; carries the ``KeptDivision``.
        submitted: Emitted on acceptance; carries the ``KeptDivision``.
    """

    preview_requested = Signal(object)
    submitted = Signal(object)

    def __init__(self, window: QWidget, *, exporter: Exporter, division: KeptDivision) -> None:
        """Create the dialog.

        Args:
            window: Parent window.
            exporter: The exporter of the format.
            division: The present choice.
        """
        super().__init__(window, width=720, title=tr("Splits and subset"))
        self._exporter = exporter
        self.is_divided = QCheckBox(tr("Divide the items into splits"))
        self.is_drawn = QCheckBox(tr("List a subset with this share of each task, in percent"))
        self.rows = [_SplitRow(number) for number in range(1, ROWS + 1)]
        self.allows_predictable = QCheckBox(tr("Hide answer keys whose letters can be computed"))
        self.allows_predictable.setToolTip(
            tr("Earlier versions drew options by the seed alone. The card states how many.")
        )
        self.share, self.seed = QLineEdit(), QLineEdit()
        self.share.setAccessibleName(tr("Share of the subset in percent"))
        self.seed.setAccessibleName(tr("Seed"))
        self.seed.setValidator(QIntValidator(0, 2**31 - 1, self.seed))
        self.statement = label(wrap=True)
        self.table: ReportTable | None = None
        self._table_layout = QVBoxLayout()
        self._show(division)
        self._lay_out()
        self.main = self.add_buttons(tr("Use splits"))
        self.main.clicked.connect(self._on_main_clicked)
        boxes = (self.is_divided, self.is_drawn, self.allows_predictable)
        for box in (*boxes, *(row.is_hidden for row in self.rows)):
            box.toggled.connect(self._on_input_changed)
        for field in (self.share, self.seed, *(f for row in self.rows for f in (row.name, row.share))):
            field.textChanged.connect(self._on_input_changed)

    def division(self) -> KeptDivision | None:
        """Return the choice, None if it is not valid; then the reason is shown."""
        try:
            return self._division()
        except UserError as error:
            self._show_statement(error_text(error), role="warn")
            return None

    def request(self) -> None:
        """Ask what the present choice would contain."""
        for row in self.rows:
            for field in (row.name, row.share, row.is_hidden):
                field.setEnabled(self.is_divided.isChecked())
        hides = any(row.is_hidden.isChecked() for row in self.rows)
        self.allows_predictable.setEnabled(self.is_divided.isChecked() and hides)
        self.share.setEnabled(self.is_drawn.isChecked())
        division = self.division()
        self.main.setEnabled(division is not None)
        if division is not None:
            self._show_statement(tr("Counting items…"), role="dim")
            self.preview_requested.emit(division)

    def show_preview(self, division: KeptDivision, preview: SplitPreview) -> None:
        """Show what a choice would contain, unless the inputs have changed since it was requested."""
        try:
            is_current = division == self._division()
        except UserError:
            is_current = False
        if not is_current:
            return
        self._show_statement(_statement(division, preview), role="body")
        if self.table is not None:
            self.table.deleteLater()
        self.table = ReportTable(_section(preview))
        self.table.setFixedHeight((min(len(preview.tasks) + 1, MOST_SHOWN) + 1) * theme.ROW + 4)
        self._table_layout.addWidget(self.table)

    def _division(self) -> KeptDivision:
        """Return the choice.

        Raises:
            UserError: It is not valid; the message says why.
        """
        seed = int(self.seed.text() or 0)
        splits = subset = None
        if self.is_divided.isChecked():
            used = [(row, split) for row in self.rows if (split := row.split) is not None]
            splits = SplitSettings(
                splits=tuple(split for _, split in used),
                seed=seed,
                hidden=tuple(split.name for row, split in used if row.is_hidden.isChecked()),
                allows_predictable=self.allows_predictable.isChecked(),
            )
            require_splits(splits, self._exporter)
        if self.is_drawn.isChecked():
            subset = SubsetSettings(share=(parse_number(self.share.text()) or 0) / 100, seed=seed)
            require_subset(subset, self._exporter)
        return KeptDivision(splits=splits, subset=subset)

    def _show(self, division: KeptDivision) -> None:
        self.is_divided.setChecked(division.splits is not None)
        self.is_drawn.setChecked(division.subset is not None)
        splits, subset = division.splits or USUAL_SPLITS, division.subset or USUAL_SUBSET
        shown = [*splits.splits, *[None] * ROWS][:ROWS]
        for row, split in zip(self.rows, shown, strict=True):
            row.show_split(split, is_hidden=split is not None and split.name in splits.hidden)
        self.allows_predictable.setChecked(splits.allows_predictable)
        self.share.setText(number_text(100 * subset.share))
        self.seed.setText(str(splits.seed if division.splits is not None else subset.seed))

    def _lay_out(self) -> None:
        grid = QGridLayout()
        grid.setContentsMargins(28, 0, 0, 0)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(4)
        for at, row in enumerate(self.rows):
            for column, part in enumerate((row.name, row.share, label("%", role="dim"), row.is_hidden)):
                grid.addWidget(part, at, column)
        grid.setColumnStretch(0, 1)
        drawn = row_layout(spacing_px=8)
        for field in (self.share, self.seed):
            field.setFixedWidth(NUMBER_PX)
        drawn.addWidget(self.is_drawn)
        drawn.addWidget(self.share)
        drawn.addStretch()
        fields = QFormLayout()
        fields.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)
        fields.setHorizontalSpacing(16)
        fields.addRow(label(tr("Seed"), role="dim"), self.seed)
        self.body.addWidget(self.is_divided)
        grid.addWidget(self.allows_predictable, len(self.rows), 0, 1, 4)
        self.body.addLayout(grid)
        self.body.addLayout(drawn)
        self.body.addLayout(fields)
        self.body.addWidget(self.statement)
        self.body.addLayout(self._table_layout)

    def _show_statement(self, text: str, *, role: str) -> None:
        set_role(self.statement, role)
        self.statement.setText(text)

    def _on_input_changed(self, _value: object) -> None:
        self.request()

    def _on_main_clicked(self) -> None:
        division = self.division()
        if division is not None:
            self.accept()
            self.submitted.emit(division)


def division_text(division: KeptDivision) -> str:
    """Return a choice in one line."""
    parts = []
    if division.splits is not None:
        for split in division.splits.splits:
            share = f"{split.name} {number_text(100 * split.share)} %"
            is_hidden = split.name in division.splits.hidden
            parts.append(tr("{share} (answer keys hidden)", share=share) if is_hidden else share)
    if division.subset is not None:
        parts.append(tr("subset {share} %", share=number_text(100 * division.subset.share)))
    return " · ".join(parts) or tr("Not divided")


def _statement(division: KeptDivision, preview: SplitPreview) -> str:
    """Return what holds for the splits, in sentences."""
    parts = []
    if division.splits is not None:
        parts.append(
            trn(
                "No scene and no media file is in two splits: {n} group of items stays together.",
                "No scene and no media file is in two splits: {n} groups of items stay together.",
                n=preview.groups,
            )
        )
        if division.splits.hidden:
            parts.append(
                tr("The answer keys are written to a second folder beside the release. Keep it private.")
            )
    parts.append(tr("Checks, and what the format cannot represent, can still withhold items."))
    return " ".join(parts)


def _section(preview: SplitPreview) -> ReportSection:
    """Return the numbers by task, with a row of their sums."""
    parts = {tr("Items"): preview.tasks, **(preview.splits or {})}
    if preview.subset is not None:
        parts[tr("Subset")] = preview.subset
    rows = [
        (
            display_text.task_label(task, shared=frozenset()),
            *(f"{counts.get(task, 0):,}" for counts in parts.values()),
        )
        for task in preview.tasks
    ]
    total = (tr("All tasks"), *(f"{sum(counts.values()):,}" for counts in parts.values()))
    return ReportSection(title=tr("Items by task"), columns=(tr("Task"), *parts), rows=(total, *rows))
