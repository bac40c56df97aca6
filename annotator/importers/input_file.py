"""A file that somebody else wrote: its text, read with limits and without trust."""

from __future__ import annotations

import codecs
import hashlib
import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

from annotator.database_files import require_no_database
from annotator.errors import EnvironmentFailure, UserError

LARGEST_TEXT_BYTES = 512 * 1024 * 1024
"""A text is held in memory while it is read, and takes up to four times its size there."""
HEAD_BYTES = 256 * 1024
MOST_COMMON = 0.9
"""Share of the characters of a GBK text that GB 2312 has; Chinese prose has more than 0.99."""
_HIGH_BYTES = re.compile(rb"[\x80-\xff]+")
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


class InputFile:
    """One file to import.

    Bytes that are not UTF-8 are kept as lone surrogates (``surrogateescape``), so that only the records that
    contain them are rejected.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = printable(path.name)

    @classmethod
    def open(cls, path: Path) -> InputFile:
        """Return a file after a first look at it.

        Raises:
            UserError: It is no file.
            EnvironmentFailure: The disk refused.
        """
        shown = printable(str(path))
        if "\0" in str(path) or not path.exists():
            raise UserError(f"The file {shown} does not exist.", hint="Check the file name.")
        if path.is_dir():
            raise UserError(f"{shown} is a folder.", hint="Select the files in the folder.")
        file = cls(path)
        file.head = file.decoded(file.read_bytes(HEAD_BYTES))
        return file

    is_archived = False
    """Whether it is in an archive, so that no path leads to it."""
    head: str = ""
    """The first 256 KiB as text: enough to tell the format."""

    @property
    def stem(self) -> str:
        """The file's name without its ending."""
        return printable(self.path.stem)

    @cached_property
    def size_bytes(self) -> int:
        """Size of the file.

        Raises:
            EnvironmentFailure: The disk refused.
        """
        with _converting_os_errors(self.path):
            return self.path.stat().st_size

    @cached_property
    def sha256(self) -> str:
        """Hex digest of the content.

        Raises:
            EnvironmentFailure: The disk refused.
        """
        with _converting_os_errors(self.path), self.open_stream() as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()

    def open_stream(self) -> io.BufferedReader:
        """Open the content for reading from its beginning.

        Raises:
            UserError: It is a project's own database.
            OSError: The disk refused.
        """
        require_no_database(self.path)
        return self.path.open("rb")

    @cached_property
    def text(self) -> str:
        """The whole text, line ends as they are.

        Raises:
            UserError: The file is too large.
            EnvironmentFailure: The disk refused.
        """
        if self.size_bytes > LARGEST_TEXT_BYTES:
            raise UserError(
                f"{self.name} is larger than {LARGEST_TEXT_BYTES >> 20} MiB, too large to read in one piece.",
                hint="Split it into several files.",
            )
        return self.decoded(self.read_bytes())

    def read_bytes(self, limit: int = -1) -> bytes:
        """Return the content, or its beginning.

        Raises:
            EnvironmentFailure: The disk refused.
        """
        with _converting_os_errors(self.path), self.open_stream() as stream:
            return stream.read(limit)

    def read_end(self, count: int) -> bytes:
        """Return the last bytes of the content, all of it where it is shorter.

        Raises:
            EnvironmentFailure: The disk refused.
        """
        with _converting_os_errors(self.path), self.open_stream() as stream:
            stream.seek(max(0, self.size_bytes - count))
            return stream.read(count)

    @staticmethod
    def decoded(data: bytes) -> str:
        """Return bytes as text: UTF-8, or what a byte order mark says."""
        encoding = next((name for mark, name in _MARKS if data.startswith(mark)), "utf-8")
        if encoding == "utf-16":
            return _utf16_text(data)
        return data.removeprefix(codecs.BOM_UTF8).decode("utf-8", errors="surrogateescape")


def _utf16_text(data: bytes) -> str:
    try:
        return data.decode("utf-16", errors="surrogatepass")
    except UnicodeDecodeError:
        # Only a text cut off inside a character fails above, and the record there is cut off as well.
        return data.decode("utf-16", errors="replace")


@contextmanager
def _converting_os_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise EnvironmentFailure(f"{printable(str(path))} cannot be read: {error.strerror}.") from error


def chinese_legacy_text(text: str) -> str | None:
    """Return a text that is really in a Chinese legacy encoding, or None where that is not certain.

    Certain means: most of the runs of its high bytes are not UTF-8 (some are by chance: every third Chinese
    character in GB 2312 is also a letter in UTF-8), and it is GB 2312, whose high bytes come in pairs, which
    those of Western texts do not; or it is GBK or GB 18030, whose rare characters end in ASCII, and nearly
    all characters are those of GB 2312.

    Args:
        text: As ``InputFile.text`` gives it.
    """
    if is_utf8(text):
        return None
    try:
        # Gives back exactly the bytes that the text was read from, odd ones included.
        data = text.encode("utf-8", errors="surrogateescape")
    except UnicodeEncodeError:
        # Half of a character out of a UTF-16 text, which stands for no byte.
        return None
    runs = _HIGH_BYTES.findall(data)
    by_chance = sum(_is_utf8_bytes(run) for run in runs)
    if 2 * by_chance >= len(runs):
        return None
    try:
        return _gb18030_text(data) if any(len(run) % 2 for run in runs) else data.decode("gb2312")
    except UnicodeDecodeError:
        return _gb18030_text(data)


def _gb18030_text(data: bytes) -> str | None:
    try:
        text = data.decode("gb18030")
    except UnicodeDecodeError:
        return None
    # In Western, Japanese and Big5 texts that happen to decode, most pairs are rare characters.
    foreign = re.sub(r"[\x00-\x7f]", "", text)
    common = len(foreign.encode("gb2312", errors="ignore")) // 2
    return text if common >= MOST_COMMON * len(foreign) else None


def _is_utf8_bytes(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def is_lone_surrogate(character: str) -> bool:
    """Tell whether a character is half of a pair, which no file can be written with."""
    return "\ud800" <= character <= "\udfff"


def fault_of_text(text: str) -> str:
    """Say why a text cannot be stored as it is, "" where it can."""
    if "\0" in text:
        return "The text contains a NUL character."
    odd = next((ch for ch in text if is_lone_surrogate(ch)), "") if not is_utf8(text) else ""
    if "\udc80" <= odd <= "\udcff":
        return f"It is not UTF-8: byte 0x{ord(odd) - 0xDC00:02x}."
    return f"The text contains an incomplete character ({printable(odd)}, a lone surrogate)." if odd else ""


def printable(text: str) -> str:
    """Return a text that can be shown and stored, whatever it held."""
    return text.encode("utf-8", errors="backslashreplace").decode().replace("\0", "\\x00")


def is_utf8(text: str) -> bool:
    """Tell whether a text can be written, which one with lone surrogates cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
