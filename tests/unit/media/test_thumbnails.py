from __future__ import annotations

import os
import time
from functools import partial
from pathlib import Path

import cv2
import numpy as np
import pytest

from annotator.domain.medium import Medium
from annotator.errors import EnvironmentFailure
from annotator.media.image_loader import load_thumbnail
from annotator.media.thumbnails import SIDE_PX, ThumbnailStore, thumbnail_key


def _key(number: int) -> str:
    return f"{number:064x}"


def _picture(path: Path, *, size: tuple[int, int] = (900, 600)) -> Path:
    values = np.random.default_rng(1).integers(0, 255, (size[1] // 10, size[0] // 10, 3), np.uint8)
    cv2.imwrite(str(path), cv2.resize(values, size))
    return path


def _shape(jpeg: bytes) -> tuple[int, ...]:
    return cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR).shape


@pytest.fixture
def store(tmp_path: Path) -> ThumbnailStore:
    return ThumbnailStore(tmp_path / "cache")


def test_thumbnail_when_made_then_it_is_there_for_everybody(store: ThumbnailStore, tmp_path: Path) -> None:
    assert store.get(_key(1)) is None
    made = store.make(_picture(tmp_path / "a.png"), _key(1))
    assert _shape(made) == (213, SIDE_PX, 3)
    assert store.get(_key(1)) == made
    assert ThumbnailStore(tmp_path / "cache").get(_key(1)) == made
    store.forget(_key(1))
    assert store.get(_key(1)) is None


def test_thumbnail_when_there_is_no_picture_then_that_is_kept_too(
    store: ThumbnailStore, tmp_path: Path
) -> None:
    (tmp_path / "a.jpg").write_bytes(b"no picture")
    assert store.make(tmp_path / "a.jpg", _key(1)) == b""
    (tmp_path / "a.jpg").unlink()
    assert store.get(_key(1)) == b""


def test_thumbnail_when_the_file_is_gone_then_host_error_names_it_and_nothing_is_kept(
    store: ThumbnailStore, tmp_path: Path
) -> None:
    with pytest.raises(EnvironmentFailure, match=r"a\.jpg"):
        store.make(tmp_path / "a.jpg", _key(1))
    assert store.get(_key(1)) is None


def test_thumbnail_when_the_cache_cannot_be_written_then_it_is_made_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "cache").write_bytes(b"a file where the folder should be")
    store = ThumbnailStore(tmp_path / "cache")
    assert _shape(store.make(_picture(tmp_path / "a.png"), _key(1)))[1] == SIDE_PX
    assert store.get(_key(1)) is None


def test_store_when_it_is_full_then_those_unused_for_longest_go(tmp_path: Path) -> None:
    picture = _picture(tmp_path / "a.png")
    size = len(ThumbnailStore(tmp_path / "one").make(picture, _key(0)))
    folder = tmp_path / "cache"
    ThumbnailStore(folder).make(picture, _key(0))
    for number in range(1, 10):
        ThumbnailStore(folder).make(picture, _key(number << 248))
    long_ago = time.time() - 9 * 86_400
    for number, path in enumerate(sorted(folder.rglob("*.jpg"))):
        # The first is the oldest, but was looked at just now.
        _age(path, long_ago + number * 60)
    store = ThumbnailStore(folder, most_bytes=10 * size)
    assert store.get(_key(0)) is not None
    store.make(picture, _key(10 << 248))
    assert store.used_bytes() <= 8 * size
    assert store.get(_key(0)) is not None
    assert store.get(_key(10 << 248)) is not None
    assert store.get(_key(1 << 248)) is None


def _age(path: Path, seconds: float) -> None:
    import os

    os.utime(path, (seconds, seconds))


def test_used_bytes_when_a_file_goes_while_they_are_counted_then_counts_the_others(
    store: ThumbnailStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    for key in ("ab" * 32, "cd" * 32):
        store.put(key, b"x" * 100)
    listed = ThumbnailStore._entries

    def losing(folder: str) -> list[os.DirEntry[str]]:
        entries = listed(folder)
        for entry in entries:
            if entry.name.startswith("ab") and entry.is_file():
                Path(entry.path).unlink()
        return entries

    monkeypatch.setattr(ThumbnailStore, "_entries", staticmethod(losing))
    assert store.used_bytes() == 100


def test_key_when_a_strangers_medium_claims_the_digest_of_another_then_is_not_that_of_the_other(
    tmp_path: Path, store: ThumbnailStore
) -> None:
    claimed = Medium(name="a", sha256="c" * 64)
    own, foreign = tmp_path / "own.png", tmp_path / "foreign.png"
    for file, shade in ((own, 250), (foreign, 10)):
        cv2.imwrite(str(file), np.full((6, 8, 3), shade, np.uint8))
    # The project of the stranger is shown first.
    store.make(foreign, thumbnail_key(claimed, foreign))
    load = partial(load_thumbnail, claimed, kind="image", width=8, height=6, store=store)
    assert load(file=own).min() > 200
    assert load(file=foreign).max() < 50


def test_key_when_the_content_is_not_known_then_changes_with_the_file(tmp_path: Path) -> None:
    file = tmp_path / "a.png"
    file.write_bytes(b"one")
    first = thumbnail_key(Medium(name="a"), file)
    assert first == thumbnail_key(Medium(name="b"), file)
    file.write_bytes(b"another")
    assert thumbnail_key(Medium(name="a"), file) != first
    file.unlink()
    with pytest.raises(EnvironmentFailure, match=r"a\.png"):
        thumbnail_key(Medium(name="a"), file)


@pytest.mark.parametrize("key", ["", "../a", "a/b", "a.b"])
def test_key_when_it_could_be_a_path_then_is_refused(store: ThumbnailStore, key: str) -> None:
    with pytest.raises(ValueError, match="not a key"):
        store.get(key)


def test_store_when_another_window_holds_a_thumbnail_then_others_make_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = ThumbnailStore(tmp_path / "cache", most_bytes=2500)
    for number in range(2):
        store.put(_key(number), bytes([255]) * 1000)
        os.utime(store._path(_key(number)), (number, number))
    unlink = Path.unlink

    def held(path: Path, *, missing_ok: bool = False) -> None:
        if path.stem == _key(0):
            raise PermissionError("it is open")
        unlink(path, missing_ok=missing_ok)

    monkeypatch.setattr(Path, "unlink", held)
    store.put(_key(2), bytes([255]) * 1000)
    assert [store.get(_key(number)) is not None for number in range(3)] == [True, False, True]
