"""Finds an API key, or a part of it, in what a server sent, however the server has encoded it."""

from __future__ import annotations

import base64
import html
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

PART = 8
"""Letters of a key that are a secret: fewer are found by chance, and are of no use."""
DEPTH = 3
"""Encodings within each other that are decoded: percent signs in JSON in base64."""
AT_A_TIME = 1 << 22
"""Bytes compared at once, which take several times as many."""
LARGE_BYTES = 1 << 21
"""Of a longer text only one encoding is decoded: no answer is as long, and each takes a second."""
SHORT_BYTES = 256
"""A shorter text is searched without arrays, which is quicker."""
_ESCAPE = re.compile(
    rb"\\+u[0-9a-fA-F]{4}|\\+u\{[0-9a-fA-F]{1,6}\}|\\+U[0-9a-fA-F]{8}|\\+x[0-9a-fA-F]{2}|\\+[0-7]{3}"
    rb"|%u[0-9a-fA-F]{4}|%[0-9a-fA-F]{2}|=[0-9A-F]{2}|&#?\w{1,8};|\\+[^ux]|\x00"
)
_READABLE = re.compile(rb"[ -~\x00\s]{11,}")
_HEX = re.compile(rb"[0-9a-fA-F]{16,}")
_BASE64 = re.compile(rb"[A-Za-z0-9+/_-]{11,}")
_STANDARD = bytes.maketrans(b"-_", b"+/")
Span = tuple[int, int]


class _Piece(NamedTuple):
    """A decoded part, and where it comes from.

    Attributes:
        text: The decoded bytes.
        source: Returns which range was decoded to a range of the bytes.
    """

    text: bytes
    source: Callable[[int, int], Span]


class KeySearch:
    """Finds a key and its parts.

    Args:
        key: The key, in ASCII.
    """

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._parts = frozenset(key[start : start + PART] for start in range(len(key) - PART + 1))
        numbers = sorted(int.from_bytes(part, "little") for part in self._parts)
        self._numbers = np.array(numbers, np.uint64)

    def find(self, text: bytes, *, depth: int = DEPTH) -> list[Span]:
        """Return where the key or a part of it stands in a text, as merged ranges in order.

        Args:
            text: Anything that a server sent.
            depth: Encodings within each other that are decoded.
        """
        found = list(self._plain_parts(text))
        # What decodes to noise encodes nothing further.
        if depth and _READABLE.search(text):
            inner_depth = depth - 1 if len(text) < LARGE_BYTES else 0
            for piece in _decoded(text):
                found += [piece.source(*span) for span in self.find(piece.text, depth=inner_depth)]
        return _merged(found)

    def _plain_parts(self, text: bytes) -> Iterator[Span]:
        if not self._parts:
            found = re.finditer(re.escape(self._key), text) if self._key else iter(())
            yield from (match.span() for match in found)
        elif len(text) < SHORT_BYTES:
            for start in range(len(text) - PART + 1):
                if text[start : start + PART] in self._parts:
                    yield start, start + PART
        else:
            for start in range(0, len(text), AT_A_TIME):
                for index in self._windows_in(text[start : start + AT_A_TIME + PART - 1]):
                    yield start + index, start + index + PART

    def _windows_in(self, text: bytes) -> Iterator[int]:
        for offset in range(min(PART, max(0, len(text) - PART + 1))):
            count = (len(text) - offset) // PART
            windows = np.frombuffer(text, "<u8", count=count, offset=offset)
            # A window above all numbers is compared with the last one, and is unlike it.
            positions = np.searchsorted(self._numbers, windows).clip(max=len(self._numbers) - 1)
            for hit in np.flatnonzero(self._numbers[positions] == windows):
                yield offset + PART * int(hit)


def _decoded(text: bytes) -> Iterator[_Piece]:
    if (piece := _without_escapes(text)) is not None:
        yield piece
    for run in _HEX.finditer(text):
        for shift in (0, 1):
            digits = run.group()[shift:]
            plain = bytes.fromhex(digits[: len(digits) // 2 * 2].decode())
            yield _Piece(plain, _in_groups(run.start() + shift, letters=2, size=1, end=run.end()))
    for run in _BASE64.finditer(text):
        letters = run.group().translate(_STANDARD)
        # Letters before it can belong to a word, so that its groups of four begin anywhere.
        for shift in range(4):
            groups = letters[shift:]
            # Not filled with "=", which is an error after a single letter.
            plain = base64.b64decode(groups + b"A" * (-len(groups) % 4))
            yield _Piece(plain, _in_groups(run.start() + shift, letters=4, size=3, end=run.end()))


def _without_escapes(text: bytes) -> _Piece | None:
    """Return a text with all escapes decoded, None where it has none."""
    parts: list[bytes] = []
    begins, sources = [0], [(0, 0)]
    at = length = 0
    for escape in _ESCAPE.finditer(text):
        letters = _letters_of(escape.group())
        parts += [text[at : escape.start()], letters]
        length += escape.start() - at
        begins += [length, length + len(letters)]
        sources += [escape.span(), (escape.end(), escape.end())]
        length += len(letters)
        at = escape.end()
    if not parts:
        return None

    def place(position: int) -> Span:
        part = bisect_right(begins, position) - 1
        start, end = sources[part]
        # The bytes of an escape come from all of it, others from one each.
        return (
            (start, end)
            if end > start
            else (start + position - begins[part], start + position - begins[part] + 1)
        )

    return _Piece(b"".join((*parts, text[at:])), lambda first, last: (place(first)[0], place(last - 1)[1]))


def _letters_of(escape: bytes) -> bytes:
    """Return what an escape stands for; nothing of a zero byte, which UTF-16 has between letters."""
    if escape == b"\0":
        return b""
    if escape.startswith(b"&"):
        return html.unescape(escape.decode("latin-1")).encode("utf-8", "replace")
    bare = escape.lstrip(b"\\")
    if re.fullmatch(rb"[0-7]{3}", bare) and escape.startswith(b"\\"):
        return bytes([int(bare, 8) & 0xFF])
    digits = re.fullmatch(rb"(?:%u|[uUx=%])\{?([0-9a-fA-F]{2,8})\}?", bare)
    if digits is None:
        # A backslash before a letter that needs none.
        return bare
    number = int(digits[1], 16)
    return bytes([number]) if number < 0x80 else b"?"


def _in_groups(start: int, *, letters: int, size: int, end: int) -> Callable[[int, int], Span]:
    """Return where bytes come from that stand for groups of letters."""

    def source(first: int, last: int) -> Span:
        return start + first * letters // size, min(start - (-last * letters // size), end)

    return source


def _merged(spans: list[Span]) -> list[Span]:
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged
