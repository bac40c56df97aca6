"""The fields of a region on a top-view map: whether it is a room, and the height of an object."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QWidget

from annotator.domain.region import Region
from widgets.box_layout import row_layout
from widgets.labels import label
from widgets.number_field import NumberField
from widgets.translation import tr

HIGHEST_M = 1000.0


class MapFields(QWidget):
    """A check box and a number.

    Signals:
        room_changed: Carries the id of the region and whether it is a room.
        height_changed: Carries the id of the region and its height in metres, or None.
    """

    room_changed = Signal(str, bool)
    height_changed = Signal(str, object)

    def __init__(self) -> None:
        super().__init__()
        self._region = ""
        self.room = QCheckBox(tr("Room"))
        self.room.setToolTip(tr("The region is a room, and its category the kind of room"))
        self.room.clicked.connect(self._on_room_clicked)
        self.height_field = NumberField(tr("Height, metres"), may_be_empty=True)
        self.height_field.setToolTip(
            tr("Height above the floor, metres; lower objects are drawn first; empty if unknown")
        )
        self.height_field.entered.connect(self._on_height_entered)
        self.unit = label(tr("Height, m"), role="dim")
        row = row_layout(self, margins_px=0, spacing_px=8)
        row.addWidget(self.room)
        row.addStretch(1)
        row.addWidget(self.unit)
        row.addWidget(self.height_field)

    def show_region(self, region: Region) -> None:
        """Display a region."""
        # Text that is being typed belongs to the previous region.
        if region.id != self._region:
            self.height_field.restore()
        self._region = region.id
        self.room.setChecked(region.is_room)
        self.room.setEnabled(not region.is_locked)
        self.height_field.show_value(region.height_m, most=HIGHEST_M)
        for part in (self.unit, self.height_field):
            part.setVisible(not region.is_room)

    def _on_room_clicked(self, is_room: bool) -> None:
        self.room_changed.emit(self._region, is_room)

    def _on_height_entered(self, height_m: float | None) -> None:
        self.height_changed.emit(self._region, height_m)
