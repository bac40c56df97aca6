"""Indexes on disk, beside the thumbnails: made once for each content, found again wherever the file moves."""

from __future__ import annotations

import hashlib
from pathlib import Path

from annotator.errors import EnvironmentFailure
from annotator.media.cache_files import cache_folder, keep_file
from annotator.media.video.index import VideoIndex, from_bytes, to_bytes
from annotator.media.video.indexing import make_index
from annotator.progress import Progress

FOLDER = "film-indexes"
_VERSION = "1"
"""Part of the names: an index that another version made is not read."""


def video_index(path: Path, *, sha256: str = "", progress: Progress | None = None) -> VideoIndex:
    """Return the index of a video file, kept from an earlier time where there is one.

    A cache that cannot be written, or is damaged, is no reason to fail: the index is made anew.

    Args:
        path: The file.
        sha256: Hex digest of its content where that is known; else path, size and time stand for it.
        progress: Stepped once a packet.

    Raises:
        UserError: It is no video, shows no frame, or is damaged.
        EnvironmentFailure: It cannot be read.
        Cancelled: The user stopped it.
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
    # Without a digest path and time stand for the content; a file put back with its old time and size is
    # taken for itself.
    stands_for = sha256 or f"{path.absolute()}\0{found.st_mtime_ns}"
    # The size belongs to the key in any case: a file that was cut off since must not get the old index.
    key = hashlib.sha256(
        f"{_VERSION}\0{stands_for}\0{found.st_size}".encode(errors="surrogateescape")
    ).hexdigest()
    return cache_folder() / FOLDER / key[:2] / f"{key}.index"
