"""The path tool: draws a polyline by clicks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from annotator.commands.regions import AddPath
from widgets.stage.tools.line import LineTool

if TYPE_CHECKING:
    from widgets.stage.canvas import StageCanvas


class PathTool(LineTool):
    """Draws paths: a click adds a point, a double click or Enter ends, Backspace removes the last point."""

    id = "path"

    def command(self, canvas: StageCanvas) -> AddPath | None:
        """Return the command that adds the path, or None for fewer than two points."""
        if len(self.points) < 2:
            return None
        return AddPath(medium=canvas.medium, points=tuple(self.points), frame=canvas.frame)
