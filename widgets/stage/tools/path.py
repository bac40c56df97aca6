"""The path tool: draws a polyline by clicks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from annotator.commands.paths import AddPath
from widgets.stage.tool import Pointer
from widgets.stage.tools.line import LineTool
from widgets.translation import mark as _
from widgets.translation import tr

if TYPE_CHECKING:
    from widgets.stage.canvas import StageCanvas

TOO_FEW = _("A path needs at least two points")


class PathTool(LineTool):
    """Draws paths: a click adds a point, a double click or Enter ends, Backspace removes the last point."""

    id = "path"

    def show_hint(self, at: Pointer) -> None:
        """Remove the message: the next point is being aimed at."""
        self.say("", at=at)

    def command(self, canvas: StageCanvas) -> AddPath | None:
        """Return the command that adds the path; show a message if it has a single point."""
        self.notice = "" if len(self.points) > 1 else tr(TOO_FEW)
        if self.notice:
            return None
        return AddPath(medium=canvas.medium, points=tuple(self.points), frame=canvas.frame)
