"""Files of what can be made again at any time: thumbnails, indexes of videos."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import platformdirs

from annotator.domain.record import new_id


def cache_folder() -> Path:
    """Return the folder of what can be made again at any time."""
    return Path(os.environ.get("VANTAGE_CACHE") or platformdirs.user_cache_dir("vantage", appauthor=False))


def keep_file(path: Path, content: bytes) -> bool:
    """Write a cache file atomically and return whether it was written.

    A failed write is not an error: the content is computed again when it is needed.
    """
    partial = path.with_suffix(f".{new_id()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # Written beside and moved: another window may look for it meanwhile.
        partial.write_bytes(content)
        partial.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            partial.unlink()
        return False
    return True
