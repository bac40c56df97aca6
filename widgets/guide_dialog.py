"""The user guide, displayed from installed files without network access."""

from __future__ import annotations

import re
from pathlib import Path

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QImage, QTextCursor, QTextDocument
from PySide6.QtWidgets import QFrame, QListWidget, QListWidgetItem, QTextBrowser, QWidget

import resources
from widgets import theme
from widgets.box_layout import row_layout
from widgets.dialog import FormDialog
from widgets.translation import tr

FIRST = "library.md"
"""File name of the first page."""
LIST_PX, IMAGE_PX, MARGIN_PX = 180, 780, 12
_HEADING = re.compile(r"^# (.+)$", re.MULTILINE)


class GuideDialog(FormDialog):
    """The list of guide pages, and the current page."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window, width=1080, height=860, title=tr("User guide"))
        self.pages, self.page = QListWidget(), _GuidePage()
        self.pages.setFixedWidth(LIST_PX)
        self.pages.setSpacing(2)
        self.pages.setAccessibleName(tr("Pages"))
        for path in guide_pages():
            entry = QListWidgetItem(_title(path))
            entry.setData(Qt.ItemDataRole.UserRole, path)
            self.pages.addItem(entry)
        self.pages.currentItemChanged.connect(self._on_page_chosen)
        self.page.page_requested.connect(self._on_page_requested)
        row = row_layout(spacing_px=12)
        row.addWidget(self.pages)
        row.addWidget(self.page, 1)
        self.body.addLayout(row, 1)
        self.add_close_button()
        self.pages.setCurrentRow(0)

    def _on_page_chosen(self, entry: QListWidgetItem | None) -> None:
        if entry is not None:
            self.page.show_page(entry.data(Qt.ItemDataRole.UserRole))

    def _on_page_requested(self, name: str) -> None:
        for at in range(self.pages.count()):
            if self.pages.item(at).data(Qt.ItemDataRole.UserRole).name == name:
                self.pages.setCurrentRow(at)


def guide_pages() -> list[Path]:
    """Return the pages of the guide, 'First steps' first."""
    found = sorted(resources.document("docs/guide").glob("*.md"))
    return sorted(found, key=lambda path: path.name != FIRST)


def _title(path: Path) -> str:
    found = _HEADING.search(path.read_text(encoding="utf-8"))
    return found[1] if found else path.stem


class _GuidePage(QTextBrowser):
    """A page of Markdown; links lead to other pages, and images fit the width."""

    page_requested = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._folder = Path()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.document().setDocumentMargin(MARGIN_PX)
        self.document().setDefaultFont(theme.font("body"))
        # Links are handled here, so that they open guide pages and nothing else.
        self.setOpenLinks(False)
        self.anchorClicked.connect(self._on_anchor_clicked)

    def show_page(self, path: Path) -> None:
        """Show a page, scrolled to its top."""
        self._folder = path.parent
        self.setMarkdown(path.read_text(encoding="utf-8"))
        self.moveCursor(QTextCursor.MoveOperation.Start)

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        """Return an image of the guide, scaled to the page width; all other resources are blocked."""
        # Resolved first: '..' in a link must not lead out of the folder of the guide.
        path = (self._folder / QUrl(name).path()).resolve()
        if kind != QTextDocument.ResourceType.ImageResource.value or not path.is_relative_to(self._folder):
            return None
        image = QImage(str(path))
        if image.width() > IMAGE_PX:
            image = image.scaledToWidth(IMAGE_PX, Qt.TransformationMode.SmoothTransformation)
        return image

    def _on_anchor_clicked(self, url: QUrl) -> None:
        if url.isRelative() and url.path():
            self.page_requested.emit(Path(url.path()).name)
        elif url.fragment():
            self.scrollToAnchor(url.fragment())
