"""The place and size of one region in numbers that can be edited, image pixels."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QGridLayout, QWidget

from annotator.domain.region import Box, Region
from widgets.labels import label
from widgets.number_field import NumberField
from widgets.translation import mark, tr

NAMES = {
    "x": mark("Left edge, pixels"),
    "y": mark("Upper edge, pixels"),
    "w": mark("Width, pixels"),
    "h": mark("Height, pixels"),
}
"""What each field is, by the letter before it."""
_RESIZED: dict[str, Callable[[Box, float], Box]] = {
    "x": lambda box, x: Box(x1=x, y1=box.y1, x2=x + box.x2 - box.x1, y2=box.y2),
    "y": lambda box, y: Box(x1=box.x1, y1=y, x2=box.x2, y2=y + box.y2 - box.y1),
    "w": lambda box, w: Box(x1=box.x1, y1=box.y1, x2=box.x1 + w, y2=box.y2),
    "h": lambda box, h: Box(x1=box.x1, y1=box.y1, x2=box.x2, y2=box.y1 + h),
}
SMALLEST_IMG = 1.0
"""Least width and height of a region, image pixels."""


class PlaceFields(QWidget):
    """Four fields: x, y, w, h.

    Signals:
        changed: A number was entered; carries the id of the region and its new ``Box``.
    """

    changed = Signal(str, object)

    def __init__(self) -> None:
        super().__init__()
        self._region, self._box = "", Box(x1=0, y1=0, x2=0, y2=0)
        self.fields = {name: NumberField(tr(title)) for name, title in NAMES.items()}
        self.problem = label(role="bad", wrap=True)
        self.problem.hide()
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(4)
        for place, (name, field) in enumerate(self.fields.items()):
            row, column = divmod(place, 2)
            grid.addWidget(label(name.upper(), role="dim"), row, 2 * column)
            grid.addWidget(field, row, 2 * column + 1)
            grid.setColumnStretch(2 * column + 1, 1)
            field.setToolTip(tr(NAMES[name]))
            field.entered.connect(partial(self._on_field_entered, name))
            field.refused.connect(self._on_field_refused)
        grid.addWidget(self.problem, 2, 0, 1, 4)

    def show_region(self, region: Region, *, box: Box, size: QSize, is_locked: bool = False) -> None:
        """Show a region.

        Args:
            region: The region.
            box: Where it is now, also while it is being moved.
            size: Size of its image, pixels.
            is_locked: Whether the numbers can only be read.
        """
        if region.id != self._region:
            for field in self.fields.values():
                field.restore()
        self._region, self._box = region.id, box
        width, height = box.x2 - box.x1, box.y2 - box.y1
        shown = {
            "x": (box.x1, 0.0, size.width() - width),
            "y": (box.y1, 0.0, size.height() - height),
            "w": (width, SMALLEST_IMG, size.width() - box.x1),
            "h": (height, SMALLEST_IMG, size.height() - box.y1),
        }
        for name, (value, least, most) in shown.items():
            self.fields[name].show_value(value, least=least, most=most)
            self.fields[name].setReadOnly(is_locked)
            self.fields[name].setEnabled(name in {"x", "y"} or not region.is_point)

    def _on_field_entered(self, name: str, value: float) -> None:
        self.changed.emit(self._region, _RESIZED[name](self._box, value))

    def _on_field_refused(self, reason: str) -> None:
        self.problem.setText(reason)
        self.problem.setVisible(bool(reason))
