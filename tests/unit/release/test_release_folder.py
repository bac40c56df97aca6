from __future__ import annotations

import errno
import hashlib
import os
import random
from pathlib import Path

import pytest

from annotator.errors import EnvironmentFailure, UserError
from annotator.release.release_folder import CHUNK_BYTES, ReleaseFolder, disk_errors, require_free_folder


def test_folder_when_published_then_its_files_are_what_was_written(tmp_path: Path) -> None:
    parts = [random.Random(n).randbytes(n * 70_000) for n in range(30)]
    with ReleaseFolder(tmp_path / "out") as folder:
        file = folder.file("a.bin")
        for part in parts:
            file.write(part, records=2)
        entries = folder.finish()
        folder.publish()
    whole = b"".join(parts)
    assert len(whole) > 20 * CHUNK_BYTES
    assert (tmp_path / "out" / "a.bin").read_bytes() == whole
    assert [(e.name, e.sha256, e.bytes, e.records) for e in entries] == [
        ("a.bin", hashlib.sha256(whole).hexdigest(), len(whole), 60)
    ]


def test_folder_when_many_small_parts_come_then_they_keep_their_order(tmp_path: Path) -> None:
    with ReleaseFolder(tmp_path / "out") as folder:
        for n in range(1000):
            folder.file("a").write(b"%d\n" % n)
        folder.finish()
        folder.publish()
    assert (tmp_path / "out" / "a").read_bytes() == b"".join(b"%d\n" % n for n in range(1000))


def test_folder_when_it_is_not_published_then_nothing_is_left(tmp_path: Path) -> None:
    with ReleaseFolder(tmp_path / "out") as folder:
        folder.file("a").write(b"x" * (3 * CHUNK_BYTES))
        folder.finish()
        assert [path.name for path in tmp_path.iterdir()] == [folder.path.name]
    assert list(tmp_path.iterdir()) == []


def test_folder_when_the_work_fails_then_nothing_is_left(tmp_path: Path) -> None:
    def work() -> None:
        with ReleaseFolder(tmp_path / "out") as folder:
            folder.file("a").write(b"x" * (3 * CHUNK_BYTES))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        work()
    assert list(tmp_path.iterdir()) == []


def test_folder_when_the_place_is_an_empty_folder_then_it_is_taken(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    with ReleaseFolder(tmp_path / "out") as folder:
        folder.file("a").write(b"1")
        folder.finish()
        folder.publish()
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["a"]


def test_folder_when_the_place_was_filled_meanwhile_then_its_content_stays(tmp_path: Path) -> None:
    def work() -> None:
        with disk_errors(tmp_path / "out"), ReleaseFolder(tmp_path / "out") as folder:
            folder.file("a").write(b"1")
            folder.finish()
            (tmp_path / "out").mkdir()
            (tmp_path / "out" / "theirs").touch()
            folder.publish()

    with pytest.raises(EnvironmentFailure):
        work()
    assert [path.name for path in tmp_path.rglob("*")] == ["out", "theirs"]


def test_folder_when_the_disk_is_full_then_it_says_so_and_nothing_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("annotator.release.release_folder.os.fsync", refuse)

    def work() -> None:
        with disk_errors(tmp_path / "out"), ReleaseFolder(tmp_path / "out") as folder:
            folder.file("a").write(b"x")
            folder.finish()

    with pytest.raises(EnvironmentFailure, match="disk is full"):
        work()
    assert list(tmp_path.iterdir()) == []


def test_folder_when_the_disk_takes_less_than_it_was_given_then_the_rest_follows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_plainly = Path.open

    class Sparing:
        def __init__(self, path: Path) -> None:
            self._file = open_plainly(path, "xb", buffering=0)
            self.fileno, self.close = self._file.fileno, self._file.close

        def write(self, data: memoryview) -> int:
            return self._file.write(data[:1000])

    monkeypatch.setattr(Path, "open", lambda path, *_, **__: Sparing(path))
    with ReleaseFolder(tmp_path / "out") as folder:
        folder.file("a").write(b"0123456789" * 1234)
        folder.finish()
        folder.publish()
    assert (tmp_path / "out" / "a").stat().st_size == 12340


def test_disk_errors_when_a_right_is_missing_then_the_reason_is_in_the_words(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFailure, match="Permission denied"), disk_errors(tmp_path):
        raise PermissionError(errno.EACCES, "Permission denied")


def test_require_place_when_the_folder_is_new_or_empty_then_it_is_free(tmp_path: Path) -> None:
    require_free_folder(tmp_path / "new", marker="m")
    require_free_folder(tmp_path, marker="m")


def test_require_place_when_the_marker_lies_there_then_it_is_left_to_a_comparison(tmp_path: Path) -> None:
    (tmp_path / "m").touch()
    require_free_folder(tmp_path, marker="m")


@pytest.mark.parametrize(
    ("name", "text"), [("full", "not empty"), ("file", "is a file"), ("no/parent", "does not exist")]
)
def test_require_place_when_it_is_taken_then_it_says_how(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").touch()
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match=text):
        require_free_folder(tmp_path / name, marker="m")


@pytest.mark.skipif(os.name != "posix", reason="folders cannot be claimed there")
def test_folder_when_others_are_beside_it_then_only_what_a_dead_process_left_for_this_place_is_taken_away(
    tmp_path: Path,
) -> None:
    dead, stranger = tmp_path / ".out.123.part", tmp_path / ".outer.123.part"
    for path in (dead, stranger):
        path.mkdir()
        (path / "a").touch()
    with ReleaseFolder(tmp_path / "out") as first, ReleaseFolder(tmp_path / "out") as second:
        assert not dead.exists()
        assert {path.name for path in tmp_path.iterdir()} == {
            stranger.name,
            first.path.name,
            second.path.name,
        }
    assert [path.name for path in tmp_path.iterdir()] == [stranger.name]
