"""The link tool: links regions of different views that show the same object, by mouse or keyboard."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QKeyEvent, QPainter

from annotator.commands.links import LinkRegions
from annotator.domain.region import Region
from widgets.focus import ENTER
from widgets.stage.region_navigator import reveal
from widgets.stage.tool import Pointer, Tool, ToolStage
from widgets.stage.tools.draft_boxes import paint_draft
from widgets.stage.tools.link_guides import (
    around_region,
    is_likely,
    middle_on_screen,
    mismatch_of,
    new_link_flag,
    paint_epipolar_line,
    paint_line,
    paint_linked,
    pair_geometry,
)
from widgets.stage.tools.link_hints import (
    first_end_hint,
    no_candidate_hint,
    other_end_hint,
    proposal_hint,
    unknown_number_hint,
)
from widgets.stage.tools.link_keys import (
    TO_THE_OTHER_END,
    TypedNumber,
    candidate_step,
    candidates,
    ground_position,
    is_digit,
    linked_with,
    neighbour,
    next_view,
    region_among,
    taken_elsewhere,
    views_to_link,
)

if TYPE_CHECKING:
    from widgets.stage.canvas import StageCanvas


class LinkTool(Tool):
    """Links regions: click one, then the same object in other views, or drag a line between them.

    By keyboard: the selected region is the first end; the other one is cycled through or typed; Enter links.

    Attributes:
        first: The first region, or None.
        other: The region that Enter would link, or None.
    """

    id = "link"
    cursor = Qt.CursorShape.PointingHandCursor

    def __init__(self, stage: ToolStage) -> None:
        super().__init__(stage)
        self.first: Region | None = None
        self.other: Region | None = None
        self._canvas: StageCanvas | None = None
        self._other_canvas: StageCanvas | None = None
        self._pointer: QPoint | None = None
        self._typed = TypedNumber()
        self._joined: frozenset[str] = frozenset()
        self._is_without = False
        self._is_by_keys = False
        self._notice = ""

    def taken(self) -> None:
        """Use the selected region as the first end."""
        front = self.stage.front
        # The front view first: linked regions can be selected in several views.
        for canvas in sorted(self.stage.canvases, key=lambda one: one is not front):
            if (region := region_among(canvas, self.stage.selected)) is not None:
                self._take(region, canvas)
                return

    def press(self, at: Pointer) -> None:
        """Set the first region, or link the region under the pointer with the first one of another view."""
        # A mouse press discards a first end from the keyboard: the first click must not link an old
        # selection.
        if self._is_by_keys or self._taken() is None:
            self._drop()
        self._notice = ""
        region = at.canvas.region_at(at.x, at.y)
        if region is None:
            self._drop()
        # A link has one region per view, so another region of the same view replaces the first end.
        elif self.first is None or self.first.medium == region.medium:
            self.first, self._canvas = region, at.canvas
            self.stage.select([region.id])
            self._suggest()
        else:
            self._link(region)
        self._show_pointer(at)
        self.stage.show_hint()

    def move(self, at: Pointer) -> None:
        """Update the line to the pointer, and highlight what is linked with the region under it."""
        self._show_pointer(at)

    def release(self, at: Pointer) -> None:
        """Link with the region under the pointer, if the line was dragged to another view."""
        where = at.canvas.mapToGlobal(at.view)
        canvas = self.stage.canvas_at(where)
        if canvas is None or canvas is self._canvas or self.first is None or at.canvas is not self._canvas:
            return
        x, y = canvas.image_point(canvas.mapFromGlobal(where))
        if (region := canvas.region_at(x, y)) is not None:
            self._link(region)

    def double(self, at: Pointer) -> bool:
        """Accept a double click: two fast clicks on regions must not enlarge the view."""
        return at.canvas.hovered is not None

    def key(self, canvas: StageCanvas, event: QKeyEvent) -> bool:
        """Type the number of a region, take the next candidate, or link."""
        if step := candidate_step(event):
            return self.step(step)
        if Qt.Key(event.key()) in ENTER:
            return self._confirm(canvas)
        # Compared as text: the key code of the minus sign depends on the keyboard layout.
        if event.text() == TO_THE_OTHER_END and (self.first is not None or self._typed.text):
            self._go_to_other_end(canvas)
            return True
        if self._typed.take(event):
            self._find_typed(canvas)
            return True
        return False

    def wants(self, event: QKeyEvent) -> bool:
        """Accept digits, Tab for the next candidate, and Enter if it links."""
        if candidate_step(event):
            return self._taken() is not None and self._end_view() is not None
        is_typing = bool(self._typed.text)
        if Qt.Key(event.key()) in ENTER:
            return self.other is not None or is_typing
        if event.text() == TO_THE_OTHER_END:
            return self.first is not None or is_typing
        return is_digit(event) or (is_typing and event.key() == Qt.Key.Key_Backspace)

    def step(self, step: int) -> bool:
        """Step to the next candidate of the other view; return False if there is no first region."""
        first, canvas = self._taken(), self._end_view()
        if first is None or canvas is None or self._canvas is None:
            return False
        found = self._candidates(first, canvas)
        self._typed.text = ""
        self._is_without = not found
        if found:
            self._propose(neighbour(found, self.other, step), canvas)
        self._update()
        return True

    @property
    def hint(self) -> str:
        """Why the last link is flagged, and the available keys in the current state."""
        return " · ".join(filter(None, (self._notice, self._keys_hint())))

    def _keys_hint(self) -> str:
        first = self._taken()
        if first is None or self._canvas is None:
            return first_end_hint(self.stage.front, self._typed)
        view, end = self._canvas.shown.view, self._end_view()
        if self.other is not None and self._other_canvas is not None:
            mismatch = mismatch_of(self.stage.shown, first, self.other)
            other_view = self._other_canvas.shown.view
            return proposal_hint(view, first, other_view=other_view, other=self.other, mismatch=mismatch)
        if self._is_without and end is not None:
            partner = region_among(end, self.linked())
            return no_candidate_hint(view, first, end=end.shown.view, partner=partner)
        if self._typed.text and end is not None:
            return unknown_number_hint(end.shown.view, number=self._typed.text)
        return other_end_hint(view, first)

    def give_up(self) -> bool:
        """Discard the first region; leave the tool if it was started by keyboard."""
        had, was_by_keys = self.first is not None or bool(self._typed.text), self._is_by_keys
        begin = self._canvas
        self._drop()
        if was_by_keys:
            self.stage.choose_tool("select")
            if begin is not None and begin in self.stage.canvases:
                self.stage.viewports.bring(begin)
                self.stage.focus_view()
        return had

    def linked(self) -> frozenset[str]:
        """Return the ids linked with the first region or, without one, with the one under the pointer."""
        hovered = next((one.hovered for one in self.stage.canvases if one.hovered is not None), None)
        # Hovering previews existing links before a region is selected.
        return linked_with(self.stage.shown, self.first or hovered)

    def paint(self, painter: QPainter, canvas: StageCanvas) -> None:
        """Paint the first region, the regions already linked with it, and the line to the other end."""
        for region_id in self.linked():
            if (region := canvas.marks.region(region_id)) is not None:
                paint_linked(painter, canvas, region)
        first = self._taken()
        if first is None or self._canvas is None:
            return
        self._paint_ends(painter, canvas, first)
        if (aim := self._aim()) is not None:
            paint_line(painter, canvas, begin=middle_on_screen(self._canvas, first), end=aim)

    def _paint_ends(self, painter: QPainter, canvas: StageCanvas, first: Region) -> None:
        ratio = canvas.ratio()
        if canvas is self._canvas:
            paint_draft(painter, around_region(canvas, first), ratio=ratio)
        elif self.linked().isdisjoint(canvas.marks.ids):
            pair = pair_geometry(self.stage.shown, first, canvas)
            paint_epipolar_line(painter, canvas, pair=pair, first=first)
        if canvas is self._other_canvas and self.other is not None:
            paint_draft(painter, around_region(canvas, self.other), ratio=ratio)

    def _taken(self) -> Region | None:
        """Return the first region if its view displays it; another frame has other regions."""
        if self.first is None or self._canvas is None:
            return None
        return self._canvas.marks.region(self.first.id)

    def _take(self, region: Region, canvas: StageCanvas) -> None:
        self._drop()
        self.first, self._canvas, self._is_by_keys, self._notice = region, canvas, True, ""
        self.stage.select([region.id])
        self._suggest()
        self._update()

    def _drop(self) -> None:
        self.first = self.other = self._canvas = self._other_canvas = self._pointer = None
        self._typed.text, self._joined = "", frozenset()
        self._is_by_keys = self._is_without = False
        self._update()

    def _update(self) -> None:
        for canvas in self.stage.canvases:
            canvas.update()
        self.stage.show_hint()

    def _end_view(self) -> StageCanvas | None:
        """Return the view of the other end: the front one, or the next after that of the first region."""
        if self._canvas is None or len(self.stage.canvases) < 2:
            return None
        front = self.stage.front
        if front is not self._canvas:
            return front
        return next_view(self.stage.canvases, after=self._canvas, linked=self._joined | self.linked())

    def _suggest(self) -> None:
        """Propose the candidate that the geometry of the views expects; Enter links it."""
        first, canvas = self._taken(), self._end_view()
        self.other = self._other_canvas = None
        if first is None or canvas is None or pair_geometry(self.stage.shown, first, canvas) is None:
            return
        best = next(iter(self._candidates(first, canvas)), None)
        if best is not None and is_likely(mismatch_of(self.stage.shown, first, best)):
            # Only shown: the view with the first region stays the current one, in which the user works.
            self.other, self._other_canvas = best, canvas

    def _candidates(self, first: Region, canvas: StageCanvas) -> list[Region]:
        begin, viewports = self._canvas, self.stage.viewports
        return candidates(
            canvas,
            first=first,
            linked=self._joined | self.linked(),
            taken=taken_elsewhere(self.stage.shown, begin, first),
            near=ground_position(
                first, viewports.ground_between(begin, canvas) if begin is not None else None
            ),
            pair=pair_geometry(self.stage.shown, first, canvas),
        )

    def _propose(self, region: Region, canvas: StageCanvas) -> None:
        self.other, self._other_canvas, self._is_by_keys = region, canvas, True
        self.stage.viewports.bring(canvas)
        self.stage.focus_view()
        reveal(canvas, region.id)
        self._update()

    def _find_typed(self, canvas: StageCanvas) -> None:
        """Propose the region with the typed number; without a first region, select it."""
        if self._taken() is None:
            region = self._typed.region_in(canvas)
            self.stage.select([region.id] if region is not None else [])
            self._update()
            return
        end = self._end_view()
        region = self._typed.region_in(end) if end is not None else None
        self.other, self._other_canvas, self._is_without = None, None, False
        if region is not None and end is not None:
            self._propose(region, end)
        self._update()

    def _go_to_other_end(self, canvas: StageCanvas) -> None:
        """Make the typed region the first one, and continue with the next view."""
        if self._taken() is None:
            region = self._typed.region_in(canvas)
            # A number that no region has stays, so that it can be corrected.
            if region is None:
                self._update()
                return
            self._take(region, canvas)
        self._typed.text = ""
        end = self._end_view()
        if self._taken() is not None and end is not None:
            self.stage.viewports.bring(end)
            self.stage.focus_view()
        self._update()

    def _confirm(self, canvas: StageCanvas) -> bool:
        """Link the proposed region; continue with views that are not linked yet, or end."""
        first, other, begin = self._taken(), self.other, self._canvas
        if first is None:
            has_number = bool(self._typed.text)
            self._go_to_other_end(canvas)
            return has_number
        if other is None or begin is None:
            return bool(self._typed.text)
        # The project may not have stored the previous link yet, so linked ids are tracked here.
        self._joined |= {first.id, other.id, *self.linked()}
        self._link(other)
        self._typed.text, self._other_canvas = "", None
        rest = views_to_link(self.stage.canvases, linked=self._joined)
        self.stage.viewports.bring(rest[0] if rest else begin)
        self.stage.focus_view()
        if rest:
            self._suggest()
        elif self._notice:
            # The hint of this tool says why the link is flagged.
            self._drop()
        else:
            self.give_up()
        self._update()
        return True

    def _aim(self) -> QPoint | None:
        """Return the end of the line in screen coordinates: the proposed region, else the pointer."""
        is_shown = self._is_by_keys or self._pointer is None
        if is_shown and self.other is not None and self._other_canvas is not None:
            return middle_on_screen(self._other_canvas, self.other)
        return self._pointer

    def _link(self, region: Region) -> None:
        if self.first is None:
            return
        self._pointer = self.other = None
        is_linked = region.id in self.linked()
        self.stage.select([self.first.id, region.id])
        # Already linked: selecting both is enough, and no undo step is created.
        if not is_linked:
            self._notice = new_link_flag(self.stage.shown, self._canvas, self.first, region)
            self.stage.send(LinkRegions(scene=self.stage.scene, regions=(self.first.id, region.id)))

    def _show_pointer(self, at: Pointer) -> None:
        self._pointer = at.canvas.mapToGlobal(at.view) if self.first is not None else None
        for canvas in self.stage.canvases:
            canvas.update()
