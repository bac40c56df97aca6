"""The tools of a stage for annotation, and of a read-only stage."""

from __future__ import annotations

from widgets.stage.tool import Tool
from widgets.stage.tools.box import BoxTool
from widgets.stage.tools.hidden_place import HiddenPlaceTool
from widgets.stage.tools.link import LinkTool
from widgets.stage.tools.measure import MeasureTool
from widgets.stage.tools.pan import PanTool
from widgets.stage.tools.path import PathTool
from widgets.stage.tools.point import PointTool
from widgets.stage.tools.polygon import PolygonTool
from widgets.stage.tools.segment import SegmentTool
from widgets.stage.tools.select import SelectTool

TOOLS: tuple[type[Tool], ...] = (
    SelectTool,
    BoxTool,
    PolygonTool,
    SegmentTool,
    PointTool,
    LinkTool,
    HiddenPlaceTool,
    PathTool,
    MeasureTool,
)
"""All annotation tools, the default one first."""
LOOKING_TOOLS: tuple[type[Tool], ...] = (PanTool, MeasureTool)
"""The tools of a read-only stage."""
