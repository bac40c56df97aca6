"""The Library workspace: filters, list and inspector side by side."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from annotator.session import Session
from widgets.action_board import ActionBoard
from widgets.bridge import Bridge
from widgets.desk import Desk
from widgets.focus import holds_keyboard
from widgets.import_sheet import dropped_files
from widgets.library.batch import Batch
from widgets.library.decisions import Decisions
from widgets.library.details import Detail
from widgets.library.filter_panel import WIDTH_PX as FILTERS_PX
from widgets.library.filter_panel import FilterPanel
from widgets.library.inspector import Inspector
from widgets.library.kinds import KINDS, Found, Row
from widgets.library.list_pane import ListPane
from widgets.library.listing import Listing
from widgets.settings import Settings

PANES = 3
INSPECTOR_PX = (360, 480)
"""Least and most of the inspector's usual width, a quarter of the window."""
NARROW_PX = 1300
"""Below this width the inspector gives its place to the list; LOOK asks for it at 1280."""
ITEM_MENU = [
    "go.inspect",
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
    "go.inspect",
    "",
    "scene.tag",
    "record.comment",
    "flag.resolve",
    "flag.dismiss",
    "",
    "edit.copy_names",
]


class Library(QWidget):
    """The workspace of one open project.

    Signals:
        place_changed: Another record is looked at; carries its name, "" for none.
    """

    place_changed = Signal(str)

    def __init__(
        self,
        *,
        session: Session,
        desk: Desk,
        bridge: Bridge,
        board: ActionBoard,
        settings: Settings,
        window: QWidget,
    ) -> None:
        super().__init__()
        self.setAcceptDrops(True)
        self._board, self._settings = board, settings
        self.listings = {
            name: Listing(kind, session=session, bridge=bridge, settings=settings)
            for name, kind in KINDS.items()
        }
        self.front = "item"
        self.inspector = Inspector(session=session, bridge=bridge)
        self.filters = FilterPanel(self.listings, board=board)
        self.batch = Batch(
            desk=desk,
            bridge=bridge,
            settings=settings,
            items=self.listings["item"],
            show_kind=self.show_flagged,
            window=window,
        )
        self.decisions = Decisions(
            desk=desk, bridge=bridge, listings=self.listings, inspector=self.inspector, window=window
        )
        self._is_narrow: bool | None = None
        self._lists = ListPane(self.listings, board=board)
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self._lay_out()
        self._connect()
        for listing in self.listings.values():
            listing.find(listing.query)
        self.show_list(settings.text("library/list", "item"))

    def show_list(self, kind: str) -> None:
        """Bring the list of items or of scenes to the front."""
        self.front = kind if kind in self.listings else "item"
        self._settings.keep("library/list", self.front)
        self.filters.show_list(self.front)
        self._lists.show_list(self.front)
        self._on_chosen(self.front, self.listing().current_row())
        self._show_needs()
        self.listing().table.setFocus(Qt.FocusReason.OtherFocusReason)

    def listing(self) -> Listing:
        """Return the list in front."""
        return self.listings[self.front]

    def focus_search(self) -> None:
        """Give the keyboard to the search box."""
        self.filters.show()
        self.filters.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.filters.search.selectAll()

    def search_for(self, text: str) -> None:
        """Search the list in front."""
        self.filters.search_for(text)
        self.listing().table.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_flagged(self, kind: str) -> None:
        """Show the records with one kind of open flag: items where there are some, else scenes."""
        answer = self.listings["item"].answer
        known = {count.value for count in answer.facets["flag"]} if answer else set()
        for listing in self.listings.values():
            listing.show_flagged(kind)
        self.show_list("item" if kind in known else "scene")

    def clear_filters(self) -> None:
        """Show everything."""
        self.listing().clear_filters()
        self.filters.show_list(self.front)

    def select_all(self) -> None:
        """Select every row of the list in front."""
        self.listing().table.selectAll()

    def copy_names(self) -> None:
        """Put the names of the selected rows on the clipboard, as far as they are in memory, one a line."""
        model, table = self.listing().model, self.listing().table
        places = [model.place_of(int(number)) for number in table.selected_numbers()[:1000]]
        rows = [model.row(place) for place in places]
        QGuiApplication.clipboard().setText("\n".join(row.name for row in rows if row is not None))

    def inspect(self) -> None:
        """Show the inspector and give it the keyboard."""
        self.inspector.show()
        self.inspector.focus_record()

    def show_next_tab(self) -> None:
        """Bring the next tab of the inspector to the front."""
        self.inspector.show()
        self.inspector.choose_next_tab()

    def toggle_filters(self) -> None:
        """Show the filters, or hide them."""
        self.filters.setVisible(not self.filters.isVisible())
        self._settings.keep("library/filters", self.filters.isVisible())

    def toggle_inspector(self) -> None:
        """Show the inspector, or hide it."""
        self.inspector.setVisible(not self.inspector.isVisible())
        if not self._is_narrow:
            self._settings.keep("library/inspector", self.inspector.isVisible())

    def focus_next_pane(self) -> None:
        """Give the keyboard to the next pane: filters, list, inspector."""
        parts = [self.listing().facets, self.listing().table, self.inspector]
        shown = [part for part in parts if part.isVisible()]
        at = next((at for at, part in enumerate(shown) if holds_keyboard(part)), -1)
        following = shown[(at + 1) % len(shown)]
        if following is self.inspector:
            self.inspector.focus_record()
        else:
            following.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def is_settled(self) -> bool:
        """Tell whether everything that was asked for is on the screen."""
        return all(listing.is_settled() for listing in self.listings.values()) and self.inspector.is_settled()

    def leave(self) -> None:
        """Stop what goes on behind the screen; the workspace is going."""
        self.inspector.close_loader()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give the inspector's place to the list where there is little, and back."""
        super().resizeEvent(event)
        self._share_out()
        is_narrow = self.window().width() < NARROW_PX
        if is_narrow != self._is_narrow:
            self._is_narrow = is_narrow
            self.inspector.setVisible(not is_narrow and self._settings.switch("library/inspector", True))

    def _share_out(self) -> None:
        """Give the panels their usual share of the width, as long as nobody has moved them."""
        if len(self._settings.sizes("library/splitter")) != PANES:
            inspector = max(INSPECTOR_PX[0], min(INSPECTOR_PX[1], self.width() // 4))
            self.splitter.setSizes([FILTERS_PX, self.width() - FILTERS_PX - inspector, inspector])

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take files that are dragged onto the window."""
        if dropped_files(event):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Offer to import dropped files."""
        self.batch.offer_import(dropped_files(event))
        event.acceptProposedAction()

    def _lay_out(self) -> None:
        self._lists.setMinimumWidth(320)
        self.filters.setMinimumWidth(200)
        self.inspector.setMinimumWidth(320)
        for part in (self.filters, self._lists, self.inspector):
            self.splitter.addWidget(part)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.setHandleWidth(1)
        for at, stretch in enumerate((0, 1, 0)):
            self.splitter.setStretchFactor(at, stretch)
        kept = self._settings.sizes("library/splitter")
        if len(kept) == PANES:
            self.splitter.setSizes(kept)
        self.splitter.splitterMoved.connect(self._on_splitter_moved)
        self.filters.setVisible(self._settings.switch("library/filters", True))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.splitter)

    def _connect(self) -> None:
        self.filters.list_requested.connect(self.show_list)
        self.filters.search.left.connect(self._on_search_left)
        self.inspector.shown.connect(self._on_inspector_shown)
        for name, listing in self.listings.items():
            listing.chosen.connect(partial(self._on_chosen, name))
            listing.found.connect(self._on_found)
            listing.selection_changed.connect(self._show_needs)
            listing.table.typed.connect(self.filters.type_more)
            listing.table.doubleClicked.connect(self.inspect)
            listing.table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
            listing.table.customContextMenuRequested.connect(self._on_menu_requested)
            self._board.place("list", listing.table)

    def _on_found(self, _answer: Found) -> None:
        self._lists.show_list(self.front)
        self._show_needs()

    def _on_chosen(self, kind: str, row: Row | None) -> None:
        if kind == self.front:
            self.inspector.show_row(row, entity=kind)

    def _on_inspector_shown(self, detail: Detail | None) -> None:
        self.place_changed.emit(detail.name if detail else "")
        has_flag = detail is not None and any(flag.state == "open" for flag in detail.flags)
        self._board.set_there("flag", has_flag)

    def _on_splitter_moved(self, _place: int, _handle: int) -> None:
        # A panel that is hidden has no width to remember.
        if all(self.splitter.sizes()):
            self._settings.keep("library/splitter", self.splitter.sizes())

    def _on_search_left(self) -> None:
        self.listing().table.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _on_menu_requested(self, at: QPoint) -> None:
        table = self.listing().table
        menu = self._board.pick(table, ITEM_MENU if self.front == "item" else SCENE_MENU)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(table.viewport().mapToGlobal(at))

    def _show_needs(self) -> None:
        count = self.listing().table.selected_count()
        self.inspector.show_selected(count)
        self._board.set_there("rows", count > 0)
        self._board.set_there("items", count > 0 and self.front == "item")
        self._board.set_there("scenes", count > 0 and self.front == "scene")
