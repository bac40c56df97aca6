"""The dialog that picks the wrong candidates of a question: images of other scenes."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtWidgets import QPushButton, QWidget

from annotator.domain.query import MediumQuery
from annotator.session import Session
from widgets.bridge import Bridge
from widgets.dialog import FormDialog
from widgets.labels import ElidedLabel, label
from widgets.library.record_grid import RecordGrid
from widgets.library.record_list import RecordList
from widgets.library.record_types import MEDIA, Row
from widgets.library.thumbnails import ThumbnailLoader
from widgets.search_box import SearchBox
from widgets.settings import Settings
from widgets.translation import tr

WIDTH_PX, HEIGHT_PX = 860, 640
IMAGES = MediumQuery(media_types=("image",))


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """An image that was picked.

    Attributes:
        medium: Id of the medium.
        name: Its name.
    """

    medium: str
    name: str


class CandidateDialog(FormDialog):
    """Searches the images of the project, and picks a number of them.

    Signals:
        picked: Emitted when the images are to be used; carries a tuple of ``Candidate``.
    """

    picked = Signal(object)

    def __init__(
        self,
        window: QWidget,
        *,
        session: Session,
        bridge: Bridge,
        settings: Settings,
        thumbnails: ThumbnailLoader,
        needed: int,
        own: Collection[str],
        chosen: tuple[Candidate, ...],
    ) -> None:
        """Create the dialog.

        Args:
            window: Parent window.
            session: The project.
            bridge: Delivers results of other threads to the GUI thread.
            settings: Stores the size of the cells.
            thumbnails: Loads the images.
            needed: Number of images to pick.
            own: Ids of the media of the scene itself, which cannot be picked.
            chosen: The images that were picked before.
        """
        super().__init__(window, width=WIDTH_PX, height=HEIGHT_PX, title=tr("Images of other scenes"))
        self._needed, self._own = needed, frozenset(own)
        self.chosen = list(chosen)
        self.listing = RecordList(
            MEDIA, session=session, bridge=bridge, settings=settings, thumbnails=thumbnails, screen=self
        )
        # A record list always has both. Here they are hidden, and deleted with the dialog.
        for unseen in (self.listing.table, self.listing.facets):
            unseen.setParent(self)
            unseen.hide()
        self.search, self.note = SearchBox(), label(role="dim", wrap=True)
        self.names = ElidedLabel(role="label", mode=Qt.TextElideMode.ElideMiddle)
        self.clear_button = QPushButton(tr("Remove all"))
        self._lay_out()
        self.main = self.add_buttons(tr("Use images"), left=self.clear_button)
        self.main.clicked.connect(self._on_main_clicked)
        self.clear_button.clicked.connect(self._on_clear_clicked)
        self.search.textChanged.connect(self._on_search_text_changed)
        self.search.left.connect(self.grid.setFocus)
        self.grid.opened.connect(self._on_grid_opened)
        self.finished.connect(self.listing.leave)
        self.listing.find(IMAGES, number=0)
        self._show()

    def _lay_out(self) -> None:
        self.search.setPlaceholderText(tr("Search images"))
        self.search.setAccessibleName(tr("Search images"))
        self.note.setText(
            tr("Enter or a double click picks an image or leaves it out. Pick images of other places.")
        )
        self.body.addWidget(self.note)
        self.body.addWidget(self.search)
        self.body.addWidget(self.grid, 1)
        self.body.addWidget(self.names)

    @property
    def grid(self) -> RecordGrid:
        """The grid of images."""
        assert self.listing.grid is not None  # noqa: S101 - media have pictures
        return self.listing.grid

    def toggle(self, row: Row) -> None:
        """Pick an image, or leave it out if it is picked."""
        known = next((one for one in self.chosen if one.medium == row.id), None)
        if row.id in self._own:
            self._say(tr("{name} shows the scene itself.", name=row.name))
            return
        if known is not None:
            self.chosen.remove(known)
        elif len(self.chosen) >= self._needed:
            self._say(tr("{n} images are picked already; leave one out first.", n=self._needed))
            return
        else:
            self.chosen.append(Candidate(medium=row.id, name=row.name))
        self._show()
        if len(self.chosen) == self._needed:
            self.main.setFocus(Qt.FocusReason.OtherFocusReason)

    def _say(self, text: str) -> None:
        self.names.setText(text)

    def _show(self) -> None:
        names = ", ".join(one.name for one in self.chosen)
        count = tr("{n} of {total} picked", n=len(self.chosen), total=self._needed)
        self.names.setText(" · ".join(filter(None, (count, names))))
        self.main.setEnabled(len(self.chosen) == self._needed)
        self.clear_button.setEnabled(bool(self.chosen))

    def _on_grid_opened(self, index: QModelIndex) -> None:
        row = self.listing.model.row(index.row())
        if row is not None:
            self.toggle(row)

    def _on_search_text_changed(self, text: str) -> None:
        self.listing.find_text(text)

    def _on_clear_clicked(self) -> None:
        self.chosen.clear()
        self._show()

    def _on_main_clicked(self) -> None:
        self.picked.emit(tuple(self.chosen))
        self.accept()
