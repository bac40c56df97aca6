"""The three panes of a workspace with a stage: a list, the stage, a panel; and which of them are shown."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from widgets.kept_splitter import REST_PX, KeptSplitter
from widgets.settings import Settings


class WorkspacePanes(KeptSplitter):
    """List, stage and panel side by side; remembers widths and what is hidden."""

    def __init__(
        self,
        left: QWidget,
        middle: QWidget,
        right: QWidget,
        *,
        settings: Settings,
        name: str,
        widths_px: tuple[int, int],
        narrow_px: int = 0,
        parent: QWidget | None = None,
    ) -> None:
        """Create the panes.

        Args:
            left: Panel with the list.
            middle: The stage.
            right: The other panel.
            settings: Stores widths, and what is hidden.
            name: Beginning of the names in the settings.
            widths_px: Default widths of the left and the right panel.
            narrow_px: Window width below which the right panel is hidden in favour of the stage.
            parent: As for ``KeptSplitter``.
        """
        super().__init__(
            (left, middle, right),
            stretched=1,
            usual=(widths_px[0], REST_PX, widths_px[1]),
            settings=settings,
            name=f"{name}/splitter",
            parent=parent,
        )
        self.left, self.middle, self.right = left, middle, right
        self._location, self._narrow_px = name, narrow_px
        self._is_narrow: bool | None = None
        left.setVisible(settings.switch(f"{name}/left", True))

    def show_left(self, is_shown: bool) -> None:
        """Show or hide the list."""
        self.left.setVisible(is_shown)
        self.kept.keep(f"{self._location}/left", is_shown)

    def show_right(self, is_shown: bool) -> None:
        """Show or hide the right panel."""
        self.right.setVisible(is_shown)
        # On a narrow window it is shown temporarily; the setting for a wide window does not change.
        if not self._is_narrow:
            self.kept.keep(f"{self._location}/right", is_shown)

    def fit(self, *, window_px: int) -> None:
        """Hide the right panel on a narrow window, and show it again on a wide one.

        Args:
            window_px: Width of the window.
        """
        is_narrow = window_px < self._narrow_px
        if is_narrow != self._is_narrow:
            self._is_narrow = is_narrow
            self.right.setVisible(not is_narrow and self.kept.switch(f"{self._location}/right", True))
