"""Keyboard navigation of the Library: search box, panes and panels."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt

from widgets.library.filter_panel import FilterPanel
from widgets.library.pages import LibraryPages
from widgets.library.panes import LibraryPanes
from widgets.library.record_list import RecordList


class LibraryNavigation(QObject):
    """Executes the navigation actions while the Library is the current workspace."""

    def __init__(
        self,
        *,
        filters: FilterPanel,
        panes: LibraryPanes,
        pages: LibraryPages,
        listings: dict[str, RecordList],
    ) -> None:
        super().__init__(panes)
        self._filters, self._panes, self._pages, self._listings = filters, panes, pages, listings

    def take_keyboard(self) -> None:
        """Set the keyboard focus to the page, or to the list if no page is open."""
        (self._pages.shown or self._panes.lists.front()).setFocus(Qt.FocusReason.OtherFocusReason)

    def focus_search(self) -> None:
        """Set the keyboard focus to the search box."""
        self._show_filters()
        self._filters.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._filters.search.selectAll()

    def type_more(self, text: str) -> None:
        """Append letters that were typed in the list to the search text."""
        self._show_filters()
        self._filters.type_more(text)

    def clear_search(self) -> bool:
        """Clear the search text of the visible list; return whether there was one."""
        has_text = self._filters.isVisible() and bool(self._filters.search.text())
        if has_text:
            self._filters.search.clear()
        return has_text

    def focus_next_pane(self) -> None:
        """Set the keyboard focus to the next pane: filters, list or page, inspector."""
        listing = self._listings[self._filters.kind]
        self._panes.focus_next(self._pages.shown or self._panes.lists.front(), filters=listing.facets)

    def open_column_menu(self) -> None:
        """Open the menu of columns and sort orders of the visible list."""
        self._panes.lists.open_column_menu()

    def toggle_left_panel(self) -> None:
        """Show or hide the filters."""
        self._panes.toggle_filters()

    def toggle_right_panel(self) -> None:
        """Show or hide the inspector."""
        self._panes.toggle_inspector()

    def _show_filters(self) -> None:
        if not self._filters.isVisible():
            self._panes.toggle_filters()
