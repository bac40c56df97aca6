"""Arrow keys on boxes: they move and size them, by one pixel or by ten."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QKeyEvent

from annotator.domain.region import Box
from widgets.stage.tools.draft_boxes import SMALLEST_IMG, held_move, moved

FINE_IMG, COARSE_IMG = 1, 10
"""Image pixels of a step, and of one with Ctrl."""
PAUSE_MS = 700
"""Arrow keys that follow each other more quickly make one change, which is undone as one."""
DIRECTIONS = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
}


@dataclass(frozen=True, kw_only=True)
class ArrowStep:
    """What an arrow key asks for.

    Attributes:
        dx: To the right, image pixels.
        dy: Down, image pixels.
        is_sizing: Whether the lower right corner alone is moved.
        is_coarse: Whether it is a large step.
    """

    dx: int
    dy: int
    is_sizing: bool
    is_coarse: bool


def arrow_step(event: QKeyEvent) -> ArrowStep | None:
    """Return what an arrow key asks for, with Shift a size, with Ctrl ten pixels; None for other keys."""
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
    """Return boxes after a step; they stay in the picture, and points keep their size.

    Args:
        boxes: Boxes by the ids of their regions, at least one.
        step: The step.
        size: Of the picture, image pixels.
    """
    if step.is_sizing:
        return {one: _sized(box, step, size=size) for one, box in boxes.items()}
    dx, dy = held_move(boxes.values(), step.dx, step.dy, size=(size.width(), size.height()))
    return {one: moved(box, dx, dy) for one, box in boxes.items()}


def _sized(box: Box, step: ArrowStep, *, size: QSize) -> Box:
    if box.x1 == box.x2 and box.y1 == box.y2:
        return box
    return Box(
        x1=box.x1,
        y1=box.y1,
        x2=max(box.x1 + SMALLEST_IMG, min(box.x2 + step.dx, float(size.width()))),
        y2=max(box.y1 + SMALLEST_IMG, min(box.y2 + step.dy, float(size.height()))),
    )
