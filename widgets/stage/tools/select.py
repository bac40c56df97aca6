"""The select tool: choose, move, resize, nudge and remove what is marked."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QKeyEvent, QPainter, QPen

from annotator.commands.regions import MoveRegions
from annotator.domain.region import Box, Region
from widgets import theme
from widgets.stage.tools.drafts import (
    HANDLE_PX,
    box_between,
    box_rect,
    handle_rects,
    held_move,
    moved,
    paint_draft,
    paint_handles,
    resized,
)
from widgets.stage.tools.tool import Pointer, Tool, ToolStage

if TYPE_CHECKING:
    from widgets.stage.canvas import Canvas

SLIP_PX = 3
"""A press that moves less is a click, pixels of the window."""
FAR_NUDGE = 10
ARROWS = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
}
PAN_SHARE = 0.1
"""Share of the view that an arrow key pans by where nothing is selected."""


class SelectTool(Tool):
    """Chooses regions and paths, and changes regions."""

    id: ClassVar[str] = "select"

    def __init__(self, stage: ToolStage) -> None:
        super().__init__(stage)
        self._begin: Pointer | None = None
        self._canvas: Canvas | None = None
        self._handle = self._clicked = ""
        self._before: dict[str, Box] = {}
        self._nudge = (0, 0)
        self.draft: dict[str, Box] = {}
        self.band: Box | None = None

    def press(self, at: Pointer) -> None:
        """Choose what is here; a handle of the region that is chosen begins to resize it."""
        self._send_draft()
        self._begin, self._canvas, self._handle = at, at.canvas, self._handle_at(at)
        self._before, self._clicked = {}, ""
        if self._handle:
            self._before = self._boxes(at.canvas)
            return
        region = at.canvas.marks.region_at(at.x, at.y, reach=at.canvas.reach())
        found = region or at.canvas.marks.path_at(at.x, at.y, reach=2 * at.canvas.reach())
        if found is None:
            if not at.is_adding:
                self.stage.select([])
            return
        chosen = self.stage.selected
        if at.is_adding:
            others = tuple(known for known in chosen if known != found.id)
            self.stage.select(others if found.id in chosen else (*chosen, found.id))
        elif found.id not in chosen:
            self.stage.select([found.id])
        else:
            # It may be pulled together with the others; a mere click chooses it alone.
            self._clicked = found.id
        if isinstance(found, Region) and found.id in self.stage.selected:
            self._before = self._boxes(at.canvas)

    def move(self, at: Pointer) -> None:
        """Move or resize what was pressed, or pull a band over what is to be chosen."""
        if self._begin is None or not at.is_down:
            at.canvas.setCursor(self._cursor_at(at))
            return
        slip = (at.view - self._begin.view).manhattanLength()
        if slip < SLIP_PX and not self.draft and self.band is None:
            return
        if self._handle:
            region_id, box = next(iter(self._before.items()))
            x, y = at.held()
            self._show_draft({region_id: resized(box, self._handle, to=(round(x), round(y)))})
        elif self._before:
            self._move_by(round(at.x - self._begin.x), round(at.y - self._begin.y))
        elif self.stage.selected and not at.is_adding:
            # A path was pressed: it is chosen, and nothing is pulled.
            return
        else:
            self.band = box_between(self._begin.held(), at.held())
            at.canvas.update()

    def release(self, at: Pointer) -> None:
        """Keep what was moved, or choose what lies in the band."""
        if self.band is not None and self._canvas is not None:
            found = self._canvas.marks.regions_in(self.band)
            self.stage.select(tuple(dict.fromkeys((*self.stage.selected, *found))))
            self.band = None
            self._canvas.update()
        elif self._clicked and not self.draft:
            self.stage.select([self._clicked])
        self._begin, self._clicked = None, ""
        self._send_draft()

    def key(self, canvas: Canvas, event: QKeyEvent) -> bool:
        """Nudge what is chosen by a pixel, with Shift by ten; pan where nothing is."""
        arrow = ARROWS.get(Qt.Key(event.key()))
        if arrow is None or event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            return False
        if self.draft and not self._before:
            return True
        boxes = self._before or self._boxes(canvas)
        if not boxes:
            lens = canvas.lens
            canvas.change_lens(
                lens.panned(-arrow[0] * lens.width * PAN_SHARE, -arrow[1] * lens.height * PAN_SHARE)
            )
            return True
        step = FAR_NUDGE if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1
        self._canvas, self._before = canvas, boxes
        self._nudge = self._nudge[0] + arrow[0] * step, self._nudge[1] + arrow[1] * step
        self._move_by(*self._nudge)
        return True

    def key_released(self, canvas: Canvas, event: QKeyEvent) -> None:
        """Keep where the arrow keys brought it."""
        if Qt.Key(event.key()) in ARROWS and self._begin is None:
            self._send_draft()

    def give_up(self) -> bool:
        """Drop the move, or the band."""
        had = bool(self.draft) or self.band is not None
        self._begin, self.band = None, None
        self.settled()
        return had

    def settled(self) -> None:
        """Drop the draft: what is marked is where it belongs."""
        if self._begin is not None:
            return
        canvas, self._before, self.draft, self._nudge = self._canvas, {}, {}, (0, 0)
        if canvas is not None:
            canvas.hidden = frozenset()
            canvas.refresh()

    def paint(self, painter: QPainter, canvas: Canvas) -> None:
        """Paint what is moved, the handles of what is chosen, and the band."""
        ratio = canvas.ratio()
        if canvas is self._canvas:
            for box in self.draft.values():
                paint_draft(painter, box_rect(canvas, box), ratio=ratio)
            if self.band is not None:
                accent = theme.current().color("accent")
                painter.setPen(QPen(accent, ratio))
                accent.setAlpha(40)
                painter.setBrush(accent)
                painter.drawRect(box_rect(canvas, self.band))
        boxes = self._boxes(canvas)
        if len(boxes) == 1 and len(self.stage.selected) == 1:
            region_id, box = next(iter(boxes.items()))
            paint_handles(painter, canvas, self.draft.get(region_id, box))

    def _boxes(self, canvas: Canvas) -> dict[str, Box]:
        """Return the boxes of the regions of a view that are chosen."""
        found = (canvas.marks.region(chosen) for chosen in self.stage.selected)
        return {region.id: region.box for region in found if region is not None}

    def _handle_at(self, at: Pointer) -> str:
        boxes = self._boxes(at.canvas)
        if len(boxes) != 1 or len(self.stage.selected) != 1:
            return ""
        ratio = at.canvas.ratio()
        point = QPointF(at.view) * ratio
        slack = HANDLE_PX * ratio / 2
        for handle, rect in handle_rects(at.canvas, next(iter(boxes.values()))).items():
            if QRectF(rect).adjusted(-slack / 2, -slack / 2, slack / 2, slack / 2).contains(point):
                return handle
        return ""

    def _cursor_at(self, at: Pointer) -> Qt.CursorShape:
        shapes = {
            "nw": Qt.CursorShape.SizeFDiagCursor,
            "se": Qt.CursorShape.SizeFDiagCursor,
            "ne": Qt.CursorShape.SizeBDiagCursor,
            "sw": Qt.CursorShape.SizeBDiagCursor,
            "n": Qt.CursorShape.SizeVerCursor,
            "s": Qt.CursorShape.SizeVerCursor,
            "e": Qt.CursorShape.SizeHorCursor,
            "w": Qt.CursorShape.SizeHorCursor,
        }
        handle = self._handle_at(at)
        if not handle and at.canvas.hovered is not None and at.canvas.hovered.id in self.stage.selected:
            return Qt.CursorShape.SizeAllCursor
        return shapes.get(handle, Qt.CursorShape.ArrowCursor)

    def _move_by(self, dx: float, dy: float) -> None:
        if self._canvas is None:
            return
        size = self._canvas.image_size
        x, y = held_move(self._before.values(), dx, dy, size=(size.width(), size.height()))
        self._show_draft({region_id: moved(box, x, y) for region_id, box in self._before.items()})

    def _show_draft(self, boxes: dict[str, Box]) -> None:
        self.draft = boxes
        if self._canvas is not None:
            self._canvas.hidden = frozenset(boxes)
            self._canvas.update()

    def _send_draft(self) -> None:
        """Make one command of what moved; it stays painted until the project has it."""
        changed = {
            known: box for known, box in self.draft.items() if self._before.get(known) not in {None, box}
        }
        self._before, self._handle, self._nudge = {}, "", (0, 0)
        if changed:
            self.stage.send(MoveRegions(boxes=changed))
        else:
            self.settled()
