"""Colours of the frames that come next, made on other threads while a film plays.

Making colours and halves of a frame takes a third of what painting it takes, and needs nothing of Qt.
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
    """Makes one picture ahead for each film; after a wrong guess, it is made when it is painted.

    Args:
        bridge: Reports what goes wrong.
    """

    def __init__(self, bridge: Bridge) -> None:
        self._bridge = bridge
        self._pool = ThreadPoolExecutor(max_workers=THREADS, thread_name_prefix="vantage-frame-preparer")
        self._made: dict[VideoPlayback, FrameImage] = {}
        self._last: dict[VideoPlayback, int] = {}

    def picture(self, view: VideoPlayback, frame: Frame) -> FrameImage:
        """Return the picture of a frame that is to be shown now."""
        made = self._made.pop(view, None)
        if made is not None and made.frame is frame:
            return made
        return FrameImage(frame, size_px=view.size_px)

    def prepare(self, view: VideoPlayback, *, zoom: float) -> None:
        """Make the picture that follows the one which is shown now, where its frame is decoded already.

        Args:
            view: The film, while it plays.
            zoom: Device pixels per image pixel with which it is painted.
        """
        step = view.wanted - self._last.get(view, view.wanted)
        self._last[view] = view.wanted
        # The clock goes on as far as it just did: a frame while a film keeps its pace.
        frame = view.peek(view.wanted + step) if step else None
        if frame is not None:
            picture = self._made[view] = FrameImage(frame, size_px=view.size_px)
            future = self._pool.submit(picture.prepare, level_for(zoom))
            self._bridge.wait_for(future, done=self._on_made)

    def _on_made(self, _result: None) -> None:
        """Do nothing: only an error is of interest, which the bridge reports."""

    def forget(self, view: VideoPlayback) -> None:
        """Keep nothing of a film that goes."""
        self._made.pop(view, None)
        self._last.pop(view, None)

    def close(self) -> None:
        """Make nothing more."""
        self._pool.shutdown(wait=True, cancel_futures=True)
