"""Names of files that the product makes: valid on every system, and not taken."""

from __future__ import annotations

import re
from pathlib import Path

# What Windows refuses in names, and what would make folders.
_REFUSED = re.compile(r'[\x00-\x1f<>:"/\\|?*]+')
_NUMBERED = re.compile(r"(.*) \((\d{1,6})\)")


def file_name(text: str) -> str:
    """Return a text as a name that every system accepts, "" if nothing of it is left."""
    return _REFUSED.sub("-", text).strip(". ")


def next_name(path: Path) -> Path:
    """Return the name after a name that is taken: ``a.jpg``, ``a (2).jpg``, ``a (3).jpg``."""
    found = _NUMBERED.fullmatch(path.stem)
    stem, number = (found[1], int(found[2]) + 1) if found else (path.stem, 2)
    return path.with_name(f"{stem} ({number}){path.suffix}")
