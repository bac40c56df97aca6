"""Where the parts of the main window are."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget


class WindowBody(QWidget):
    """The content of the window: bars above and below, the rail, the banner over the pages, and panels.

    Args:
        rail: On the left.
        top_bar: Above all.
        banner: Above the pages.
        pages: In the centre.
        status_bar: Below all.
    """

    def __init__(
        self, *, rail: QWidget, top_bar: QWidget, banner: QWidget, pages: QWidget, status_bar: QWidget
    ) -> None:
        super().__init__()
        self.setObjectName("pane")
        # Subclasses of QWidget do not paint the background of the theme by themselves.
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        middle = QVBoxLayout()
        middle.setSpacing(0)
        middle.addWidget(banner)
        middle.addWidget(pages, 1)
        self._row = QHBoxLayout()
        self._row.setSpacing(0)
        self._row.addWidget(rail)
        self._row.addLayout(middle, 1)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(top_bar)
        whole.addLayout(self._row, 1)
        whole.addWidget(status_bar)

    def add_panel(self, panel: QWidget) -> None:
        """Show a panel on the right of the pages."""
        self._row.addWidget(panel)
