"""The Library as a workspace of the window; without a project, the start page is in its place."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from annotator.domain.query import ItemQuery, MediumQuery, SceneQuery
from annotator.session import Session
from widgets.focus import TakesKeyboard
from widgets.library.workspace import LibraryWorkspace
from widgets.record_reference import RecordReference
from widgets.start_page import StartPage
from widgets.translation import mark as _
from widgets.workspace_slot import WorkspaceSlot

if TYPE_CHECKING:
    from widgets.library.record_list import RecordList
    from widgets.stage.stage import Stage

QUERY_OF: dict[str, type[ItemQuery | SceneQuery | MediumQuery]] = {
    "item": ItemQuery,
    "scene": SceneQuery,
    "medium": MediumQuery,
}
"""Query of the list that shows a kind of record."""
NEEDS = ("rows", "items", "scenes", "media", "flag", "item_shown", "case_shown")
"""Preconditions of the actions on selected records; none is met without a project."""


class LibrarySlot(WorkspaceSlot[LibraryWorkspace]):
    """Holds the Library, which exists from the opening of a project on; its name is that of the record.

    Signals:
        import_requested: Files were dropped on the start page; carries their paths.
    """

    id = rail = icon = "library"
    title = _("Library")
    key = "Ctrl+1"
    contexts = frozenset({"list", "stage"})
    import_requested = Signal(object)

    @property
    def navigation(self) -> TakesKeyboard | None:
        """Object whose methods execute the actions of ``navigation``, None without a project."""
        return self.workspace.navigation if self.workspace is not None else None

    def serve(self, session: Session, *, library: LibraryWorkspace) -> None:
        """Put the Library of a project in place of the start page."""
        super().serve(session, library=library)
        self.name = ""
        self.put(library)

    def refresh(self) -> None:
        """Enable the actions on the selection."""
        if self.workspace is not None:
            self.workspace.show_needs()

    def show_record(self, record: RecordReference) -> None:
        """Show the records with a name, if their type has a list."""
        if self.workspace is not None and record.entity in QUERY_OF:
            self.workspace.show_query(QUERY_OF[record.entity](text=record.name))

    def comment_subject(self) -> RecordReference | None:
        """Return the record in the inspector."""
        detail = self.workspace.inspector.detail if self.workspace is not None else None
        if detail is None:
            return None
        return RecordReference(entity=detail.entity, id=detail.id, name=detail.name)

    def stage(self) -> Stage | None:
        """Return the stage of the page of a scene."""
        return self.workspace.pages.stage() if self.workspace is not None else None

    def queues(self) -> Iterable[tuple[str, RecordList]]:
        """Return the lists."""
        return self.workspace.listings.items() if self.workspace is not None else ()

    def leave(self) -> None:
        """Remove the Library, because the project is being closed."""
        super().leave()
        # Menus would otherwise keep actions on the closed project's selection enabled.
        for need in NEEDS:
            self.parts.registry.set_there(need, False)

    def make_placeholder(self) -> QWidget:
        """Create the start page."""
        page = StartPage(
            registry=self.parts.registry,
            opener=self.parts.controller.opener,
            recent=self.parts.settings.recent_projects(),
        )
        page.import_requested.connect(self.import_requested)
        return page
