"""The three panes of the Annotate workspace: scenes, stage, annotations; and which of them are shown."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from widgets.kept_splitter import REST_PX, KeptSplitter
from widgets.settings import Settings

ANNOTATIONS_PX = 260
NARROW_PX = 1300
"""Window width below which the annotations panel is hidden in favour of the stage."""


class AnnotatePanes(KeptSplitter):
    """Scenes, stage and annotations side by side; remembers widths and what is hidden."""

    def __init__(self, left: QWidget, middle: QWidget, right: QWidget, *, settings: Settings) -> None:
        super().__init__(
            (left, middle, right),
            stretched=1,
            usual=(left.width(), REST_PX, ANNOTATIONS_PX),
            settings=settings,
            name="annotate/splitter",
        )
        self.left, self.middle, self.right = left, middle, right
        self._is_narrow: bool | None = None
        left.setVisible(settings.switch("annotate/scenes", True))

    def show_left(self, is_shown: bool) -> None:
        """Show or hide the scenes."""
        self.left.setVisible(is_shown)
        self.kept.keep("annotate/scenes", is_shown)

    def show_right(self, is_shown: bool) -> None:
        """Show or hide the annotations."""
        self.right.setVisible(is_shown)
        # On a narrow window they are shown temporarily; the setting for a wide window does not change.
        if not self._is_narrow:
            self.kept.keep("annotate/annotations", is_shown)

    def fit(self, *, window_px: int) -> None:
        """Hide the annotations on a narrow window, and show them again on a wide one.

        Args:
            window_px: Width of the window.
        """
        is_narrow = window_px < NARROW_PX
        if is_narrow != self._is_narrow:
            self._is_narrow = is_narrow
            self.right.setVisible(not is_narrow and self.kept.switch("annotate/annotations", True))
