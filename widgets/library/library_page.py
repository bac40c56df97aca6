"""Base of the pages that replace the list: a heading, a back button and scrollable sections."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QPushButton, QScrollArea, QVBoxLayout, QWidget

from annotator.session import Session
from widgets import icons
from widgets.box_layout import column_layout, row_layout
from widgets.bridge import Bridge
from widgets.labels import caption, label
from widgets.translation import tr


class LibraryPage(QWidget):
    """A heading and a column of sections.

    Signals:
        left: Emitted when the page is closed.
    """

    left = Signal()

    def __init__(self, *, title: str, session: Session, bridge: Bridge) -> None:
        super().__init__()
        self.setObjectName("pane")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._session, self._bridge = session, bridge
        self.back = QPushButton(tr("Back"))
        self.back.setIcon(icons.icon("chevron-left"))
        self.back.setProperty("kind", "pill")
        self.back.setToolTip(f"{tr('Back to list')}  Esc")
        self.back.clicked.connect(self.left)
        self.buttons = row_layout(spacing_px=8)
        head = row_layout(margins_px=(12, 8, 16, 8), spacing_px=12)
        head.addWidget(self.back)
        head.addWidget(label(title, role="big"))
        head.addStretch()
        head.addLayout(self.buttons)
        self._area = QScrollArea()
        self._area.setWidgetResizable(True)
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.column = QVBoxLayout()
        column = column_layout(self, margins_px=0, spacing_px=0)
        column.addLayout(head)
        column.addWidget(self._area, 1)
        self.clear()

    def clear(self) -> None:
        """Remove all sections."""
        inner = QWidget()
        self.column = column_layout(inner, margins_px=(16, 4, 16, 16), spacing_px=4)
        # The scroll area deletes the widget that it had, and the sections with it.
        self._area.setWidget(inner)

    def add_heading(self, text: str) -> None:
        """Add the heading of a section."""
        self.column.addSpacing(12)
        self.column.addWidget(caption(text))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close the page when Escape is pressed."""
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)
