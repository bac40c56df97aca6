from __future__ import annotations

import hashlib
from pathlib import Path

import cv2
import numpy as np
import pytest

from annotator.domain.medium import Medium
from annotator.errors import Cancelled
from annotator.media.file_locator import LocatedFile, locate_media
from annotator.media.media_roots import MediaRoots
from annotator.media.probe import probe_media
from annotator.progress import Progress


def _draw(path: Path, *, shade: int = 0, size: tuple[int, int] = (8, 6)) -> str:
    """Write a picture and return its digest."""
    path.parent.mkdir(parents=True, exist_ok=True)
    data = cv2.imencode(".png", np.full((size[1], size[0], 3), shade, np.uint8))[1].tobytes()
    path.write_bytes(data)
    return hashlib.sha256(data).hexdigest()


def _locate(root: Path, **fields: object) -> LocatedFile:
    medium = Medium(**{"id": "m", "name": "a.png", **fields})
    return next(locate_media([medium], roots=MediaRoots(root), progress=Progress()))


def test_medium_when_its_hint_exists_then_it_is_found_there(tmp_path: Path) -> None:
    _draw(tmp_path / "x" / "a.png", shade=1)
    digest = _draw(tmp_path / "y" / "a.png", shade=2)
    located = _locate(tmp_path, path="y/a.png")
    assert (located.outcome, located.path, located.facts.sha256) == ("found", "y/a.png", digest)


def test_medium_when_only_its_name_is_known_then_it_is_found_by_name(tmp_path: Path) -> None:
    _draw(tmp_path / "deep" / "down" / "a.png")
    assert _locate(tmp_path).path == "deep/down/a.png"


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("up/8f2a9605-scene_004-UAV1_frame_005.jpg", "scene_004-UAV1_frame_005.jpg"),
        ("scene_004/UAV1/UAV1_frame_005.jpg", "scene_004-UAV1_frame_005.jpg"),
    ],
)
def test_medium_when_the_file_bears_a_published_layouts_name_then_it_is_found(
    tmp_path: Path, file: str, name: str
) -> None:
    _draw(tmp_path / file)
    assert _locate(tmp_path, name=name).path == file


def test_medium_when_two_files_bear_its_name_then_the_hints_folders_decide(tmp_path: Path) -> None:
    _draw(tmp_path / "moved" / "UAV1" / "a.png")
    _draw(tmp_path / "moved" / "UAV2" / "a.png")
    assert _locate(tmp_path, path="old/UAV2/a.png").path == "moved/UAV2/a.png"


def test_medium_when_nothing_decides_between_two_files_then_it_is_ambiguous(tmp_path: Path) -> None:
    _draw(tmp_path / "x" / "a.png")
    _draw(tmp_path / "y" / "a.png")
    located = _locate(tmp_path)
    assert (located.outcome, located.candidates, located.facts) == ("ambiguous", ("x/a.png", "y/a.png"), None)


def test_known_medium_when_moved_and_renamed_then_it_is_found_by_content(tmp_path: Path) -> None:
    digest = _draw(tmp_path / "b.png", shade=3)
    _draw(tmp_path / "c.png", shade=4)
    size = (tmp_path / "b.png").stat().st_size
    assert _locate(tmp_path, path="old/a.png", sha256=digest, size_bytes=size).path == "b.png"


def test_known_medium_when_its_file_has_other_content_then_it_is_changed(tmp_path: Path) -> None:
    _draw(tmp_path / "a.png", shade=1)
    located = _locate(tmp_path, path="a.png", sha256="0" * 64, size_bytes=1)
    assert (located.outcome, located.path) == ("changed", "a.png")


def test_known_medium_when_a_stranger_bears_its_name_then_it_is_missing(tmp_path: Path) -> None:
    _draw(tmp_path / "a.png", shade=1)
    assert _locate(tmp_path, path="old/a.png", sha256="0" * 64, size_bytes=1).outcome == "missing"


def test_medium_when_the_root_does_not_exist_then_it_is_missing(tmp_path: Path) -> None:
    assert _locate(tmp_path / "none").outcome == "missing"


def test_medium_when_a_link_leads_out_of_the_root_then_it_is_missing(tmp_path: Path) -> None:
    _draw(tmp_path / "outside" / "a.png")
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "a.png").symlink_to(tmp_path / "outside" / "a.png")
    assert _locate(tmp_path / "root", path="a.png").outcome == "missing"


def test_search_when_cancelled_then_it_stops(tmp_path: Path) -> None:
    _draw(tmp_path / "a.png")
    progress = Progress()
    progress.cancel()
    with pytest.raises(Cancelled):
        list(locate_media([], roots=MediaRoots(tmp_path), progress=progress))


def test_medium_when_its_name_is_a_path_then_the_last_part_is_looked_for(tmp_path: Path) -> None:
    _draw(tmp_path / "moved" / "samples_A2A" / "a.png")
    _draw(tmp_path / "moved" / "samples_A2G" / "a.png")
    named = "SpatialUAV/samples_A2G/a.png"
    assert _locate(tmp_path, name=named, path=named).path == "moved/samples_A2G/a.png"


def test_medium_when_it_lies_in_a_further_root_then_its_path_says_so(tmp_path: Path) -> None:
    digest = _draw(tmp_path / "disk" / "deep" / "b.png", shade=3)
    size = (tmp_path / "disk" / "deep" / "b.png").stat().st_size
    roots = MediaRoots(tmp_path / "own")
    roots.add(tmp_path / "disk")
    medium = Medium(id="m", name="a.png", path="old/a.png", sha256=digest, size_bytes=size)
    located = next(locate_media([medium], roots=roots, progress=Progress()))
    assert (located.outcome, located.path) == ("found", "@disk/deep/b.png")
    assert roots.file_of(located.path) == tmp_path / "disk" / "deep" / "b.png"


def test_medium_when_two_roots_hold_the_same_folder_then_its_file_is_known_once(tmp_path: Path) -> None:
    _draw(tmp_path / "own" / "inner" / "a.png")
    roots = MediaRoots(tmp_path / "own")
    roots.add(tmp_path / "own" / "inner")
    medium = Medium(id="m", name="a.png")
    located = next(locate_media([medium], roots=roots, progress=Progress()))
    assert (located.outcome, located.path) == ("found", "inner/a.png")


def test_frame_folder_when_named_then_it_is_found_as_a_folder(tmp_path: Path) -> None:
    _draw(tmp_path / "x" / "clip" / "1.png")
    located = _locate(tmp_path, name="clip", media_type="frames")
    assert (located.path, located.facts.media_type, located.facts.frames) == ("x/clip", "frames", 1)


def test_frame_folder_when_it_was_moved_and_renamed_then_it_is_found_by_its_content(tmp_path: Path) -> None:
    _draw(tmp_path / "clip" / "1.png", shade=1)
    _draw(tmp_path / "clip" / "2.png", shade=2)
    _draw(tmp_path / "other" / "1.png", shade=2)
    _draw(tmp_path / "other" / "2.png", shade=1)
    facts = probe_media(tmp_path / "clip")
    (tmp_path / "deep").mkdir()
    (tmp_path / "clip").rename(tmp_path / "deep" / "flight 7")
    known = {"name": "clip", "media_type": "frames", "path": "clip"}
    located = _locate(tmp_path, **known, sha256=facts.sha256, size_bytes=facts.size_bytes)
    assert (located.outcome, located.path) == ("found", "deep/flight 7")


def test_search_when_a_file_goes_while_files_are_listed_then_the_others_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _draw(tmp_path / "a.png")
    monkeypatch.setattr(
        "annotator.media.file_locator.walk_files", lambda _folder: iter(["gone.png", "a.png"])
    )
    assert _locate(tmp_path).path == "a.png"
    assert _locate(tmp_path, name="gone.png").outcome == "missing"
