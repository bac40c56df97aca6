"""The measure tool: how long, at what angle, and how many metres on the ground. Nothing of it is kept."""

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
from widgets.stage.tools.draft_boxes import SLIP_PX
from widgets.stage.tools.drawing import paint_beside
from widgets.stage.tools.line import LineTool, view_line
from widgets.stage.tools.tool import Pointer, ToolStage
from widgets.translation import tr

if TYPE_CHECKING:
    from widgets.stage.canvas import StageCanvas


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """What a line measures.

    Attributes:
        length_px: Along all its stretches, image pixels.
        angle_deg: Of two points: against the picture's lower edge, -180..180, upwards positive. Of more: the
            angle between the last two stretches, 0..180.
        ground_m: Along all its stretches on the ground, metres; None where no ground is known, or a point of
            the line lies above its horizon.
    """

    length_px: float
    angle_deg: float
    ground_m: float | None


def measure(points: Sequence[Point], *, ground: Homography | None) -> Measurement:
    """Measure a line.

    Args:
        points: x, y in image pixels, two or more, none of them twice in a row.
        ground: From image pixels to metres, None where it is not known.
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
    """Return the way from a view's pixels to metres on the ground, None where the scene knows none."""
    grounds = {view.medium: view.to_ground for view in scene.views if view.to_ground}
    # Without poses the plane is the pixels of a view, whose own way to it changes nothing.
    if medium not in grounds or IDENTITY in grounds.values():
        return None
    return homography_of(grounds[medium])


class MeasureTool(LineTool):
    """Measures: pull a line, or click one of several stretches and end it like a path; Esc takes it away."""

    id = "measure"

    def __init__(self, stage: ToolStage) -> None:
        super().__init__(stage)
        self._press: Pointer | None = None

    def press(self, at: Pointer) -> None:
        """Begin, or add a point to the line."""
        super().press(at)
        self._press = at

    def release(self, at: Pointer) -> None:
        """End a line that was pulled; a mere click goes on with the next point."""
        pressed, self._press = self._press, None
        if pressed is None or not self.points or not self.is_here(at.canvas):
            return
        if (at.view - pressed.view).manhattanLength() > SLIP_PX:
            self.add_last(at)
            self.finish()

    def add_last(self, at: Pointer) -> None:
        """Take the point at which the button was let go."""
        x, y = at.held()
        self.add((float(round(x)), float(round(y))), at=at)

    def command(self, canvas: StageCanvas) -> None:
        """Return nothing: a measure is looked at, never kept."""

    def finish(self) -> None:
        """Leave the line as it is, to be read."""
        if len(self.points) < 2:
            self.give_up()
            return
        self.is_waiting, self.next = True, None
        if self.canvas is not None:
            self.canvas.update()

    def settled(self) -> None:
        """Go on: what the project does changes nothing in a measure."""

    def paint(self, painter: QPainter, canvas: StageCanvas) -> None:
        """Paint the line with what it measures beside its end."""
        super().paint(painter, canvas)
        after = [self.next] if self.next is not None and self.next not in self.points[-1:] else []
        points = [*self.points, *after]
        if len(points) < 2 or not self.is_here(canvas):
            return
        end = view_line(canvas, points[-1:]).first() / canvas.ratio()
        paint_beside(painter, canvas, self.words(canvas, points), at=end.toPoint())

    def words(self, canvas: StageCanvas, points: Sequence[Point]) -> str:
        """Return what a line measures, in words."""
        shown = self.stage.shown
        ground = metric_ground(shown.scene, canvas.medium) if shown is not None else None
        found = measure(points, ground=ground)
        angle = f"∠ {found.angle_deg:.1f}°" if len(points) > 2 else f"{found.angle_deg:.1f}°"
        metres = tr("{n} m on the ground", n=_metres(found.ground_m)) if found.ground_m is not None else ""
        return "   ".join(filter(None, (f"{found.length_px:,.1f} px", angle, metres)))


def _ground_m(points: Sequence[Point], *, ground: Homography) -> float | None:
    places = ground.points(np.array(points, np.float64))
    length = float(np.linalg.norm(np.diff(places, axis=0), axis=1).sum())
    return length if math.isfinite(length) else None


def _metres(length_m: float) -> str:
    return f"{length_m:,.2f}" if length_m < 10 else f"{length_m:,.1f}"
