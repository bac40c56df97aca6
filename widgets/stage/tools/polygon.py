"""The polygon tool: draws a region by the corners of its outline."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QPainter, QPen

from annotator.commands.region_shapes import AddPolygon
from annotator.commands.regions import Point
from annotator.media.polygon import LEAST_CORNERS, crosses_itself, segment_crosses
from widgets import theme
from widgets.stage.tool import Pointer
from widgets.stage.tools.line import DOT_PX, LineTool, view_line
from widgets.translation import mark as _
from widgets.translation import tr

if TYPE_CHECKING:
    from widgets.stage.canvas import StageCanvas

GROUND_ALPHA = 46
CROSSES = _("The polygon must not cross itself")
TOO_FEW = _("A polygon needs at least three corners")
CLOSES = _("Click to close the polygon")


class PolygonTool(LineTool):
    """Draws polygon regions; a click on the first corner also closes the outline."""

    id = "polygon"

    def add(self, point: Point, *, at: Pointer) -> None:
        """Add a corner, or close the outline at the first one; reject an intersecting edge."""
        if self._closes(at):
            self.finish()
        elif self._crosses(point):
            self.say(tr(CROSSES), at=at)
        else:
            super().add(point, at=at)

    def show_hint(self, at: Pointer) -> None:
        """Show a message if a click at the pointer would close the outline or be rejected."""
        text = CLOSES if self._closes(at) else CROSSES if self._crosses(self.next) else ""
        self.say(tr(text) if text else "", at=at)

    def command(self, canvas: StageCanvas) -> AddPolygon | None:
        """Return the command that adds the region; show a message if the corners are invalid."""
        self.notice = ""
        if len(set(self.points)) < LEAST_CORNERS:
            self.notice = tr(TOO_FEW)
        elif crosses_itself(self.points):
            self.notice = tr(CROSSES)
        if self.notice:
            return None
        made = AddPolygon(medium=canvas.medium, corners=tuple(self.points), frame=canvas.frame)
        self.stage.select([made.id])
        return made

    def paint_line(self, painter: QPainter, canvas: StageCanvas, points: list[Point]) -> None:
        """Paint the outline and its fill; an invalid edge is painted in another colour."""
        tokens = theme.load("dark")
        ground = tokens.color("accent")
        ground.setAlpha(GROUND_ALPHA)
        painter.setBrush(ground)
        painter.setPen(QPen(tokens.color("accent"), canvas.ratio()))
        painter.drawPolygon(view_line(canvas, points))
        super().paint_line(painter, canvas, points)
        if self.notice == tr(CROSSES):
            painter.setPen(QPen(tokens.color("bad"), 2 * canvas.ratio()))
            painter.drawPolyline(view_line(canvas, points[-2:]))

    def _closes(self, at: Pointer) -> bool:
        """Return whether the pointer is at the first corner, with enough corners to close the outline."""
        if len(self.points) < LEAST_CORNERS:
            return False
        canvas = at.canvas
        x, y = canvas.view_point(*self.points[0])
        reach = 2 * DOT_PX * canvas.ratio()
        return max(abs(at.view.x() * canvas.ratio() - x), abs(at.view.y() * canvas.ratio() - y)) <= reach

    def _crosses(self, point: Point | None) -> bool:
        """Return whether an edge from the last corner to a point would intersect the line."""
        if point is None or len(self.points) < 2 or point == self.points[-1]:
            return False
        *before, last = self.points
        return crosses_itself([before[-1], last, point], is_closed=False) or (
            len(before) > 1 and segment_crosses(last, point, corners=before)
        )
