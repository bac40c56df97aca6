"""The select tool: selects, moves, resizes and removes annotations."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QKeyEvent, QPainter

from annotator.commands.command import Command
from annotator.commands.regions import MoveRegions
from annotator.domain.region import Box, Region
from annotator.domain.rotated_box import RotatedBox
from widgets.stage.tool import Pointer, ToolStage
from widgets.stage.tools.corner_editor import CornerEditor
from widgets.stage.tools.draft_boxes import (
    HANDLE_CURSORS,
    SLIP_PX,
    handle_at,
    held_move,
    moved,
    paint_handles,
    paint_moved,
    resized,
)
from widgets.stage.tools.drawing import DrawingTool
from widgets.stage.tools.issue_box_editor import IssueBoxEditor
from widgets.stage.tools.lock_marks import locked_message, paint_locks
from widgets.stage.tools.nudge import PAUSE_MS, arrow_step, pan_view, stepped
from widgets.stage.tools.rotation_editor import RotationEditor
from widgets.stage.tools.rubber_band import RubberBand

if TYPE_CHECKING:
    from widgets.stage.canvas import StageCanvas


class SelectTool(DrawingTool):
    """Selects regions and paths, and edits regions."""

    id: ClassVar[str] = "select"

    def __init__(self, stage: ToolStage) -> None:
        super().__init__(stage)
        self.corners = CornerEditor(stage)
        self.rotation = RotationEditor(stage, box_of=self.box_of)
        self.issues = IssueBoxEditor(stage)
        self._begin: Pointer | None = None
        self._handle = self._clicked = ""
        self._before: dict[str, Box] = {}
        self._sent: dict[str, Box] = {}
        self._is_nudging = self._has_nudged_corner = False
        self._refused: tuple[str, ...] = ()
        self._pause = QTimer()
        self._pause.setSingleShot(True)
        self._pause.setInterval(PAUSE_MS)
        self._pause.timeout.connect(self.send_pending)
        self.draft: dict[str, Box] = {}
        self.band = RubberBand()

    def press(self, at: Pointer) -> None:
        """Select what is under the pointer; on a handle or corner of the selection, start an edit."""
        self.send_pending()
        self.begin(at.canvas)
        self._begin, self._before, self._clicked, self._handle = at, {}, "", ""
        if self._press_handle(at):
            return
        region = at.canvas.region_at(at.x, at.y)
        # Paths are thin: their hit distance is doubled, and regions take precedence.
        found = region or at.canvas.marks.path_at(at.x, at.y, reach=2 * at.canvas.reach())
        if found is not None:
            self.issues.drop()
            self._choose(found.id, is_adding=at.is_adding)
        elif self.issues.press(at):
            self._hide()
        elif not at.is_adding:
            self.stage.select([])
        if region is not None and region.id in self.stage.selected:
            self._before = self._boxes(at.canvas)

    def move(self, at: Pointer) -> None:
        """Move or edit what was pressed, or extend the rubber band."""
        if self._begin is None or not at.is_down:
            at.canvas.setCursor(self._cursor_at(at))
            return
        # The video has changed its frame during the drag, so the draft refers to another image.
        if not self.is_here(at.canvas):
            self.give_up()
            return
        slip = (at.view - self._begin.view).manhattanLength()
        # Small movements are part of a click, but a running drag may return to its start.
        if slip >= SLIP_PX or self.draft or self.band.box is not None:
            self._drag(at, begin=self._begin)

    def release(self, at: Pointer) -> None:
        """Finish the edit, or select what is inside the rubber band."""
        if self._begin is None:
            return
        # Same as in ``move``: the frame can change between the last move and the release.
        if not self.is_here(at.canvas):
            self.give_up()
            return
        self._begin = None
        if (editor := self._held_editor()) is not None:
            self._send(editor.release(at.canvas))
            return
        if self.band.box is not None:
            # dict.fromkeys removes duplicates and keeps the order.
            self.stage.select(tuple(dict.fromkeys((*self.stage.selected, *self.band.take(at.canvas)))))
        elif self._clicked and not self.draft:
            self.stage.select([self._clicked])
        self._send_draft()

    def double(self, at: Pointer) -> bool:
        """Insert a corner on the edge under the pointer of the selected polygon."""
        self._begin = None
        command = self.corners.add(at)
        self._send(command)
        return command is not None

    def key(self, canvas: StageCanvas, event: QKeyEvent) -> bool:
        """Move or resize the selection with arrow keys, pan without a selection, or remove a corner."""
        if self.issues.wants(event):
            self._send(self.issues.command(canvas, event))
            return True
        if self.wants(event):
            self._send(self.corners.remove(canvas))
            return True
        step = arrow_step(event)
        if step is None:
            return False
        if self.corners.chosen(canvas) >= 0:
            self.begin(canvas)
            self.corners.nudge(canvas, step.dx, step.dy)
            self._has_nudged_corner = True
            self._hide()
        # A running draft is continued, so that repeated keys add up.
        elif boxes := self.draft or self._boxes(canvas):
            self.begin(canvas)
            self._before = self._before or boxes
            self._show_draft(stepped(boxes, step, size=canvas.image_size))
        elif self._locked(canvas):
            # The hint is displayed until the selection changes.
            self._refused = self.stage.selected
            self.stage.show_hint()
            return True
        else:
            return not step.is_coarse and pan_view(canvas, step)
        self._is_nudging = True
        self._pause.start()
        return True

    @property
    def hint(self) -> str:
        """The keys of the selected issue box, or the reason why arrow keys do not move the selection."""
        if self.issues.keys_text:
            return self.issues.keys_text
        if not self._refused or self._refused != self.stage.selected:
            return ""
        locked = [region for canvas in self.stage.canvases for region in self._locked(canvas)]
        return locked_message(locked)

    @property
    def is_pending(self) -> bool:
        """Whether arrow keys have made changes that are not sent yet."""
        return self._is_nudging

    def send_pending(self) -> None:
        """Send the combined changes of consecutive arrow keys as one command."""
        if not self._is_nudging:
            return
        self._is_nudging = False
        self._pause.stop()
        if self._has_nudged_corner and self.canvas is not None:
            self._has_nudged_corner = False
            self._send(self.corners.release(self.canvas))
        self._send_draft()

    def wants(self, event: QKeyEvent) -> bool:
        """Accept Del while a corner is selected, and the keys of a selected issue box."""
        if self.issues.wants(event):
            return True
        is_chosen = any(self.corners.chosen(canvas) >= 0 for canvas in self.stage.canvases)
        return is_chosen and Qt.Key(event.key()) == Qt.Key.Key_Delete

    def give_up(self) -> bool:
        """Discard the edit, the rubber band or the corner selection; changes by arrow keys are kept."""
        self.send_pending()
        # A list, not a generator: ``any`` must not skip the second editor, which discards its own draft.
        had = any([self.corners.drop(), self.rotation.drop(), self.issues.drop()])
        had = had or bool(self.draft) or self.band.box is not None
        self._begin, self.band.box, self.draft, self._before = None, None, {}, {}
        self._hide()
        return had

    def box_of(self, region: Region) -> Box:
        """Return the box of a region as painted, including changes that are not stored yet."""
        return self.draft.get(region.id) or self._sent.get(region.id, region.box)

    def shape_of(self, region: Region) -> RotatedBox | None:
        """Return the rectangle of a region as painted, including a running rotation."""
        return self.rotation.shape_of(region)

    def settled(self) -> None:
        """Discard sent changes, which are displayed or rejected. A running edit is kept."""
        self._sent = {}
        self.corners.settled()
        self.rotation.settled()
        self.issues.settled()
        self._hide()

    def paint(self, painter: QPainter, canvas: StageCanvas) -> None:
        """Paint moved regions, the handles of the selection, and the rubber band."""
        shown = {**self._sent, **(self.draft if self.is_here(canvas) else {})}
        if shown:
            found = ((canvas.marks.region(known), box) for known, box in shown.items())
            paint_moved(painter, canvas, [(region, box) for region, box in found if region is not None])
        if self.is_here(canvas):
            self.band.paint(painter, canvas)
        self.corners.paint(painter, canvas)
        self.rotation.paint(painter, canvas)
        self.issues.paint(painter, canvas)
        if (box := self._resizable(canvas)) is not None:
            paint_handles(painter, canvas, box)
        paint_locks(painter, canvas, self.stage.selected)

    def _press_handle(self, at: Pointer) -> bool:
        """Press the handle or corner of the selection under the pointer; return whether there is one."""
        if self.corners.press(at) or self.rotation.press(at) or self.issues.press_handle(at):
            self._hide()
            return True
        self._handle = self._handle_at(at)
        if self._handle:
            self._before = self._boxes(at.canvas)
        return bool(self._handle)

    def _held_editor(self) -> CornerEditor | RotationEditor | IssueBoxEditor | None:
        """Return the editor whose handle or corner is being dragged, or None."""
        editors = (self.corners, self.rotation, self.issues)
        return next((editor for editor in editors if editor.is_held), None)

    def _drag(self, at: Pointer, *, begin: Pointer) -> None:
        if (editor := self._held_editor()) is not None:
            editor.pull(at)
            self._hide()
        elif self._handle:
            region_id, box = next(iter(self._before.items()))
            x, y = at.held()
            self._show_draft({region_id: resized(box, self._handle, to=(round(x), round(y)))})
        elif self._before:
            self._move_by(round(at.x - begin.x), round(at.y - begin.y))
        # Without a modifier, the press on free space has cleared the selection.
        elif at.is_adding or not self.stage.selected:
            self.band.stretch(begin, at)
        # Otherwise a path was pressed: it is selected, but cannot be dragged.

    def _choose(self, found: str, *, is_adding: bool) -> None:
        chosen = self.stage.selected
        if is_adding:
            others = tuple(known for known in chosen if known != found)
            self.stage.select(others if found in chosen else (*chosen, found))
        elif found not in chosen:
            self.stage.select([found])
        else:
            # A drag moves the whole selection, so only a click reduces it to this region.
            self._clicked = found

    def _boxes(self, canvas: StageCanvas) -> dict[str, Box]:
        """Return the boxes of the selected movable regions of a view, including changes not stored yet."""
        found = (canvas.marks.region(chosen) for chosen in self.stage.selected)
        return {
            one.id: self._sent.get(one.id, one.box)
            for one in found
            if one is not None and not one.is_locked and one.id not in canvas.hidden_by_user
        }

    def _locked(self, canvas: StageCanvas) -> list[Region]:
        """Return the selected regions of a view that are locked."""
        found = (canvas.marks.region(chosen) for chosen in self.stage.selected)
        return [one for one in found if one is not None and one.is_locked]

    def _resizable(self, canvas: StageCanvas) -> Box | None:
        """Return the box of the only selected region if it is a plain box with handles, or None."""
        if len(self.stage.selected) != 1:
            return None
        region = canvas.marks.region(self.stage.selected[0])
        if region is None or region.polygon or region.is_point or region.is_locked:
            return None
        return self.box_of(region)

    def _handle_at(self, at: Pointer) -> str:
        box = self._resizable(at.canvas)
        return handle_at(at, box) if box is not None else ""

    def _cursor_at(self, at: Pointer) -> Qt.CursorShape:
        if handle := self.issues.handle_at(at):
            return HANDLE_CURSORS[handle]
        if self.corners.corner_at(at) >= 0 or self.rotation.handle_at(at):
            return Qt.CursorShape.PointingHandCursor
        if at.modifiers & Qt.KeyboardModifier.AltModifier and self.corners.edge_at(at) >= 0:
            return Qt.CursorShape.CrossCursor
        handle = self._handle_at(at)
        if not handle and at.canvas.hovered is not None and at.canvas.hovered.id in self.stage.selected:
            is_locked = at.canvas.hovered.is_locked
            return Qt.CursorShape.ForbiddenCursor if is_locked else Qt.CursorShape.SizeAllCursor
        return HANDLE_CURSORS.get(handle, Qt.CursorShape.ArrowCursor)

    def _move_by(self, dx: float, dy: float) -> None:
        if self.canvas is None:
            return
        size = self.canvas.image_size
        x, y = held_move(self._before.values(), dx, dy, size=(size.width(), size.height()))
        self._show_draft({region_id: moved(box, x, y) for region_id, box in self._before.items()})

    def _show_draft(self, boxes: dict[str, Box]) -> None:
        self.draft = boxes
        self._hide()

    def _hide(self) -> None:
        """Hide in the views what this tool paints itself."""
        hidden = frozenset(self.draft) | frozenset(self._sent) | self.corners.hidden()
        hidden |= self.rotation.hidden()
        for canvas in self.stage.canvases:
            if canvas.hidden != hidden:
                canvas.hidden = hidden
            canvas.update()

    def _send_draft(self) -> None:
        """Send one command for the moved regions; they stay painted until it is executed."""
        # A drag back to the start must not create an undo step.
        changed = {known: box for known, box in self.draft.items() if self._before.get(known) != box}
        self._before, self._handle, self.draft = {}, "", {}
        if changed:
            # Sent boxes stay painted, so that regions do not jump back until the command is executed.
            self._sent = {**self._sent, **changed}
            self._send(MoveRegions(boxes=changed))
        else:
            self._hide()

    def _send(self, command: Command | None) -> None:
        self._hide()
        if command is not None:
            self.stage.send(command)
