"""Pixels as the window paints them. Nothing of Qt is used, so that any thread may make them.

Qt's own image calls hold the interpreter lock, so that a thread that makes them stops the window. OpenCV,
Pillow and PyAV release it.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

# OpenCV is imported where it is used: its import takes time that the start of the window does not have.

Pixels = np.ndarray[tuple[int, int, int], np.dtype[np.uint8]]


def to_display(rgb: Pixels) -> Pixels:
    """Return a picture in the byte order that Qt paints fastest.

    Args:
        rgb: uint8 (height, width, 3), red, green, blue.

    Returns:
        uint8 (height, width, 4), blue, green, red, 255: QImage.Format_RGB32 on a little-endian machine.
    """
    import cv2

    return _shaped(cv2.cvtColor(rgb, cv2.COLOR_RGB2BGRA))


def halve(pixels: Pixels) -> Pixels:
    """Return a picture of half the width and height, each pixel the mean of four.

    Args:
        pixels: uint8 (height, width, channels).
    """
    height, width, _ = pixels.shape
    return _scaled(pixels, width=max(1, width // 2), height=max(1, height // 2))


def crop_to_fill(pixels: Pixels, *, width: int, height: int) -> Pixels:
    """Return a picture scaled until it fills a size, and cut from its middle.

    Args:
        pixels: uint8 (height, width, channels).
        width: Width of the result, px.
        height: Height of the result, px.
    """
    factor = max(width / pixels.shape[1], height / pixels.shape[0])
    wide = max(width, round(pixels.shape[1] * factor))
    high = max(height, round(pixels.shape[0] * factor))
    scaled = _scaled(pixels, width=wide, height=high)
    left, top = (wide - width) // 2, (high - height) // 2
    return np.ascontiguousarray(scaled[top : top + height, left : left + width])


def scale_to_height(pixels: Pixels, *, height: int) -> Pixels:
    """Return a picture in another height, in its own proportions.

    Args:
        pixels: uint8 (height, width, channels).
        height: Height of the result, px.
    """
    width = max(1, round(pixels.shape[1] * height / pixels.shape[0]))
    return _scaled(pixels, width=width, height=height)


def scale_to_fit(pixels: Pixels, *, width: int, height: int) -> Pixels:
    """Return a picture as large as fits into a size, in its own proportions; none is enlarged.

    Args:
        pixels: uint8 (height, width, channels).
        width: Most pixels across.
        height: Most pixels down.
    """
    factor = min(width / pixels.shape[1], height / pixels.shape[0])
    if factor >= 1:
        return pixels
    wide, high = round(pixels.shape[1] * factor), round(pixels.shape[0] * factor)
    return _scaled(pixels, width=max(1, wide), height=max(1, high))


def decode_jpeg(content: bytes) -> Pixels | None:
    """Return a JPEG file of the thumbnail cache, None where it was cut off.

    Args:
        content: The file: upright, without metadata.

    Returns:
        uint8 (height, width, 3), red, green, blue.
    """
    import cv2

    pixels = cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_COLOR_RGB) if content else None
    return None if pixels is None else _shaped(pixels)


def _scaled(pixels: Pixels, *, width: int, height: int) -> Pixels:
    import cv2

    if (width, height) == (pixels.shape[1], pixels.shape[0]):
        return pixels
    # Averaging over areas is smooth only where a picture gets smaller.
    is_smaller = width <= pixels.shape[1] and height <= pixels.shape[0]
    interpolation = cv2.INTER_AREA if is_smaller else cv2.INTER_LINEAR
    return _shaped(cv2.resize(pixels, (width, height), interpolation=interpolation))


def _shaped(pixels: npt.NDArray[np.generic]) -> Pixels:
    # OpenCV drops the last axis of a picture of one channel.
    height, width, channels = pixels.shape if pixels.ndim == 3 else (*pixels.shape, 1)
    return np.ascontiguousarray(pixels, dtype=np.uint8).reshape(height, width, channels)
