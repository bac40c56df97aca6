"""The three panes of the Library: filters, list or page, inspector; and how they share the width."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSplitter, QWidget

from widgets.focus import focus_next, holds_keyboard
from widgets.library.filter_panel import WIDTH_PX as FILTERS_PX
from widgets.library.filter_panel import FilterPanel
from widgets.library.inspector import Inspector
from widgets.library.list_pane import ListPane
from widgets.settings import Settings

PANES = 3
INSPECTOR_PX = (360, 480)
"""Least and most of the inspector's usual width, a quarter of the window."""
NARROW_PX = 1300
"""Below this width the inspector gives its place to the list; LOOK asks for it at 1280."""


class LibraryPanes(QSplitter):
    """Filters, middle and inspector side by side; remembers widths and what is hidden."""

    def __init__(
        self, *, filters: FilterPanel, lists: ListPane, inspector: Inspector, settings: Settings
    ) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self.lists = lists
        self.lists = lists
        self._filters, self._inspector, self._settings = filters, inspector, settings
        self._is_narrow: bool | None = None
        self._is_page = False
        lists.setMinimumWidth(320)
        filters.setMinimumWidth(200)
        inspector.setMinimumWidth(320)
        for part in (filters, lists, inspector):
            self.addWidget(part)
        self.setChildrenCollapsible(False)
        self.setHandleWidth(1)
        for at, stretch in enumerate((0, 1, 0)):
            self.setStretchFactor(at, stretch)
        kept = settings.sizes("library/splitter")
        if len(kept) == PANES:
            self.setSizes(kept)
        self.splitterMoved.connect(self._on_moved)
        filters.setVisible(settings.switch("library/filters", True))

    def toggle_filters(self) -> None:
        """Show the filters, or hide them."""
        self._filters.setVisible(not self._filters.isVisible())
        self._settings.keep("library/filters", self._filters.isVisible())

    def toggle_inspector(self) -> None:
        """Show the inspector, or hide it."""
        self._inspector.setVisible(not self._inspector.isVisible())
        # On a narrow window it is shown temporarily; the setting for a wide window does not change.
        if not self._is_narrow:
            self._settings.keep("library/inspector", self._inspector.isVisible())

    def focus_next(self, middle: QWidget, *, filters: QWidget) -> None:
        """Set the keyboard focus to the next pane: filters, list, inspector.

        Args:
            middle: What takes the keyboard in the middle.
            filters: What takes it at the left.
        """
        focus_next(
            (self._filters, filters), (self.lists, middle), (self._inspector, self._inspector.tab_in_front())
        )

    def arrange(self, *, has_filters: bool, has_inspector: bool) -> None:
        """Show what belongs to a page in the middle, and nothing else."""
        self._is_page = True
        if not has_filters:
            self._filters.hide()
        self._inspector.setVisible(has_inspector)

    def arrange_for_list(self) -> None:
        """Show the panels that the user enabled beside a list."""
        self._is_page = False
        self._filters.setVisible(self._settings.switch("library/filters", True))
        self._show_inspector()

    def fit(self, *, window_px: int) -> None:
        """Share the width out anew after the window changed its own.

        Args:
            window_px: Width of the window.
        """
        self._share_out()
        is_narrow = window_px < NARROW_PX
        if is_narrow != self._is_narrow:
            self._is_narrow = is_narrow
            if not self._is_page:
                self._show_inspector()

    def _switch(self, panel: QWidget) -> None:
        # A widget that is hidden gives the keyboard to whatever comes next in the order of Tab.
        had_keyboard = holds_keyboard(panel)
        panel.setVisible(not panel.isVisible())
        if had_keyboard:
            self.lists.front().setFocus(Qt.FocusReason.OtherFocusReason)

    def _show_inspector(self) -> None:
        """Show the inspector where there is room and the user enabled it."""
        self._inspector.setVisible(not self._is_narrow and self._settings.switch("library/inspector", True))

    def _share_out(self) -> None:
        """Give the panels their usual share of the width, as long as the user has not moved them."""
        if len(self._settings.sizes("library/splitter")) != PANES:
            inspector = max(INSPECTOR_PX[0], min(INSPECTOR_PX[1], self.width() // 4))
            self.setSizes([FILTERS_PX, self.width() - FILTERS_PX - inspector, inspector])

    def _on_moved(self, _place: int, _handle: int) -> None:
        # A panel that is hidden has no width to remember.
        if all(self.sizes()):
            self._settings.keep("library/splitter", self.sizes())
