"""Reads the lists of a release folder that came from anywhere."""

from __future__ import annotations

import errno
from pathlib import Path


def read_listed_file(path: Path) -> bytes:
    """Return the content of a file of a release folder.

    Raises:
        OSError: It cannot be read, or is a pipe or a device: reading that would never end.
    """
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "it is not a file", str(path))
    return path.read_bytes()
