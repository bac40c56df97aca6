"""The path tool: a way through a picture, click by click."""

from __future__ import annotations

from typing import TYPE_CHECKING

from annotator.commands.regions import AddPath
from widgets.stage.tools.line import LineTool

if TYPE_CHECKING:
    from widgets.stage.canvas import StageCanvas


class PathTool(LineTool):
    """Draws paths: each click is a point, a double click or Enter the end, Backspace takes a point back."""

    id = "path"

    def command(self, canvas: StageCanvas) -> AddPath | None:
        """Return the path through the points, None for fewer than two."""
        if len(self.points) < 2:
            return None
        return AddPath(medium=canvas.medium, points=tuple(self.points), frame=canvas.frame)
