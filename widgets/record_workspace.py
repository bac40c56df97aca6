"""The base of the workspaces that show one record: a list, a stage, and a panel."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QAbstractScrollArea, QStackedWidget, QWidget

from widgets.box_layout import column_layout
from widgets.deferred_changes import DeferredChanges
from widgets.empty_state import EmptyState
from widgets.search_box import SearchBox
from widgets.stage.tool import Tool
from widgets.stage.tools.stage_keys import StageKeys
from widgets.stage.tools.tool_sets import LOOKING_TOOLS
from widgets.stage_page.stage_page import StagePage
from widgets.stage_page.tool_bar import RenderingActions
from widgets.workspace_navigation import WorkspaceNavigation
from widgets.workspace_panes import WorkspacePanes
from widgets.workspace_services import WorkspaceServices
from widgets.workspace_widget import WorkspaceWidget


class RecordWorkspace(WorkspaceWidget):
    """A workspace of one open project, which shows one record of its list at a time.

    A subclass creates its parts, and then calls ``put_panes``, ``put_keyboard`` and ``use_keys``.

    Attributes:
        page: The stage with its tool bar and status line.
        stage: The stage.
        images: The images of the project, for the stage.
        middle: The stage, or the reason why it shows no images.
        panes: The list, the middle and the panel.
        navigation: Executes the actions on the panes.
        changes: Delivers changes of the project while the workspace is visible.
        stage_keys: The shortcuts of the stage.
    """

    panes: WorkspacePanes
    navigation: WorkspaceNavigation
    changes: DeferredChanges
    stage_keys: StageKeys

    def __init__(
        self,
        services: WorkspaceServices,
        *,
        renderings: RenderingActions,
        tools: tuple[type[Tool], ...] = LOOKING_TOOLS,
    ) -> None:
        """Create the stage.

        Args:
            services: What the workspace reads from, writes to and shows media with.
            renderings: The actions that choose what is shown over the images.
            tools: The tools of the stage.
        """
        # In its place first: each change of the parent sends a change of style to all that is inside.
        super().__init__(services.pages)
        self._session, self._registry = services.session, services.registry
        self._bridge, self._settings = services.bridge, services.settings
        self._concerns = services.concerns
        self.images, self.middle = services.stage_media.pictures, QStackedWidget()
        self.page = StagePage(
            self.images,
            registry=services.registry,
            bridge=services.bridge,
            settings=services.settings,
            tools=tools,
            actions=renderings,
        )
        self.stage = self.page.stage

    def put_panes(
        self,
        left: QWidget,
        right: QWidget,
        *,
        name: str,
        widths_px: tuple[int, int],
        narrow_px: int = 0,
        reasons: Mapping[str, EmptyState],
    ) -> None:
        """Put the stage between the list and the panel, and begin to follow the project.

        Args:
            left: The pane of the list.
            right: The panel.
            name: Beginning of the names in the settings.
            widths_px: Default widths of the list and the panel.
            narrow_px: As for ``WorkspacePanes``.
            reasons: What is shown in place of a stage without images.
        """
        for page in (self.page, *reasons.values()):
            self.middle.addWidget(page)
        self.panes = WorkspacePanes(
            left,
            self.middle,
            right,
            settings=self._settings,
            name=name,
            widths_px=widths_px,
            narrow_px=narrow_px,
            parent=self,
        )
        whole = column_layout(self, margins_px=0)
        whole.addWidget(self.panes)
        # After its parts: a change reaches the list before it reaches the record that the list has chosen.
        self.changes = DeferredChanges(self, bridge=self._bridge, concerns=self._concerns)

    def put_keyboard(
        self,
        *,
        lists: tuple[QWidget, QWidget],
        focus_home: Callable[[], object],
        search: SearchBox | None = None,
    ) -> None:
        """Set what the keyboard focus moves between.

        Args:
            lists: Widget of the list and widget of the panel that takes the keyboard focus.
            focus_home: Sets the keyboard focus to the main widget of the workspace.
            search: Search box of the list, None for none.
        """
        self.navigation = WorkspaceNavigation(
            panes=self.panes, search=search, lists=lists, focus_home=focus_home, parent=self
        )

    def use_keys(self, owners: Mapping[str, object], *, widget: QWidget, can_mark: bool = False) -> None:
        """Let the shortcuts of the stage work.

        Args:
            owners: Handlers of the actions of the workspace, by their names in the action table.
            widget: Widget in which the shortcuts work: the stage or one of its parents.
            can_mark: Whether annotations can be edited on the stage.
        """
        self.stage_keys = StageKeys(
            self.stage, registry=self._registry, widget=widget, owners=owners, can_mark=can_mark
        )
        self.stage.player.changed.connect(self._on_player_changed)

    def take_keys(self) -> None:
        """Make this stage the handler of the stage actions, because the workspace is visible."""
        self.stage_keys.take()
        self.show_needs()

    def show_needs(self) -> None:
        """Enable the actions that the displayed record allows."""

    def release_needs(self) -> None:
        """Disable the actions on the displayed record."""

    def show_name(self, name: str) -> None:
        """Show the name of another record."""
        self.page.tool_bar.name.setText(name)
        self.name_changed.emit(name)

    def open_menu(self, of: QAbstractScrollArea, actions: Sequence[str], *, at: QPoint) -> None:
        """Open a menu of actions over a list.

        Args:
            of: The list.
            actions: Their ids.
            at: Point in the visible part of the list.
        """
        menu = self._registry.pick(of, actions)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(of.viewport().mapToGlobal(at))

    def leave(self) -> None:
        """Stop background work, because the workspace is being closed."""
        self.page.leave()
        self.stage_keys.release()
        self.release_needs()

    def showEvent(self, event: QShowEvent) -> None:
        """Enable the actions on the record again."""
        super().showEvent(event)
        if not event.spontaneous():
            self.show_needs()

    def hideEvent(self, event: QHideEvent) -> None:
        """Release the actions; a minimised window keeps them."""
        super().hideEvent(event)
        # Spontaneous events come from the window system, as when the window is minimised.
        if not event.spontaneous():
            self.stage_keys.release()
            self.release_needs()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Adapt the panes to the window."""
        super().resizeEvent(event)
        self.panes.fit(window_px=self.window().width())

    def _on_player_changed(self) -> None:
        self.stage_keys.refresh()
