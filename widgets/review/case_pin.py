"""The place in an image that the reason of a decision is about: a click while the reason is asked for."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from annotator.domain.comment import CommentPin
from widgets.comments.pin_tool import PinTool
from widgets.stage.comment_pins import PinMark
from widgets.stage.stage import Stage
from widgets.stage.tool import Tool
from widgets.translation import tr


class CasePin(QObject):
    """Takes one place on a stage while a reason is asked for; a further click moves it.

    Signals:
        changed: A place was chosen, or Esc was pressed on the image.
    """

    changed = Signal()

    def __init__(self, stage: Stage, *, parent: QObject) -> None:
        super().__init__(parent)
        self._stage = stage
        self.pin: CommentPin | None = None
        self._before: Tool | None = None
        self._marks: tuple[PinMark, ...] = ()

    @property
    def text(self) -> str:
        """How a place is chosen, or which one is."""
        if not self._stage.canvases:
            return ""
        if self.pin is None:
            return tr("Click on an image to pin the comment to a place.")
        shown = self._stage.shown
        view = (shown.view_of(self.pin.medium) if shown is not None else "") or tr("Image")
        return tr("Pinned to {view}, {x}, {y}.", view=view, x=f"{self.pin.x:.0f}", y=f"{self.pin.y:.0f}")

    def start(self) -> None:
        """Let a click choose the place."""
        if self._stage.canvases:
            self._before, self._marks = self._stage.tool, self._stage.pins.marks
            self._choose_tool()

    def stop(self) -> None:
        """Forget the place, and give the stage its tool back."""
        self.pin = None
        before, self._before = self._before, None
        if before is not None:
            self._stage.pins.show(self._marks)
            self._stage.choose_tool(before)

    def _choose_tool(self) -> None:
        tool = PinTool(self._stage, placed=self._on_placed, ended=self._on_ended)
        self._stage.leave_model()
        self._stage.choose_tool(tool)

    def _on_ended(self) -> None:
        # The tool takes one place: the next one moves it, until the reason is given.
        if self._before is not None:
            self._choose_tool()
            self.changed.emit()

    def _on_placed(self, pin: CommentPin) -> None:
        self.pin = pin
        mark = PinMark(
            comment="", number=len(self._marks) + 1, medium=pin.medium, x=pin.x, y=pin.y, frame=pin.frame
        )
        self._stage.pins.show((*self._marks, mark))
        self.changed.emit()
