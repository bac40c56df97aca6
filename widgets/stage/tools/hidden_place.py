"""The tool for hidden places: where an object that one view shows is hidden in another view."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtGui import QPainter

from annotator.commands.hidden_places import MarkHiddenPlace
from annotator.domain.region import Box, Region
from widgets.stage.reprojected_regions import outline_of
from widgets.stage.tool import Pointer, ToolStage, key_slot
from widgets.stage.tools.box import BoxTool, placed_box
from widgets.stage.tools.link_guides import paint_epipolar_line, pair_geometry
from widgets.translation import tr

if TYPE_CHECKING:
    from widgets.stage.canvas import StageCanvas

SMALLEST_PLACE_PX = 2.0
"""A reprojected place that is smaller inside the image is at its edge, and is not proposed."""


class HiddenPlaceTool(BoxTool):
    """Marks the hidden place of the selected region: draw it in another view, or accept the proposed one.

    Attributes:
        shown: The region that shows the object, or None.
    """

    id = "hidden_place"

    def __init__(self, stage: ToolStage) -> None:
        super().__init__(stage)
        self.shown: Region | None = None
        self._home: StageCanvas | None = None
        self._is_reprojected = self._is_sent = False

    def taken(self) -> None:
        """Use the selected region, and propose its place in another view."""
        front = self.stage.front
        for canvas in sorted(self.stage.canvases, key=lambda one: one is not front):
            chosen = (canvas.marks.region(one) for one in self.stage.selected)
            region = next((one for one in chosen if one is not None), None)
            if region is not None:
                self._use(region, canvas)
                return

    def press(self, at: Pointer) -> None:
        """Choose the region that shows the object, or begin to draw its place in another view."""
        if self.shown is None or at.canvas is self._home:
            region = at.canvas.region_at(at.x, at.y)
            if region is not None:
                self.stage.select([region.id])
                self._use(region, at.canvas)
            return
        super().press(at)
        if reason := self._reason_against(at.canvas):
            # Nothing is drawn that the command would refuse.
            self.refuse(reason, at=at)

    def refuse(self, text: str, *, at: Pointer) -> None:
        """Discard the place but not the region, and show beside the pointer why it is refused."""
        super().give_up()
        self.begin(at.canvas)
        self.say(text, at=at)
        at.canvas.update()

    def step(self, step: int) -> bool:
        """Propose the place in the next view (1) or the previous one (-1)."""
        targets = self._targets()
        if self.shown is None or not targets:
            return False
        at = targets.index(self.canvas) if self.canvas in targets else -1
        self._propose(targets[(at + step) % len(targets)])
        return True

    def command(self, canvas: StageCanvas, box: Box) -> MarkHiddenPlace:
        """Return the command that marks the place."""
        self._is_sent = True
        region = self.shown.id if self.shown is not None else ""
        return MarkHiddenPlace(
            scene=self.stage.scene, region=region, medium=canvas.medium, box=box, frame=canvas.frame
        )

    @property
    def hint(self) -> str:
        """The available keys in the current state."""
        cancel = key_slot("stage.give_up")
        if self.shown is None or self._home is None:
            return tr("Click the object in the view that shows it · {cancel}: cancel", cancel=cancel)
        view, n = self._home.shown.view, self.shown.number
        if not self.is_placing or self.canvas is None:
            return tr("Draw the hidden place of {view} {n} in another view", view=view, n=n)
        names = {"view": view, "n": n, "other": self.canvas.shown.view, "cancel": cancel}
        names |= {"next": key_slot("stage.next")}
        if self._is_reprojected:
            return tr(
                "{view} {n} is hidden in {other} · Enter: accept place · drag or arrows: another place · "
                "{next}: next view · {cancel}: cancel",
                **names,
            )
        return tr(
            "{view} {n} is hidden in {other} · drag the place, or arrows and Enter · {next}: next view · "
            "{cancel}: cancel",
            **names,
        )

    def give_up(self) -> bool:
        """Discard the place and the region."""
        had = self.shown is not None
        self.shown = self._home = None
        self._is_sent = False
        return super().give_up() or had

    def settled(self) -> None:
        """Return to the tool for selecting: the place is displayed, or could not be marked."""
        if self._is_sent:
            self.give_up()
            self.stage.choose_tool("select")
        else:
            super().settled()

    def paint(self, painter: QPainter, canvas: StageCanvas) -> None:
        """Paint the place, the line on which it must be, or why a view cannot have one."""
        if self.shown is not None and canvas is not self._home and not self._reason_against(canvas):
            pair = pair_geometry(self.stage.shown, self.shown, canvas)
            paint_epipolar_line(painter, canvas, pair=pair, first=self.shown)
        super().paint(painter, canvas)

    def _use(self, region: Region, canvas: StageCanvas) -> None:
        super().give_up()
        self.shown, self._home = region, canvas
        targets = self._targets()
        aligned = (one for one in targets if self._reprojected(one) is not None)
        target = next(aligned, targets[0] if targets else None)
        if target is not None:
            self._propose(target)
        self.stage.show_hint()

    def _propose(self, canvas: StageCanvas) -> None:
        box = self._reprojected(canvas)
        self._is_reprojected = box is not None
        self.stage.viewports.bring(canvas)
        self.stage.focus_view()
        self.place_draft(canvas, box or self._placed(canvas))

    def _placed(self, canvas: StageCanvas) -> Box:
        box = self.shown.box if self.shown is not None and not self.shown.is_point else None
        return placed_box(canvas, size=(box.x2 - box.x1, box.y2 - box.y1) if box is not None else None)

    def _targets(self) -> list[StageCanvas]:
        """Return the other views without a region of the object, in order after its own view."""
        canvases = list(self.stage.canvases)
        at = canvases.index(self._home) if self._home in canvases else 0
        others = [*canvases[at + 1 :], *canvases[:at]]
        return [one for one in others if not self._reason_against(one)]

    def _reason_against(self, canvas: StageCanvas) -> str:
        """Return why a view cannot have a hidden place of the object, "" if it can."""
        linked = self._linked()
        known = next((one for one in canvas.marks.marks.regions if one.id in linked), None)
        if known is None:
            return ""
        return tr("{view} already has region {n} of this object", view=canvas.shown.view, n=known.number)

    def _linked(self) -> frozenset[str]:
        shown = self.stage.shown
        if shown is None or self.shown is None:
            return frozenset()
        links = (shown.marks.links[index] for index in shown.same_links.get(self.shown.id, ()))
        return frozenset(region for link in links for region in link.regions)

    def _reprojected(self, canvas: StageCanvas) -> Box | None:
        """Return the box around where the ground plane has the region, None if it is not in the image."""
        if self.shown is None or self._home is None:
            return None
        way = self.stage.viewports.ground_between(self._home, canvas)
        if way is None:
            return None
        corners = way.points(outline_of(self.shown))
        if not np.isfinite(corners).all():
            return None
        size = canvas.image_size.width(), canvas.image_size.height()
        low = np.clip(np.rint(corners.min(axis=0)), 0, size)
        high = np.clip(np.rint(corners.max(axis=0)), 0, size)
        if float((high - low).min()) < SMALLEST_PLACE_PX:
            return None
        return Box(x1=float(low[0]), y1=float(low[1]), x2=float(high[0]), y2=float(high[1]))
