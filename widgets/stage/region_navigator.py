"""Keyboard navigation from region to region through all views."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QRectF

from widgets.stage.canvas import StageCanvas

if TYPE_CHECKING:
    from widgets.stage.stage import Stage

MARGIN_SHARE = 0.05
"""Margin as a fraction of the view: a region closer to the edge is centred."""


class RegionNavigator(QObject):
    """Selects the next or previous region of a stage."""

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        self._stage = stage

    def step_region(self, step: str) -> None:
        """Select the next ("1") or previous ("-1") region, across the views in order.

        A tool that works on regions, such as the link tool, steps through its own candidates instead.
        """
        stage = self._stage
        stage.leave_model()
        if stage.tool.step(int(step)):
            return
        found = self._neighbour(int(step))
        if found is not None:
            canvas, region = found
            stage.viewports.bring(canvas)
            stage.select([region])
            stage.focus_view()
            reveal(canvas, region)

    def _neighbour(self, step: int) -> tuple[StageCanvas, str] | None:
        stage = self._stage
        hidden = stage.hidden_regions.ids
        positions = [
            (canvas, one) for canvas in _from_front(stage) for one in canvas.marks.ids if one not in hidden
        ]
        if not positions:
            return None
        chosen = set(stage.selected)
        at = next((at for at, location in enumerate(positions) if location[1] in chosen), None)
        if at is not None:
            return positions[(at + step) % len(positions)]
        # Without a selection, start in the front view or, if it has no regions, in the next one that has.
        first = [location for location in positions if location[0] is positions[0][0]]
        return first[0 if step > 0 else -1]


def reveal(canvas: StageCanvas, region_id: str) -> None:
    """Pan a region into the visible area if it is outside."""
    region = canvas.marks.region(region_id)
    if region is not None:
        reveal_place(canvas, canvas.region_rect(region))


def reveal_place(canvas: StageCanvas, rect: QRectF) -> None:
    """Pan a rectangle of a view, device pixels, into the visible area if it is outside."""
    transform = canvas.transform
    dx = _distance_into(rect.left(), rect.right(), room=transform.width)
    dy = _distance_into(rect.top(), rect.bottom(), room=transform.height)
    if dx or dy:
        canvas.change_transform(transform.panned(dx, dy))


def _distance_into(begin: float, end: float, *, room: int) -> float:
    """Return the distance that centres a range in the available length, or 0 if the range is visible."""
    margin = MARGIN_SHARE * room
    is_seen = (begin >= 0 and end <= room) or (begin < margin and end > room - margin)
    return 0.0 if is_seen else room / 2 - (begin + end) / 2


def _from_front(stage: Stage) -> list[StageCanvas]:
    """Return the views in order, starting with the front one."""
    canvases = list(stage.canvases)
    at = canvases.index(stage.front) if stage.front in canvases else 0
    return canvases[at:] + canvases[:at]
