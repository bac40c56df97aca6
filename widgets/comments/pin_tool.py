"""The tool that points at the place of a comment: a click, or Enter for the centre of the view."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QKeyEvent

from annotator.domain.comment import CommentPin
from widgets.focus import ENTER
from widgets.stage.tool import Pointer, Tool, ToolStage
from widgets.translation import tr

if TYPE_CHECKING:
    from widgets.stage.canvas import StageCanvas

DIGITS = 1
"""Decimal places, as of points that are drawn."""


class PinTool(Tool):
    """Takes one place, then ends."""

    id: ClassVar[str] = "comment_pin"
    cursor = Qt.CursorShape.CrossCursor

    def __init__(
        self, stage: ToolStage, *, placed: Callable[[CommentPin], object], ended: Callable[[], object]
    ) -> None:
        """Create the tool.

        Args:
            stage: The stage.
            placed: Gets the place.
            ended: Called when the tool is finished or cancelled; another tool is to be chosen.
        """
        super().__init__(stage)
        self._placed, self._ended = placed, ended
        self._is_active = True

    def release(self, at: Pointer) -> None:
        """Take the place under the pointer."""
        if at.is_inside:
            self._place(at.canvas, *at.held())

    def double(self, at: Pointer) -> bool:
        """Accept a double click: it sets one pin and must not enlarge the view."""
        return True

    def key(self, canvas: StageCanvas, event: QKeyEvent) -> bool:
        """Take the centre of the visible part of the image with Enter."""
        if not self.wants(event):
            return False
        rect = canvas.picture_rect().intersected(canvas.rect())
        x, y = canvas.image_point(QPoint(rect.center()))
        size = canvas.image_size
        self._place(canvas, min(max(x, 0.0), size.width()), min(max(y, 0.0), size.height()))
        return True

    def wants(self, event: QKeyEvent) -> bool:
        """Accept Enter, even if it is a shortcut."""
        return event.key() in ENTER and not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier

    def give_up(self) -> bool:
        """End without a place."""
        was_active, self._is_active = self._is_active, False
        if was_active:
            self._ended()
        return was_active

    @property
    def hint(self) -> str:
        """What the next click does."""
        return tr("Click the place of the comment, or press Enter for the centre of the view · Esc cancels")

    def _place(self, canvas: StageCanvas, x: float, y: float) -> None:
        pin = CommentPin(medium=canvas.medium, x=round(x, DIGITS), y=round(y, DIGITS), frame=canvas.frame)
        self.give_up()
        self._placed(pin)
