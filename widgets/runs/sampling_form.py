"""The request settings of a new run: rotations of the options, shuffles and their seed."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QIntValidator
from PySide6.QtWidgets import QLineEdit, QWidget

from annotator.domain.eval_settings import EVERY_ROTATION, EvalSettings, VisualInput
from widgets.box_layout import column_layout
from widgets.combo_box import ComboBox
from widgets.form_layout import field_label, form_layout
from widgets.labels import caption
from widgets.translation import tr, trn

MOST_ROTATIONS, MOST_SAMPLES = 4, 100


class SamplingForm(QWidget):
    """Form for the number of requests per item.

    Signals:
        changed: Emitted when a setting changes.
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.rotations, self.samples, self.seed = ComboBox(), QLineEdit("1"), QLineEdit("0")
        for count in range(1, MOST_ROTATIONS + 1):
            text = trn("{n} order of the options", "{n} rotations of the options", n=count)
            self.rotations.addItem(text, count)
        self.rotations.addItem(tr("all rotations of the options"), EVERY_ROTATION)
        self.samples.setValidator(QIntValidator(1, MOST_SAMPLES, self.samples))
        self.seed.setValidator(QIntValidator(0, 2**31 - 1, self.seed))
        form = form_layout()
        for name, field in (
            (tr("Rotations"), self.rotations),
            (tr("Shuffles per rotation"), self.samples),
            (tr("Seed"), self.seed),
        ):
            field.setAccessibleName(name)
            form.addRow(field_label(name), field)
        column = column_layout(self, margins_px=(0, 0, 0, 8), spacing_px=4)
        column.addWidget(caption(tr("Prompts per item")))
        column.addLayout(form)
        self.rotations.currentIndexChanged.connect(self._on_field_changed)
        self.samples.textChanged.connect(self._on_field_changed)
        self.seed.textChanged.connect(self._on_field_changed)

    @property
    def is_sound(self) -> bool:
        """Whether the numbers are valid."""
        return self.samples.hasAcceptableInput() and self.seed.hasAcceptableInput()

    def settings(self, *, visual_input: VisualInput) -> EvalSettings:
        """Return the settings, for models with or without image input."""
        return EvalSettings(
            visual_input=visual_input,
            rotations=int(self.rotations.currentData()),
            samples=int(self.samples.text()),
            seed=int(self.seed.text()),
        )

    def tries(self, *, options: int) -> int:
        """Return the number of requests per model for an item with this number of options."""
        return (int(self.rotations.currentData()) or options) * int(self.samples.text() or 1)

    def _on_field_changed(self, _value: object) -> None:
        self.changed.emit()
