"""Images of media in the size in which the window shows them, loaded without Qt on any thread."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Literal

from annotator.domain.medium import Medium
from annotator.errors import UserError
from annotator.media.display_pixels import Pixels, crop_to_fill, decode_jpeg, scale_to_fit
from annotator.media.thumbnails import SIDE_PX, ThumbnailStore, thumbnail_key

MOST_PIXELS = 200_000_000
"""An image with more is not decoded for a list: 200 MP is twice the largest drone camera's mosaic."""
MOST_ENLARGED = 1.125
"""A kept thumbnail may be enlarged by this factor; where more is needed, the file itself is read."""
USUAL_PROPORTION = 16 / 9
STILL_KINDS = frozenset({"image", "map"})
Cause = Literal["outside", "missing", "no_preview", "too_large", "unreadable"]


class ImageUnavailable(UserError):  # noqa: N818 - a state of a medium, which is shown in place of its image
    """Say why a medium has no image.

    Attributes:
        cause: Which of the usual reasons it is.
    """

    def __init__(self, cause: Cause, message: str) -> None:
        super().__init__(message)
        self.cause = cause


def require_file(file: Path | None, *, kind: str) -> Path:
    """Return the file of a medium that can have an image.

    Args:
        file: The file, None where its path leads out of the media folder.
        kind: Kind of the medium.

    Raises:
        ImageUnavailable: The file is outside the media folder or missing, or its kind has no image.
    """
    if file is None:
        raise ImageUnavailable("outside", "File is outside the media folder.")
    if not file.exists():
        raise ImageUnavailable("missing", f"{file} does not exist.")
    if kind == "trajectory":
        raise ImageUnavailable("no_preview", "A trajectory has no image.")
    return file


def load_fitted(file: Path | None, *, kind: str, width: int, height: int) -> Pixels:
    """Return the image of a file, scaled down to fit into a size.

    Args:
        file: The file, None where its path leads out of the media folder; its content decides what it is.
        kind: Kind of the medium.
        width: Most pixels across.
        height: Most pixels down.

    Returns:
        uint8 (height, width, 3), red, green, blue.

    Raises:
        ImageUnavailable: There is no image.
        EnvironmentFailure: The file cannot be read from the disk.
    """
    pixels = _decoded(require_file(file, kind=kind), kind=kind, side_px=max(width, height))
    return scale_to_fit(pixels, width=width, height=height)


def load_thumbnail(
    medium: Medium, *, kind: str, file: Path | None, width: int, height: int, store: ThumbnailStore | None
) -> Pixels:
    """Return a thumbnail cut to fill its size.

    Args:
        medium: The medium; of it name and content hash are used.
        kind: Its kind.
        file: Where it lies, None where its path leads out of the media folder.
        width: Width of the thumbnail, px.
        height: Height of the thumbnail, px.
        store: Where small thumbnails are kept on disk, None to read the file itself.

    Returns:
        uint8 (height, width, 3), red, green, blue.

    Raises:
        ImageUnavailable: There is no image.
        EnvironmentFailure: The file cannot be read from the disk.
    """
    path = require_file(file, kind=kind)
    is_small = store is not None and max(width, height) <= SIDE_PX * MOST_ENLARGED
    pixels = _stored(medium, path, store) if store is not None and is_small else None
    if pixels is None:
        pixels = _decoded(path, kind=kind, side_px=max(width, height), is_filling=True)
    return crop_to_fill(pixels, width=width, height=height)


def _stored(medium: Medium, path: Path, store: ThumbnailStore) -> Pixels | None:
    """Return the kept thumbnail, made where there is none yet; None where the kept file is damaged."""
    name = thumbnail_key(medium, path)
    content = store.get(name)
    content = store.make(path, name) if content is None else content
    if not content:
        raise ImageUnavailable("unreadable", f"{path.name} cannot be read as an image.")
    return decode_jpeg(content)


def _decoded(path: Path, *, kind: str, side_px: int, is_filling: bool = False) -> Pixels:
    # Its libraries take a tenth of a second to import, which the start of the window does not have.
    from annotator.media.image_decoder import decode_image
    from annotator.media.image_file import TooManyPixels

    size = _stated_size(path) if kind in STILL_KINDS else None
    try:
        # Asked before anything is decoded: a few bytes can claim an image of gigabytes.
        if size is not None and math.prod(size) > MOST_PIXELS:
            raise TooManyPixels(f"{path.name} has {math.prod(size):,} pixels.")
        proportion = max(size) / min(size) if size is not None else USUAL_PROPORTION
        return decode_image(path, max_side_px=math.ceil(side_px * proportion) if is_filling else side_px)
    except UserError as error:
        cause: Cause = "too_large" if isinstance(error, TooManyPixels) else "unreadable"
        raise ImageUnavailable(cause, str(error)) from error


def _stated_size(path: Path) -> tuple[int, int] | None:
    """Return the size that an image file states, None where the file is no image."""
    from annotator.media.image_file import open_image

    if path.is_dir():
        return None
    try:
        with open_image(path) as image:
            return image.size
    except UserError:
        # Decoding says what is wrong, and takes other kinds of files too.
        return None
