"""The segment tool: a click or a box gives the outline of an object, from a promptable segmenter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QKeyEvent, QPainter, QPen

from annotator.commands.region_shapes import AddPolygon
from annotator.commands.regions import AddRegion, Point
from annotator.domain.region import Box
from annotator.media.polygon import bounds
from annotator.segment_prompt import Phase, SegmentPrompt, SegmentReply
from widgets import theme
from widgets.focus import ENTER
from widgets.message_text import message_text
from widgets.stage.path_painter import line_pens
from widgets.stage.tool import Pointer, ToolStage, key_slot
from widgets.stage.tools.draft_boxes import SLIP_PX, box_between, box_rect, paint_draft
from widgets.stage.tools.drawing import DrawingTool
from widgets.stage.tools.line import DOT_PX, STEP_BACK, view_line
from widgets.translation import mark as _
from widgets.translation import tr

if TYPE_CHECKING:
    from widgets.stage.canvas import StageCanvas

GROUND_ALPHA = 46
DASH_PX = 5
PHASES: dict[Phase, str] = {"opening": _("Opening the segmenter"), "embedding": _("Preparing the image")}
"""English texts of what takes seconds."""
SHIFT, ALT = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.AltModifier
LEAST_BOX_PX = 2.0
"""A smaller box, image pixels, is treated as a click."""


class SegmentTool(DrawingTool):
    """Proposes the outline of what is clicked or framed, until Enter makes it a region."""

    id = "segment"
    cursor = Qt.CursorShape.CrossCursor

    def __init__(self, stage: ToolStage) -> None:
        super().__init__(stage)
        self._prompts: list[SegmentPrompt] = []
        self._pressed: Pointer | None = None
        self._is_sent = False
        self.box: Box | None = None
        self.reply: SegmentReply | None = None

    @property
    def prompt(self) -> SegmentPrompt:
        """What was pointed at so far; the last box replaces an earlier one."""
        boxes = [one.box for one in self._prompts if one.box is not None]
        return SegmentPrompt(
            points=tuple(point for one in self._prompts for point in one.points),
            labels=tuple(label for one in self._prompts for label in one.labels),
            box=boxes[-1] if boxes else None,
        )

    def press(self, at: Pointer) -> None:
        """Begin a click or a box; in another view or on another frame, another object."""
        if not self.is_here(at.canvas) or self._is_sent:
            self.give_up()
        self.begin(at.canvas)
        self._pressed, self.box = at, None

    def move(self, at: Pointer) -> None:
        """Draw the box around the object."""
        if self._pressed is not None and self.is_here(at.canvas) and not self._is_click(at):
            self.box = box_between(self._pressed.held(), at.held())
            at.canvas.update()

    def release(self, at: Pointer) -> None:
        """Ask for the outline."""
        pressed, self._pressed = self._pressed, None
        # The press was cancelled meanwhile.
        if pressed is None:
            return
        if not self.is_here(at.canvas):
            self.give_up()
            return
        box, self.box = self.box, None
        if box is not None and min(box.x2 - box.x1, box.y2 - box.y1) >= LEAST_BOX_PX:
            self._prompts.append(SegmentPrompt(box=(box.x1, box.y1, box.x2, box.y2)))
        else:
            is_negative = bool(pressed.modifiers & (SHIFT | ALT))
            self._prompts.append(SegmentPrompt(points=(pressed.held(),), labels=(int(not is_negative),)))
        self._ask(at.canvas)

    def key(self, canvas: StageCanvas, event: QKeyEvent) -> bool:
        """Add the polygon, with Shift its box; take back the last click with Backspace."""
        if not self.wants(event) or not self.is_here(canvas):
            return False
        if event.key() == STEP_BACK:
            self._prompts.pop()
            self._ask(canvas)
        else:
            self._add(canvas, is_box=bool(event.modifiers() & SHIFT))
        return True

    def wants(self, event: QKeyEvent) -> bool:
        """Accept Enter and Backspace while an outline is proposed."""
        return bool(self._prompts) and not self._is_sent and Qt.Key(event.key()) in {*ENTER, STEP_BACK}

    @property
    def hint(self) -> str:
        """The keys, the progress, or why there is no outline."""
        reply = self.reply
        if reply is not None and reply.error:
            return f"{message_text(reply.error)} {message_text(reply.hint)}".strip()
        if reply is not None and reply.phase:
            return tr(PHASES[reply.phase])
        if not self._prompts:
            return tr("Click or frame an object")
        if reply is not None and not reply.corners:
            return tr("Nothing found here · Backspace: back · click another place")
        cancel = key_slot("stage.give_up")
        return tr(
            "Enter: add polygon · Shift+Enter: add box · click: more · Alt+click: less · Backspace: back · "
            "{cancel}: cancel",
            cancel=cancel,
        )

    def give_up(self) -> bool:
        """Discard the outline."""
        had = bool(self._prompts) or self.box is not None
        if self.canvas is not None and had and self.stage.segmenter is not None:
            self.stage.segmenter.forget()
        self._prompts, self._pressed, self.box, self.reply, self._is_sent = [], None, None, None, False
        self.end()
        if had:
            self.stage.show_hint()
        return had

    def settled(self) -> None:
        """Discard the outline: the region is displayed, or could not be created."""
        if self._is_sent:
            self.give_up()

    def paint(self, painter: QPainter, canvas: StageCanvas) -> None:
        """Paint the proposed outline dashed, the clicks, and the box that is being drawn."""
        if not self.is_here(canvas):
            return
        ratio = canvas.ratio()
        if self.box is not None:
            paint_draft(painter, box_rect(canvas, self.box), ratio=ratio)
        if self.reply is not None and self.reply.corners:
            _paint_outline(painter, canvas, list(self.reply.corners))
        tokens, prompt = theme.load("dark"), self.prompt
        for (x, y), label in zip(prompt.points, prompt.labels, strict=True):
            painter.setPen(QPen(tokens.color("bg"), ratio))
            painter.setBrush(tokens.color("good" if label else "bad"))
            middle, radius = QPointF(*canvas.view_point(x, y)), DOT_PX * ratio
            painter.drawEllipse(middle, radius, radius)
            # A minus in the dot of a negative click: colour is never the only sign.
            if not label:
                painter.drawLine(middle - QPointF(radius / 2, 0), middle + QPointF(radius / 2, 0))
        painter.setBrush(Qt.BrushStyle.NoBrush)

    def take_reply(self, reply: SegmentReply) -> None:
        """Show the progress or the outline of the last prompt."""
        if self.canvas is None or self._is_sent:
            return
        if reply.phase and self.reply is not None and self.reply.corners:
            # The former outline stays while the next one is computed.
            return
        self.reply = reply
        self.canvas.update()
        self.stage.show_hint()

    def _ask(self, canvas: StageCanvas) -> None:
        segmenter, file = self.stage.segmenter, canvas.shown.file
        if not self._prompts:
            self.give_up()
        elif segmenter is not None and file is not None:
            segmenter.ask(str(file), canvas.frame, self.prompt, done=self.take_reply)
        canvas.update()
        self.stage.show_hint()

    def _add(self, canvas: StageCanvas, *, is_box: bool) -> None:
        reply = self.reply
        if reply is None or not reply.corners:
            return
        made_by, score = reply.model or "segmenter", round(reply.score, 3)
        if is_box:
            box = bounds(reply.corners)
            command: AddRegion | AddPolygon = AddRegion(
                medium=canvas.medium, box=box, frame=canvas.frame, made_by=made_by, score=score
            )
        else:
            command = AddPolygon(
                medium=canvas.medium, corners=reply.corners, frame=canvas.frame, made_by=made_by, score=score
            )
        self._is_sent = True
        self.stage.select([command.id])
        self.stage.send(command)

    def _is_click(self, at: Pointer) -> bool:
        return self._pressed is None or (
            self.box is None and (at.view - self._pressed.view).manhattanLength() < SLIP_PX
        )


def _paint_outline(painter: QPainter, canvas: StageCanvas, corners: list[Point]) -> None:
    ground, ratio = theme.load("dark").color("accent"), canvas.ratio()
    pens = line_pens(theme.load("dark").color("accent"), ratio=ratio)
    ground.setAlpha(GROUND_ALPHA)
    painter.setBrush(ground)
    for pen in pens:
        # Dash lengths are in units of the pen width, which differs between halo and line.
        pen.setDashPattern([DASH_PX * ratio / pen.widthF()] * 2)
        painter.setPen(pen)
        painter.drawPolygon(view_line(canvas, corners))
        painter.setBrush(Qt.BrushStyle.NoBrush)
