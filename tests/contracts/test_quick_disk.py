"""Where temporary files of the tests lie."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from tests import quick_disk


@pytest.fixture
def large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a folder of a disk with room, on a machine with memory."""
    memory = tmp_path / "meminfo"
    memory.write_text("MemTotal:       32000000 kB\nMemAvailable:   24000000 kB\n", encoding="ascii")
    monkeypatch.setattr(quick_disk, "MEMORY_INFO", memory)
    monkeypatch.setattr(quick_disk, "CONTAINER_LIMIT", tmp_path / "memory.max")
    monkeypatch.setattr(quick_disk, "ROOM_BYTES", 1)
    return tmp_path


def test_disk_when_it_has_room_then_is_used(large: Path) -> None:
    assert quick_disk.quick_disk(large) == large


def test_disk_when_it_has_no_room_then_is_not_used(large: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quick_disk, "ROOM_BYTES", 1 << 60)
    assert quick_disk.quick_disk(large) is None


def test_disk_when_there_is_none_then_is_not_used(large: Path) -> None:
    assert quick_disk.quick_disk(large / "missing") is None


@pytest.mark.parametrize(("limit", "is_used"), [("max", True), (str(16 << 30), True), (str(2 << 30), False)])
def test_disk_when_the_container_is_limited_then_is_used_where_it_has_memory(
    large: Path, limit: str, *, is_used: bool
) -> None:
    quick_disk.CONTAINER_LIMIT.write_text(f"{limit}\n", encoding="ascii")
    assert (quick_disk.quick_disk(large) is not None) == is_used


def test_disk_when_the_machine_has_little_memory_then_is_not_used(large: Path) -> None:
    quick_disk.MEMORY_INFO.write_text("MemAvailable:    4000000 kB\n", encoding="ascii")
    assert quick_disk.quick_disk(large) is None


def test_disk_when_somebody_named_another_then_theirs_is_used(
    large: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quick_disk, "quick_disk", lambda: large)
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setenv("TMPDIR", str(large.parent))
    quick_disk.use_quick_disk()
    assert os.environ["TMPDIR"] == str(large.parent)
    monkeypatch.delenv("TMPDIR")
    quick_disk.use_quick_disk()
    assert os.environ["TMPDIR"] == tempfile.gettempdir() == str(large)
