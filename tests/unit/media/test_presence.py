from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from annotator.errors import Cancelled
from annotator.media.media_roots import MediaRoots
from annotator.media.presence import find_absent
from annotator.progress import Progress


@pytest.fixture
def roots(tmp_path: Path) -> MediaRoots:
    """Give a project's own folder and a further one, with two files and a folder of frames each."""
    roots = MediaRoots(tmp_path / "own")
    for folder in (tmp_path / "own", tmp_path / "disk"):
        (folder / "a" / "frames").mkdir(parents=True)
        for name in ("1.png", "2.png", "frames/1.png"):
            (folder / "a" / name).write_bytes(b"x")
    roots.add(tmp_path / "disk", name="disk")
    return roots


PATHS = [
    (f"{prefix}{name}", f"{prefix}a/{name}")
    for prefix in ("", "@disk/")
    for name in ("1.png", "2.png", "frames")
]


def absent(roots: MediaRoots, *more: tuple[str, str]) -> set[str]:
    return set(find_absent([*PATHS, *more], roots=roots, progress=Progress()))


def test_media_when_all_are_there_then_none_is_absent(roots: MediaRoots) -> None:
    assert absent(roots) == set()


def test_media_when_a_file_or_a_folder_is_gone_then_these_are_absent(
    roots: MediaRoots, tmp_path: Path
) -> None:
    (tmp_path / "own" / "a" / "2.png").unlink()
    shutil.rmtree(tmp_path / "disk")
    assert absent(roots) == {"2.png", "@disk/1.png", "@disk/2.png", "@disk/frames"}


def test_media_when_outside_of_every_root_then_are_absent(roots: MediaRoots) -> None:
    assert absent(roots, ("out", "../secret.png"), ("gone", "@usb/1.png")) == {"out", "gone"}


def test_find_absent_when_cancelled_then_stops(roots: MediaRoots) -> None:
    progress = Progress()
    progress.cancel()
    with pytest.raises(Cancelled):
        find_absent(PATHS, roots=roots, progress=progress)
