"""The workspaces of a window: one is shown, the others wait."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QObject, Signal

from annotator.session import Session
from widgets.record_reference import RecordReference
from widgets.workspace import Workspace
from widgets.workspace_parts import WorkspaceParts

if TYPE_CHECKING:
    from widgets.library.record_list import RecordList
    from widgets.library.workspace import LibraryWorkspace

Slot = TypeVar("Slot")


class WorkspaceSlots(QObject):
    """Holds the workspaces of a window, each of which adds its page.

    Attributes:
        current: The workspace that is shown.
        pages: One page per workspace.

    Signals:
        created: The content of a workspace was created.
        name_changed: A workspace displays another record.
    """

    created = Signal()
    name_changed = Signal()

    def __init__(self, parts: WorkspaceParts, workspaces: Sequence[type[Workspace]]) -> None:
        """Create the workspaces without content; the first one is the current one.

        Args:
            parts: The parts of the window.
            workspaces: The entries of the registry.
        """
        super().__init__(parts.pages)
        self._registry, self.pages = parts.registry, parts.pages
        self._slots = {workspace.id: workspace(parts) for workspace in workspaces}
        self.current = next(iter(self._slots.values()))
        for slot in self._slots.values():
            slot.created.connect(self.created)
            slot.name_changed.connect(self.name_changed)
            slot.record_requested.connect(self._on_record_requested)

    def __getitem__(self, workspace: str) -> Workspace:
        return self._slots[workspace]

    def find(self, workspace: type[Slot]) -> Slot:
        """Return the workspace of a class.

        Raises:
            LookupError: It is not registered.
        """
        for slot in self._slots.values():
            if isinstance(slot, workspace):
                return slot
        raise LookupError(workspace.__name__)

    def serve(self, session: Session, *, library: LibraryWorkspace) -> None:
        """Begin to follow a project that was opened."""
        for slot in self._slots.values():
            slot.serve(session, library=library)

    def show(self, workspace: str) -> Workspace:
        """Make a workspace the current one; the Library selects the record of the one that is left."""
        shown = self._slots[workspace]
        if shown is not self.current:
            self.current.hide()
        self.current = shown
        shown.show()
        return shown

    def queues(self) -> Iterator[tuple[str, RecordList]]:
        """Yield the lists that mark records with unread comments, each with its type of records."""
        for slot in self._slots.values():
            yield from slot.queues()

    def is_settled(self) -> bool:
        """Return whether all requested content is displayed, and every edit stored."""
        return all(slot.is_settled() for slot in self._slots.values())

    def ask_quit(self, close: Callable[[], object]) -> bool:
        """Ask whether to close the window if work would stop; return whether a dialog was opened."""
        return any(slot.ask_quit(close) for slot in self._slots.values())

    def leave(self) -> None:
        """Remove the content of all workspaces, because the project is being closed."""
        # In reverse: the others use the lists and the media of the Library, which is the first one.
        for slot in reversed(self._slots.values()):
            slot.leave()

    def _on_record_requested(self, workspace: str, record: RecordReference) -> None:
        self._registry.run(f"go.{workspace}")
        self[workspace].show_record(record)
