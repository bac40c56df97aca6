"""Editable numbers of one region: position and size in image pixels, angle, visible fraction, own number."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QGridLayout, QWidget

from annotator.domain.answers.region_parser import HIGHEST_ID
from annotator.domain.region import Region
from annotator.domain.rotated_box import RotatedBox
from widgets.labels import label
from widgets.number_field import NumberField
from widgets.translation import mark, tr

NAMES = {
    "x": mark("Left edge, pixels; first corner of a rotated box"),
    "y": mark("Upper edge, pixels; first corner of a rotated box"),
    "w": mark("Width, pixels"),
    "h": mark("Height, pixels"),
    "a": mark("Angle, degrees clockwise"),
}
"""Description of each field."""
SIGNS = {"x": "X", "y": "Y", "w": "W", "h": "H", "a": "∠"}
"""Label before each field."""
WHOLE_TURN_DEG = 360.0
SMALLEST_IMG = 1.0
"""Minimum width and height of a region, image pixels."""
Range = tuple[float, float, float]


def _with(shape: RotatedBox, *, corner: tuple[float, float], width: float, height: float) -> RotatedBox:
    """Return a box with the same angle, given its first corner and its sides."""
    at_corner = RotatedBox(x=corner[0], y=corner[1], width=width, height=height, angle_deg=shape.angle_deg)
    x, y = at_corner.to_image((width / 2, height / 2))
    return RotatedBox(x=x, y=y, width=width, height=height, angle_deg=shape.angle_deg)


def _moved(shape: RotatedBox, *, x: float | None = None, y: float | None = None) -> RotatedBox:
    corner = shape.corners()[0]
    position = corner[0] if x is None else x, corner[1] if y is None else y
    return _with(shape, corner=position, width=shape.width, height=shape.height)


_ENTERED: dict[str, Callable[[RotatedBox, float], RotatedBox]] = {
    "x": lambda shape, x: _moved(shape, x=x),
    "y": lambda shape, y: _moved(shape, y=y),
    "w": lambda shape, w: _with(shape, corner=shape.corners()[0], width=w, height=shape.height),
    "h": lambda shape, h: _with(shape, corner=shape.corners()[0], width=shape.width, height=h),
    "a": lambda shape, a: RotatedBox(
        x=shape.x, y=shape.y, width=shape.width, height=shape.height, angle_deg=a % WHOLE_TURN_DEG
    ),
}
"""The box after a number was entered. The first corner is fixed; only the angle rotates about the centre."""


class PositionFields(QWidget):
    """Seven fields: x, y, width, height, angle, visible fraction of the object, and the region's number.

    Signals:
        changed: A number was entered; carries the id of the region and its new ``RotatedBox``.
        visible_changed: Carries the id of the region and the visible fraction, 0..1 or None.
        number_changed: Carries the id of the region and its new number.
    """

    changed = Signal(str, object)
    visible_changed = Signal(str, object)
    number_changed = Signal(str, int)

    def __init__(self) -> None:
        super().__init__()
        self._region = ""
        self._shape = RotatedBox(x=0, y=0, width=0, height=0)
        self.fields = {name: NumberField(tr(title)) for name, title in NAMES.items()}
        self.problem = label(role="bad", wrap=True)
        self.problem.hide()
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(4)
        for index, (name, field) in enumerate(self.fields.items()):
            row, column = divmod(index, 2)
            grid.addWidget(label(SIGNS[name], role="dim"), row, 2 * column)
            grid.addWidget(field, row, 2 * column + 1)
            grid.setColumnStretch(2 * column + 1, 1)
            field.setToolTip(tr(NAMES[name]))
            field.entered.connect(partial(self._on_field_entered, name))
            field.refused.connect(self._on_field_refused)
        self.visible = NumberField(tr("Visible part, percent"), may_be_empty=True)
        self.visible.setToolTip(tr("Visible part of the object, percent; empty if unknown"))
        self.visible.entered.connect(self._on_visible_entered)
        self.visible.refused.connect(self._on_field_refused)
        grid.addWidget(label("%", role="dim"), 2, 2)
        grid.addWidget(self.visible, 2, 3)
        self.number = NumberField(tr("Region number"))
        self.number.setToolTip(tr("Number of the region; items that name it follow"))
        self.number.entered.connect(self._on_number_entered)
        self.number.refused.connect(self._on_field_refused)
        grid.addWidget(label("#", role="dim"), 3, 0)
        grid.addWidget(self.number, 3, 1)
        grid.addWidget(self.problem, 4, 0, 1, 4)

    def show_region(
        self, region: Region, *, shape: RotatedBox, size: QSize, can_turn: bool, is_locked: bool = False
    ) -> None:
        """Display a region.

        Args:
            region: The region.
            shape: Its current box, including a running move; for a polygon, the bounding box.
            size: Size of its image, pixels.
            can_turn: Whether the angle can be edited: the region is a box.
            is_locked: Whether the fields are read-only.
        """
        # Text that is being typed belongs to the previous region.
        if region.id != self._region:
            for field in (*self.fields.values(), self.visible, self.number):
                field.restore()
        self._region, self._shape = region.id, shape
        for name, (value, least, most) in _ranges(shape, size).items():
            self.fields[name].show_value(value, least=least, most=most)
            self.fields[name].setReadOnly(is_locked)
            # A point has no size and no angle.
            self.fields[name].setEnabled(name in {"x", "y"} or not region.is_point)
        self.fields["a"].setEnabled(can_turn)
        percent = None if region.visible is None else 100 * region.visible
        self.visible.show_value(percent, most=100.0)
        self.number.show_value(float(region.number), most=float(HIGHEST_ID))
        self.number.setReadOnly(is_locked)

    def _on_visible_entered(self, percent: float | None) -> None:
        self.visible_changed.emit(self._region, None if percent is None else percent / 100)

    def _on_number_entered(self, number: float) -> None:
        # A part of a number is no number of a region; the field shows the whole one after the change.
        self.number_changed.emit(self._region, round(number))

    def _on_field_entered(self, name: str, value: float) -> None:
        self.changed.emit(self._region, _ENTERED[name](self._shape, value))

    def _on_field_refused(self, reason: str) -> None:
        self.problem.setText(reason)
        self.problem.setVisible(bool(reason))


def _ranges(shape: RotatedBox, size: QSize) -> dict[str, Range]:
    """Return the value of each field with its minimum and maximum."""
    width, height, (x, y) = size.width(), size.height(), shape.corners()[0]
    angle = (shape.angle_deg, -WHOLE_TURN_DEG, WHOLE_TURN_DEG)
    if shape.is_upright:
        return {
            "x": (x, 0.0, width - shape.width),
            "y": (y, 0.0, height - shape.height),
            "w": (shape.width, SMALLEST_IMG, width - x),
            "h": (shape.height, SMALLEST_IMG, height - y),
            "a": angle,
        }
    # Corners of a rotated box can lie outside the image, but its centre cannot.
    half = math.hypot(shape.width, shape.height) / 2
    longest = 2 * math.hypot(width, height)
    return {
        "x": (x, -half, width + half),
        "y": (y, -half, height + half),
        "w": (shape.width, SMALLEST_IMG, longest),
        "h": (shape.height, SMALLEST_IMG, longest),
        "a": angle,
    }
