"""Whole images for the stage: decoded and halved off the GUI thread, and prefetched for the next scene."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject

from annotator.domain.medium import VIDEO_TYPES
from annotator.media.image_loader import require_file
from annotator.media.media_cache import MediaResult
from annotator.media.media_service import MediaRequest, Priority
from annotator.media.render import Overlay, Rendering
from annotator.progress import Progress
from widgets.bridge import Bridge
from widgets.media_loader import MediaLoader
from widgets.media_problems import problem_text
from widgets.medium_view import MediumView
from widgets.stage.preview import PreviewImage, cached_preview, has_preview, quick_preview
from widgets.stage.pyramid import ImagePyramid, StageImage, make_pyramid
from widgets.stage.video_playback import VideoLoader

PREFETCH = "prefetch"


@dataclass(frozen=True, kw_only=True)
class LoadedImage:
    """Result of loading an image.

    Attributes:
        pyramid: The image, or None if loading failed.
        problem: Error message, "" on success.
    """

    pyramid: ImagePyramid | None
    problem: str = ""


class StageImages:
    """Loads images and opens videos for stages."""

    def __init__(self, bridge: Bridge, *, media: MediaLoader) -> None:
        self.media = media
        self.videos = VideoLoader(bridge)

    def load(
        self,
        shown: MediumView,
        *,
        done: Callable[[LoadedImage], None],
        previewed: Callable[[PreviewImage | None], None],
        owner: QObject | None = None,
    ) -> None:
        """Load the image of a medium and deliver it, synchronously if it is cached.

        Args:
            shown: The medium.
            done: Called with the image or an error message.
            previewed: Called with a preview of a large image until it is loaded: once, twice or never.
            owner: Requesting object, for ``cancel``.
        """
        request = pyramid_request(shown)
        is_kept = (kept := self.media.get(request.key)) is not None and kept.error is None
        previews = (cached_preview, quick_preview) if has_preview(shown.medium) and not is_kept else ()
        # The cached thumbnail is faster; the reduced decode then replaces it with more pixels.
        for make in previews:
            load = partial(_preview, make, shown)
            self.media.load(
                MediaRequest(key=object(), load=load, is_kept=False),
                done=partial(_take_preview, previewed),
                priority=Priority.PREVIEW,
                owner=owner,
            )
        self.media.load(request, done=partial(_take, done), owner=owner)

    def cancel(self, owner: QObject) -> None:
        """Cancel all requests of a view that is being removed."""
        self.media.cancel(owner)

    def prefetch(self, media: Sequence[MediumView]) -> None:
        """Load images that are likely to be displayed next, and index the first video among them."""
        videos = [shown for shown in media if shown.medium.media_type in VIDEO_TYPES]
        # One is enough: indexing several would delay the video that is opened next.
        for shown in videos[:1]:
            self.videos.prepare(shown)
        stills = [pyramid_request(shown) for shown in media if shown.medium.media_type not in VIDEO_TYPES]
        self.media.want(PREFETCH, stills, priority=Priority.PREFETCH)

    def render(
        self,
        picture: StageImage,
        *,
        marks: Overlay,
        rendering: Rendering,
        done: Callable[[LoadedImage], None],
    ) -> None:
        """Render a model's input from an image and deliver it, or an error message."""
        # A key of its own: the annotations change, so a result is never asked for again.
        load = partial(_render, picture, marks=marks, rendering=rendering)
        request = MediaRequest(key=object(), load=load, is_kept=False)
        self.media.load(request, done=partial(_take, done))

    def close(self) -> None:
        """Close all videos."""
        self.videos.close()


def pyramid_request(shown: MediumView) -> MediaRequest:
    """Return the request for a whole image with its halved sizes."""
    return MediaRequest(key=("pyramid", shown.medium.media_type, shown.file), load=partial(_load, shown))


def _load(shown: MediumView, _progress: Progress) -> ImagePyramid:
    return read_pyramid(require_file(shown.file, kind=shown.medium.media_type))


def read_pyramid(file: Path) -> ImagePyramid:
    """Decode an image and build its pyramid. This function is thread-safe.

    Raises:
        UserError: The file has no readable image, or one that is too large; replace the file.
        EnvironmentFailure: The file cannot be read from disk; retry when the disk is available.
    """
    # Importing the decoders takes a tenth of a second and is deferred to keep startup fast.
    from annotator.media.image_decoder import decode_image

    return make_pyramid(decode_image(file))


def _render(
    picture: StageImage, _progress: Progress, *, marks: Overlay, rendering: Rendering
) -> ImagePyramid:
    from annotator.media.render import render

    return make_pyramid(render(picture.pixels, marks=marks, rendering=rendering))


def _preview(
    make: Callable[..., PreviewImage | None], shown: MediumView, _progress: Progress
) -> PreviewImage | None:
    return make(shown.medium, shown.file) if shown.file is not None else None


def _take_preview(previewed: Callable[[PreviewImage | None], None], result: MediaResult) -> None:
    previewed(result.value)


def _take(done: Callable[[LoadedImage], None], result: MediaResult) -> None:
    problem = problem_text(result.error) if result.error is not None else ""
    done(LoadedImage(pyramid=result.value, problem=problem))
