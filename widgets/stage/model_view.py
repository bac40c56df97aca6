"""Model input views: images rendered by the same renderer as in releases and model runs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial

from widgets.stage.canvas import StageCanvas
from widgets.stage.image_cache import LoadedImage, StageImages
from widgets.stage.shown_frame import ShownFrame


class ModelViews:
    """Switches canvases between images and the renderer's output.

    The renderer runs on worker threads, one image per canvas at a time. If a video plays faster than the
    renderer, frames are skipped: the display can be late, but never shows the number of another frame.

    Args:
        pictures: Image loader whose threads are used.
    """

    def __init__(self, pictures: StageImages) -> None:
        self._pictures = pictures
        self.is_on = False
        self._latest: dict[StageCanvas, ShownFrame] = {}
        self._busy: set[StageCanvas] = set()
        self._waiting: set[StageCanvas] = set()

    def show(self, canvas: StageCanvas, showing: ShownFrame) -> None:
        """Display an image, or the rendered one as soon as it is available."""
        self._latest[canvas] = showing
        if self.is_on:
            self._ask(canvas)
        else:
            canvas.show_picture(showing)

    def refresh(self, canvases: Iterable[StageCanvas]) -> None:
        """Update the displays after a change of annotations, rendering or mode."""
        for canvas in canvases:
            self._refresh(canvas)

    def _refresh(self, canvas: StageCanvas) -> None:
        # Stills do not pass through ``show``: the canvas has them.
        showing = self._latest.get(canvas) or canvas.showing
        # A model never gets a preview; the view waits for the full image.
        if showing is None or showing.is_preview:
            return
        self._latest[canvas] = showing
        if self.is_on:
            self._ask(canvas)
        elif canvas.model is not None or canvas.is_rendering:
            canvas.is_rendering = False
            canvas.show_picture(replace(showing, model=None))
            canvas.show_cursor()

    def forget(self, canvas: StageCanvas) -> None:
        """Stop rendering for a canvas that is being removed."""
        self._latest.pop(canvas, None)
        self._busy.discard(canvas)

    def _ask(self, canvas: StageCanvas) -> None:
        canvas.is_rendering = True
        canvas.update()
        canvas.show_cursor()
        # One task per canvas; the latest frame is rendered when it ends.
        if canvas in self._busy:
            self._waiting.add(canvas)
        else:
            self._begin(canvas)

    def _begin(self, canvas: StageCanvas) -> None:
        showing = self._latest[canvas]
        self._busy.add(canvas)
        self._waiting.discard(canvas)
        self._pictures.render(
            showing.picture,
            marks=canvas.marks_at(showing.frame).marks,
            rendering=canvas.rendering,
            done=partial(self._on_rendered, canvas, showing),
        )

    def _on_rendered(self, canvas: StageCanvas, showing: ShownFrame, loaded: LoadedImage) -> None:
        # The canvas was removed while the renderer was running.
        if canvas not in self._busy:
            return
        self._busy.discard(canvas)
        if not self.is_on:
            return
        canvas.is_rendering = canvas in self._waiting
        canvas.problem = loaded.problem
        # With the frame that was rendered, not the latest one: image and number must match.
        canvas.show_picture(replace(showing, model=loaded.pyramid))
        if canvas.is_rendering:
            self._begin(canvas)
