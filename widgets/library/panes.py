"""The three panes of the Library: filters, list or page, and inspector, with their share of the width."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from widgets.focus import focus_next, holds_keyboard
from widgets.kept_splitter import REST_PX, KeptSplitter
from widgets.library.filter_panel import WIDTH_PX as FILTERS_PX
from widgets.library.filter_panel import FilterPanel
from widgets.library.inspector import Inspector
from widgets.library.list_pane import ListPane
from widgets.settings import Settings

NAME, PANES = "library/splitter", 3
INSPECTOR_PX = (360, 480)
"""Minimum and maximum of the inspector's default width, px; the default is a quarter of the window."""
NARROW_PX = 1300
"""Below this window width, px, the inspector is hidden to leave space for the list."""


class LibraryPanes(KeptSplitter):
    """Filters, centre and inspector side by side; stores widths and visibility."""

    def __init__(
        self,
        *,
        filters: FilterPanel,
        lists: ListPane,
        inspector: Inspector,
        settings: Settings,
        parent: QWidget,
    ) -> None:
        lists.setMinimumWidth(320)
        filters.setMinimumWidth(200)
        inspector.setMinimumWidth(320)
        super().__init__(
            (filters, lists, inspector),
            stretched=1,
            usual=(FILTERS_PX, REST_PX, INSPECTOR_PX[0]),
            settings=settings,
            name=NAME,
            parent=parent,
        )
        self.lists = lists
        self._filters, self._inspector = filters, inspector
        self._is_narrow: bool | None = None
        self._is_page = False
        filters.setVisible(settings.switch("library/filters", True))

    def toggle_filters(self) -> None:
        """Show or hide the filters."""
        self._switch(self._filters)
        self.kept.keep("library/filters", self._filters.isVisible())

    def toggle_inspector(self) -> None:
        """Show or hide the inspector."""
        self._switch(self._inspector)
        # In a narrow window it is shown temporarily; the setting for a wide window does not change.
        if not self._is_narrow:
            self.kept.keep("library/inspector", self._inspector.isVisible())

    def focus_next(self, middle: QWidget, *, filters: QWidget) -> None:
        """Set the keyboard focus to the next pane: filters, list, inspector.

        Args:
            middle: Widget that takes the focus in the centre.
            filters: Widget that takes the focus on the left.
        """
        focus_next(
            (self._filters, filters), (self.lists, middle), (self._inspector, self._inspector.tab_in_front())
        )

    def arrange(self, *, has_filters: bool, has_inspector: bool) -> None:
        """Show only the panels of a page."""
        self._is_page = True
        if not has_filters:
            self._filters.hide()
        self._inspector.setVisible(has_inspector)

    def arrange_for_list(self) -> None:
        """Show the panels that the user enabled beside a list."""
        self._is_page = False
        self._filters.setVisible(self.kept.switch("library/filters", True))
        self._show_inspector()

    def fit(self, *, window_px: int) -> None:
        """Adapt the widths to a resized window.

        Args:
            window_px: Width of the window.
        """
        self._share_out()
        is_narrow = window_px < NARROW_PX
        if is_narrow != self._is_narrow:
            self._is_narrow = is_narrow
            # A page defines its own panels.
            if not self._is_page:
                self._show_inspector()

    def _switch(self, panel: QWidget) -> None:
        # Hiding a widget would move the focus to the next one in tab order.
        had_keyboard = holds_keyboard(panel)
        panel.setVisible(not panel.isVisible())
        if had_keyboard:
            self.lists.front().setFocus(Qt.FocusReason.OtherFocusReason)

    def _show_inspector(self) -> None:
        """Show the inspector if there is enough space and the user has enabled it."""
        self._inspector.setVisible(not self._is_narrow and self.kept.switch("library/inspector", True))

    def _share_out(self) -> None:
        """Set the default widths, unless the user has moved a border."""
        if len(self.kept.sizes(NAME)) != PANES:
            inspector = max(INSPECTOR_PX[0], min(INSPECTOR_PX[1], self.width() // 4))
            self.setSizes([FILTERS_PX, self.width() - FILTERS_PX - inspector, inspector])
