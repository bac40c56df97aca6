"""The protocol of a workspace: what the window needs of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, ClassVar, Protocol

from PySide6.QtCore import SignalInstance
from PySide6.QtWidgets import QWidget

from annotator.domain.changes import Changes
from annotator.session import Session
from widgets.action import ActionContext, ActionNeed, ActionSpec
from widgets.focus import TakesKeyboard
from widgets.record_reference import RecordReference
from widgets.workspace_parts import WorkspaceParts

if TYPE_CHECKING:
    # Imported on first use, to keep startup fast.
    from widgets.library.record_list import RecordList
    from widgets.library.workspace import LibraryWorkspace
    from widgets.stage.stage import Stage


class Workspace(Protocol):
    """A workspace of the window; ``WorkspaceSlot`` implements all but what is particular to one.

    Attributes:
        id: Name in settings and actions; the action ``go.<id>`` shows the workspace.
        title: English title, also on the rail.
        icon: Name of its icon.
        key: Default shortcut, "" for none.
        needs: Precondition of showing it, "" for none.
        rail: Id of the workspace that the rail highlights for it: its own, or that from which it is opened.
        actions: Its actions, in the order of menus and command palette.
        contexts: Contexts of shortcuts that exist in it.
        stage_contexts: Those of them whose widgets contain a stage.
        name: Name of the record that it shows, "" for none.
        created: Emitted when its content was created.
        name_changed: Emitted when it shows another record.
        record_requested: Emitted when another workspace is to show a record; carries both.
        page: Its page in the window: its content, or a placeholder.
        navigation: Object whose methods execute the actions of ``navigation``, None without content.
    """

    id: ClassVar[str]
    title: ClassVar[str]
    icon: ClassVar[str]
    key: ClassVar[str]
    needs: ClassVar[ActionNeed]
    rail: ClassVar[str]
    actions: ClassVar[tuple[ActionSpec, ...]]
    contexts: ClassVar[frozenset[ActionContext]]
    stage_contexts: ClassVar[frozenset[ActionContext]]
    name: str

    def __init__(self, parts: WorkspaceParts) -> None:
        """Create the workspace without content."""

    @property
    def created(self) -> SignalInstance:
        """Emitted when its content was created."""

    @property
    def name_changed(self) -> SignalInstance:
        """Emitted when it shows another record."""

    @property
    def record_requested(self) -> SignalInstance:
        """Emitted when another workspace is to show a record; carries its id and a ``RecordReference``."""

    @property
    def page(self) -> QWidget:
        """Its page in the window."""

    @property
    def navigation(self) -> TakesKeyboard | None:
        """Object that executes the actions of ``navigation``."""

    def serve(self, session: Session, *, library: LibraryWorkspace) -> None:
        """Begin to follow a project that was opened."""

    def show(self) -> None:
        """Create the content if necessary, and show what is current in the Library."""

    def hide(self) -> None:
        """Let the Library select the displayed record, because another workspace is shown."""

    def show_record(self, record: RecordReference) -> None:
        """Show a record, because another part of the window asks for it; the workspace is shown."""

    def take_focus(self) -> None:
        """Set the keyboard focus to the main widget."""

    def concerns(self, changes: Changes) -> bool:
        """Return whether changes of the project can affect what the workspace shows."""

    def comment_subject(self) -> RecordReference | None:
        """Return the record whose comments the panel shows, None for none."""

    def comment_target(self) -> RecordReference | None:
        """Return the part of that record which a new comment is about, None for the record itself."""

    def stage(self) -> Stage | None:
        """Return the stage that shows the pins of comments, None for none."""

    def queues(self) -> Iterable[tuple[str, RecordList]]:
        """Return the lists that mark records with unread comments, each with its type of records."""

    def is_settled(self) -> bool:
        """Return whether all requested content is displayed, and every edit stored."""

    def ask_quit(self, close: Callable[[], object]) -> bool:
        """Ask whether to close the window if work would stop; return whether a dialog was opened."""

    def leave(self) -> None:
        """Remove the content, because the project is being closed."""
