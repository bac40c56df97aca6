from __future__ import annotations

import hashlib
import os
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.errors import Cancelled, EnvironmentFailure, UserError
from annotator.media import content_hash
from annotator.media.content_hash import DigestCache, content_digest, content_stamp
from annotator.media.probe import probe_media
from annotator.progress import Progress

CHUNK = 1_000


class Steps(Progress):
    """Counts how often it was asked whether to go on, and does something at one of these moments."""

    def __init__(self, at: int = 0, act: object = None) -> None:
        super().__init__()
        self.count, self._at, self._act = 0, at, act

    def step(self, n: int = 1) -> None:
        self.count += 1
        if self.count == self._at and callable(self._act):
            self._act()
        super().step(n)


@pytest.fixture(autouse=True)
def _small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(content_hash, "CHUNK_BYTES", CHUNK)


def written(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


@given(size=st.integers(min_value=0, max_value=3 * CHUNK + 1), seed=st.binary(min_size=1, max_size=3))
def test_content_digest_when_of_a_file_then_is_the_sha256_of_all_its_bytes(tmp_path_factory, size, seed):
    data = (seed * size)[:size]
    path = written(tmp_path_factory.mktemp("c") / "a.bin", data)
    assert content_digest(path, progress=Progress()) == hashlib.sha256(data).hexdigest()


def test_content_digest_when_media_were_entered_then_is_what_they_are_known_by(tmp_path):
    folder = tmp_path / "frames"
    folder.mkdir()
    for name in ("2.png", "10.png", "notes.txt"):
        written(folder / name, name.encode() * 500)
    for path in (folder, folder / "2.png"):
        assert content_digest(path, progress=Progress()) == probe_media(path).sha256


def test_known_contents_when_asked_again_then_reads_nothing(tmp_path):
    path, known, steps = written(tmp_path / "a", b"x" * 5 * CHUNK), DigestCache(), Steps()
    first = known.digest(path, progress=steps)
    assert steps.count == 5
    assert known.digest(path, progress=steps) == first
    assert steps.count == 5


def test_known_contents_when_a_file_is_changed_in_place_then_reads_it_again(tmp_path):
    path, known = written(tmp_path / "a", b"x" * 10), DigestCache()
    first = known.digest(path, progress=Progress())
    before = path.stat()
    # Another file of the same size, with the old one's time: only the time of change tells.
    written(tmp_path / "b", b"y" * 10).replace(path)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert known.digest(path, progress=Progress()) != first


def test_known_contents_when_a_frame_of_a_folder_changes_then_it_is_seen_once_the_folder_is_looked_at_again(
    tmp_path, monkeypatch
):
    written(tmp_path / "1.png", b"x")
    known = DigestCache()
    first = known.digest(tmp_path, progress=Progress())
    written(tmp_path / "1.png", b"another")
    assert known.digest(tmp_path, progress=Progress()) == first
    monkeypatch.setattr(content_hash, "FOLDER_LOOK_S", -1.0)
    assert (
        known.digest(tmp_path, progress=Progress()) == content_digest(tmp_path, progress=Progress()) != first
    )


def test_known_contents_when_cancelled_in_the_middle_then_the_next_one_gets_the_whole(tmp_path):
    path, known = written(tmp_path / "a", b"x" * 5 * CHUNK), DigestCache()
    steps = Steps(at=2)
    steps._act = steps.cancel
    with pytest.raises(Cancelled):
        known.digest(path, progress=steps)
    assert steps.count == 2
    assert known.digest(path, progress=Progress()) == hashlib.sha256(b"x" * 5 * CHUNK).hexdigest()


def test_known_contents_when_two_threads_want_a_file_then_it_is_read_once(tmp_path):
    path, known = written(tmp_path / "a", b"x" * 5 * CHUNK), DigestCache()
    other = Steps()
    thread = threading.Thread(target=known.digest, args=(path,), kwargs={"progress": other})
    # In the middle of the first reading the second one asks.
    steps = Steps(at=3, act=thread.start)
    known.digest(path, progress=steps)
    thread.join()
    assert (steps.count, other.count) == (5, 0)


def test_known_contents_when_a_file_is_written_meanwhile_then_says_so_and_remembers_nothing(tmp_path):
    path, known = written(tmp_path / "a", b"x" * 3 * CHUNK), DigestCache()
    with pytest.raises(UserError, match="was changed while it was being read"):
        known.digest(path, progress=Steps(at=2, act=lambda: written(path, b"y" * 9)))
    assert known.digest(path, progress=Progress()) == hashlib.sha256(b"y" * 9).hexdigest()


def test_known_contents_when_too_many_are_known_then_the_first_is_forgotten(tmp_path, monkeypatch):
    monkeypatch.setattr(content_hash, "KNOWN", 2)
    known = DigestCache()
    paths = [written(tmp_path / name, name.encode()) for name in "abc"]
    for path in paths:
        known.digest(path, progress=Progress())
    counts = []
    for path in (paths[2], paths[0]):
        steps = Steps()
        known.digest(path, progress=steps)
        counts.append(steps.count)
    assert counts == [0, 1]


def test_content_when_there_is_no_file_then_words_name_it(tmp_path):
    for ask in (content_stamp, lambda path: content_digest(path, progress=Progress())):
        with pytest.raises(EnvironmentFailure, match=r"gone\.mp4 cannot be read"):
            ask(tmp_path / "gone.mp4")


def test_content_digest_when_hidden_files_come_into_a_folder_of_frames_then_it_is_as_it_was_entered(tmp_path):
    written(tmp_path / "1.png", b"x")
    digest, stamp = content_digest(tmp_path, progress=Progress()), content_stamp(tmp_path)
    written(tmp_path / ".DS_Store", b"Bud1")
    written(tmp_path / "._1.png", b"\0\5\x16\7 resource fork")
    assert content_digest(tmp_path, progress=Progress()) == digest == probe_media(tmp_path).sha256
    assert content_stamp(tmp_path) == stamp
