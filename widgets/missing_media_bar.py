"""A line that reports missing media files, with a button to search for them in a folder."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QPushButton, QWidget

from widgets import icons
from widgets.action_registry import ActionRegistry
from widgets.box_layout import row_layout
from widgets.labels import ElidedLabel
from widgets.translation import trn

ACTION = "project.locate"


class MissingMediaBar(QWidget):
    """Visible while media files are missing."""

    def __init__(self, *, registry: ActionRegistry) -> None:
        super().__init__()
        self.count = 0
        self.text = ElidedLabel(role="warn")
        self.button = QPushButton(registry.action(ACTION).text())
        # In a dialog Qt would make it the default button.
        self.button.setAutoDefault(False)
        self.button.setIcon(icons.icon("folder"))
        self.button.setProperty("kind", "pill")
        self.button.setToolTip(f"{self.button.text()}  {registry.key(ACTION)}".strip())
        self.button.clicked.connect(partial(registry.run, ACTION))
        row = row_layout(self, margins_px=(16, 4, 12, 4), spacing_px=8)
        row.addWidget(self.text, 1)
        row.addWidget(self.button)
        self.hide()

    def show_count(self, count: int) -> None:
        """Show the number of missing files; hides itself at 0."""
        self.count = count
        self.text.setText(trn("{n} file missing", "{n} files missing", n=count))
        self.setVisible(count > 0)
