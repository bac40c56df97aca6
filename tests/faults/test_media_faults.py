"""Files of media are deleted, moved, renamed, changed or become links: each is found, or said what it is."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

from annotator.domain.medium import Medium
from annotator.media.content_hash import content_digest
from annotator.media.file_locator import LocatedFile, locate_media
from annotator.media.media_roots import MediaRoots
from annotator.media.presence import find_absent
from annotator.progress import Progress

NAME = "Überflug 停车场.JPG"
Change = Callable[[Path], None]


def nothing(_file: Path) -> None:
    """Leave the file as it is."""


def deleted(file: Path) -> None:
    file.unlink()


def moved(file: Path) -> None:
    (file.parent / "inner").mkdir()
    file.rename(file.parent / "inner" / file.name)


def folder_renamed(file: Path) -> None:
    file.parent.rename(file.parent.with_name("other"))


def renamed_in_case_only(file: Path) -> None:
    file.rename(file.with_name(file.name.swapcase()))


def renamed_to_decomposed_letters(file: Path) -> None:
    file.rename(file.with_name(unicodedata.normalize("NFD", file.name)))


def changed(file: Path) -> None:
    file.write_bytes(file.read_bytes()[::-1])


def changed_with_its_old_time(file: Path) -> None:
    times = file.stat()
    changed(file)
    os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))


def cut(file: Path) -> None:
    os.truncate(file, file.stat().st_size // 2)


def emptied(file: Path) -> None:
    os.truncate(file, 0)


def replaced_by_a_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


def replaced_by_a_link_to_itself(file: Path) -> None:
    file.unlink()
    file.symlink_to(file)


def replaced_by_a_link_to_nothing(file: Path) -> None:
    file.unlink()
    file.symlink_to(file.with_name("nothing"))


def replaced_by_a_pipe(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


def folder_in_a_loop(file: Path) -> None:
    (file.parent / "loop").symlink_to(file.parent, target_is_directory=True)
    (file.parent / "up").symlink_to("..", target_is_directory=True)


# What a search says: of a medium whose content is known, and of one of which only the name is.
OUTCOMES: dict[Change, tuple[str, str]] = {
    nothing: ("found", "found"),
    deleted: ("missing", "missing"),
    moved: ("found", "found"),
    folder_renamed: ("found", "found"),
    renamed_in_case_only: ("found", "found"),
    renamed_to_decomposed_letters: ("found", "found"),
    changed: ("changed", "found"),
    changed_with_its_old_time: ("changed", "found"),
    cut: ("changed", "found"),
    emptied: ("changed", "found"),
    replaced_by_a_folder: ("missing", "missing"),
    replaced_by_a_link_to_itself: ("missing", "missing"),
    replaced_by_a_link_to_nothing: ("missing", "missing"),
    replaced_by_a_pipe: ("missing", "missing"),
    folder_in_a_loop: ("found", "found"),
}
# What is there under the name: its content is what a search looks at.
IN_PLACE = {
    nothing, changed, changed_with_its_old_time, cut, emptied, folder_in_a_loop, replaced_by_a_folder,
    replaced_by_a_pipe,
}  # fmt: skip


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Give the file of a medium, in the media folder of a project."""
    file = tmp_path / "p.media" / "flight" / NAME
    file.parent.mkdir(parents=True)
    pixels = np.random.default_rng(5).integers(0, 255, (32, 48, 3), np.uint8)
    file.write_bytes(cv2.imencode(".jpg", pixels)[1].tobytes())
    return file


def medium_of(file: Path, *, is_known: bool) -> Medium:
    """Return the medium of a file as it is now."""
    digest = content_digest(file, progress=Progress()) if is_known else ""
    size = file.stat().st_size if is_known else 0
    path = f"flight/{file.name}"
    return Medium(id="m", name=file.name, path=path, sha256=digest, size_bytes=size)


def search(medium: Medium, root: Path) -> LocatedFile:
    """Look for the file of a medium."""
    (found,) = locate_media([medium], roots=MediaRoots(root), progress=Progress())
    return found


@pytest.mark.parametrize("is_known", [True, False], ids=["known", "name only"])
@pytest.mark.parametrize("change", OUTCOMES, ids=lambda change: change.__name__)
def test_search_when_something_has_happened_to_a_file_then_finds_it_or_says_what_is_so(
    file: Path, change: Change, is_known: bool
) -> None:
    medium, root = medium_of(file, is_known=is_known), file.parents[1]

    change(file)
    found = search(medium, root)

    assert found.outcome == OUTCOMES[change][0 if is_known else 1]
    if found.outcome == "found":
        assert (root / found.path).is_file()


@pytest.mark.parametrize("change", OUTCOMES, ids=lambda change: change.__name__)
def test_presence_when_something_has_happened_to_a_file_then_is_absent_unless_it_is_in_its_place(
    file: Path, change: Change
) -> None:
    change(file)
    absent = find_absent([("m", f"flight/{NAME}")], roots=MediaRoots(file.parents[1]), progress=Progress())
    assert bool(absent) == (change not in IN_PLACE)
