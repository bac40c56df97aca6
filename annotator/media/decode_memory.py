"""The memory that decoding an image takes: estimated before it begins, limited, and shared by all threads.

A file of a megabyte can hold an image that takes gigabytes to decode.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from annotator.media.image_file import TooManyPixels

if TYPE_CHECKING:
    from PIL.Image import Image

MOST_BYTES = 2_000_000_000
"""Of one image: 140 megapixels in colour in full, 400 scaled down; 100 to 125 of deep grey."""
SHARED_BYTES = 600_000_000
"""Of all images that are decoded at once; one that takes more is decoded alone."""
# Bytes that Pillow keeps of a pixel; of all other modes 4.
_STORED = {"1": 1, "L": 1, "P": 1, "I;16": 2, "I;16B": 2, "I;16L": 2}
# Bytes of a pixel that decoders keep on top, measured with files of 25 megapixels.
_CODEC = {"WEBP": 8, "AVIF": 8, "JPEG2000": 12, "TIFF": 4, "GIF": 4}
_TILE_WIDTH_TAG, _TILE_LENGTH_TAG, _BITS_TAG = 322, 323, 258
_UNTRUSTED = frozenset({"AVIF"})
"""The header can state a smaller size than the frame has, whose decoding takes up to 1.6 GB: these alone."""
_PROGRESSIVE = 6
"""A progressive JPEG keeps two bytes of each coefficient, of the whole image even when it is scaled down."""
_DEEP = 16
"""Values as float32, a mark which of them are finite, a copy for the percentiles, and the result."""
_OUTPUT = 10
"""The scaled image, its RGB array, and the array turned upright."""


class DecodeBudget:
    """Limits what decoding takes, of one image and of all that are decoded at once. Thread-safe.

    Args:
        most_bytes: Limit of one image.
        shared_bytes: Limit of several at once.
    """

    def __init__(self, *, most_bytes: int = MOST_BYTES, shared_bytes: int = SHARED_BYTES) -> None:
        self.most_bytes, self.shared_bytes = most_bytes, shared_bytes
        self._used = 0
        self._freed = threading.Condition()
        # Those who wait come in order: small images must not keep a large one waiting for ever.
        self._turn = threading.Lock()

    @contextmanager
    def reserve(self, needed: int, *, name: str) -> Iterator[None]:
        """Wait until there is memory for an image, and keep it for the block.

        Args:
            needed: Bytes.
            name: Name of the image, for the message.

        Raises:
            TooManyPixels: The image takes more than the limit of one image.
        """
        if needed > self.most_bytes:
            raise TooManyPixels(
                f"{name} takes {needed / 1e9:.1f} GB of memory to decode; "
                f"the limit is {self.most_bytes / 1e9:.1f} GB.",
                hint="Split the image into tiles.",
            )
        with self._turn, self._freed:
            self._freed.wait_for(lambda: not self._used or self._used + needed <= self.shared_bytes)
            self._used += needed
        try:
            yield
        finally:
            with self._freed:
                self._used -= needed
                self._freed.notify_all()


BUDGET = DecodeBudget()
"""That of this process."""


def decode_bytes(image: Image, *, size: tuple[int, int], is_deep: bool) -> int:
    """Return how many bytes decoding an opened image takes at most.

    Args:
        image: Opened, not decoded, at the page that is decoded.
        size: Width and height that it is scaled to.
        is_deep: Whether it is grey of more than 8 bits, which is stretched.
    """
    whole = image.width * image.height
    decoded = whole // _jpeg_step(image, size) ** 2
    is_scaled = size != (image.width, image.height)
    stored = _STORED.get(image.mode, 4)
    pixel = stored + _CODEC.get(image.format or "", 0)
    if is_deep:
        pixel += _DEEP
    elif is_scaled and image.mode in {"P", "PA", "1"}:
        pixel += 4
    inks = 4 if image.mode == "CMYK" else 0
    progressive = _PROGRESSIVE * whole if image.info.get("progressive") else 0
    needed = decoded * pixel + progressive + size[0] * size[1] * (_OUTPUT + inks) + _tile_bytes(image)
    return max(needed, SHARED_BYTES) if image.format in _UNTRUSTED else needed


def _tile_bytes(image: Image) -> int:
    """Return what a tile of a TIFF takes: it can be larger than the image, and is decoded as a whole."""
    tags: Mapping[int, Any] = getattr(image, "tag_v2", {})
    pixels = tags.get(_TILE_WIDTH_TAG, 0) * tags.get(_TILE_LENGTH_TAG, 0)
    return int(pixels * -(-sum(tags.get(_BITS_TAG, (8,))) // 8))


def array_bytes(rows: int, columns: int) -> int:
    """Return how many bytes it takes at most to show a plane of numbers as an image."""
    return rows * columns * (_DEEP + _OUTPUT)


def _jpeg_step(image: Image, size: tuple[int, int]) -> int:
    """Return which share of the pixels in each direction a JPEG decoder decodes: 1 of 1, 2, 4 or 8."""
    if image.format not in {"JPEG", "MPO"}:
        return 1
    fitting = min(image.width // max(1, size[0]), image.height // max(1, size[1]))
    return max(step for step in (1, 2, 4, 8) if step <= max(1, fitting))
