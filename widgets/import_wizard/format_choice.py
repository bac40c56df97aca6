"""What to do with a file of unknown format: the most similar formats, and reading it as an own table."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QGridLayout, QPushButton, QWidget

from annotator.importers.table import TableImporter
from widgets.box_layout import column_layout
from widgets.import_wizard.formats import format_title
from widgets.labels import label
from widgets.translation import tr


class FormatChoice(QWidget):
    """One button for each format that a file resembles, and one for an own table.

    Signals:
        chosen: Emitted when a format is selected; carries its id.
    """

    chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.buttons: list[QPushButton] = []
        hint = tr(
            "Select the format that the file was written in, or read it as your own table of questions. "
            "Then assign the fields of the file on the page Fields."
        )
        # Two in a row: titles of formats are long, and longer in some languages.
        self._grid = QGridLayout()
        self._grid.setSpacing(8)
        whole = column_layout(self, margins_px=0)
        whole.addWidget(label(hint, role="dim", wrap=True))
        whole.addLayout(self._grid)
        self.hide()

    def show_formats(self, similar: Sequence[str]) -> None:
        """Show a button for each format; none hides the row."""
        for button in self.buttons:
            self._grid.removeWidget(button)
            button.hide()
            button.deleteLater()
        self.buttons = [self._button(format_title(one), one) for one in similar]
        if similar:
            self.buttons.append(self._button(tr("Own table of questions"), TableImporter.id))
        for index, button in enumerate(self.buttons):
            self._grid.addWidget(button, index // 2, index % 2)
        self.setVisible(bool(similar))

    def _button(self, text: str, format_id: str) -> QPushButton:
        button = QPushButton(text)
        button.clicked.connect(partial(self._on_clicked, format_id))
        return button

    def _on_clicked(self, format_id: str, *_: object) -> None:
        self.chosen.emit(format_id)
