"""Pictures and films of a project, loaded once for all stages of the window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from widgets.bridge import Bridge
from widgets.media_loader import MediaLoader

if TYPE_CHECKING:
    from widgets.stage.image_cache import StageImages


class StageMedia:
    """What the stages of one project share: threads, and what is kept in memory."""

    def __init__(self, bridge: Bridge, *, media: MediaLoader) -> None:
        self._bridge, self._media = bridge, media
        self._pictures: StageImages | None = None

    @property
    def pictures(self) -> StageImages:
        """What loads whole pictures and opens films."""
        if self._pictures is None:
            # Imported and made when a stage first wants it: the start of the window does without it.
            from widgets.stage.image_cache import StageImages

            self._pictures = StageImages(self._bridge, media=self._media)
        return self._pictures

    def close(self) -> None:
        """Show no film any more; the stages show nothing by then."""
        if self._pictures is not None:
            self._pictures.close()
