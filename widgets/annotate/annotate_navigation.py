"""Keyboard navigation of the Annotate workspace: search box, panes and panels."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QWidget

from widgets.annotate.annotate_panes import AnnotatePanes
from widgets.focus import focus_next, holds_keyboard
from widgets.search_box import SearchBox


class AnnotateNavigation(QObject):
    """Executes the actions on the workspace that is shown, while that is Annotate."""

    def __init__(
        self,
        *,
        panes: AnnotatePanes,
        search: SearchBox,
        lists: tuple[QWidget, QWidget],
        focus_stage: Callable[[], object],
        parent: QObject,
    ) -> None:
        """Set up.

        Args:
            panes: Panel of the scenes, stage, panel of the annotations.
            search: Search box of the left panel.
            lists: List of the left and list of the right panel.
            focus_stage: Sets the keyboard focus to the stage.
            parent: Owner.
        """
        super().__init__(parent)
        self._panes, self._left, self._middle, self._right = panes, panes.left, panes.middle, panes.right
        self._search, self._lists, self._focus_stage = search, lists, focus_stage

    def take_keyboard(self) -> None:
        """Set the keyboard focus to the stage, or to the list of scenes if the stage is empty."""
        self._focus_stage()

    def focus_search(self) -> None:
        """Set the keyboard focus to the search box."""
        self._panes.show_left(True)
        self._search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._search.selectAll()

    def clear_search(self) -> bool:
        """Clear the search text; return whether there was one."""
        has_text = bool(self._search.text())
        if has_text:
            self._search.clear()
        return has_text

    def focus_next_pane(self) -> None:
        """Set the keyboard focus to the next pane: scenes, stage, annotations."""
        scenes, annotations = self._lists
        focus_next((self._left, scenes), (self._middle, self._middle), (self._right, annotations))
        if self._middle.hasFocus():
            self._focus_stage()

    def toggle_left_panel(self) -> None:
        """Show or hide the scenes."""
        self._toggle(self._left, self._panes.show_left)

    def toggle_right_panel(self) -> None:
        """Show or hide the annotations."""
        self._toggle(self._right, self._panes.show_right)

    def _toggle(self, panel: QWidget, show: Callable[[bool], object]) -> None:
        had_keyboard = holds_keyboard(panel)
        show(not panel.isVisible())
        if had_keyboard:
            self._focus_stage()
