"""Pages under a row of buttons; Ctrl+Tab switches to the next page."""

from __future__ import annotations

from functools import partial

from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QPushButton, QStackedWidget, QVBoxLayout, QWidget


class PillStack(QWidget):
    """Shows one page at a time."""

    def __init__(self) -> None:
        super().__init__()
        self._row = QHBoxLayout()
        self._row.setSpacing(4)
        self._pills: list[QPushButton] = []
        self._group = QButtonGroup(self)
        self._stack = QStackedWidget()
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(8)
        whole.addLayout(self._row)
        whole.addWidget(self._stack, 1)
        QShortcut(QKeySequence.StandardKey.NextChild, self, self.show_next)

    def show_pages(self, pages: list[tuple[str, QWidget]]) -> None:
        """Replace the pages; the current index stays."""
        at = max(0, self._stack.currentIndex())
        while (entry := self._row.takeAt(0)) is not None:
            if (part := entry.widget()) is not None:
                part.hide()
                part.deleteLater()
        while (page := self._stack.widget(0)) is not None:
            self._stack.removeWidget(page)
            page.deleteLater()
        self._pills = []
        for title, page in pages:
            self._add(title, page)
        self._row.addStretch()
        if pages:
            self.show_page(min(at, len(pages) - 1))

    def show_page(self, at: int) -> None:
        """Show a page."""
        self._pills[at].setChecked(True)
        self._stack.setCurrentIndex(at)

    def show_next(self) -> None:
        """Show the next page."""
        if self._pills:
            self.show_page((self._stack.currentIndex() + 1) % len(self._pills))

    def _add(self, title: str, page: QWidget) -> None:
        pill = QPushButton(title)
        pill.setProperty("kind", "pill")
        pill.setCheckable(True)
        pill.clicked.connect(partial(self.show_page, len(self._pills)))
        self._group.addButton(pill)
        self._pills.append(pill)
        self._row.addWidget(pill)
        self._stack.addWidget(page)
