"""The slot of a workspace in the window: a placeholder page until the workspace is first opened."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Generic, Protocol, TypeVar

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from annotator.session import Session
from widgets.action_registry import ActionRegistry
from widgets.actions import PAGES, workspace_id
from widgets.bridge import Bridge
from widgets.library.workspace import LibraryWorkspace
from widgets.placeholder_pages import make_page
from widgets.project_controller import ProjectController
from widgets.settings import Settings
from widgets.workspace_services import WorkspaceServices

if TYPE_CHECKING:
    from widgets.comments.record_comments import CommentSubject
    from widgets.library.record_list import RecordList
    from widgets.record_workspace import RecordWorkspace
    from widgets.stage.stage import Stage


class HasSettled(Protocol):
    """A workspace that reports whether all requested content is loaded."""

    def is_settled(self) -> bool:
        """Return whether all requested content is loaded."""


class WorkspaceSlot(QObject):
    """Contains a workspace or its placeholder page.

    Attributes:
        name: Title of the displayed record, "" for none.

    Signals:
        name_changed: Emitted when another record is displayed.
    """

    name_changed = Signal()

    def __init__(self, pages: QStackedWidget, *, title: str, registry: ActionRegistry) -> None:
        """Create the slot with its placeholder page.

        Args:
            pages: One page per workspace, in the order of the rail.
            title: English title of the workspace.
            registry: Provides the actions of the placeholder page.
        """
        super().__init__(pages)
        self.name = ""
        self._pages, self._title, self._registry = pages, workspace_id(title), registry
        self._place = PAGES.index(title)
        self._settling: HasSettled | None = None

    def is_settled(self) -> bool:
        """Return whether all requested content is loaded."""
        return self._settling is None or self._settling.is_settled()

    def put(self, workspace: QWidget, *, settling: HasSettled) -> None:
        """Replace the page with a workspace."""
        self._settling = settling
        self._swap(workspace)

    def put_page(self) -> None:
        """Restore the placeholder page before the project is closed."""
        self._settling, self.name = None, ""
        self._swap(make_page(self._title, registry=self._registry))

    def _swap(self, widget: QWidget) -> None:
        before = self._pages.widget(self._place)
        self._pages.insertWidget(self._place, widget)
        if before is not None:
            self._pages.removeWidget(before)
            before.deleteLater()

    def show_name(self, name: str) -> None:
        """Report a change of the shown name."""
        self.name = name
        self.name_changed.emit()


Workspace = TypeVar("Workspace", bound="RecordWorkspace")


class StageSlot(WorkspaceSlot, Generic[Workspace]):
    """The slot of a workspace with a stage: its title is the name of the record on the stage.

    Attributes:
        title: English title of the workspace.
        entity: Kind of the records in its queue, "" for several kinds.
        workspace: The workspace, None until it is first opened and after its project is closed.
    """

    title: ClassVar[str]
    entity: ClassVar[str] = ""

    def __init__(
        self,
        pages: QStackedWidget,
        *,
        registry: ActionRegistry,
        controller: ProjectController,
        bridge: Bridge,
        settings: Settings,
    ) -> None:
        """Create the slot with its placeholder page.

        Args:
            pages: One page per workspace, in the order of the rail.
            registry: The actions.
            controller: Executes commands.
            bridge: Delivers results of other threads to the GUI thread.
            settings: Settings of the window.
        """
        super().__init__(pages, title=self.title, registry=registry)
        self.controller, self.bridge, self.settings, self.registry = controller, bridge, settings, registry
        self.workspace: Workspace | None = None

    def open(self, library: LibraryWorkspace) -> None:
        """Create the workspace if necessary, and show what is current in the Library."""
        session = self.controller.session
        if session is None:
            return
        if self.workspace is None:
            self.workspace = self.create(self._services(session, library=library))
            self.workspace.name_changed.connect(self.show_name)
            self.put(self.workspace, settling=self.workspace)
        self.follow(library)
        self.workspace.take_keys()

    def create(self, services: WorkspaceServices) -> Workspace:
        """Create the workspace."""
        raise NotImplementedError

    def follow(self, library: LibraryWorkspace) -> None:
        """Show the current record of the Library."""
        raise NotImplementedError

    def comment_subject(self) -> CommentSubject | None:
        """Return the record whose comments the panel shows, None for none.

        None is also returned where a person must not see what others think of the record.
        """
        return None

    def stage(self) -> Stage | None:
        """Return the stage that shows the pins of comments, None for none."""
        return None

    def queue(self) -> RecordList | None:
        """Return the list that marks records with unread comments, None for none."""
        return None

    def leave(self) -> None:
        """Replace the workspace by the start page, because the project is being closed."""
        if self.workspace is not None:
            self.workspace.leave()
            self.workspace = None
            # Menus would otherwise keep actions on its stage enabled.
            self.registry.set_there("stage", False)
            self.put_page()

    def _services(self, session: Session, *, library: LibraryWorkspace) -> WorkspaceServices:
        return WorkspaceServices(
            session=session,
            controller=self.controller,
            bridge=self.bridge,
            registry=self.registry,
            settings=self.settings,
            stage_media=library.stage_media,
            thumbnails=library.thumbnails,
        )
