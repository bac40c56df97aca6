from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from annotator.errors import Cancelled, UserError
from annotator.media.listing import kind_by_name, list_media, natural_order, walk_files
from annotator.progress import Progress


def _touch(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"")


def test_listing_when_a_folder_holds_all_sorts_then_media_are_told_from_the_rest(tmp_path: Path) -> None:
    _touch(tmp_path, "b/10.JPG", "b/9.jpg", "a.mp4", "LICENSE", "x.json", ".hidden.png", "@eaDir/t.jpg")
    listing = list_media([tmp_path], progress=Progress())
    assert (listing.base, listing.names) == (tmp_path, ("a.mp4", "b/9.jpg", "b/10.JPG"))
    assert listing.others == ("LICENSE", "x.json")


def test_listing_when_files_and_folders_are_given_then_names_are_below_what_they_share(
    tmp_path: Path,
) -> None:
    _touch(tmp_path, "a/1.png", "b/2.png", "b/3.png", "c/4.png")
    listing = list_media([tmp_path / "a", tmp_path / "b" / "2.png"], progress=Progress())
    assert (listing.base, listing.names) == (tmp_path, ("a/1.png", "b/2.png"))


def test_listing_when_there_is_no_such_folder_then_words_name_it(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="The file or folder"):
        list_media([tmp_path / "none"], progress=Progress())


def test_listing_when_cancelled_then_it_stops(tmp_path: Path) -> None:
    _touch(tmp_path, "a.png")
    progress = Progress()
    progress.cancel()
    with pytest.raises(Cancelled):
        list_media([tmp_path], progress=progress)


def test_walk_when_links_lead_out_or_round_then_they_are_left_out(tmp_path: Path) -> None:
    _touch(tmp_path, "root/in/a.png", "out/b.png")
    (tmp_path / "root" / "away").symlink_to(tmp_path / "out")
    (tmp_path / "root" / "in" / "round").symlink_to(tmp_path / "root")
    (tmp_path / "root" / "file.png").symlink_to(tmp_path / "out" / "b.png")
    (tmp_path / "root" / "inner.png").symlink_to(tmp_path / "root" / "in" / "a.png")
    assert list(walk_files(tmp_path / "root")) == ["inner.png", "in/a.png"]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.JPG", "image"),
        ("a.webm", "video"),
        ("x/depth/0001.png", "depth"),
        ("front_depth.png", "depth"),
        ("indepth.png", "image"),
        ("a.npy", "depth"),
        ("traj_1/posture.json", "trajectory"),
        ("notes.json", None),
        ("jpg", None),
    ],
)
def test_kind_when_only_the_name_is_known_then_is_what_it_says(name: str, kind: str | None) -> None:
    assert kind_by_name(name) == kind


def test_natural_order_when_names_hold_numbers_then_they_count() -> None:
    names = ["a10", "a2", "a02b", "b1", "10", "9", "a" + "9" * 5000]
    assert sorted(names, key=natural_order)[:3] == ["9", "10", "a2"]


def test_walk_when_a_folder_vanishes_after_it_was_listed_then_the_rest_is_listed(tmp_path: Path) -> None:
    _touch(tmp_path, "a/1.png", "b/2.png", "c/3.png")
    names = walk_files(tmp_path)
    assert next(names) == "a/1.png"
    shutil.rmtree(tmp_path / "b")
    assert list(names) == ["c/3.png"]
