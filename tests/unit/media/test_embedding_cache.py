from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from annotator.media.embedding_cache import EmbeddingCache
from annotator.model_api import ImageEmbedding


def embedding(value: float = 1.0) -> ImageEmbedding:
    return ImageEmbedding(arrays={"features": np.full((1, 4, 8, 8), value, np.float32)}, size_px=(64, 48))


def test_embedding_when_kept_then_is_there_for_another_process(tmp_path: Path) -> None:
    EmbeddingCache(tmp_path).keep("one", embedding(3.0))
    stored = EmbeddingCache(tmp_path).get("one")
    assert stored is not None
    assert stored.size_px == (64, 48)
    assert np.array_equal(stored.arrays["features"], embedding(3.0).arrays["features"])


def test_embedding_when_unknown_or_its_file_is_damaged_then_is_none(tmp_path: Path) -> None:
    cache = EmbeddingCache(tmp_path)
    assert cache.get("one") is None
    cache.keep("one", embedding())
    (file,) = tmp_path.glob("*.npz")
    file.write_bytes(file.read_bytes()[:100])
    assert cache.get("one") is None


def test_embeddings_when_above_the_limit_then_those_not_used_for_longest_go(tmp_path: Path) -> None:
    cache = EmbeddingCache(tmp_path, most_bytes=3500)
    for index, name in enumerate(("one", "two", "three")):
        cache.keep(name, embedding())
        os.utime(tmp_path / f"{name}.npz", (index, index))
    assert cache.get("two") is not None
    cache.keep("four", embedding())
    assert [name for name in ("one", "two", "three", "four") if cache.get(name) is not None] == [
        "two",
        "four",
    ]
