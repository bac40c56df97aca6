"""The tools that can be taken in hand: where a scene is marked, and where it is only looked at."""

from __future__ import annotations

from widgets.stage.tools.box import BoxTool
from widgets.stage.tools.link import LinkTool
from widgets.stage.tools.look import LookTool
from widgets.stage.tools.measure import MeasureTool
from widgets.stage.tools.path import PathTool
from widgets.stage.tools.point import PointTool
from widgets.stage.tools.polygon import PolygonTool
from widgets.stage.tools.select import SelectTool
from widgets.stage.tools.tool import Tool

TOOLS: tuple[type[Tool], ...] = (
    SelectTool,
    BoxTool,
    PolygonTool,
    PointTool,
    LinkTool,
    PathTool,
    MeasureTool,
)
"""All of them, the usual one first."""
LOOKING_TOOLS: tuple[type[Tool], ...] = (LookTool, MeasureTool)
"""Those of a stage on which nothing is marked."""
