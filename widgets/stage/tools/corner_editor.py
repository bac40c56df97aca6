"""Edits the corners of a single selected polygon: move, add and remove."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QPainter

from annotator.commands.region_shapes import ReshapeRegion
from annotator.commands.regions import Point
from annotator.domain.region import Region
from annotator.domain.rotated_box import rectangle_of
from annotator.media.polygon import LEAST_CORNERS, segment_crosses
from widgets import theme
from widgets.stage.tool import Pointer, ToolStage
from widgets.stage.tools.draft_boxes import paint_outline
from widgets.stage.tools.drawing import paint_beside
from widgets.stage.tools.line import DOT_PX, paint_dots, view_line
from widgets.stage.tools.polygon import CROSSES, TOO_FEW
from widgets.translation import tr

if TYPE_CHECKING:
    from widgets.stage.canvas import StageCanvas

REACH_PX = 7.0
"""Hit distance of corners and edges, device-independent pixels."""


class CornerEditor:
    """Edits the corners of a polygon; the select tool forwards its events."""

    def __init__(self, stage: ToolStage) -> None:
        self._stage = stage
        self._region = ""
        self._corner_index = -1
        self._pointer = QPoint()
        self.draft: tuple[Point, ...] = ()
        self.is_held = False
        self.notice = ""

    def polygon(self, canvas: StageCanvas) -> Region | None:
        """Return the polygon of a view that is the only selected region and can be edited, or None."""
        if len(self._stage.selected) != 1:
            return None
        region = canvas.marks.region(self._stage.selected[0])
        if region is None or not region.polygon or region.is_locked:
            return None
        # A rotated box must keep its right angles; RotationEditor handles it.
        return region if rectangle_of(region.polygon) is None else None

    def chosen(self, canvas: StageCanvas) -> int:
        """Return the index of the corner that was clicked last, or -1."""
        region = self.polygon(canvas)
        return self._corner_index if region is not None and region.id == self._region else -1

    def corner_at(self, at: Pointer) -> int:
        """Return the index of the corner under the pointer, or -1."""
        region = self.polygon(at.canvas)
        if region is None:
            return -1
        # Chebyshev distance: the hit area of a corner is a square.
        away = np.abs(_view_points(at.canvas, self.corners(region)) - _device(at)).max(axis=1)
        nearest = int(np.argmin(away))
        return nearest if away[nearest] <= REACH_PX * at.canvas.ratio() else -1

    def edge_at(self, at: Pointer) -> int:
        """Return the index of the first corner of the edge under the pointer, or -1."""
        region = self.polygon(at.canvas)
        if region is None:
            return -1
        begins = _view_points(at.canvas, self.corners(region))
        along = np.roll(begins, -1, axis=0) - begins
        # Two equal corners form an edge of length 0, which must not divide by zero.
        lengths = np.maximum((along**2).sum(axis=1), 1e-12)
        shares = np.clip(((_device(at) - begins) * along).sum(axis=1) / lengths, 0.0, 1.0)
        away = np.hypot(*(begins + along * shares[:, None] - _device(at)).T)
        nearest = int(np.argmin(away))
        return nearest if away[nearest] <= REACH_PX * at.canvas.ratio() else -1

    def corners(self, region: Region) -> tuple[Point, ...]:
        """Return the current corners, including changes that are not stored yet."""
        return self.draft if self.draft and region.id == self._region else region.polygon

    def press(self, at: Pointer) -> bool:
        """Press the corner under the pointer; with Alt, insert one on the edge. False if there is neither."""
        region, index = self.polygon(at.canvas), self.corner_at(at)
        if region is None:
            self.drop()
            return False
        corners = self.corners(region)
        if index < 0 and at.modifiers & Qt.KeyboardModifier.AltModifier:
            index, corners = self._with_corner(region, at=at)
        self.drop()
        if index >= 0:
            self._region, self._corner_index, self.draft, self.is_held = region.id, index, corners, True
        return index >= 0

    def add(self, at: Pointer) -> ReshapeRegion | None:
        """Return the command that inserts a corner on the edge under the pointer, or None."""
        region = self.polygon(at.canvas)
        # A double click on a corner must not duplicate it.
        if region is None or self.corner_at(at) >= 0:
            return None
        index, corners = self._with_corner(region, at=at)
        if index < 0:
            return None
        self._region, self._corner_index, self.draft = region.id, index, corners
        return self.release(at.canvas)

    def pull(self, at: Pointer) -> None:
        """Move the corner to the pointer; warn if the outline intersects itself."""
        self._put(_rounded(at.held()))
        self._pointer = at.view
        self.notice = tr(CROSSES) if self._crosses() else ""

    def nudge(self, canvas: StageCanvas, dx: float, dy: float) -> None:
        """Move the selected corner, clamped to the image."""
        region = self.polygon(canvas)
        if region is None:
            return
        self.draft = self.corners(region)
        x, y = self.draft[self._corner_index]
        size = canvas.image_size
        self._put((min(max(x + dx, 0.0), size.width()), min(max(y + dy, 0.0), size.height())))

    def release(self, canvas: StageCanvas) -> ReshapeRegion | None:
        """Return the command of the change, or None if nothing changed or the outline is invalid."""
        self.is_held = False
        region = self.polygon(canvas)
        is_wrong = bool(self.draft) and self._crosses()
        if region is None or is_wrong or self.draft in {(), region.polygon}:
            self.draft = ()
            return None
        return ReshapeRegion(region=region.id, corners=self.draft)

    def remove(self, canvas: StageCanvas) -> ReshapeRegion | None:
        """Return the command that removes the selected corner; warn if too few would remain."""
        region, index = self.polygon(canvas), self.chosen(canvas)
        if region is None or index < 0:
            return None
        corners = self.corners(region)
        if len(corners) <= LEAST_CORNERS:
            x, y = canvas.view_point(*corners[index])
            self._pointer = QPoint(round(x / canvas.ratio()), round(y / canvas.ratio()))
            self.notice = tr(TOO_FEW)
            return None
        # The draft is painted until the command is executed, so that the corner does not reappear.
        self.draft, self._corner_index = (*corners[:index], *corners[index + 1 :]), -1
        return ReshapeRegion(region=region.id, corners=self.draft)

    def drop(self) -> bool:
        """Deselect the corner; return whether one was selected."""
        had = self._corner_index >= 0
        self._corner_index, self.is_held, self.notice = -1, False, ""
        self.draft = ()
        return had

    def settled(self) -> None:
        """Discard the draft: the change is stored, or was rejected."""
        # A new drag can have begun before the previous change was stored.
        if not self.is_held:
            self.draft = ()

    def hidden(self) -> frozenset[str]:
        """Return the id of the region whose outline is painted here instead of by the view."""
        return frozenset({self._region}) if self.draft else frozenset()

    def paint(self, painter: QPainter, canvas: StageCanvas) -> None:
        """Paint the corners, the selected one filled, and the outline while it changes."""
        region = self.polygon(canvas)
        if region is None:
            return
        corners = self.corners(region)
        if corners != region.polygon:
            paint_outline(painter, canvas, corners)
        paint_dots(painter, canvas, corners)
        chosen = self.chosen(canvas)
        if 0 <= chosen < len(corners):
            size = (DOT_PX + 1) * canvas.ratio()
            painter.setBrush(theme.load("dark").color("accent"))
            painter.drawEllipse(view_line(canvas, [corners[chosen]]).first(), size, size)
            painter.setBrush(Qt.BrushStyle.NoBrush)
        if self.notice:
            paint_beside(painter, canvas, self.notice, at=self._pointer)

    def _with_corner(self, region: Region, *, at: Pointer) -> tuple[int, tuple[Point, ...]]:
        """Return the index of a corner inserted on the edge under the pointer, or -1, and all corners."""
        corners, index = self.corners(region), self.edge_at(at) + 1
        if index < 1:
            return -1, corners
        return index, (*corners[:index], _rounded(at.held()), *corners[index:])

    def _put(self, point: Point) -> None:
        self.draft = (*self.draft[: self._corner_index], point, *self.draft[self._corner_index + 1 :])

    def _crosses(self) -> bool:
        """Return whether the two edges at the corner intersect the others; called at each mouse move."""
        if self._corner_index < 0:
            return False
        corner = self.draft[self._corner_index]
        rest = [*self.draft[self._corner_index + 1 :], *self.draft[: self._corner_index]]
        # Two neighbouring corners at the same point, or a triangle, which cannot intersect itself.
        if corner in {rest[0], rest[-1]} or len(rest) < LEAST_CORNERS:
            return corner in rest
        return segment_crosses(rest[-1], corner, corners=rest[:-1]) or segment_crosses(
            corner, rest[0], corners=rest[1:]
        )


def _view_points(
    canvas: StageCanvas, corners: tuple[Point, ...]
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    return canvas.transform.to_view(np.array(corners, np.float64))


def _device(at: Pointer) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    return np.array([at.view.x(), at.view.y()], np.float64) * at.canvas.ratio()


def _rounded(point: Point) -> Point:
    return float(round(point[0])), float(round(point[1]))
