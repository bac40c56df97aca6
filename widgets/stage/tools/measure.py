"""The measure tool: length, angle, and length on the ground in metres. Measurements are not stored."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtGui import QPainter

from annotator.commands.regions import Point
from annotator.domain.scene import Scene
from annotator.media.ground_plane import IDENTITY, Homography, homography_of
from widgets.stage.tool import Pointer, ToolStage
from widgets.stage.tools.draft_boxes import SLIP_PX
from widgets.stage.tools.drawing import paint_beside
from widgets.stage.tools.line import LineTool, view_line
from widgets.translation import tr

if TYPE_CHECKING:
    from widgets.stage.canvas import StageCanvas


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """The values of a measured line.

    Attributes:
        length_px: Total length, image pixels.
        angle_deg: For two points, the angle to the horizontal, -180..180, positive upwards; for more, the
            angle between the last two segments, 0..180.
        ground_m: Total length on the ground, metres; None if the ground plane is unknown, or a point lies
            above the horizon.
    """

    length_px: float
    angle_deg: float
    ground_m: float | None


def measure(points: Sequence[Point], *, ground: Homography | None) -> Measurement:
    """Measure a line.

    Args:
        points: At least two points, x y, image pixels, without consecutive duplicates.
        ground: Homography from image pixels to metres, or None if unknown.
    """
    stretches = [(x2 - x1, y2 - y1) for (x1, y1), (x2, y2) in pairwise(points)]
    angles = [math.degrees(math.atan2(-dy, dx)) for dx, dy in stretches]
    angle = angles[-1]
    if len(angles) > 1:
        turn = abs(angles[-1] - angles[-2]) % 360
        angle = abs(180 - turn)
    return Measurement(
        length_px=sum(math.hypot(*stretch) for stretch in stretches),
        angle_deg=angle,
        ground_m=_ground_m(points, ground=ground) if ground is not None else None,
    )


def metric_ground(scene: Scene, medium: str) -> Homography | None:
    """Return the homography from a view's pixels to metres on the ground, or None if it is unknown."""
    grounds = {view.medium: view.to_ground for view in scene.views if view.to_ground}
    # Without poses, the plane is measured in pixels of one view, which has the identity as its transform.
    if medium not in grounds or IDENTITY in grounds.values():
        return None
    return homography_of(grounds[medium])


class MeasureTool(LineTool):
    """Measures a dragged line, or a clicked polyline that ends like a path; Esc removes it."""

    id = "measure"

    def __init__(self, stage: ToolStage) -> None:
        super().__init__(stage)
        self._press: Pointer | None = None

    def press(self, at: Pointer) -> None:
        """Start a line, or add a point."""
        super().press(at)
        self._press = at

    def release(self, at: Pointer) -> None:
        """End a dragged line; after a click, continue with the next point."""
        pressed, self._press = self._press, None
        if pressed is None or not self.points or not self.is_here(at.canvas):
            return
        if (at.view - pressed.view).manhattanLength() > SLIP_PX:
            self.add_last(at)
            self.finish()

    def add_last(self, at: Pointer) -> None:
        """Add the point at which the button was released."""
        x, y = at.held()
        self.add((float(round(x)), float(round(y))), at=at)

    def command(self, canvas: StageCanvas) -> None:
        """Return None: measurements are not stored."""

    def finish(self) -> None:
        """Keep the line displayed."""
        if len(self.points) < 2:
            self.give_up()
            return
        self.is_waiting, self.next = True, None
        if self.canvas is not None:
            self.canvas.update()

    def settled(self) -> None:
        """Do nothing: measurements do not depend on project changes."""

    def paint(self, painter: QPainter, canvas: StageCanvas) -> None:
        """Paint the line with the measured values beside its end."""
        super().paint(painter, canvas)
        after = [self.next] if self.next is not None and self.next not in self.points[-1:] else []
        points = [*self.points, *after]
        if len(points) < 2 or not self.is_here(canvas):
            return
        end = view_line(canvas, points[-1:]).first() / canvas.ratio()
        paint_beside(painter, canvas, self.measured_text(canvas, points), at=end.toPoint())

    def measured_text(self, canvas: StageCanvas, points: Sequence[Point]) -> str:
        """Return the display text of the measured values."""
        shown = self.stage.shown
        ground = metric_ground(shown.scene, canvas.medium) if shown is not None else None
        found = measure(points, ground=ground)
        angle = f"∠ {found.angle_deg:.1f}°" if len(points) > 2 else f"{found.angle_deg:.1f}°"
        metres = tr("{n} m on the ground", n=_metres(found.ground_m)) if found.ground_m is not None else ""
        return "   ".join(filter(None, (f"{found.length_px:,.1f} px", angle, metres)))


def _ground_m(points: Sequence[Point], *, ground: Homography) -> float | None:
    positions = ground.points(np.array(points, np.float64))
    length = float(np.linalg.norm(np.diff(positions, axis=0), axis=1).sum())
    return length if math.isfinite(length) else None


def _metres(length_m: float) -> str:
    return f"{length_m:,.2f}" if length_m < 10 else f"{length_m:,.1f}"
