"""The box tool: creates a region by dragging, or by placing a box and resizing it with keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QPainter

from annotator.commands.hidden_places import MarkHiddenPlace
from annotator.commands.regions import AddRegion
from annotator.domain.region import Box
from widgets.focus import ENTER
from widgets.stage.text_badges import badge_size, paint_badge
from widgets.stage.tool import Pointer, ToolStage, key_slot
from widgets.stage.tools.draft_boxes import box_between, box_rect, paint_draft
from widgets.stage.tools.drawing import OUTSIDE, DrawingTool
from widgets.stage.tools.nudge import arrow_step, stepped
from widgets.translation import mark as _
from widgets.translation import tr

if TYPE_CHECKING:
    from widgets.stage.canvas import StageCanvas

BoxCommand = AddRegion | MarkHiddenPlace
"""Commands that create one region, whose id is known before."""
SMALLEST_PX = 3.0
"""A shorter drag, in device-independent pixels, is treated as accidental."""
PLACED_SHARE = 8
"""The first box placed with keys has this fraction (1/n) of the shorter visible side."""
DRAG = _("Drag from one corner of the box to the opposite one")


class BoxTool(DrawingTool):
    """Creates box regions."""

    id = "box"
    cursor = Qt.CursorShape.CrossCursor

    def __init__(self, stage: ToolStage) -> None:
        super().__init__(stage)
        self._begin = (0.0, 0.0)
        self._is_drawing = self._is_placing = self._is_begun_inside = False
        self._size: tuple[float, float] | None = None
        self._before = ""
        self.draft: Box | None = None

    def place(self, canvas: StageCanvas, *, before: str) -> None:
        """Place a box at the pointer or in the centre of the visible part; keys move, resize and confirm it.

        Args:
            canvas: The view.
            before: Id of the tool to switch back to afterwards.
        """
        self.give_up()
        self._before = before
        self.place_draft(canvas, placed_box(canvas, size=self._size))

    def place_draft(self, canvas: StageCanvas, box: Box) -> None:
        """Place a certain box in a view; keys move, resize and confirm it."""
        self.end()
        self.begin(canvas)
        self.draft, self._is_drawing, self._is_placing = box, False, True
        self._show()

    @property
    def is_placing(self) -> bool:
        """Whether a placed box waits for its confirmation."""
        return self._is_placing

    def command(self, canvas: StageCanvas, box: Box) -> BoxCommand:
        """Return the command that creates a region from a box."""
        return AddRegion(medium=canvas.medium, box=box, frame=canvas.frame)

    def press(self, at: Pointer) -> None:
        """Set the first corner."""
        self.begin(at.canvas)
        self._begin, self._is_drawing, self._is_placing = at.held(), True, False
        self._is_begun_inside = at.is_inside
        self.draft, self._before = None, ""

    def move(self, at: Pointer) -> None:
        """Move the opposite corner."""
        if self._is_drawing and self.is_here(at.canvas):
            self.draft = box_between(self._begin, at.held())
            at.canvas.update()
        elif self.draft is None:
            self.forget_refusal(at)

    def release(self, at: Pointer) -> None:
        """Create a region from the box."""
        if not self._is_drawing:
            return
        self._is_drawing = False
        box = box_between(self._begin, at.held())
        # Accidental drags are measured on the screen, whatever the zoom.
        least = SMALLEST_PX * at.canvas.ratio() / at.canvas.transform.zoom
        if not self.is_here(at.canvas):
            self.give_up()
        elif min(box.x2 - box.x1, box.y2 - box.y1) >= max(1.0, least):
            self._keep(at.canvas, box)
        else:
            self.refuse(tr(DRAG if self._is_begun_inside else OUTSIDE), at=at)

    def key(self, canvas: StageCanvas, event: QKeyEvent) -> bool:
        """Move, resize or confirm a placed box."""
        if self.draft is None or not (self._is_placing and self.is_here(canvas)):
            return False
        if Qt.Key(event.key()) in ENTER:
            self._is_placing = False
            self._keep(canvas, self.draft)
            return True
        step = arrow_step(event)
        if step is not None:
            self.draft = stepped({"": self.draft}, step, size=canvas.image_size)[""]
            self._show()
        return step is not None

    def wants(self, event: QKeyEvent) -> bool:
        """Accept Enter and the arrow keys while a box is placed."""
        is_here = self._is_placing and self.canvas is not None and self.is_here(self.canvas)
        return is_here and (Qt.Key(event.key()) in ENTER or arrow_step(event) is not None)

    @property
    def hint(self) -> str:
        """The available keys while a box is placed."""
        if not self._is_placing:
            return ""
        cancel = key_slot("stage.give_up")
        return tr(
            "Arrows: move · Shift: size · Ctrl: 10 px · Enter: add region · {cancel}: cancel", cancel=cancel
        )

    def give_up(self) -> bool:
        """Discard the box that is being drawn or placed."""
        had, before = self._is_drawing or self.draft is not None, self._before
        self.draft, self._before, self._is_drawing, self._is_placing = None, "", False, False
        self.end()
        # Last, and forgotten by now: the switch gives this tool up once more.
        if before:
            self.stage.choose_tool(before)
        return had

    def settled(self) -> None:
        """Discard the draft: the region is displayed, or could not be created."""
        # The user can be drawing the next box already.
        if not (self._is_drawing or self._is_placing):
            self.give_up()

    def paint(self, painter: QPainter, canvas: StageCanvas) -> None:
        """Paint the box that is being drawn, with its size, or why none was drawn."""
        if self.draft is None and self.is_here(canvas):
            self.paint_notice(painter, canvas)
        if self.draft is None or not self.is_here(canvas):
            return
        ratio, rect = canvas.ratio(), box_rect(canvas, self.draft)
        paint_draft(painter, rect, ratio=ratio)
        if self._is_drawing or self._is_placing:
            text = f"{self.draft.x2 - self.draft.x1:.0f} × {self.draft.y2 - self.draft.y1:.0f}"
            width, height = badge_size(text, ratio=ratio)
            x = min(round(rect.right() + 4 * ratio), canvas.transform.width - width)
            y = min(round(rect.bottom() + 4 * ratio), canvas.transform.height - height)
            paint_badge(painter, text, x=x, y=y, ratio=ratio)

    def _keep(self, canvas: StageCanvas, box: Box) -> None:
        """Create a region from a box, which stays painted until the region is displayed."""
        # The next box placed with keys has this size: objects of one kind are often equally large.
        self.draft, self._size = box, (box.x2 - box.x1, box.y2 - box.y1)
        command = self.command(canvas, box)
        # The id is known before the command is executed, so the region is selected when it appears.
        self.stage.select([command.id])
        self.stage.send(command)
        self._show()

    def _show(self) -> None:
        if self.canvas is not None:
            self.canvas.update()
        self.stage.show_hint()


def placed_box(canvas: StageCanvas, *, size: tuple[float, float] | None) -> Box:
    """Return a new box in a view.

    Args:
        canvas: The view.
        size: Width and height, image pixels; None for a fraction of the visible part.
    """
    image, transform = canvas.image_size, canvas.transform
    x1, y1 = (max(0.0, one) for one in transform.to_image(0, 0))
    x2, y2 = transform.to_image(transform.width, transform.height)
    x2, y2 = min(x2, float(image.width())), min(y2, float(image.height()))
    side = max(1.0, min(x2 - x1, y2 - y1) / PLACED_SHARE)
    width, height = size or (side, side)
    x, y = canvas.pointer or ((x1 + x2) / 2, (y1 + y2) / 2)
    width, height = min(round(width), image.width()), min(round(height), image.height())
    left = min(max(round(x - width / 2), 0), image.width() - width)
    top = min(max(round(y - height / 2), 0), image.height() - height)
    return Box(x1=float(left), y1=float(top), x2=float(left + width), y2=float(top + height))
