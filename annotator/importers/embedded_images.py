"""Extracts Base64 images from the cells of a table, without decoding them to pixels."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from dataclasses import dataclass

from annotator.errors import UserError
from annotator.importers.input_file import LARGEST_TEXT_BYTES, InputFile
from annotator.importers.record_fields import RecordError

LARGEST_PICTURE_BYTES = 64 * 1024 * 1024
SHORTEST_CHARACTERS = 65
"""VLMEvalKit takes shorter cells for the index of another row, whose picture is the same."""

# A run of this length without a blank is an image: no word of a question has a thousand characters.
_LONG = re.compile(rb"[A-Za-z0-9+/]{1000,}={0,2}")
_BASE64 = re.compile(r"[A-Za-z0-9+/]{65,}={0,2}")
_PRIVATE_USE = (0xE000, 0xF8FF)
# First bytes of a file and its ending.
_KINDS = (
    (b"\xff\xd8\xff", "jpg"),
    (b"\x89PNG", "png"),
    (b"GIF8", "gif"),
    (b"BM", "bmp"),
    (b"II*\0", "tif"),
    (b"MM\0*", "tif"),
)


@dataclass(frozen=True, slots=True)
class EmbeddedImage:
    """One picture in a cell.

    Attributes:
        sha256: Hex digest of its bytes.
        data: Its bytes, as a file would hold them.
    """

    sha256: str
    data: bytes

    @property
    def name(self) -> str:
        """A file name of its own, from its content."""
        kind = next((kind for mark, kind in _KINDS if self.data.startswith(mark)), "")
        kind = kind or ("webp" if self.data[8:12] == b"WEBP" else "bin")
        return f"{self.sha256[:16]}.{kind}"


class TextWithoutImages:
    """The text of a table with its images replaced.

    Attributes:
        text: The text, with a short marker in place of each image.
    """

    def __init__(self, file: InputFile) -> None:
        """Take the pictures out.

        Raises:
            UserError: The file is too large, or holds every character that could be a mark.
            EnvironmentFailure: The disk refused.
        """
        # Bounded by what is read in one piece; the text alone is then decoded.
        if file.size_bytes > LARGEST_TEXT_BYTES:
            limit = LARGEST_TEXT_BYTES >> 20
            raise UserError(f"{file.name} is larger than {limit} MiB.", hint="Split it into several files.")
        self._data = file.read_bytes()
        self._spans: list[tuple[int, int]] = []
        # A character that the file does not have, so that no text can pass for a mark.
        mark = _unused_character(self._data)
        if not mark:
            raise UserError(f"{file.name} is not a readable table.", hint="Check the file.")
        self._marked = re.compile(f"{mark}([0-9]+){mark}")
        self._mark = mark
        self.text = file.decoded(_LONG.sub(self._take_out, self._data))

    def pictures(self, cell: str) -> list[EmbeddedImage]:
        """Return the pictures of a cell in order, none where it holds something else.

        Raises:
            RecordError: One is too large or no Base64.
        """
        numbers = self._marked.findall(cell)
        if numbers:
            spans = [self._spans[int(number)] for number in numbers]
            return [_picture(self._data[start:end]) for start, end in spans]
        return [_picture(found.encode()) for found in _BASE64.findall(cell)]

    def _take_out(self, found: re.Match[bytes]) -> bytes:
        self._spans.append(found.span())
        return f"{self._mark}{len(self._spans) - 1}{self._mark}".encode()


def _picture(encoded: bytes) -> EmbeddedImage:
    if len(encoded) * 3 // 4 > LARGEST_PICTURE_BYTES:
        raise RecordError("image", f"An image in the file has more than {LARGEST_PICTURE_BYTES >> 20} MiB.")
    try:
        data = base64.b64decode(encoded, validate=True)
    except binascii.Error as error:
        raise RecordError("image", f"An image in the file is not valid Base64: {error}.") from error
    return EmbeddedImage(hashlib.sha256(data).hexdigest(), data)


def _unused_character(data: bytes) -> str:
    return next((ch for ch in map(chr, range(*_PRIVATE_USE)) if ch.encode() not in data), "")
