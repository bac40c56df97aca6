"""The slot of a workspace in the window: a placeholder page until the workspace is first shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QWidget

from annotator.domain.changes import Changes
from annotator.session import Session
from widgets.action import ActionContext, ActionNeed, ActionSpec
from widgets.empty_state import EmptyState
from widgets.focus import TakesKeyboard
from widgets.record_reference import RecordReference
from widgets.translation import mark as _
from widgets.translation import tr
from widgets.workspace_parts import WorkspaceParts
from widgets.workspace_services import WorkspaceServices
from widgets.workspace_widget import WorkspaceWidget

if TYPE_CHECKING:
    from widgets.library.record_list import RecordList
    from widgets.library.record_types import Query
    from widgets.library.workspace import LibraryWorkspace
    from widgets.record_workspace import RecordWorkspace
    from widgets.stage.stage import Stage

NO_PROJECT = _("No project is open")
Content = TypeVar("Content", bound=WorkspaceWidget)
StageContent = TypeVar("StageContent", bound="RecordWorkspace")


class WorkspaceSlot(QObject, Generic[Content]):
    """Contains the content of a workspace or its placeholder; a subclass is one entry of ``WORKSPACES``.

    Attributes:
        purpose: What the workspace is for, shown while no project is open.
        records: Types of the records whose changes affect what it shows, None for all.
        parts: The parts of the window.
        session: The open project, None for none.
        library: Its Library.
        workspace: The content, None until it is first shown and after its project is closed.

    Signals:
        created: Its content was created.
        name_changed: Another record is displayed.
        record_requested: Another workspace is to show a record; carries its id and a ``RecordReference``.
    """

    id: ClassVar[str]
    title: ClassVar[str]
    icon: ClassVar[str]
    key: ClassVar[str] = ""
    needs: ClassVar[ActionNeed] = ""
    rail: ClassVar[str]
    purpose: ClassVar[str]
    actions: ClassVar[tuple[ActionSpec, ...]] = ()
    contexts: ClassVar[frozenset[ActionContext]] = frozenset()
    stage_contexts: ClassVar[frozenset[ActionContext]] = frozenset()
    records: ClassVar[frozenset[str] | None] = None
    created = Signal()
    name_changed = Signal()
    record_requested = Signal(str, object)

    def __init__(self, parts: WorkspaceParts) -> None:
        """Add an empty page to the window; the placeholder is created when it is shown."""
        super().__init__(parts.pages)
        self.parts, self.name = parts, ""
        self.session: Session | None = None
        self.library: LibraryWorkspace | None = None
        self.workspace: Content | None = None
        self._has_placeholder = False
        self._page = QWidget()
        self._index = parts.pages.addWidget(self._page)

    @property
    def page(self) -> QWidget:
        """The page of the window with the content or the placeholder."""
        return self._page

    @property
    def navigation(self) -> TakesKeyboard | None:
        """Object whose methods execute the actions of ``navigation``, None without content."""
        return self.workspace

    def create(self, services: WorkspaceServices) -> Content:
        """Create the content."""
        raise NotImplementedError

    def refresh(self) -> None:
        """Update the content, which exists and is about to be shown."""

    def serve(self, session: Session, *, library: LibraryWorkspace) -> None:
        """Begin to follow a project that was opened."""
        self.session, self.library = session, library

    def show(self) -> None:
        """Create the content if necessary, and update it; without a project, show the placeholder."""
        if self.session is None or self.library is None:
            if not self._has_placeholder:
                self._put_page(self.make_placeholder(), is_placeholder=True)
            return
        if self.workspace is None:
            self.put(self.create(self._services(self.session, library=self.library)))
        self.refresh()

    def hide(self) -> None:
        """Let the Library select the displayed record, because another workspace is shown."""

    def show_record(self, record: RecordReference) -> None:
        """Show a record, because another part of the window asks for it; by default, nothing changes."""

    def show_in_library(self, query: Query) -> None:
        """Show the records of a query in the Library."""
        if self.library is not None:
            self.parts.registry.run("go.library")
            self.library.show_query(query)

    def take_focus(self) -> None:
        """Set the keyboard focus to the main widget of the content or of the placeholder."""
        if self.navigation is not None:
            self.navigation.take_keyboard()
        else:
            self.page.setFocus(Qt.FocusReason.OtherFocusReason)

    def concerns(self, changes: Changes) -> bool:
        """Return whether changes of the project can affect what the workspace shows."""
        return self.records is None or not self.records.isdisjoint(changes.ids)

    def comment_subject(self) -> RecordReference | None:
        """Return the record whose comments the panel shows, None for none.

        None is also returned where a person must not see what others think of the record.
        """
        return None

    def comment_target(self) -> RecordReference | None:
        """Return the part of that record which a new comment is about, None for the record itself."""
        return None

    def stage(self) -> Stage | None:
        """Return the stage that shows the pins of comments, None for none."""
        return None

    def queues(self) -> Iterable[tuple[str, RecordList]]:
        """Return the lists that mark records with unread comments, each with its type of records."""
        return ()

    def is_settled(self) -> bool:
        """Return whether all requested content is displayed, and every edit stored."""
        return self.workspace is None or self.workspace.is_settled()

    def ask_quit(self, _close: Callable[[], object]) -> bool:
        """Ask whether to close the window if work would stop; return whether a dialog was opened."""
        return False

    def leave(self) -> None:
        """Remove the content, because the project is being closed; a placeholder is made anew when shown."""
        self.session = self.library = None
        is_empty = self.workspace is None and not self._has_placeholder
        if self.workspace is not None:
            self.workspace.leave()
            self.workspace, self.name = None, ""
        if not is_empty:
            self._put_page(QWidget(), is_placeholder=False)

    def put(self, workspace: Content) -> None:
        """Put the content in place of the placeholder."""
        self.workspace = workspace
        workspace.name_changed.connect(self.show_name)
        self._put_page(workspace, is_placeholder=False)
        self.created.emit()

    def show_name(self, name: str) -> None:
        """Report the name of the record that is displayed now."""
        self.name = name
        self.name_changed.emit()

    def make_placeholder(self) -> QWidget:
        """Create the page that is shown while no project is open."""
        return EmptyState(
            icon=self.icon,
            headline=tr(NO_PROJECT),
            text=tr(self.purpose),
            registry=self.parts.registry,
            steps=("project.open", "project.new"),
        )

    def _services(self, session: Session, *, library: LibraryWorkspace) -> WorkspaceServices:
        return WorkspaceServices(
            session=session,
            controller=self.parts.controller,
            bridge=self.parts.bridge,
            registry=self.parts.registry,
            settings=self.parts.settings,
            stage_media=library.stage_media,
            thumbnails=library.thumbnails,
            concerns=self.concerns,
            pages=self.parts.pages,
        )

    def _put_page(self, page: QWidget, *, is_placeholder: bool) -> None:
        before, self._page, self._has_placeholder = self._page, page, is_placeholder
        self.parts.pages.insertWidget(self._index, page)
        self.parts.pages.removeWidget(before)
        before.deleteLater()


class StageSlot(WorkspaceSlot[StageContent], Generic[StageContent]):
    """The slot of a workspace with a stage: its name is that of the record on the stage."""

    def serve(self, session: Session, *, library: LibraryWorkspace) -> None:
        """Begin to follow a project that was opened, and whether its media files are there."""
        super().serve(session, library=library)
        library.presence.changed.connect(self._on_presence_changed)

    def show(self) -> None:
        """Show the current record of the Library, and give the stage its shortcuts."""
        super().show()
        if self.workspace is not None:
            self.workspace.take_keys()

    @property
    def navigation(self) -> TakesKeyboard | None:
        """Object whose methods execute the actions of ``navigation``, None without content."""
        return self.workspace.navigation if self.workspace is not None else None

    def stage(self) -> Stage | None:
        """Return the stage."""
        return self.workspace.stage if self.workspace is not None else None

    def leave(self) -> None:
        """Remove the content, because the project is being closed."""
        has_stage = self.workspace is not None
        super().leave()
        if has_stage:
            # Menus would otherwise keep actions on its stage enabled.
            self.parts.registry.set_there("stage", False)

    def _on_presence_changed(self) -> None:
        from widgets.stage.image_view import has_failed

        stage = self.stage()
        if stage is not None and any(map(has_failed, stage.canvases)):
            stage.show_scene(stage.shown, is_reloaded=True)
