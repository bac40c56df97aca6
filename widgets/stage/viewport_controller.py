"""Zoom, pan and layout of the views of a stage, each view alone or all together."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint, QRect

from annotator.media.ground_plane import PlaneTransform, plane_transform
from widgets.settings import Settings
from widgets.stage.arrangement import Layout, arrange, layouts_for, pixel_grid
from widgets.stage.canvas import StageCanvas
from widgets.stage.correspondences import CorrespondingPoint, corresponding_point
from widgets.stage.cross_cursor import CrossCursors
from widgets.stage.loupe import Loupes
from widgets.stage.view_layouts import ViewLayouts
from widgets.stage.view_transform import ViewTransform

if TYPE_CHECKING:
    from widgets.stage.stage import Stage

KEY_ZOOM = 1.25


class ViewportController(QObject):
    """Executes the viewing actions of a stage."""

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        self._stage = stage
        self._layouts = ViewLayouts()
        self.is_together = True
        self.loupes = Loupes()
        self.cross_cursors = CrossCursors()
        stage.installEventFilter(self)

    def remember_in(self, settings: Settings) -> None:
        """Load and save the layouts of scenes with these settings."""
        self._layouts.remember_in(settings)

    def fit(self) -> None:
        """Fit the whole images."""
        self._apply_transform(lambda canvas: canvas.transform.fitted())

    def show_pixels(self) -> None:
        """Show one image pixel per device pixel, around the pointer if it is in the view."""
        self._apply_transform(
            lambda canvas: canvas.transform.zoomed(1.0 / canvas.transform.zoom, at=_anchor(canvas))
        )

    def zoom_in(self) -> None:
        """Zoom in."""
        self._apply_transform(lambda canvas: canvas.transform.zoomed(KEY_ZOOM))

    def zoom_out(self) -> None:
        """Zoom out."""
        self._apply_transform(lambda canvas: canvas.transform.zoomed(1 / KEY_ZOOM))

    def show_selected(self) -> None:
        """Show the selection in every view that has a selected region or one linked with it."""
        wanted = self._with_links()
        for canvas in self._stage.canvases:
            found = [region.box for one in wanted if (region := canvas.marks.region(one)) is not None]
            if found:
                x1, y1 = min(box.x1 for box in found), min(box.y1 for box in found)
                x2, y2 = max(box.x2 for box in found), max(box.y2 for box in found)
                canvas.show_transform(canvas.transform.showing(x1, y1, x2, y2))
        self._stage.view_state_changed.emit()

    def toggle_together(self) -> None:
        """Toggle whether all views zoom and pan together."""
        self.is_together = not self.is_together
        if self._stage.front is not None:
            self.follow(self._stage.front)

    def follow(self, leader: StageCanvas) -> None:
        """Apply the view transform of one view to the others, if views are moved together.

        Followers are computed from the leader's current transform, not from their own previous ones, so that
        clamping and rounding errors do not accumulate.
        """
        for canvas in self._stage.canvases if self.is_together else ():
            if canvas is not leader:
                canvas.show_transform(self._led(canvas, leader=leader))
        self.place_loupes()
        self._stage.view_state_changed.emit()

    def ground_between(self, here: StageCanvas, there: StageCanvas) -> PlaneTransform | None:
        """Return the ground-plane transform from one view's pixels to another's, or None if it is unknown."""
        scene = self._stage.shown.scene if self._stage.shown is not None else None
        grounds = {view.medium: view.to_ground for view in scene.views} if scene is not None else {}
        return _transform_between(grounds.get(here.medium, ()), grounds.get(there.medium, ()))

    def show_loupe(self) -> None:
        """Show the loupe while its key is held."""
        self.loupes.is_shown = True
        self.place_loupes()

    def hide_loupe(self) -> None:
        """Hide the loupes."""
        if self.loupes.is_shown:
            self.loupes.is_shown = False
            self.place_loupes()

    def place_loupes(self) -> None:
        """Move loupes and cross cursors to the pointer and its corresponding points."""
        found = {
            canvas: point
            for canvas in self._stage.canvases
            if (point := self._position_in(canvas)) is not None
        }
        # A model's input is shown without overlays; the loupe only magnifies its pixels.
        self.cross_cursors.place({} if self._stage.is_model else found)
        self.loupes.place(found if self.loupes.is_shown else {})

    def next_layout(self) -> None:
        """Switch to the next layout that differs; it is saved for this number of views."""
        stage, before = self._stage, self.view_rects()
        known = layouts_for(len(stage.canvases))
        at = known.index(self.layout)
        stage.large = None
        # Layouts can coincide for the current sizes: skip those that would change nothing.
        for layout in (*known[at + 1 :], *known[:at]):
            self._keep_layout(layout, main=stage.front)
            if self.view_rects() != before:
                break
        stage.lay_out()

    def step_view(self, step: str) -> None:
        """Set the keyboard focus to the next ("1") or previous ("-1") view; an enlarged view is replaced."""
        stage = self._stage
        if not stage.canvases or stage.front is None:
            return
        index = stage.canvases.index(stage.front) + int(step)
        self.bring(stage.canvases[index % len(stage.canvases)])
        stage.focus_view()

    def bring(self, canvas: StageCanvas) -> None:
        """Make a view the front one, which keys and frame numbers refer to; an enlarged view is replaced."""
        self._stage.bring_forward(canvas)
        if self._stage.large is not None:
            self._stage.make_large(canvas)
        self._stage.view_state_changed.emit()

    def bring_front(self, canvas: StageCanvas) -> bool:
        """Enlarge a view from the strip; return whether the layout has a strip and the view was in it."""
        if self.layout != "front" or self._stage.large is not None or canvas is self._main_canvas():
            return False
        self._keep_layout(self.layout, main=canvas)
        self._stage.lay_out()
        return True

    @property
    def layout(self) -> Layout:
        """The current layout."""
        return self._layouts.layout_of(self._stage.scene, count=len(self._stage.canvases))

    def view_rects(self) -> list[QRect]:
        """Return the rectangles of the views in the stage, invalid for hidden views."""
        stage = self._stage
        # The pixel grid starts at the window's corner, not at that of the stage.
        corner = stage.mapTo(stage.window(), QPoint(0, 0))
        grid = pixel_grid(stage.devicePixelRatioF(), x=corner.x(), y=corner.y())
        if stage.large is not None:
            (alone,) = arrange(stage.size(), [stage.large.image_size], grid=grid)
            return [alone if canvas is stage.large else QRect() for canvas in stage.canvases]
        main = self._main_canvas()
        return arrange(
            stage.size(),
            [canvas.image_size for canvas in stage.canvases],
            layout=self.layout,
            main=stage.canvases.index(main) if main is not None else 0,
            grid=grid,
        )

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Update the layout on a change to a screen with another scale."""
        if event.type() == QEvent.Type.DevicePixelRatioChange:
            self._stage.lay_out()
            for canvas in self._stage.canvases:
                # Views whose size in device-independent pixels stays the same get no resize event.
                canvas.take_size()
        return super().eventFilter(watched, event)

    def _keep_layout(self, layout: Layout, *, main: StageCanvas | None) -> None:
        large = main.shown.view if layout == "front" and main is not None else ""
        self._layouts.keep(self._stage.scene, layout=layout, main=large, count=len(self._stage.canvases))

    def _main_canvas(self) -> StageCanvas | None:
        canvases, main = self._stage.canvases, self._layouts.main_of(self._stage.scene)
        return next((one for one in canvases if one.shown.view == main), canvases[0] if canvases else None)

    def _led(self, canvas: StageCanvas, *, leader: StageCanvas) -> ViewTransform:
        to_other, transform = self.ground_between(leader, canvas), leader.transform
        if to_other is None:
            return canvas.transform.like(transform)
        # A point above the horizon, or behind the other camera, has no position in the image: the view does
        # not move.
        position, scale = (
            to_other.point(transform.x, transform.y),
            to_other.scale_at(transform.x, transform.y),
        )
        return (
            canvas.transform.led(transform, x=position[0], y=position[1], scale=scale)
            if position and scale
            else canvas.transform
        )

    def _position_in(self, canvas: StageCanvas) -> CorrespondingPoint | None:
        here = next((one for one in self._stage.canvases if one.pointer is not None), None)
        if here is None or canvas.picture is None or not canvas.isVisible():
            return None
        shown = self._stage.shown
        return corresponding_point(
            here,
            canvas,
            links=shown.marks.links if shown is not None else (),
            to_other=self.ground_between(here, canvas),
            is_together=self.is_together,
        )

    def _apply_transform(self, transform_of: Callable[[StageCanvas], ViewTransform]) -> None:
        canvas = self._stage.front
        if canvas is not None:
            canvas.change_transform(transform_of(canvas))

    def _with_links(self) -> tuple[str, ...]:
        shown, chosen = self._stage.shown, self._stage.selected
        links = shown.marks.links if shown is not None else ()
        linked = (region for link in links if set(link.regions) & set(chosen) for region in link.regions)
        return tuple(dict.fromkeys((*chosen, *linked)))


@lru_cache(64)
def _transform_between(here: tuple[float, ...], there: tuple[float, ...]) -> PlaneTransform | None:
    return plane_transform(here, there)


def _anchor(canvas: StageCanvas) -> tuple[float, float] | None:
    return canvas.view_point(*canvas.pointer) if canvas.pointer is not None else None
