"""The label of the selected path, such as the direction that it stands for."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from annotator.domain.polyline import Polyline
from widgets.box_layout import column_layout
from widgets.focus import ENTER
from widgets.labels import caption
from widgets.translation import tr


class PathLabel(QWidget):
    """A field for the label of one path.

    Signals:
        entered: A label was entered; carries the id of the path and the text.
    """

    entered = Signal(str, str)

    def __init__(self) -> None:
        super().__init__()
        self._path = Polyline(medium="", points=())
        self.field = QLineEdit()
        self.field.setAccessibleName(tr("Label of the path"))
        self.field.setPlaceholderText(tr("For example Direction 3"))
        self.field.editingFinished.connect(self._on_field_editing_finished)
        column = column_layout(self, margins_px=0, spacing_px=4)
        column.addWidget(caption(tr("Label")))
        column.addWidget(self.field)

    def show_path(self, path: Polyline) -> None:
        """Display a path; text that is being typed for the same one stays."""
        if path.id != self._path.id or path.label != self._path.label:
            self.field.setText(path.label)
        self._path = path
        # The number of an arrow of the fan follows from its angle.
        self.field.setReadOnly(path.style == "direction")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Keep Enter, which applies the text, from the stage."""
        if event.key() not in ENTER:
            super().keyPressEvent(event)

    def _on_field_editing_finished(self) -> None:
        if self._path.id and self.field.text().strip() != self._path.label:
            self.entered.emit(self._path.id, self.field.text())
