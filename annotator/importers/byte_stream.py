"""The bytes of a file as a stream, for formats whose files are too large to be held in memory."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from annotator.errors import EnvironmentFailure
from annotator.importers.input_file import InputFile
from annotator.importers.input_folder import ArchivedFile

SKIPPED_BYTES = 1 << 20
"""Bytes of an overlong line that are in memory at once while they are skipped."""
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@contextmanager
def utf8_stream(file: InputFile) -> Iterator[BinaryIO]:
    """Give a file's bytes from the first after a byte order mark on; UTF-16 with a mark comes as UTF-8.

    A file inside an archive, and one in UTF-16, is held in memory, with the limits of ``InputFile``.

    Raises:
        UserError: It is too large to be held in memory, and has to be.
        EnvironmentFailure: The disk refused.
    """
    try:
        with _opened(file) as stream:
            if stream.read(len(codecs.BOM_UTF8)) != codecs.BOM_UTF8:
                stream.seek(0)
            yield stream
    except OSError as error:
        raise EnvironmentFailure(f"{file.name} cannot be read: {error.strerror}.") from error


def limited_lines(file: InputFile, *, most_bytes: int) -> Iterator[bytes]:
    """Yield the lines of a file; of one that is too long the first bytes, one more than is allowed.

    Raises:
        UserError: It lies in an archive and is too large to be held in memory.
        EnvironmentFailure: The disk refused.
    """
    with utf8_stream(file) as stream:
        # One byte more than is allowed tells that the line is too long.
        while line := stream.readline(most_bytes + 1):
            yield line
            while line and not line.endswith(b"\n"):
                line = stream.readline(SKIPPED_BYTES)


def _opened(file: InputFile) -> BinaryIO:
    if file.read_bytes(2) in _UTF16:
        return io.BytesIO(file.text.encode("utf-8", errors="surrogatepass"))
    return io.BytesIO(file.read_bytes()) if isinstance(file, ArchivedFile) else file.open_stream()
