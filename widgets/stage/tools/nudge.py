"""Arrow keys of the select tool: they move and resize boxes, or pan the view."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QKeyEvent

from annotator.domain.region import Box
from widgets.stage.tools.draft_boxes import SMALLEST_IMG, held_move, moved

if TYPE_CHECKING:
    from widgets.stage.canvas import StageCanvas

FINE_IMG, COARSE_IMG = 1, 10
"""Step in image pixels, without and with Ctrl."""
PAUSE_MS = 700
"""Arrow keys at shorter intervals are combined to one change, with one undo step."""
PAN_SHARE = 0.1
"""Fraction of the view that an arrow key pans without a selection."""
DIRECTIONS = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
}


@dataclass(frozen=True, kw_only=True)
class ArrowStep:
    """The step of an arrow key.

    Attributes:
        dx: To the right, image pixels.
        dy: Down, image pixels.
        is_sizing: Whether only the lower right corner moves.
        is_coarse: Whether it is a large step.
    """

    dx: int
    dy: int
    is_sizing: bool
    is_coarse: bool


def arrow_step(event: QKeyEvent) -> ArrowStep | None:
    """Return the step of an arrow key: Shift resizes, Ctrl steps ten pixels; None for other keys."""
    direction, held = DIRECTIONS.get(Qt.Key(event.key())), event.modifiers()
    if direction is None or held & Qt.KeyboardModifier.AltModifier:
        return None
    is_coarse = bool(held & Qt.KeyboardModifier.ControlModifier)
    step = COARSE_IMG if is_coarse else FINE_IMG
    return ArrowStep(
        dx=direction[0] * step,
        dy=direction[1] * step,
        is_sizing=bool(held & Qt.KeyboardModifier.ShiftModifier),
        is_coarse=is_coarse,
    )


def stepped(boxes: Mapping[str, Box], step: ArrowStep, *, size: QSize) -> dict[str, Box]:
    """Return boxes after a step, clamped to the image; points keep their size.

    Args:
        boxes: At least one box, by region id.
        step: The step.
        size: Size of the image, image pixels.
    """
    if step.is_sizing:
        return {one: _sized(box, step, size=size) for one, box in boxes.items()}
    dx, dy = held_move(boxes.values(), step.dx, step.dy, size=(size.width(), size.height()))
    return {one: moved(box, dx, dy) for one, box in boxes.items()}


def pan_view(canvas: StageCanvas, step: ArrowStep) -> bool:
    """Pan a view with an arrow key; return False for left and right in videos, which step frames."""
    if canvas.frame is not None and step.dx:
        return False
    transform = canvas.transform
    canvas.change_transform(
        transform.panned(-step.dx * transform.width * PAN_SHARE, -step.dy * transform.height * PAN_SHARE)
    )
    return True


def _sized(box: Box, step: ArrowStep, *, size: QSize) -> Box:
    # Points have no size.
    if box.x1 == box.x2 and box.y1 == box.y2:
        return box
    return Box(
        x1=box.x1,
        y1=box.y1,
        x2=max(box.x1 + SMALLEST_IMG, min(box.x2 + step.dx, float(size.width()))),
        y2=max(box.y1 + SMALLEST_IMG, min(box.y2 + step.dy, float(size.height()))),
    )
