"""The dialog that makes derived images: recipe with a live preview, views, and what is copied."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QIntValidator, QPixmap
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QWidget,
)

from annotator.domain.image_recipe import AIRCOP_NOISE, MOST_SEED, MOST_STEPS, ImageRecipe, RecipeStep
from annotator.errors import VantageError
from annotator.queries.derived_targets import CleanView
from widgets.box_layout import column_layout, row_layout
from widgets.combo_box import ComboBox
from widgets.dialog import FormDialog
from widgets.labels import label
from widgets.library.recipe_preview import PREVIEW_PX, RecipePreview
from widgets.library.recipe_step_row import RecipeStepRow
from widgets.message_text import error_text
from widgets.qt_images import wrap_pixels
from widgets.translation import tr, trn

ROWS_PX = 3 * 36 + 8
"""Height of the list of steps: three are visible without scrolling."""
PAUSE_MS = 200
"""Pause in typing after which the preview is made again."""


class DerivedImagesDialog(FormDialog):
    """Form for a recipe, and for the images that it is applied to.

    Signals:
        submitted: Emitted on acceptance; carries the recipe, the views (``CleanView``), and whether event
            labels and regions are copied.
        preview_requested: Emitted when the preview is out of date; carries the view and the recipe.
    """

    submitted = Signal(object, tuple, bool, bool)
    preview_requested = Signal(object, object)

    def __init__(self, window: QWidget, *, views: Sequence[CleanView], chosen: str = "") -> None:
        """Create the dialog.

        Args:
            window: Parent window.
            views: The views that can be degraded, one or more.
            chosen: Name of the view that is chosen first, "" for all.
        """
        super().__init__(window, width=780, title=tr("Make derived images"))
        self._views = tuple(views)
        self.rows: list[RecipeStepRow] = []
        self.before, self.after = label(), label()
        self.state = label(role="label")
        self.is_close = QCheckBox(tr("Pixels 1:1, from the middle"))
        # Noise and blur are hardly visible in an image that is scaled down.
        self.is_close.setChecked(True)
        self.view, self.seed = ComboBox(), QLineEdit("0")
        self.add, self.preset = QPushButton(tr("Add step")), QPushButton(tr("AirCopBench noise"))
        self.with_labels = QCheckBox(tr("Copy event labels; each answer has to be confirmed"))
        self.with_regions = QCheckBox(tr("Copy regions, paths and links"))
        self.count, self.problem_label = label(role="dim", wrap=True), label(role="warn", wrap=True)
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(PAUSE_MS)
        self._lay_out()
        self.main = self.add_buttons(tr("Make images"))
        for name in dict.fromkeys(view.view for view in self._views):
            if name:
                self.view.addItem(name, name)
        self.view.setCurrentIndex(max(0, self.view.findData(chosen)))
        self._add_step_row(RecipeStep.usual("gaussian_noise"))
        self._connect()
        self._on_changed()

    def chosen_views(self) -> tuple[CleanView, ...]:
        """Return the views to degrade."""
        name = str(self.view.currentData())
        return tuple(view for view in self._views if not name or view.view == name)

    def recipe(self) -> ImageRecipe | None:
        """Return the recipe, None while an input is invalid."""
        steps = [row.step() for row in self.rows]
        valid = tuple(step for step in steps if step is not None)
        if not self.seed.hasAcceptableInput() or not valid or len(valid) < len(steps):
            return None
        return ImageRecipe(steps=valid, seed=int(self.seed.text()))

    def show_steps(self, steps: Sequence[RecipeStep]) -> None:
        """Replace the steps."""
        while self.rows:
            self._drop_row(self.rows[0])
        for step in steps:
            self._add_step_row(step)
        self._on_changed()

    def ask_preview(self) -> None:
        """Ask for the preview of the present recipe."""
        recipe, views = self.recipe(), self.chosen_views()
        if recipe is not None and views:
            self.state.setText(tr("Computing the preview …"))
            self.preview_requested.emit(views[0], recipe)

    def show_preview(self, preview: RecipePreview) -> None:
        """Show source and derived image side by side."""
        pixels = preview.close if self.is_close.isChecked() else preview.whole
        for shown, image in zip((self.before, self.after), pixels, strict=True):
            shown.setPixmap(QPixmap.fromImage(wrap_pixels(image)))
        self.state.setText("")

    def show_preview_error(self, error: BaseException) -> None:
        """Show why there is no preview."""
        text = error_text(error) if isinstance(error, VantageError) else tr("There is no preview.")
        self.state.setText(text)

    def _lay_out(self) -> None:
        pictures = row_layout(spacing_px=12)
        for shown, title in ((self.before, tr("Source")), (self.after, tr("Derived image"))):
            shown.setFixedSize(*PREVIEW_PX)
            shown.setAlignment(Qt.AlignmentFlag.AlignCenter)
            shown.setAccessibleName(title)
            column = column_layout(spacing_px=4)
            column.addWidget(label(title, role="label"))
            column.addWidget(shown)
            pictures.addLayout(column)
        pictures.addStretch()
        below = QHBoxLayout()
        below.addWidget(self.is_close)
        below.addStretch()
        below.addWidget(self.state)
        self.body.addLayout(pictures)
        self.body.addLayout(below)
        self.body.addWidget(self._make_list())
        buttons = row_layout(spacing_px=8)
        self.seed.setValidator(QIntValidator(0, MOST_SEED, self.seed))
        self.seed.setAccessibleName(tr("Random seed"))
        self.seed.setFixedWidth(110)
        self.view.setAccessibleName(tr("Views"))
        self.view.addItem(tr("All views"), "")
        for part in (self.add, self.preset):
            buttons.addWidget(part)
        buttons.addStretch()
        for title, field in ((tr("Random seed"), self.seed), (tr("Views"), self.view)):
            buttons.addWidget(label(title, role="dim"))
            buttons.addWidget(field)
        self.body.addLayout(buttons)
        copies = row_layout(spacing_px=16)
        for box in (self.with_labels, self.with_regions):
            copies.addWidget(box)
        copies.addStretch()
        self.body.addLayout(copies)
        for widget in (self.count, self.problem_label):
            self.body.addWidget(widget)

    def _make_list(self) -> QScrollArea:
        steps = QWidget()
        self._column = column_layout(steps, margins_px=(0, 0, 8, 0), spacing_px=4)
        self._column.addStretch()
        area = QScrollArea()
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidgetResizable(True)
        area.setWidget(steps)
        area.setFixedHeight(ROWS_PX)
        area.setAccessibleName(tr("Steps"))
        return area

    def _connect(self) -> None:
        self.add.clicked.connect(self._on_add_clicked)
        self.preset.clicked.connect(partial(self.show_steps, AIRCOP_NOISE))
        self.seed.textEdited.connect(self._on_changed)
        self.view.currentIndexChanged.connect(self._on_changed)
        self.is_close.toggled.connect(self.ask_preview)
        self.main.clicked.connect(self._on_main_clicked)
        self._pause.timeout.connect(self.ask_preview)

    def _add_step_row(self, step: RecipeStep) -> None:
        row = RecipeStepRow(step)
        row.changed.connect(self._on_changed)
        row.remove_requested.connect(partial(self._on_remove_requested, row))
        self.rows.append(row)
        self._column.insertWidget(len(self.rows) - 1, row)

    def _drop_row(self, row: RecipeStepRow) -> None:
        self.rows.remove(row)
        row.hide()
        # Not at once: the row's own button may be the sender.
        row.setParent(None)
        row.deleteLater()

    def _on_add_clicked(self) -> None:
        self._add_step_row(RecipeStep.usual("gaussian_blur"))
        self.rows[-1].kind.setFocus()
        self._on_changed()

    def _on_remove_requested(self, row: RecipeStepRow) -> None:
        self._drop_row(row)
        self.add.setFocus()
        self._on_changed()

    def _on_changed(self) -> None:
        recipe, views = self.recipe(), self.chosen_views()
        self.add.setEnabled(len(self.rows) < MOST_STEPS)
        self.problem_label.setText(self._problem())
        self.main.setEnabled(recipe is not None and bool(views))
        self.count.setText(_count_text(views))
        self._pause.start()

    def _problem(self) -> str:
        if not self.rows:
            return tr("Add a step.")
        if not self.seed.hasAcceptableInput():
            return tr("Enter a seed from 0 to {most}.", most=f"{MOST_SEED:,}")
        return next(filter(None, (row.problem() for row in self.rows)), "")

    def _on_main_clicked(self) -> None:
        recipe, views = self.recipe(), self.chosen_views()
        if recipe is None:
            return
        with_labels, with_regions = self.with_labels.isChecked(), self.with_regions.isChecked()
        self.accept()
        self.submitted.emit(recipe, views, with_labels, with_regions)


def _count_text(views: Sequence[CleanView]) -> str:
    images = len({view.medium.id for view in views})
    scenes = len({view.scene for view in views if view.scene})
    counts = "  ·  ".join(
        (
            trn("{n} image", "{n} images", n=images),
            trn("{n} derived scene", "{n} derived scenes", n=scenes),
        )
    )
    notes = tr("Images that the project has already are not made again. Undo keeps the files.")
    return f"{counts}\n{notes}"
