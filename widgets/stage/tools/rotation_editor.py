"""Edits the single selected box: the rotation handle, and the resize handles of a rotated box."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from annotator.commands.region_shapes import ChangeRotatedBox
from annotator.commands.regions import moved_outline
from annotator.domain.region import Box, Region
from annotator.domain.rotated_box import RotatedBox, rectangle_of, upright
from widgets import theme
from widgets.stage.tool import Pointer, ToolStage
from widgets.stage.tools.draft_boxes import HANDLE_PX, HANDLES, SMALLEST_IMG, paint_outline
from widgets.stage.tools.drawing import paint_beside

if TYPE_CHECKING:
    from widgets.stage.canvas import StageCanvas

AROUND_PX, STEM_PX, REACH_PX = 4.0, 24.0, 8.0
"""Side to resize handle, resize to rotation handle, hit distance; device-independent pixels."""
STEP_DEG, COARSE_DEG = 1, 15
"""Angle steps in degrees, without and with Shift."""
TURN = "turn"
_ACROSS = {name: ("e" in name) - ("w" in name) for name in HANDLES}
_DOWN = {name: ("s" in name) - ("n" in name) for name in HANDLES}


@dataclass(frozen=True, kw_only=True)
class _Held:
    """The pressed handle.

    Attributes:
        region: Id of the region.
        handle: ``turn`` or a compass direction.
        before: The box when the handle was pressed.
    """

    region: str
    handle: str
    before: RotatedBox


class RotationEditor:
    """Rotates boxes, and resizes rotated ones; the select tool forwards its events.

    Args:
        stage: The stage.
        box_of: Returns the box of a region as the select tool paints it.
    """

    def __init__(self, stage: ToolStage, *, box_of: Callable[[Region], Box]) -> None:
        self._stage, self._box_of = stage, box_of
        self._held: _Held | None = None
        self._region = ""
        self._pointer = QPoint()
        self.draft: RotatedBox | None = None

    @property
    def is_held(self) -> bool:
        """Whether a handle is pressed."""
        return self._held is not None

    def shape_of(self, region: Region) -> RotatedBox | None:
        """Return the box of a region as painted; None for a point or any other polygon."""
        if self.draft is not None and region.id == self._region:
            return self.draft
        box = self._box_of(region)
        if region.polygon:
            return rectangle_of(moved_outline(region.polygon, before=region.box, after=box))
        return None if region.is_point else upright(box)

    def handle_at(self, at: Pointer) -> str:
        """Return the handle under the pointer, or ""."""
        found = self._selected(at.canvas)
        if found is None:
            return ""
        point = QPointF(at.view) * at.canvas.ratio()
        away = {
            name: math.hypot(position.x() - point.x(), position.y() - point.y())
            for name, position in _handle_positions(at.canvas, found[1]).items()
        }
        # Handles of a small box overlap: the nearest one is meant.
        nearest = min(away, key=lambda name: away[name])
        return nearest if away[nearest] <= REACH_PX * at.canvas.ratio() else ""

    def press(self, at: Pointer) -> bool:
        """Press the handle under the pointer; return whether there is one."""
        found, handle = self._selected(at.canvas), self.handle_at(at)
        self.drop()
        if found is None or not handle:
            return False
        region, shape = found
        self._held, self._region = _Held(region=region.id, handle=handle, before=shape), region.id
        return True

    def pull(self, at: Pointer) -> None:
        """Rotate the box towards the pointer, or move a side or corner to it."""
        if self._held is None:
            return
        self._pointer = at.view
        before = self._held.before
        if self._held.handle == TURN:
            step = COARSE_DEG if at.modifiers & Qt.KeyboardModifier.ShiftModifier else STEP_DEG
            self.draft = _turned(before, towards=(at.x, at.y), step_deg=step)
        else:
            self.draft = _resized(before, self._held.handle, to=at.held())

    def release(self, _canvas: StageCanvas) -> ChangeRotatedBox | None:
        """Return the command of the change, or None if nothing changed."""
        held, self._held = self._held, None
        if held is None or self.draft is None or self.draft == held.before:
            self.draft = None
            return None
        return ChangeRotatedBox(region=held.region, shape=self.draft)

    def drop(self) -> bool:
        """Discard the change; return whether there was one."""
        had = self._held is not None
        self._held, self.draft = None, None
        return had

    def settled(self) -> None:
        """Discard the draft: the change is stored, or was rejected."""
        # A new drag can have begun before the previous change was stored.
        if self._held is None:
            self.draft = None

    def hidden(self) -> frozenset[str]:
        """Return the id of the region whose outline is painted here instead of by the view."""
        return frozenset({self._region}) if self.draft is not None else frozenset()

    def paint(self, painter: QPainter, canvas: StageCanvas) -> None:
        """Paint the handles, and the outline and angle while they change."""
        found = self._selected(canvas)
        if found is None:
            return
        shape = found[1]
        if self.draft is not None:
            paint_outline(painter, canvas, shape.corners())
        _paint_handles(painter, _handle_positions(canvas, shape), ratio=canvas.ratio())
        if self._held is not None and self._held.handle == TURN and self.draft is not None:
            paint_beside(painter, canvas, f"{shape.angle_deg:g}°", at=self._pointer)

    def _selected(self, canvas: StageCanvas) -> tuple[Region, RotatedBox] | None:
        """Return the only selected region of a view with its box, or None if it cannot be rotated."""
        if len(self._stage.selected) != 1:
            return None
        region = canvas.marks.region(self._stage.selected[0])
        if region is None or region.is_locked or region.id in canvas.hidden_by_user:
            return None
        shape = self.shape_of(region)
        return None if shape is None else (region, shape)


def _turned(box: RotatedBox, *, towards: tuple[float, float], step_deg: int) -> RotatedBox:
    """Return a box whose upper side faces a point."""
    # atan2 is measured from the x axis, the angle of a box from the direction of its upper side.
    angle = math.degrees(math.atan2(towards[1] - box.y, towards[0] - box.x)) + 90
    return _with(box, angle_deg=round(angle / step_deg) * step_deg % 360)


def _resized(box: RotatedBox, handle: str, *, to: tuple[float, float]) -> RotatedBox:
    """Return a box after dragging a side or corner to a point; the opposite one is fixed."""
    # In the axes of the box, where dragging a side changes one dimension only.
    x, y = box.to_offset(to)
    left, right = _stretch(box.width, x, direction=_ACROSS[handle])
    top, bottom = _stretch(box.height, y, direction=_DOWN[handle])
    middle_x, middle_y = box.to_image(((left + right) / 2, (top + bottom) / 2))
    return _with(box, x=middle_x, y=middle_y, width=right - left, height=bottom - top)


def _stretch(size: float, to: float, *, direction: int) -> tuple[float, float]:
    """Return start and end of a range centred on 0 after moving one end."""
    begin, end = -size / 2, size / 2
    if direction < 0:
        begin = min(to, end - SMALLEST_IMG)
    elif direction > 0:
        end = max(to, begin + SMALLEST_IMG)
    return begin, end


def _with(box: RotatedBox, **fields: float) -> RotatedBox:
    known = {name: getattr(box, name) for name in box.__struct_fields__}
    return RotatedBox(**{**known, **fields})


def _handle_positions(canvas: StageCanvas, box: RotatedBox) -> dict[str, QPointF]:
    """Return the handle positions, device pixels: rotation, and for a rotated box also resizing."""
    ratio, zoom = canvas.ratio(), canvas.transform.zoom
    x, y = canvas.view_point(box.x, box.y)
    middle = RotatedBox(x=x, y=y, width=1, height=1, angle_deg=box.angle_deg)
    across = box.width * zoom / 2 + AROUND_PX * ratio
    along = box.height * zoom / 2 + AROUND_PX * ratio
    turning = middle.to_image((0, -along - STEM_PX * ratio))
    if not QRectF(0, 0, canvas.transform.width, canvas.transform.height).contains(QPointF(*turning)):
        # There is no space above the box in the view: the handle goes below.
        turning = middle.to_image((0, along + STEM_PX * ratio))
    positions = {TURN: QPointF(*turning)}
    # An upright box is resized by the handles of the select tool.
    if not box.is_upright:
        positions |= {
            name: QPointF(*middle.to_image((_ACROSS[name] * across, _DOWN[name] * along))) for name in HANDLES
        }
    return positions


def _paint_handles(painter: QPainter, positions: dict[str, QPointF], *, ratio: float) -> None:
    side = HANDLE_PX * ratio
    painter.setPen(QPen(theme.load("dark").color("bg"), ratio))
    painter.setBrush(Qt.GlobalColor.white)
    for name, position in positions.items():
        if name == TURN:
            painter.drawEllipse(position, side / 2 + ratio, side / 2 + ratio)
        else:
            painter.drawRect(QRectF(position.x() - side / 2, position.y() - side / 2, side, side))
    painter.setBrush(Qt.BrushStyle.NoBrush)
