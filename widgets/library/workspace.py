"""The Library workspace: filters, list and inspector side by side."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from annotator.commands.command import Command
from annotator.domain.changes import Changes
from annotator.domain.query import ItemQuery, MediumQuery, SceneQuery
from annotator.media.cache_files import cache_folder
from annotator.media.thumbnails import ThumbnailStore
from annotator.queries.reader import Reader
from annotator.session import Session
from widgets import display_text
from widgets.action_registry import ActionRegistry
from widgets.box_layout import column_layout
from widgets.bridge import Bridge
from widgets.drag_drop import dropped_paths
from widgets.library.batch_operations import BatchOperations
from widgets.library.decisions import DecisionActions, read_rows
from widgets.library.filter_panel import FilterPanel
from widgets.library.inspector import Inspector
from widgets.library.library_navigation import LibraryNavigation
from widgets.library.list_pane import ListPane
from widgets.library.media_presence import MediaPresence
from widgets.library.pages import LibraryPages
from widgets.library.panes import LibraryPanes
from widgets.library.record_details import RecordDetail, SceneDetail
from widgets.library.record_list import RecordList
from widgets.library.record_types import FoundRecords, Numbers, Query, RecordTypeView, Row, types_for
from widgets.library.saved_filters import SavedFilters
from widgets.library.scene_follower import SceneFollower
from widgets.library.thumbnails import ThumbnailLoader
from widgets.media_loader import MediaLoader
from widgets.project_controller import ProjectController
from widgets.settings import Settings
from widgets.stage.stage_media import StageMedia
from widgets.workspace_widget import WorkspaceWidget

ITEM_MENU = [
    "go.open_annotate",
    "go.refine",
    "go.inspect",
    "",
    "items.state",
    "items.issue_classes",
    "items.task",
    "items.rebalance",
    "items.variants",
    "items.replace",
    "",
    "item.reject",
    "item.restore",
    "record.comment",
    "flag.resolve",
    "flag.dismiss",
    "",
    "edit.copy_names",
]
SCENE_MENU = [
    "go.open_annotate",
    "go.inspect",
    "",
    "scene.tag",
    "media.licence",
    "media.derive",
    "record.comment",
    "flag.resolve",
    "flag.dismiss",
    "",
    "edit.copy_names",
]
MEDIUM_MENU = [
    "go.open_annotate",
    "go.inspect",
    "",
    "media.licence",
    "media.derive",
    "record.comment",
    "",
    "edit.copy_names",
]
MENUS = {"item": ITEM_MENU, "scene": SCENE_MENU, "medium": MEDIUM_MENU}
KIND_OF = {ItemQuery: "item", SceneQuery: "scene", MediumQuery: "medium"}


class LibraryWorkspace(WorkspaceWidget):
    """The workspace of one open project.

    Signals:
        import_requested: Emitted when files or folders are dropped; carries their paths.
    """

    import_requested = Signal(object)

    def __init__(
        self,
        *,
        session: Session,
        controller: ProjectController,
        bridge: Bridge,
        registry: ActionRegistry,
        settings: Settings,
        window: QWidget,
        pages: QWidget,
    ) -> None:
        # In its place first, as RecordWorkspace.
        super().__init__(pages)
        self.setAcceptDrops(True)
        self._session, self._controller, self._bridge = session, controller, bridge
        self._registry, self._settings = registry, settings
        self.media = MediaLoader()
        self.thumbnails = ThumbnailLoader(
            self.media,
            file_of=session.roots.file_of,
            store=ThumbnailStore(cache_folder() / "thumbnails"),
        )
        self.listings = {
            name: RecordList(
                kind,
                session=session,
                bridge=bridge,
                settings=settings,
                thumbnails=self.thumbnails,
                screen=self,
            )
            for name, kind in types_for(session.actor.id).items()
        }
        self.front = "item"
        self.stage_media = StageMedia(bridge, media=self.media)
        self.inspector = Inspector(
            session=session, bridge=bridge, registry=registry, media=self.media, screen=self
        )
        self.presence = MediaPresence(
            session=session, bridge=bridge, media=self.media, window=window, parent=self
        )
        self.filters = FilterPanel(self.listings, registry=registry)
        self.batch = BatchOperations(
            controller=controller,
            bridge=bridge,
            settings=settings,
            items=self.listings["item"],
            show_kind=self.show_flagged,
            window=window,
            parent=self,
        )
        self.decisions = DecisionActions(
            controller=controller,
            bridge=bridge,
            listings=self.listings,
            inspector=self.inspector,
            registry=registry,
            window=window,
            parent=self,
        )
        self.saved_filters = SavedFilters(
            self.listings, panel=self.filters, settings=settings, project=str(session.path), window=window
        )
        self.lists = ListPane(self.listings, registry=registry)
        self.panes = LibraryPanes(
            filters=self.filters,
            lists=self.lists,
            inspector=self.inspector,
            settings=settings,
            parent=self,
        )
        self.pages = LibraryPages(
            session=session,
            bridge=bridge,
            registry=registry,
            panes=self.panes,
            lists=self.lists,
            inspector=self.inspector,
            controller=controller,
            stage_media=self.stage_media,
        )
        self.follower = SceneFollower(self.listings, session=session, bridge=bridge, parent=self)
        self.navigation = LibraryNavigation(
            filters=self.filters, panes=self.panes, pages=self.pages, listings=self.listings
        )
        column = column_layout(self, margins_px=0)
        column.addWidget(self.panes)
        self._connect()
        # All lists are queried, although one is visible: tool tips of the switch show their totals.
        for listing in self.listings.values():
            listing.find(listing.query)
        self.show_list(settings.text("library/list", "item"))

    def show_list(self, kind: str) -> None:
        """Show the list of items, scenes or media."""
        # A page is closed first: it occupies the place of the list.
        self.pages.close()
        # The list shows the health of media files: a drive may have been removed meanwhile.
        self.presence.check_now()
        self.front = kind if kind in self.listings else "item"
        self._settings.keep("library/list", self.front)
        self.filters.show_list(self.front)
        self.lists.show_list(self.front)
        self.follower.arrive(self.front)
        self._on_chosen(self.front, self.listing().current_row())
        self.show_needs()
        self.navigation.take_keyboard()

    def show_query(self, query: Query) -> None:
        """Show the records of a query."""
        kind = KIND_OF[type(query)]
        self.listings[kind].find(query)
        self.show_list(kind)

    def leave_page(self) -> None:
        """Return from a page to the list, at the same row."""
        self.pages.close()
        self.lists.show_list(self.front)
        self.navigation.take_keyboard()

    def listing(self) -> RecordList:
        """Return the visible list."""
        return self.listings[self.front]

    def search_for(self, text: str) -> None:
        """Search the visible list."""
        self.leave_page()
        self.filters.search_for(text)

    def show_flagged(self, kind: str) -> None:
        """Show the records with one kind of open flag: items if any have it, else scenes."""
        answer = self.listings["item"].answer
        # Decided by the last result: the queries below are asynchronous.
        known = {count.value for count in answer.facets["flag"]} if answer else set()
        for name in ("item", "scene"):
            self.listings[name].show_flagged(kind)
        self.show_list("item" if kind in known else "scene")

    def clear_filters(self) -> None:
        """Clear all filters of the visible list."""
        self.listing().clear_filters()
        self.filters.show_list(self.front)

    def select_all(self) -> None:
        """Select every row of the visible list."""
        self.listing().table.selectAll()

    def copy_names(self) -> None:
        """Copy the names of the selected rows to the clipboard, one per line, loaded or not."""
        kind, numbers = self.listing().kind, self.listing().table.selected_numbers()
        # By a query: most of the selected rows may not be loaded.
        question = partial(_read_names, kind=kind, numbers=numbers)
        self._bridge.query(self._session, question, done=_put_on_clipboard, channel=(id(self), "names"))

    def inspect(self) -> None:
        """Open the current record: a scene in place of the list, other records in the inspector."""
        if self.front == "scene" and self.pages.shown is None:
            self.pages.open_scene()
        else:
            self.inspector.show()
            self.inspector.focus_record()

    def show_next_tab(self) -> None:
        """Show the next tab of the inspector."""
        self.inspector.show()
        self.inspector.choose_next_tab()

    def is_settled(self) -> bool:
        """Return whether everything that was requested is shown."""
        lists = all(listing.is_settled() for listing in self.listings.values())
        pictures = self.thumbnails.is_settled() and self.inspector.is_settled()
        return lists and pictures and self.pages.is_settled() and self.presence.is_settled()

    def leave(self) -> None:
        """Stop background work before the workspace is closed."""
        self.presence.stop()
        self.pages.leave()
        for listing in self.listings.values():
            listing.leave()
        self.stage_media.close()
        self.media.close()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Hide the inspector in a narrow window, and show it again in a wide one."""
        super().resizeEvent(event)
        self.panes.fit(window_px=self.window().width())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Clear the search text at Escape if no other widget has handled the key."""
        if event.key() != Qt.Key.Key_Escape or not self.navigation.clear_search():
            super().keyPressEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept files and folders that are dragged onto the window."""
        if dropped_paths(event):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Emit ``import_requested`` for dropped files."""
        self.import_requested.emit(dropped_paths(event))
        event.acceptProposedAction()

    def _connect(self) -> None:
        self.filters.list_requested.connect(self.show_list)
        self.filters.search.left.connect(self.navigation.take_keyboard)
        self.saved_filters.chosen.connect(self.leave_page)
        for follow in (
            self.media.forget,
            self.thumbnails.arrived,
            self.listings["scene"].refresh,
            self.listings["medium"].refresh,
            self.inspector.refresh,
            self.pages.refresh_files,
        ):
            self.presence.changed.connect(follow)
        self.inspector.shown.connect(self._on_inspector_shown)
        self.pages.left.connect(self.leave_page)
        self.follower.searched.connect(self._on_follower_searched)
        self.pages.changed.connect(self.show_needs)
        self.pages.stepped.connect(self._on_page_stepped)
        self.pages.item_chosen.connect(self._on_page_item_chosen)
        self.pages.query_chosen.connect(self.show_query)
        self.pages.commanded.connect(self._on_pages_commanded)
        for name, listing in self.listings.items():
            listing.chosen.connect(partial(self._on_chosen, name))
            listing.found.connect(self._on_found)
            listing.selection_changed.connect(self.show_needs)
            listing.table.doubleClicked.connect(self._on_record_opened)
            if listing.grid is not None:
                listing.grid.opened.connect(self._on_record_opened)
            for view in listing.views():
                view.typed.connect(self.navigation.type_more)
                view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
                view.customContextMenuRequested.connect(self._on_menu_requested)
                self._registry.add_shortcuts("list", view)
        self._bridge.changed.connect(self._on_bridge_changed)

    def _on_record_opened(self) -> None:
        # Through the registry, which checks the precondition and changes the workspace.
        self._registry.run("go.open_annotate")

    def _on_follower_searched(self) -> None:
        self.filters.show_list(self.front)

    def _on_found(self, _answer: FoundRecords) -> None:
        self.lists.show_list(self.front)
        self.show_needs()

    def _on_chosen(self, kind: str, row: Row | None) -> None:
        # All lists report a current row; the inspector shows that of the visible list.
        if kind == self.front:
            self.inspector.show_row(row, entity=kind)

    def _on_inspector_shown(self, detail: RecordDetail | None) -> None:
        self.name_changed.emit(detail.name if detail else "")
        self.show_needs()

    def _on_menu_requested(self, at: QPoint) -> None:
        view = self.listing().view()
        # Rebuilt each time: the available actions depend on the selection.
        menu = self._registry.pick(view, MENUS[self.front])
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(view.viewport().mapToGlobal(at))

    def show_needs(self) -> None:
        """Enable the actions on the selection of the visible list; other workspaces have their own."""
        count = self.listing().table.selected_count()
        self.inspector.show_selected(count)
        # A page about the whole project hides the rows: actions must not change hidden rows.
        count = count if self.pages.has_record() else 0
        flags = self.inspector.detail.flags if self.inspector.detail is not None and count else ()
        self._registry.set_there("flag", any(flag.state == "open" for flag in flags))
        self._registry.set_there("rows", count > 0)
        self._registry.set_there("items", count > 0 and self.front == "item")
        self._registry.set_there("scenes", count > 0 and self.front == "scene")
        self._registry.set_there("media", count > 0 and self.front in {"scene", "medium"})

    def _on_page_stepped(self, step: int) -> None:
        table = self.listing().table
        index = table.current_position() + step
        if 0 <= index < self.listing().model.rowCount():
            table.choose_row(index)

    def _on_page_item_chosen(self, detail: SceneDetail, index: int) -> None:
        self.listings["item"].find(ItemQuery(scene=detail.id), row=index)
        self.show_list("item")

    def _on_pages_commanded(self, command: Command) -> None:
        self._controller.execute(command, title=display_text.command_summary_text(command.summary))

    def _on_bridge_changed(self, changes: Changes) -> None:
        if changes.concerns("medium"):
            # The locations of files may have changed.
            self.media.forget()


def _put_on_clipboard(names: list[str]) -> None:
    QGuiApplication.clipboard().setText("\n".join(names))


def _read_names(reader: Reader, *, kind: RecordTypeView, numbers: Numbers) -> list[str]:
    return [row.name for row in read_rows(reader, kind=kind, numbers=numbers)]
