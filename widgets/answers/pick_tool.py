"""The tool with which regions are picked on the stage as an answer."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar, Protocol

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QPainter

from annotator.domain.region import Region
from widgets.stage.highlights import paint_selected
from widgets.stage.tool import Pointer, ToolStage
from widgets.stage.tools.link_keys import is_digit
from widgets.stage.tools.pan import PanTool
from widgets.translation import tr

if TYPE_CHECKING:
    from widgets.stage.canvas import StageCanvas


class RegionPicker(Protocol):
    """The answer that regions are picked for."""

    def pick_region(self, canvas: StageCanvas, region: Region, *, is_adding: bool) -> None:
        """Handle a click on a region, with or without Ctrl or Shift."""

    def picked_in(self, canvas: StageCanvas) -> Iterable[Region]:
        """Return the regions of a view that belong to the answer."""

    def type_on_stage(self, text: str) -> None:
        """Handle a digit that was typed on the stage."""

    def drop_pick(self) -> bool:
        """Discard an incomplete pick; return whether there was one."""

    @property
    def pick_hint(self) -> str:
        """What the next click does."""


class PickTool(PanTool):
    """Pans like the tool of a read-only stage; picks regions with a click, and for some answers digits."""

    id: ClassVar[str] = "answer"
    cursor = Qt.CursorShape.PointingHandCursor

    def __init__(self, stage: ToolStage, picker: RegionPicker, *, takes_digits: bool) -> None:
        """Create a tool.

        Args:
            stage: The stage.
            picker: The answer.
            takes_digits: Whether digits that are typed on the stage are numbers of regions; editors use
                them for something else.
        """
        super().__init__(stage)
        self._picker, self._takes_digits = picker, takes_digits

    def choose(self, at: Pointer) -> None:
        """Pick the region under the pointer, if regions are displayed."""
        region = at.canvas.region_at(at.x, at.y) if at.canvas.has_regions() else None
        if region is not None:
            self._picker.pick_region(at.canvas, region, is_adding=at.is_adding)

    def double(self, at: Pointer) -> bool:
        """Handle a fast second click like any other, instead of enlarging the view."""
        if at.canvas.hovered is None:
            return False
        self.press(at)
        return True

    def key(self, canvas: StageCanvas, event: QKeyEvent) -> bool:
        """Pass digits to the field of the answer."""
        if self.wants(event):
            self._picker.type_on_stage(event.text())
            return True
        return super().key(canvas, event)

    def wants(self, event: QKeyEvent) -> bool:
        """Accept digits, even if they are shortcuts, where they are numbers of regions."""
        return self._takes_digits and is_digit(event)

    def give_up(self) -> bool:
        """Cancel the pan, or discard an incomplete pick."""
        return super().give_up() or self._picker.drop_pick()

    @property
    def hint(self) -> str:
        """What the next click does."""
        if not any(canvas.has_regions() for canvas in self.stage.canvases):
            return tr("Display the regions to pick one")
        return self._picker.pick_hint

    def paint(self, painter: QPainter, canvas: StageCanvas) -> None:
        """Mark the picked regions."""
        picked = {one.id for one in self._picker.picked_in(canvas)} - canvas.hidden_by_user
        if picked and canvas.has_regions():
            paint_selected(painter, canvas.marks, picked, transform=canvas.transform, ratio=canvas.ratio())
