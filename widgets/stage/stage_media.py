"""Images and videos of a project, loaded once for all stages of the window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from widgets.bridge import Bridge
from widgets.media_loader import MediaLoader

if TYPE_CHECKING:
    from widgets.stage.image_cache import StageImages


class StageMedia:
    """Loaders and caches shared by the stages of one project."""

    def __init__(self, bridge: Bridge, *, media: MediaLoader) -> None:
        self._bridge, self._media = bridge, media
        self._pictures: StageImages | None = None

    @property
    def pictures(self) -> StageImages:
        """The loader of images and videos."""
        if self._pictures is None:
            # Imported when a stage first needs it, to keep startup fast.
            from widgets.stage.image_cache import StageImages

            self._pictures = StageImages(self._bridge, media=self._media)
        return self._pictures

    def close(self) -> None:
        """Close all videos; the stages must not display any by then."""
        if self._pictures is not None:
            self._pictures.close()
