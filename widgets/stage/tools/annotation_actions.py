"""Annotation actions that do not depend on the tool: select all, place a box, repeat on the shown frame."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from annotator.commands.paths import AddDirectionArrows
from annotator.commands.region_shapes import RepeatRegions
from widgets.stage.selection import selected_regions
from widgets.stage.tools.box import BoxTool

if TYPE_CHECKING:
    from widgets.stage.stage import Stage


class AnnotationActions(QObject):
    """Executes annotation actions from shortcuts and menus."""

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        self._stage = stage

    def select_all(self) -> None:
        """Select all regions displayed in the front view; for a video, those of its frame."""
        front = self._stage.front
        if front is not None:
            self._stage.leave_model()
            self._stage.select([one for one in front.marks.ids if one not in front.hidden_by_user])

    def place_box(self) -> None:
        """Place a box in the front view, to be moved, resized and confirmed with keys."""
        stage, front = self._stage, self._stage.front
        if front is None or front.picture is None:
            return
        # First: a tool that was begun by keys goes back to the one before it.
        stage.tool.give_up()
        before = stage.tool.id
        stage.choose_tool(BoxTool.id)
        if isinstance(stage.tool, BoxTool):
            stage.tool.place(front, before="" if before == BoxTool.id else before)

    def draw_directions(self) -> None:
        """Draw the six numbered direction arrows into the image of the front view, and select them."""
        front = self._stage.front
        if front is not None and not self._stage.leave_model():
            command = AddDirectionArrows(medium=front.medium, frame=front.frame)
            # The ids are known before the command is executed, so the arrows are selected when they appear.
            self._stage.select(command.ids)
            self._stage.send(command)

    def repeat(self) -> None:
        """Repeat the selected annotations on the displayed frames, and select the copies."""
        regions = selected_regions(self._stage)
        if not regions:
            return
        shown = {canvas.medium: canvas.frame or 0 for canvas in self._stage.canvases}
        # The command itself rejects what cannot be repeated, with a message.
        command = RepeatRegions(frames={one.id: shown[one.medium] for one in regions})
        made = [command.ids[one.id] for one in regions if one.frame not in {None, shown[one.medium]}]
        if made:
            self._stage.select(made)
        self._stage.send(command)
