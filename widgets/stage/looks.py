"""How a stage is looked at: zoom, place, views together or each alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from widgets.stage.canvas import Canvas
from widgets.stage.lens import Lens
from widgets.stage.loupe import Loupes

if TYPE_CHECKING:
    from widgets.stage.stage import Stage

KEY_ZOOM = 1.25


class Looks(QObject):
    """Does what keys and buttons want to see."""

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        self._stage = stage
        self.is_together = True
        self.loupes = Loupes()

    def fit(self) -> None:
        """Show whole pictures."""
        self._look(lambda canvas: canvas.lens.fitted())

    def show_pixels(self) -> None:
        """Show a pixel for a pixel, around the pointer where it is in the view."""
        self._look(lambda canvas: canvas.lens.zoomed(1.0 / canvas.lens.zoom, at=_anchor(canvas)))

    def zoom_in(self) -> None:
        """Show things larger."""
        self._look(lambda canvas: canvas.lens.zoomed(KEY_ZOOM))

    def zoom_out(self) -> None:
        """Show things smaller."""
        self._look(lambda canvas: canvas.lens.zoomed(1 / KEY_ZOOM))

    def show_selected(self) -> None:
        """Look at what is selected, in every view that has it or something linked with it."""
        wanted = self._with_links()
        for canvas in self._stage.canvases:
            found = [region.box for one in wanted if (region := canvas.marks.region(one)) is not None]
            if found:
                x1, y1 = min(box.x1 for box in found), min(box.y1 for box in found)
                x2, y2 = max(box.x2 for box in found), max(box.y2 for box in found)
                canvas.show_lens(canvas.lens.showing(x1, y1, x2, y2))
        self._stage.looked.emit()

    def toggle_together(self) -> None:
        """Zoom and pan all views together from now on, or each alone."""
        self.is_together = not self.is_together
        if self._stage.front is not None:
            self.follow(self._stage.front)

    def follow(self, leader: Canvas) -> None:
        """Let the other views show what one does, where they are moved together."""
        for canvas in self._stage.canvases if self.is_together else ():
            if canvas is not leader:
                canvas.show_lens(canvas.lens.like(leader.lens))
        self.place_loupes()
        self._stage.looked.emit()

    def show_loupe(self) -> None:
        """Show the pixels under the pointer enlarged, for as long as the key is held."""
        self.loupes.is_shown = True
        self.place_loupes()

    def hide_loupe(self) -> None:
        """Put the loupes away."""
        if self.loupes.is_shown:
            self.loupes.is_shown = False
            self.place_loupes()

    def place_loupes(self) -> None:
        """Put the loupes where the pointer is."""
        shown = self._stage.shown
        links = shown.marks.links if shown is not None else ()
        self.loupes.place(self._stage.canvases, links=links, is_together=self.is_together)

    def _look(self, lens_of: Callable[[Canvas], Lens]) -> None:
        canvas = self._stage.front
        if canvas is not None:
            canvas.change_lens(lens_of(canvas))

    def _with_links(self) -> tuple[str, ...]:
        shown, chosen = self._stage.shown, self._stage.selected
        links = shown.marks.links if shown is not None else ()
        linked = (region for link in links if set(link.regions) & set(chosen) for region in link.regions)
        return tuple(dict.fromkeys((*chosen, *linked)))


def _anchor(canvas: Canvas) -> tuple[float, float] | None:
    return canvas.view_point(*canvas.pointer) if canvas.pointer is not None else None
