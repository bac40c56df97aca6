"""Opens image files safely: only known formats, and the size is checked before anything is decoded."""

from __future__ import annotations

import logging
import struct
import warnings
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from annotator.domain.record import ValueObject
from annotator.errors import EnvironmentFailure, UserError

if TYPE_CHECKING:
    from PIL.Image import Image

MOST_PIXELS = 400_000_000
"""A picture that claims more is refused: decoded to three bytes a pixel it would take 1.2 GB."""
# No EPS, PSD and the like: their readers start other programs or know more than pictures.
FORMATS = ("JPEG", "PNG", "GIF", "BMP", "DIB", "WEBP", "TIFF", "JPEG2000", "AVIF", "PPM", "TGA")
ORIENTATION_TAG = 0x0112
SIDEWAYS = frozenset({5, 6, 7, 8})
"""Orientations that exchange width and height."""
# What Pillow's readers raise on damaged files, as found by flipping bytes of all kinds of pictures.
DAMAGE = (
    OSError,
    ValueError,
    SyntaxError,
    TypeError,
    KeyError,
    IndexError,
    AttributeError,
    ArithmeticError,
    struct.error,
    zlib.error,
    EOFError,
    MemoryError,
    RuntimeError,
    AssertionError,
)


class Size(ValueObject, frozen=True, kw_only=True):
    """Width and height in pixels after EXIF orientation; 0 where the file does not say."""

    width_px: int = 0
    height_px: int = 0


UNKNOWN = Size()


class TooManyPixels(UserError):  # noqa: N818 - says what is wrong with the file, as its base class does
    """Say that a file states more pixels than are decoded."""


@contextmanager
def open_image(path: Path) -> Iterator[Image]:
    """Open a picture; nothing is decoded yet, and the block may decode it.

    Raises:
        UserError: It is none, or damaged, or larger than ``MOST_PIXELS``.
        EnvironmentFailure: The file cannot be read.
    """
    try:
        file = path.open("rb")
    except OSError as error:
        raise EnvironmentFailure(f"{path} cannot be read: {error.strerror}.") from error
    with file:
        try:
            with _opened(file) as image:
                require_size(Size(width_px=image.width, height_px=image.height), name=path.name)
                yield image
        # Of the block too, since decoding happens there: a block that does more would have its own errors
        # called damage.
        except DAMAGE as error:
            raise UserError(f"{path.name} cannot be read as an image: {_error_text(error)}.") from error


def read_size(file: BinaryIO) -> Size:
    """Return the size of a picture from its header, ``UNKNOWN`` for other and damaged files.

    Args:
        file: A seekable file at its beginning; the beginning alone is enough where the header is in it.
    """
    try:
        with _opened(file) as image:
            # EXIF of a PNG may follow its pixels, so that Pillow decodes all of them to find it.
            if image.format == "PNG":
                return Size(width_px=image.width, height_px=image.height)
            return upright_size(image)
    except DAMAGE:
        return UNKNOWN


def _opened(file: BinaryIO) -> Image:
    from PIL import Image

    # Pillow raises an error only above 179 megapixels; callers check our limit before decoding.
    Image.MAX_IMAGE_PIXELS = None
    Image.init()
    # What it warns of and logs, damaged EXIF for instance, is told by what is then missing, or by an error.
    logging.getLogger("PIL").setLevel(logging.CRITICAL)
    warnings.filterwarnings("ignore", category=UserWarning, module=r"PIL\.")
    # Formats are named, so that the file's name has no say in which reader is tried.
    return Image.open(file, formats=FORMATS)


def require_size(size: Size, *, name: str) -> None:
    """Refuse a picture or frame that is too large to decode.

    Raises:
        TooManyPixels: It has more than ``MOST_PIXELS``.
        UserError: It has none.
    """
    pixels = size.width_px * size.height_px
    if pixels <= 0:
        raise UserError(f"{name} has a size of 0 pixels.")
    if pixels > MOST_PIXELS:
        raise TooManyPixels(
            f"{name} has {size.width_px:,} x {size.height_px:,} pixels; the limit is "
            f"{MOST_PIXELS // 1_000_000} megapixels.",
            hint="Split the image into tiles.",
        )


def upright_size(image: Image) -> Size:
    """Return width and height after EXIF orientation."""
    # Pillow turns TIFF, and its size, by itself.
    if image.format != "TIFF" and image.getexif().get(ORIENTATION_TAG) in SIDEWAYS:
        return Size(width_px=image.height, height_px=image.width)
    return Size(width_px=image.width, height_px=image.height)


def _error_text(error: BaseException) -> str:
    """Return what Pillow said in one line, without the address of the file object."""
    text = str(error).split("<_io.", 1)[0].strip().rstrip(".'\" ").splitlines()
    return text[0][:160] if text and text[0] else "it is damaged"
