"""Files of lines that several processes append to, and that a crash may cut."""

from __future__ import annotations

import os
from io import FileIO
from pathlib import Path


def append_line(path: Path, line: bytes) -> None:
    """Append a line to a file, which is created with its folder if it does not exist.

    Args:
        path: The file.
        line: The line without its end.

    Raises:
        OSError: The file cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    # One line in one write: processes that append at the same time do not mix their lines.
    # 'a' writes behind what others have appended meanwhile; '+' lets the last byte be read.
    with path.open("a+b", buffering=0) as file:
        file.write((b"\n" if _is_cut(file) else b"") + line + b"\n")


def _is_cut(file: FileIO) -> bool:
    """Return whether the last line has no end: a crash or a full disk cut it."""
    if not file.seek(0, os.SEEK_END):
        return False
    file.seek(-1, os.SEEK_END)
    return file.read(1) != b"\n"
