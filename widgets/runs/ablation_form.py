"""The choice of inputs with a part taken away, each of which is asked beside the whole input."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QGridLayout, QWidget

from annotator.domain.input_variants import ABLATIONS, AnyVariant, InputPart
from widgets import run_text
from widgets.box_layout import column_layout
from widgets.form_layout import field_label, form_layout
from widgets.labels import caption, label
from widgets.translation import mark, tr

BOXES_PER_ROW = 3
PARTS: dict[InputPart, str] = {
    "view": mark("One view"),
    "frames": mark("One frame"),
    "order": mark("Other order"),
    "regions": mark("No regions"),
    "scene": mark("Wrong input"),
}
"""Titles of the parts of the input, in the order shown."""


class AblationForm(QWidget):
    """Check boxes for the inputs with a part taken away.

    Signals:
        changed: Emitted when a box is checked or cleared.
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.boxes = {
            name: QCheckBox(run_text.input_part_title(variant.title)) for name, variant in ABLATIONS.items()
        }
        form = form_layout()
        for part, title in PARTS.items():
            form.addRow(field_label(tr(title)), self._row(part))
        column = column_layout(self, margins_px=0, spacing_px=4)
        column.addWidget(caption(tr("Is the input needed?")))
        column.addLayout(form)
        column.addWidget(
            label(
                tr("Each is one more run, compared with the run that gets the whole input."),
                role="label",
                wrap=True,
            )
        )
        for box in self.boxes.values():
            box.toggled.connect(self._on_box_toggled)

    def chosen(self) -> list[AnyVariant]:
        """Return the inputs that are asked beside the whole one."""
        return [ABLATIONS[name] for name, box in self.boxes.items() if box.isChecked()]

    def _row(self, part: InputPart) -> QGridLayout:
        row = QGridLayout()
        row.setHorizontalSpacing(12)
        row.setVerticalSpacing(2)
        row.setColumnStretch(BOXES_PER_ROW, 1)
        boxes = [self.boxes[name] for name, variant in ABLATIONS.items() if variant.ablates == part]
        for index, box in enumerate(boxes):
            row.addWidget(box, *divmod(index, BOXES_PER_ROW))
        return row

    def _on_box_toggled(self, _is_checked: bool) -> None:
        self.changed.emit()
