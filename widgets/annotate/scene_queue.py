"""The left panel of Annotate: search, the scenes of the Library's list, and their count."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from annotator.domain.query import RelatedSceneQuery
from annotator.session import Session
from widgets.annotate.scene_list import RELATED_SCENES, is_filtered
from widgets.bridge import Bridge
from widgets.labels import ElidedLabel
from widgets.library.grid_layout import SPACE_PX
from widgets.library.record_grid import RecordGrid
from widgets.library.record_list import RecordList
from widgets.library.record_types import FoundRecords
from widgets.library.thumbnails import ThumbnailLoader
from widgets.search_box import SearchBox
from widgets.settings import Settings
from widgets.translation import tr

MARGIN_PX = 12
SCROLL_BAR_PX = 10


class SceneQueue(QWidget):
    """Lists the scenes to annotate, and steps through them.

    Signals:
        opened: A scene was opened by Enter or a double click.
    """

    opened = Signal()

    def __init__(
        self,
        *,
        session: Session,
        bridge: Bridge,
        settings: Settings,
        thumbnails: ThumbnailLoader,
        screen: QWidget,
    ) -> None:
        """Create the queue without scenes.

        Args:
            session: The project.
            bridge: Delivers results of other threads to the GUI thread.
            settings: Stores the size of the cells.
            thumbnails: Loads the images of the cells.
            screen: The workspace: while it is hidden, updates are deferred.
        """
        super().__init__()
        self.setObjectName("pane")
        self.listing = RecordList(
            RELATED_SCENES,
            session=session,
            bridge=bridge,
            settings=settings,
            thumbnails=thumbnails,
            screen=screen,
        )
        self.search, self.count = SearchBox(), ElidedLabel(role="label")
        self._lay_out()
        self.search.textChanged.connect(self._on_search_text_changed)
        self.search.left.connect(self.grid.setFocus)
        self.grid.opened.connect(self._on_grid_opened)
        self.listing.found.connect(self._on_listing_found)

    @property
    def grid(self) -> RecordGrid:
        """The grid of scene thumbnails."""
        assert self.listing.grid is not None  # noqa: S101 - scenes have pictures
        return self.listing.grid

    def step_scene(self, step: str) -> None:
        """Show the next ("1") or previous ("-1") scene."""
        place = self.listing.table.place() + int(step)
        if 0 <= place < self.listing.model.rowCount():
            self.grid.choose(place)

    def scene_beside(self, step: int) -> str:
        """Return the id of a neighbouring scene, "" if there is none or it is not loaded."""
        place = self.listing.table.place() + step
        row = self.listing.model.row(place) if 0 <= place < self.listing.model.rowCount() else None
        return row.id if row is not None else ""

    def _lay_out(self) -> None:
        self.search.setPlaceholderText(tr("Search scenes"))
        self.search.setAccessibleName(tr("Search scenes"))
        for unseen in (self.listing.table, self.listing.facets):
            # RecordList always has these widgets; they are hidden here, and deleted with the queue.
            unseen.setParent(self)
            unseen.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(_framed(self.search, top_px=MARGIN_PX))
        column.addWidget(self.grid, 1)
        column.addLayout(_framed(self.count, top_px=4))
        self.setFixedWidth(self.grid.shape.cell.width() + 2 * SPACE_PX + SCROLL_BAR_PX)

    def _on_listing_found(self, answer: FoundRecords) -> None:
        count = tr("{n} of {total}", n=f"{len(answer.numbers):,}", total=f"{answer.total:,}")
        is_part = len(answer.numbers) < answer.total
        has_filters = isinstance(answer.query, RelatedSceneQuery) and is_filtered(answer.query) and is_part
        self.count.setText(
            "  ·  ".join(filter(None, (count, tr("filters of the Library") if has_filters else "")))
        )

    def _on_search_text_changed(self, text: str) -> None:
        # The text is also set by code, together with the query.
        if text != self.listing.query.text:
            self.listing.find_words(text)

    def _on_grid_opened(self) -> None:
        self.opened.emit()


def _framed(part: QWidget, *, top_px: int) -> QVBoxLayout:
    framed = QVBoxLayout()
    framed.setContentsMargins(MARGIN_PX, top_px, MARGIN_PX, 8)
    framed.addWidget(part)
    return framed
