"""Converts the next frames of playing videos on worker threads.

Converting colours and halving a frame takes a third of its painting time and does not need Qt.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from widgets.bridge import Bridge
from widgets.stage.frame_image import FrameImage
from widgets.stage.pyramid import level_for

if TYPE_CHECKING:
    from annotator.media.video.frames import Frame
    from widgets.stage.video_playback import VideoPlayback

THREADS = 2


class FramePreparer:
    """Prepares the next image of each video.

    After a wrong prediction, the image is computed when it is painted.

    Args:
        bridge: Reports errors of worker threads.
    """

    def __init__(self, bridge: Bridge) -> None:
        self._bridge = bridge
        self._pool = ThreadPoolExecutor(max_workers=THREADS, thread_name_prefix="vantage-frame-preparer")
        self._made: dict[VideoPlayback, FrameImage] = {}
        self._last: dict[VideoPlayback, int] = {}

    def picture(self, view: VideoPlayback, frame: Frame) -> FrameImage:
        """Return the image of a frame that is displayed now."""
        made = self._made.pop(view, None)
        # The decoder can have replaced the frame since the prediction.
        if made is not None and made.frame is frame:
            return made
        return FrameImage(frame, size_px=view.size_px)

    def prepare(self, view: VideoPlayback, *, zoom: float) -> None:
        """Prepare the image after the displayed one, if its frame is already decoded.

        Args:
            view: The playing video.
            zoom: Device pixels per image pixel.
        """
        step = view.wanted - self._last.get(view, view.wanted)
        self._last[view] = view.wanted
        # The next step is predicted to equal the last one: one frame while playback keeps its speed.
        frame = view.peek(view.wanted + step) if step else None
        if frame is not None:
            picture = self._made[view] = FrameImage(frame, size_px=view.size_px)
            future = self._pool.submit(picture.prepare, level_for(zoom))
            self._bridge.wait_for(future, done=self._on_made)

    def _on_made(self, _result: None) -> None:
        """Ignore the result; the bridge reports errors."""

    def forget(self, view: VideoPlayback) -> None:
        """Discard the images of a video that is closed."""
        self._made.pop(view, None)
        self._last.pop(view, None)

    def close(self) -> None:
        """Stop preparing images."""
        self._pool.shutdown(wait=True, cancel_futures=True)
