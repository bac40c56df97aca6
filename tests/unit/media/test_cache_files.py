from __future__ import annotations

from pathlib import Path

import pytest

from annotator.media.cache_files import cache_folder, keep_file


def test_cache_folder_when_told_then_is_that_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VANTAGE_CACHE", str(tmp_path / "here"))
    assert cache_folder() == tmp_path / "here"
    monkeypatch.delenv("VANTAGE_CACHE")
    assert cache_folder().name == "vantage"


def test_file_when_kept_again_then_the_new_content_takes_its_place_and_nothing_else_lies_there(
    tmp_path: Path,
) -> None:
    file = tmp_path / "ab" / "one.index"
    assert keep_file(file, b"old")
    assert keep_file(file, b"new")
    assert [(found.name, found.read_bytes()) for found in file.parent.iterdir()] == [("one.index", b"new")]


def test_file_when_the_cache_cannot_be_written_then_it_tells_so_and_raises_nothing(tmp_path: Path) -> None:
    (tmp_path / "ab").write_bytes(b"a file where a folder should be")
    assert not keep_file(tmp_path / "ab" / "one.index", b"new")
    (tmp_path / "cd" / "one.index").mkdir(parents=True)
    assert not keep_file(tmp_path / "cd" / "one.index", b"new")
    assert [found.name for found in (tmp_path / "cd").iterdir()] == ["one.index"]
