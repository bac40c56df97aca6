"""Width and height of pictures from their first bytes, without decoding them.

A header is read instead of the whole picture because sizes must be known before anything is
decoded: a small file can claim billions of pixels.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import BinaryIO

from annotator.domain.record import Part

HEAD_BYTES = 32
# C4, C8 and CC are tables and extensions that share the range of frame headers.
_START_OF_FRAME = {*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC}
_NO_LENGTH = {0x01, *range(0xD0, 0xD9)}
# After the start of the scan come pixels, which look like anything.
LENGTH_BYTES = 2
_APP1, _START_OF_SCAN, _END = 0xE1, 0xDA, 0xD9
_ORIENTATION_TAG = 0x0112
SIDEWAYS = {5, 6, 7, 8}


class Size(Part, frozen=True, kw_only=True):
    """Width and height in pixels after EXIF orientation; 0 where the file does not tell."""

    width_px: int = 0
    height_px: int = 0


UNKNOWN = Size()


def read_size(file: BinaryIO) -> Size:
    """Return the size of a PNG, JPEG, MPO, WebP, BMP or GIF picture, known by content and not by name.

    Args:
        file: A seekable file at its beginning.

    Returns:
        The size, ``UNKNOWN`` for other or damaged files.
    """
    head = file.read(HEAD_BYTES)
    for marks, reader in _READERS:
        if all(head[at : at + len(mark)] == mark for at, mark in marks):
            file.seek(0)
            try:
                return reader(file)
            except (struct.error, IndexError):
                return UNKNOWN
    return UNKNOWN


def _png(file: BinaryIO) -> Size:
    width, height = struct.unpack(">II", file.read(24)[16:])
    return Size(width_px=width, height_px=height)


def _bmp(file: BinaryIO) -> Size:
    width, height = struct.unpack("<ii", file.read(26)[18:])
    # A negative height says that the rows run from the top.
    return Size(width_px=abs(width), height_px=abs(height))


def _gif(file: BinaryIO) -> Size:
    width, height = struct.unpack("<HH", file.read(10)[6:])
    return Size(width_px=width, height_px=height)


def _webp(file: BinaryIO) -> Size:
    head = file.read(30)
    kind = head[12:16]
    if kind == b"VP8X":
        # Sizes are 24 bits, in a 16 bit and an 8 bit part, less one.
        low_w, high_w, low_h, high_h = struct.unpack("<HBHB", head[24:30])
        width, height = (low_w | high_w << 16) + 1, (low_h | high_h << 16) + 1
    elif kind == b"VP8L":
        (bits,) = struct.unpack("<I", head[21:25])
        width, height = (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    else:
        width, height = (v & 0x3FFF for v in struct.unpack("<HH", head[26:30]))
    return Size(width_px=width, height_px=height)


def _jpeg(file: BinaryIO) -> Size:
    """Walk the segments up to the frame's, noting the orientation on the way."""
    file.seek(2)
    is_sideways = False
    while (marker := _next_marker(file)) not in {None, _START_OF_SCAN, _END}:
        if marker in _NO_LENGTH:
            continue
        # The length counts its own two bytes.
        (length,) = struct.unpack(">H", file.read(2))
        if length < LENGTH_BYTES:
            # Damaged. A file that is asked for fewer than 0 bytes raises, or reads itself to its end.
            return UNKNOWN
        body = file.read(length - LENGTH_BYTES)
        if marker in _START_OF_FRAME:
            height, width = struct.unpack(">HH", body[1:5])
            return (
                Size(width_px=height, height_px=width)
                if is_sideways
                else Size(width_px=width, height_px=height)
            )
        if marker == _APP1 and body.startswith(b"Exif\0\0"):
            is_sideways = _orientation(body[6:]) in SIDEWAYS
    return UNKNOWN


def _next_marker(file: BinaryIO) -> int | None:
    while (byte := file.read(1)) and byte != b"\xff":
        pass
    # Any number of FF may fill the space before a marker.
    while byte == b"\xff":
        byte = file.read(1)
    return byte[0] if byte else None


def _orientation(tiff: bytes) -> int:
    """Return the EXIF orientation 1..8, 1 where there is none."""
    order = ">" if tiff[:2] == b"MM" else "<"
    try:
        (start,) = struct.unpack_from(f"{order}I", tiff, 4)
        (entries,) = struct.unpack_from(f"{order}H", tiff, start)
        for entry in range(entries):
            tag, _kind, _count, value = struct.unpack_from(f"{order}HHIH", tiff, start + 2 + 12 * entry)
            if tag == _ORIENTATION_TAG:
                return int(value)
    except struct.error:
        return 1
    return 1


_READERS: tuple[tuple[tuple[tuple[int, bytes], ...], Callable[[BinaryIO], Size]], ...] = (
    (((0, b"\x89PNG\r\n\x1a\n"),), _png),
    (((0, b"\xff\xd8"),), _jpeg),
    (((0, b"RIFF"), (8, b"WEBP")), _webp),
    (((0, b"BM"),), _bmp),
    (((0, b"GIF8"),), _gif),
)
"""Marks at offsets that tell a format, and its reader."""
