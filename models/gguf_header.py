"""The metadata at the beginning of a GGUF file: single values by name, without the weights.

Source: github.com/ggml-org/ggml, docs/gguf.md.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import BinaryIO

from annotator.errors import EnvironmentFailure

MAGIC = b"GGUF"
STRING, ARRAY = 8, 9
# Sizes of the other types by their number: integers and floats of 8 to 64 bits, and booleans.
SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
LONGEST_TEXT = 2**20


def text_value(file: Path, name: str) -> str:
    """Return a text of the metadata, "" if there is none of this name.

    Raises:
        EnvironmentFailure: The file cannot be read.
    """
    try:
        with file.open("rb") as stream:
            return _find(stream, name.encode())
    except OSError as error:
        raise EnvironmentFailure(f"{file} cannot be read: {error}.") from error
    except (struct.error, KeyError, ValueError, OverflowError, RecursionError):
        # A damaged file: the engine says what is wrong with it.
        return ""


def _find(stream: BinaryIO, name: bytes) -> str:
    if stream.read(4) != MAGIC:
        return ""
    _, _, count = struct.unpack("<IQQ", stream.read(20))
    for _ in range(count):
        key, kind = _read_text(stream), _read_number(stream, "<I")
        if key == name and kind == STRING:
            return _read_text(stream).decode("utf-8", "replace")
        _skip(stream, kind)
    return ""


def _read_text(stream: BinaryIO) -> bytes:
    return stream.read(min(_read_number(stream, "<Q"), LONGEST_TEXT))


def _read_number(stream: BinaryIO, form: str) -> int:
    number: int = struct.unpack(form, stream.read(struct.calcsize(form)))[0]
    return number


def _skip(stream: BinaryIO, kind: int) -> None:
    if kind == STRING:
        stream.seek(_read_number(stream, "<Q"), 1)
    elif kind == ARRAY:
        inner, count = _read_number(stream, "<I"), _read_number(stream, "<Q")
        if inner in SIZES:
            stream.seek(SIZES[inner] * count, 1)
            return
        # A count that a damaged file exaggerates ends with the file: reading beyond it is an error.
        for _ in range(count):
            _skip(stream, inner)
    else:
        stream.seek(SIZES[kind], 1)
