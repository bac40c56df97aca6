"""Somebody at the window who decides on cases by the keyboard, and counts the keys."""

from __future__ import annotations

from annotator.domain.flag import Flag
from annotator.domain.item import Item
from tests.guards_qt import PatientBot
from tests.gui.person import WindowPerson
from widgets.review.case_view import CaseView
from widgets.review.workspace import ReviewWorkspace
from widgets.window import MainWindow


class ReviewPerson(WindowPerson):
    """The window at Review, with eyes on the project."""

    def __init__(self, window: MainWindow, qtbot: PatientBot) -> None:
        super().__init__(window, qtbot, workspace="review")

    @property
    def review(self) -> ReviewWorkspace:
        """The workspace."""
        made = self.window.slots["review"].workspace
        assert made is not None
        return made

    @property
    def view(self) -> CaseView:
        """The case on the screen."""
        view = self.review.panel.view
        assert view is not None
        return view

    def go_to(self, target: str) -> None:
        """Choose the case of a record in the queue."""
        listing = self.review.queue.listing
        indices = range(listing.model.rowCount())
        self.review.queue.table.choose_row(next(at for at in indices if self._target(at) == target))
        self.settle()
        self.review.panel.take_keyboard()

    def targets(self) -> list[str]:
        """Return the ids of the records in the queue, in its order."""
        return [self._target(at) for at in range(self.review.queue.listing.model.rowCount())]

    def item(self, item_id: str) -> Item:
        """Read an item from the project."""
        return self.session.reader.require(Item, item_id)

    def open_flags(self, target: str) -> list[Flag]:
        """Read the open flags of a record."""
        return [flag for flag in self.session.reader.flags_of(target) if flag.state == "open"]

    def _target(self, at: int) -> str:
        row: object = self.review.queue.listing.model.row(at)
        return str(getattr(row, "target", ""))
