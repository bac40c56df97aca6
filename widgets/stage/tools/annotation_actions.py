"""What keys do to marks whatever tool is in hand: select all, place a box, repeat on the shown frame."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from annotator.commands.region_shapes import RepeatRegions
from widgets.stage.selection import selected_regions
from widgets.stage.tools.box import BoxTool

if TYPE_CHECKING:
    from widgets.stage.stage import Stage


class AnnotationActions(QObject):
    """Does to marks what keys and menus want."""

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        self._stage = stage

    def select_all(self) -> None:
        """Select all regions that the view in front shows, of a film those of its frame."""
        front = self._stage.front
        if front is not None:
            self._stage.leave_model()
            self._stage.select([one for one in front.marks.ids if one not in front.hidden_by_user])

    def place_box(self) -> None:
        """Place a box in the view in front, to be moved, sized and kept by keys."""
        stage, front = self._stage, self._stage.front
        if front is None or front.picture is None:
            return
        stage.tool.give_up()
        before = stage.tool.id
        stage.choose_tool(BoxTool.id)
        if isinstance(stage.tool, BoxTool):
            stage.tool.place(front, before="" if before == BoxTool.id else before)

    def repeat(self) -> None:
        """Mark what is selected again on the frames that the views show now, and select that."""
        regions = selected_regions(self._stage)
        if not regions:
            return
        shown = {canvas.medium: canvas.frame or 0 for canvas in self._stage.canvases}
        # What cannot be repeated is refused by the command, in words.
        command = RepeatRegions(frames={one.id: shown[one.medium] for one in regions})
        made = [command.ids[one.id] for one in regions if one.frame not in {None, shown[one.medium]}]
        if made:
            self._stage.select(made)
        self._stage.send(command)
