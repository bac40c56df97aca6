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

    def __init__(self, videos: VideoLoader, *, models: ModelViews, parent: QObject) -> None:
        super().__init__(parent)
        self._videos, self._models = videos, models
        self._offsets: dict[str, float] = {}
        self.player = Player(self)

    def make(self, shown: MediumView, *, scene: StageScene) -> VideoPlayback | None:
        """Return an unopened video for a view, or None for a still."""
        if shown.medium.media_type not in VIDEO_TYPES:
            return None
        return VideoPlayback(shown, offset_s=_offset_s(scene, shown.medium.id))

    def begin(self, canvases: Iterable[StageCanvas]) -> None:
        """Open the videos of canvases, and replace those of the player."""
        before = self.player.videos
        shown = [(canvas, canvas.video) for canvas in canvases if canvas.video is not None]
        self._offsets = {video.shown.medium.id: video.offset_s for _, video in shown}
        # Before the old videos are closed, so that the clock no longer requests frames from them.
        self.player.show_videos([video for _, video in shown])
        for video in before:
            self._videos.close_view(video)
        for canvas, video in shown:
            canvas.is_loading = True
            # The video is deleted with its canvas. Otherwise, its connections would keep both and their
            # images alive.
            video.setParent(canvas)
            video.frame_came.connect(partial(self._on_frame_came, canvas))
            video.opened.connect(partial(self._on_video_opened, canvas))
            video.noted.connect(canvas.update)
            canvas.handled.connect(partial(self._on_canvas_handled, video))
            # Queued, so that slots run after the painter has ended and may repaint.
            canvas.frame_painted.connect(self.player.note_painted, Qt.ConnectionType.QueuedConnection)
            canvas.tapped.connect(self.player.play_or_pause)
            canvas.stepped.connect(self.player.step)
            self._videos.open(video)

    def follow(self, scene: StageScene) -> None:
        """Apply changed offsets of the scene after a command or its undo."""
        for video in self.player.videos:
            medium = video.shown.medium.id
            offset_s = _offset_s(scene, medium)
            # Compared with the stored offset: during a drag, the offset of the video itself differs.
            if offset_s != self._offsets.get(medium):
                self._offsets[medium] = offset_s
                self.player.place(video, offset_s=offset_s)

    def _on_frame_came(self, canvas: StageCanvas, frame: Frame) -> None:
        if canvas.video is None or canvas.video.video is None:
            return
        picture = self._videos.ahead.picture(canvas.video, frame)
        self._models.show(
            canvas, ShownFrame(picture=picture, frame=frame.number, is_damaged=frame.is_damaged)
        )
        # With model inputs on, the frame itself is not painted.
        if self.player.is_playing and not self._models.is_on:
            self._videos.ahead.prepare(canvas.video, zoom=canvas.transform.zoom)
        if canvas.is_loading:
            canvas.is_loading = False
            canvas.picture_shown.emit()

    def _on_video_opened(self, canvas: StageCanvas) -> None:
        if canvas.video is not None and canvas.video.problem:
            canvas.is_loading = False
            canvas.picture_shown.emit()
        canvas.update()

    def _on_canvas_handled(self, video: VideoPlayback) -> None:
        self.player.hold(video)


def _offset_s(scene: StageScene, medium: str) -> float:
    return next((view.offset_s for view in scene.scene.views if view.medium == medium), 0.0)
