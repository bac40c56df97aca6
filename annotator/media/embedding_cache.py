"""Embeddings of images on disk, by the content of the image and of the encoder; bounded in bytes."""

from __future__ import annotations

import contextlib
import io
import os
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from annotator.media.cache_files import cache_folder, keep_file
from annotator.model_api import ImageEmbedding

FOLDER = "embeddings"
MOST_BYTES = 2 * 1024**3
"""An embedding of SAM has 4 MB, one of SAM 2 has 17 MB."""
SIZE = "size_px"


class EmbeddingCache:
    """Embeddings that were computed before, also by another process.

    Args:
        folder: Where they lie; by default in the cache folder of the person.
        most_bytes: Size above which those that were not used for the longest time are removed.
    """

    def __init__(self, folder: Path | None = None, *, most_bytes: int = MOST_BYTES) -> None:
        self._folder = folder or cache_folder() / FOLDER
        self._most_bytes = most_bytes

    def get(self, key: str) -> ImageEmbedding | None:
        """Return an embedding, None if it is not there or its file is damaged."""
        file = self._file(key)
        try:
            with np.load(io.BytesIO(file.read_bytes()), allow_pickle=False) as stored:
                arrays = {name: stored[name] for name in stored.files}
            # The time of its last use decides which one is removed first.
            os.utime(file)
        except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile):
            return None
        size = arrays.pop(f"_{SIZE}", np.zeros(0))
        if size.shape != (2,):
            return None
        return ImageEmbedding(arrays=arrays, size_px=(int(size[0]), int(size[1])))

    def keep(self, key: str, embedding: ImageEmbedding) -> None:
        """Store an embedding, and remove the oldest ones above the limit."""
        content = io.BytesIO()
        arrays: dict[str, Any] = {f"_{SIZE}": np.array(embedding.size_px), **embedding.arrays}
        np.savez(content, **arrays)
        if keep_file(self._file(key), content.getvalue()):
            self._shrink()

    def _file(self, key: str) -> Path:
        return self._folder / f"{key}.npz"

    def _shrink(self) -> None:
        with contextlib.suppress(OSError):
            files = [(file.stat(), file) for file in self._folder.glob("*.npz")]
            total = sum(state.st_size for state, _ in files)
            for state, file in sorted(files, key=lambda one: one[0].st_mtime_ns):
                if total <= self._most_bytes:
                    return
                file.unlink(missing_ok=True)
                total -= state.st_size
