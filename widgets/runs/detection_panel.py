"""The outcome of a detection run: which detections become regions, and what happens to earlier regions."""

from __future__ import annotations

from PySide6.QtGui import QDoubleValidator
from PySide6.QtWidgets import QCheckBox, QGridLayout, QHBoxLayout, QLineEdit, QPushButton, QWidget

from annotator.commands.detections import StoreDetections
from annotator.domain.run import Run
from annotator.progress import Progress
from annotator.session import Session
from widgets.box_layout import row_layout
from widgets.labels import label
from widgets.runs.detections import DetectionCounts, read_detections
from widgets.runs.outcome_panel import OutcomePanel
from widgets.translation import tr, trn

USUAL_SCORE = "0.25"
"""Default of the minimum score. Source: ultralytics, predict settings, ``conf``."""
FIELD_PX, CATEGORY_PX, COLUMNS = 64, 220, 3


class DetectionPanel(OutcomePanel):
    """Form for the minimum score, the categories, and the removal of earlier regions of the detector."""

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        self.detections: DetectionCounts | None = None
        self.score = QLineEdit(USUAL_SCORE)
        self.score.setFixedWidth(FIELD_PX)
        self.score.setAccessibleName(tr("Minimum confidence (0 to 1)"))
        self.score.setValidator(QDoubleValidator(0.0, 1.0, 4, self.score))
        self.score.textChanged.connect(self._on_score_text_changed)
        self.categories: dict[str, QCheckBox] = {}
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(0)
        self._grid.setColumnStretch(COLUMNS, 1)
        self.every, self.none = QPushButton(tr("Select all")), QPushButton(tr("Select none"))
        self.every.clicked.connect(self._on_every_clicked)
        self.none.clicked.connect(self._on_none_clicked)
        self.replace = QCheckBox(tr("Replace earlier detections of this model in the same images"))
        self.replace.toggled.connect(self._on_box_toggled)
        self.proposing = QCheckBox(tr("Add as proposals, which people accept or refuse in Annotate"))
        self.proposing.setChecked(True)
        self.proposing.toggled.connect(self._on_box_toggled)
        self._lay_out()

    @staticmethod
    def read(session: Session, run: Run, progress: Progress) -> DetectionCounts:
        """Return the detections of the run."""
        return read_detections(session, run, progress=progress)

    def show_read(self, found: DetectionCounts) -> None:
        """Show the categories of the detections; categories that the user excluded stay excluded."""
        # The excluded categories are kept by name: a newly found category must start selected.
        left_out = {name for name, box in self.categories.items() if not box.isChecked()}
        self.detections = found
        for box in self.categories.values():
            self._grid.removeWidget(box)
            box.deleteLater()
        self.categories = {}
        for index, category in enumerate(found.scores):
            box = self.categories[category] = QCheckBox()
            box.setAccessibleName(category)
            box.setMinimumWidth(CATEGORY_PX)
            box.setChecked(category not in left_out)
            box.toggled.connect(self._on_box_toggled)
            self._grid.addWidget(box, index // COLUMNS, index % COLUMNS)
        self._choice.setVisible(len(found.scores) > 1)
        self._show_counts()

    def summary(self) -> str:
        """Return how many detections are kept."""
        if self.detections is None:
            return tr("Reading predictions")
        summary = trn(
            "Of {total} detection in {pictures}, {kept} is selected. ",
            "Of {total} detections in {pictures}, {kept} are selected. ",
            n=self.detections.total,
            total=f"{self.detections.total:,}",
            pictures=trn("{n} image", "{n} images", n=self.detections.pictures),
            kept=f"{self._chosen():,}",
        )
        failed = trn("{n} image has no result. ", "{n} images have no result. ", n=self.detections.failed)
        effect = super().summary()
        if self.proposing.isChecked():
            effect = tr("Detections become proposals, with neutral ids. A single Undo reverts this step.")
        return f"{summary}{failed if self.detections.failed else ''}{effect}"

    def button_text(self) -> str:
        """Return the button text with the number of detections."""
        if self.proposing.isChecked():
            return trn("Add {n} proposal (Enter)", "Add {n} proposals (Enter)", n=self._chosen())
        return trn("Add {n} region (Enter)", "Add {n} regions (Enter)", n=self._chosen())

    def command(self) -> StoreDetections | None:
        """Return the command that stores the selected detections as regions."""
        # Without a selection, 'replace' would only delete regions.
        if not self._chosen():
            return None
        chosen = [name for name, box in self.categories.items() if box.isChecked()]
        return StoreDetections(
            run=self.run.id,
            min_score=self._min_score(),
            # 'All categories' is stored as an empty list, to keep the log entry short.
            categories=() if len(chosen) == len(self.categories) else tuple(chosen),
            replace=self.replace.isChecked(),
            is_proposing=self.proposing.isChecked(),
        )

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.addWidget(label(tr("Minimum confidence (0 to 1)"), role="dim"))
        row.addWidget(self.score)
        row.addStretch()
        self.add_heading(tr("Detections to keep"))
        self.column.addLayout(row)
        self._choice = QWidget()
        choice = row_layout(self._choice, margins_px=0, spacing_px=8)
        choice.addWidget(label(tr("Categories"), role="dim"))
        choice.addWidget(self.every)
        choice.addWidget(self.none)
        choice.addStretch()
        self._choice.hide()
        self.column.addWidget(self._choice)
        self.column.addLayout(self._grid)
        self.column.addWidget(self.proposing)
        note = tr("Proposals are neither counted nor released, and models do not see them.")
        self.column.addWidget(label(note, role="label"))
        self.add_heading(tr("Existing regions"))
        self.column.addWidget(self.replace)
        note = tr("Regions that people drew or changed and regions of other models are kept.")
        self.column.addWidget(label(note, role="label"))

    def _min_score(self) -> float:
        return float(self.score.text().replace(",", "."))

    def _chosen(self) -> int:
        if self.detections is None or not self.score.hasAcceptableInput():
            return 0
        least = self._min_score()
        chosen = [name for name, box in self.categories.items() if box.isChecked()]
        return sum(self.detections.count(name, min_score=least) for name in chosen)

    def _show_counts(self) -> None:
        if self.detections is not None and self.score.hasAcceptableInput():
            least = self._min_score()
            for name, box in self.categories.items():
                kept = f"{self.detections.count(name, min_score=least):,}"
                # Qt interprets a single & in the text of a check box as a mnemonic.
                shown = name.replace("&", "&&")
                box.setText(tr("{name}  {kept} of {total}", name=shown, kept=kept, total=self._total(name)))
        self.changed.emit()

    def _total(self, category: str) -> str:
        return f"{len(self.detections.scores[category]):,}" if self.detections is not None else ""

    def _check_all(self, *, is_on: bool) -> None:
        for box in self.categories.values():
            box.blockSignals(True)
            box.setChecked(is_on)
            box.blockSignals(False)
        self.changed.emit()

    def _on_every_clicked(self) -> None:
        self._check_all(is_on=True)

    def _on_none_clicked(self) -> None:
        self._check_all(is_on=False)

    def _on_score_text_changed(self, _text: str) -> None:
        self._show_counts()

    def _on_box_toggled(self, _is_on: bool) -> None:
        self.changed.emit()
