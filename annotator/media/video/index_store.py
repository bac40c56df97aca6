"""Indexes on disk, beside the thumbnails: made once for each file."""

from __future__ import annotations

import hashlib
from pathlib import Path

from annotator.errors import EnvironmentFailure
from annotator.media.cache_files import cache_folder, keep_file
from annotator.media.video.index import VideoIndex, from_bytes, to_bytes
from annotator.media.video.indexing import make_index
from annotator.progress import Progress

FOLDER = "video-indexes"
_VERSION = "2"
"""Part of the names: an index that another version made is not read."""


def video_index(path: Path, *, sha256: str = "", progress: Progress | None = None) -> VideoIndex:
    """Return the index of a video file, from the cache if possible.

    If the cache cannot be written or is damaged, the index is computed again.

    Args:
        path: The file.
        sha256: Hex digest of the content that the project states, "" if unknown. Part of the key, with path,
            size and time.
        progress: One step per packet.

    Raises:
        UserError: The file is not a video, has no visible frame, or is damaged.
        EnvironmentFailure: The file cannot be read.
        Cancelled: The user cancelled.
    """
    kept = _stored_at(path, sha256)
    try:
        index = from_bytes(kept.read_bytes())
    except OSError:
        index = None
    if index is not None:
        return index
    made = make_index(path, progress=progress)
    keep_file(kept, to_bytes(made))
    return made


def _stored_at(path: Path, sha256: str) -> Path:
    try:
        found = path.stat()
    except OSError as error:
        raise EnvironmentFailure(f"{path} cannot be read: {error.strerror}.") from error
    # Never the digest alone, which a project only claims: all projects share the cache, and one from a
    # stranger could have another file numbered by the index of its own. The size finds a file that was cut.
    stands_for = f"{path.absolute()}\0{found.st_size}\0{found.st_mtime_ns}\0{sha256}"
    key = hashlib.sha256(f"{_VERSION}\0{stands_for}".encode(errors="surrogateescape")).hexdigest()
    return cache_folder() / FOLDER / key[:2] / f"{key}.index"
