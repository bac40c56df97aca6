"""The videos of a stage: one per canvas with a video, and their common player."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt

from annotator.domain.medium import VIDEO_TYPES
from widgets.medium_view import MediumView
from widgets.stage.canvas import StageCanvas
from widgets.stage.model_view import ModelViews
from widgets.stage.player import Player
from widgets.stage.scene import StageScene
from widgets.stage.shown_frame import ShownFrame
from widgets.stage.video_playback import VideoLoader, VideoPlayback

if TYPE_CHECKING:
    from annotator.media.video.frames import Frame


class StageVideos(QObject):
    """Connects videos, canvases and the player."""

    def __init__(self, films: VideoLoader, *, models: ModelViews, parent: QObject) -> None:
        super().__init__(parent)
        self._films, self._models = films, models
        self._offsets: dict[str, float] = {}
        self.player = Player(self)

    def make(self, shown: MediumView, *, scene: StageScene) -> VideoPlayback | None:
        """Return an unopened video for a view, or None for a still."""
        if shown.medium.media_type not in VIDEO_TYPES:
            return None
        return VideoPlayback(shown, offset_s=_offset_s(scene, shown.medium.id))

    def begin(self, canvases: Iterable[StageCanvas]) -> None:
        """Open the videos of canvases, and replace those of the player."""
        before = self.player.films
        shown = [(canvas, canvas.film) for canvas in canvases if canvas.film is not None]
        self._offsets = {film.shown.medium.id: film.offset_s for _, film in shown}
        # Before the old videos are closed, so that the clock no longer requests frames from them.
        self.player.show_films([film for _, film in shown])
        for film in before:
            self._films.close_view(film)
        for canvas, film in shown:
            canvas.is_loading = True
            # The video is deleted with its canvas. Otherwise, its connections would keep both and their
            # images alive.
            film.setParent(canvas)
            film.frame_came.connect(partial(self._on_frame_came, canvas))
            film.opened.connect(partial(self._on_film_opened, canvas))
            film.noted.connect(canvas.update)
            canvas.handled.connect(partial(self._on_canvas_handled, film))
            # Queued, so that slots run after the painter has ended and may repaint.
            canvas.frame_painted.connect(self.player.note_painted, Qt.ConnectionType.QueuedConnection)
            canvas.tapped.connect(self.player.play_or_pause)
            canvas.stepped.connect(self.player.step)
            self._films.open(film)

    def follow(self, scene: StageScene) -> None:
        """Apply changed offsets of the scene after a command or its undo."""
        for film in self.player.films:
            medium = film.shown.medium.id
            offset_s = _offset_s(scene, medium)
            # Compared with the stored offset: during a drag, the offset of the video itself differs.
            if offset_s != self._offsets.get(medium):
                self._offsets[medium] = offset_s
                self.player.place(film, offset_s=offset_s)

    def _on_frame_came(self, canvas: StageCanvas, frame: Frame) -> None:
        if canvas.film is None or canvas.film.film is None:
            return
        picture = self._films.ahead.picture(canvas.film, frame)
        self._models.show(
            canvas, ShownFrame(picture=picture, frame=frame.number, is_damaged=frame.is_damaged)
        )
        # With model inputs on, the frame itself is not painted.
        if self.player.is_playing and not self._models.is_on:
            self._films.ahead.prepare(canvas.film, zoom=canvas.transform.zoom)
        if canvas.is_loading:
            canvas.is_loading = False
            canvas.picture_shown.emit()

    def _on_film_opened(self, canvas: StageCanvas) -> None:
        if canvas.film is not None and canvas.film.problem:
            canvas.is_loading = False
            canvas.picture_shown.emit()
        canvas.update()

    def _on_canvas_handled(self, film: VideoPlayback) -> None:
        self.player.hold(film)


def _offset_s(scene: StageScene, medium: str) -> float:
    return next((view.offset_s for view in scene.scene.views if view.medium == medium), 0.0)
