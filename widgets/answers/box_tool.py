"""The tool with which a box is drawn on the stage as an answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Protocol

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QKeyEvent, QPainter

from annotator.domain.region import Box
from widgets.stage.text_badges import badge_size, paint_badge
from widgets.stage.tool import Pointer, ToolStage
from widgets.stage.tools.box import SMALLEST_PX
from widgets.stage.tools.draft_boxes import (
    HANDLE_CURSORS,
    box_between,
    box_rect,
    handle_at,
    held_move,
    moved,
    paint_draft,
    paint_handles,
    resized,
)
from widgets.stage.tools.drawing import DrawingTool
from widgets.stage.tools.nudge import PAUSE_MS, arrow_step, stepped
from widgets.translation import tr

if TYPE_CHECKING:
    from widgets.stage.canvas import StageCanvas

BADGE_PX = 4
"""Distance of the size from the corner of the box."""


class BoxOwner(Protocol):
    """The answer that a box is drawn for."""

    @property
    def box(self) -> Box | None:
        """The box of the answer, image pixels."""

    @property
    def box_view_name(self) -> str:
        """Name of the view that the box refers to."""

    def is_box_view(self, canvas: StageCanvas) -> bool:
        """Return whether the box refers to the image of a view."""

    def enter_box(self, box: Box) -> bool:
        """Answer with a box; return whether it is valid."""


class AnswerBoxTool(DrawingTool):
    """Draws, moves and resizes the box of an answer; a click on a region takes the region's box.

    Attributes:
        draft: The box during a drag, or while arrow keys are pressed.
    """

    id: ClassVar[str] = "answer"
    cursor = Qt.CursorShape.CrossCursor

    def __init__(self, stage: ToolStage, owner: BoxOwner) -> None:
        super().__init__(stage)
        self._owner = owner
        self.draft: Box | None = None
        self._begin: Pointer | None = None
        self._before: Box | None = None
        self._handle = ""
        self._is_nudging = False
        self._pause = QTimer()
        self._pause.setSingleShot(True)
        self._pause.setInterval(PAUSE_MS)
        self._pause.timeout.connect(self.send_pending)

    @property
    def box(self) -> Box | None:
        """The box as painted."""
        return self.draft or self._owner.box

    def press(self, at: Pointer) -> None:
        """Begin a box, or a change of the one under the pointer."""
        self.send_pending()
        self.begin(at.canvas)
        if not self._owner.is_box_view(at.canvas):
            self.say(tr("Draw the box in {view}", view=self._owner.box_view_name), at=at)
            at.canvas.update()
            return
        self._begin, self._handle, self._before = at, self._handle_at(at), None
        if self._handle or self._is_inside(at):
            self._before = self._owner.box

    def move(self, at: Pointer) -> None:
        """Draw, move or resize the box."""
        if self._begin is None or not at.is_down:
            at.canvas.setCursor(self._cursor_at(at))
            return
        # The video has changed its frame during the drag, so the draft refers to another image.
        if not self.is_here(at.canvas):
            self.give_up()
            return
        self.draft = self._drawn(at)
        at.canvas.update()

    def release(self, at: Pointer) -> None:
        """Answer with the box; a click on a region takes that of the region."""
        begin, draft = self._begin, self.draft
        self._begin = self.draft = None
        self.notice = ""
        at.canvas.update()
        if begin is None or not self.is_here(at.canvas):
            return
        if draft is None or self._is_slip(draft, at):
            region = at.canvas.region_at(at.x, at.y) if at.canvas.has_regions() else None
            draft = region.box if region is not None else None
        if draft is not None:
            self._owner.enter_box(draft)

    def double(self, at: Pointer) -> bool:
        """Accept a double click on the box or a region, instead of enlarging the view."""
        return self._is_inside(at) or at.canvas.hovered is not None

    def key(self, canvas: StageCanvas, event: QKeyEvent) -> bool:
        """Move or resize the box with arrow keys; a run of them is one change."""
        step, box = arrow_step(event), self.box
        if step is None or box is None or not self._owner.is_box_view(canvas):
            return False
        self.begin(canvas)
        self.draft = stepped({"": box}, step, size=canvas.image_size)[""]
        self._is_nudging = True
        self._pause.start()
        canvas.update()
        return True

    @property
    def hint(self) -> str:
        """The available gestures."""
        if self._owner.box is None:
            return tr("Drag: draw the box in {view} · click: box of a region", view=self._owner.box_view_name)
        return tr("Drag: new box · handles: resize · arrows: move · Shift: size · Ctrl: 10 px")

    @property
    def is_pending(self) -> bool:
        """Whether arrow keys have changed the box."""
        return self._is_nudging

    def send_pending(self) -> None:
        """Answer with the box that arrow keys have changed."""
        self._pause.stop()
        if self._is_nudging:
            box, self.draft, self._is_nudging = self.draft, None, False
            if box is not None:
                self._owner.enter_box(box)

    def give_up(self) -> bool:
        """Discard the drag."""
        self.send_pending()
        had = self.draft is not None
        self.draft = self._begin = None
        self.end()
        return had

    def paint(self, painter: QPainter, canvas: StageCanvas) -> None:
        """Paint the box with its handles, and its size during a change."""
        if self.canvas is canvas:
            self.paint_notice(painter, canvas)
        box = self.box
        if box is None or not self._owner.is_box_view(canvas):
            return
        ratio, rect = canvas.ratio(), box_rect(canvas, box)
        paint_draft(painter, rect, ratio=ratio)
        if self.draft is None:
            paint_handles(painter, canvas, box)
            return
        text = f"{box.x2 - box.x1:.0f} × {box.y2 - box.y1:.0f}"
        width, height = badge_size(text, ratio=ratio)
        x = min(round(rect.right() + BADGE_PX * ratio), canvas.transform.width - width)
        y = min(round(rect.bottom() + BADGE_PX * ratio), canvas.transform.height - height)
        paint_badge(painter, text, x=x, y=y, ratio=ratio)

    def _drawn(self, at: Pointer) -> Box | None:
        """Return the box at a point of the drag."""
        if self._begin is None:
            return None
        if self._before is None:
            return box_between(self._begin.held(), at.held())
        if self._handle:
            x, y = at.held()
            return resized(self._before, self._handle, to=(round(x), round(y)))
        size = at.canvas.image_size
        dx, dy = round(at.x - self._begin.x), round(at.y - self._begin.y)
        return moved(self._before, *held_move([self._before], dx, dy, size=(size.width(), size.height())))

    def _is_slip(self, box: Box, at: Pointer) -> bool:
        """Return whether a new box is so small that its drag was a click."""
        least = max(1.0, SMALLEST_PX * at.canvas.ratio() / at.canvas.transform.zoom)
        return self._before is None and min(box.x2 - box.x1, box.y2 - box.y1) < least

    def _handle_at(self, at: Pointer) -> str:
        box = self._owner.box
        if box is None or not self._owner.is_box_view(at.canvas):
            return ""
        return handle_at(at, box)

    def _is_inside(self, at: Pointer) -> bool:
        """Return whether a press moves the box; with Ctrl or Shift, it draws a new one inside."""
        box = self._owner.box
        if box is None or at.is_adding or not self._owner.is_box_view(at.canvas):
            return False
        return box.x1 <= at.x < box.x2 and box.y1 <= at.y < box.y2

    def _cursor_at(self, at: Pointer) -> Qt.CursorShape:
        if not self._owner.is_box_view(at.canvas):
            return Qt.CursorShape.ForbiddenCursor
        inside = Qt.CursorShape.SizeAllCursor if self._is_inside(at) else self.cursor
        return HANDLE_CURSORS.get(self._handle_at(at), inside)
