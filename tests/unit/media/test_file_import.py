from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

import pytest

from annotator.errors import Cancelled, EnvironmentFailure
from annotator.media.file_import import FileImport, Keep, import_files
from annotator.media.grouping import group, group_individually
from annotator.media.listing import list_media
from annotator.media.media_roots import MediaRoots
from annotator.progress import Progress, ProgressUpdate


def _pictures(folder: Path, *names: str, content: bytes = b"P5\n1 1\n255\n0") -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


@pytest.fixture
def roots(tmp_path: Path) -> MediaRoots:
    return MediaRoots.of_project(
        tmp_path / "p.vantage", own=tmp_path / "p.media", project_id="p", settings=tmp_path / "settings"
    )


def _take(files: Path, roots: MediaRoots, *, keep: Keep = "stay", **options: object) -> FileImport:
    listing = list_media([files], progress=Progress())
    return import_files(
        listing, group_individually(listing.names), roots=roots, keep=keep, progress=Progress(), **options
    )


def test_import_when_files_stay_then_their_folder_becomes_a_root(tmp_path: Path, roots: MediaRoots) -> None:
    _pictures(tmp_path / "card", "x/a.pgm")
    file_import = _take(tmp_path / "card", roots)
    assert file_import.files["x/a.pgm"].path == "@card/x/a.pgm"
    assert roots.file_of("@card/x/a.pgm") == tmp_path / "card" / "x" / "a.pgm"
    assert file_import.files["x/a.pgm"].facts.encoding == "PPM"
    assert not (tmp_path / "p.media").exists()


@pytest.mark.parametrize("keep", ["stay", "link"])
def test_import_when_files_lie_in_a_root_already_then_nothing_is_moved(
    tmp_path: Path, roots: MediaRoots, keep: Keep
) -> None:
    _pictures(tmp_path / "p.media", "set/a.pgm")
    file_import = _take(tmp_path / "p.media" / "set", roots, keep=keep)
    assert file_import.files["a.pgm"].path == "set/a.pgm"
    assert dict(roots.further) == {}
    assert [path.name for path in (tmp_path / "p.media").rglob("*.pgm")] == ["a.pgm"]


def test_import_when_files_are_linked_then_they_lie_in_the_own_folder_too(
    tmp_path: Path, roots: MediaRoots
) -> None:
    _pictures(tmp_path / "card", "x/a.pgm")
    file_import = _take(tmp_path / "card", roots, keep="link", folder="set: 1")
    linked = tmp_path / "p.media" / "set- 1" / "x" / "a.pgm"
    assert file_import.files["x/a.pgm"].path == "set- 1/x/a.pgm"
    assert linked.samefile(tmp_path / "card" / "x" / "a.pgm")
    again = _take(tmp_path / "card", roots, keep="link", folder="set: 1")
    assert again.files["x/a.pgm"].path == "set- 1/x/a.pgm"


def test_import_when_the_disk_knows_no_links_then_files_are_copied(
    tmp_path: Path, roots: MediaRoots, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError("no links here")

    monkeypatch.setattr(os, "link", refuse)
    _pictures(tmp_path / "card", "a.pgm")
    file_import = _take(tmp_path / "card", roots, keep="link")
    copied = tmp_path / "p.media" / "card" / "a.pgm"
    assert roots.file_of(file_import.files["a.pgm"].path) == copied
    assert not copied.samefile(tmp_path / "card" / "a.pgm")
    assert copied.read_bytes() == (tmp_path / "card" / "a.pgm").read_bytes()


def test_import_when_another_file_lies_at_its_place_then_both_are_kept(
    tmp_path: Path, roots: MediaRoots
) -> None:
    _pictures(tmp_path / "card", "a.pgm")
    _pictures(tmp_path / "p.media" / "card", "a.pgm", content=b"P5\n1 1\n255\n9")
    file_import = _take(tmp_path / "card", roots, keep="link")
    assert file_import.files["a.pgm"].path == "card/a (2).pgm"
    assert (tmp_path / "p.media" / "card" / "a.pgm").read_bytes().endswith(b"9")


def test_import_when_frames_are_linked_then_the_whole_folder_is(tmp_path: Path, roots: MediaRoots) -> None:
    _pictures(tmp_path / "card", "s/cam1/1.pgm", "s/cam1/2.pgm")
    listing = list_media([tmp_path / "card"], progress=Progress())
    file_import = import_files(
        listing,
        group(listing.names, "{scene}/{view}/{frames}"),
        roots=roots,
        keep="link",
        progress=Progress(),
    )
    taken = file_import.files["s/cam1"]
    assert (taken.path, taken.facts.frames, taken.facts.media_type) == ("card/s/cam1", 2, "frames")
    assert sorted(path.name for path in (tmp_path / "p.media" / "card" / "s" / "cam1").iterdir()) == [
        "1.pgm",
        "2.pgm",
    ]


def test_import_when_cancelled_then_what_was_linked_is_gone(tmp_path: Path, roots: MediaRoots) -> None:
    _pictures(tmp_path / "card", *(f"{number}.pgm" for number in range(5)))
    listing = list_media([tmp_path / "card"], progress=Progress())

    def report(step: ProgressUpdate) -> None:
        if step.what.startswith("Reading"):
            progress.cancel()

    progress = Progress(report)
    with pytest.raises(Cancelled):
        import_files(listing, group_individually(listing.names), roots=roots, keep="link", progress=progress)
    assert list((tmp_path / "p.media").rglob("*.pgm")) == []


def test_import_when_a_file_vanishes_then_it_is_named_and_the_rest_comes_in(
    tmp_path: Path, roots: MediaRoots
) -> None:
    _pictures(tmp_path / "card", "a.pgm", "b.pgm")
    listing = list_media([tmp_path / "card"], progress=Progress())
    (tmp_path / "card" / "a.pgm").unlink()
    file_import = import_files(listing, group_individually(listing.names), roots=roots, progress=Progress())
    assert list(file_import.files) == ["b.pgm"]
    ((name, why),) = file_import.rejected
    assert name == "a.pgm"
    assert "cannot be read" in why


def test_import_when_the_own_folder_cannot_be_made_then_each_file_says_so(
    tmp_path: Path, roots: MediaRoots
) -> None:
    (tmp_path / "p.media").write_bytes(b"a file")
    _pictures(tmp_path / "card", "a.pgm")
    try:
        file_import = _take(tmp_path / "card", roots, keep="link")
    except EnvironmentFailure as error:
        pytest.fail(f"one file stops all: {error}")
    assert "cannot be linked" in file_import.rejected[0][1]


def test_import_when_files_were_left_out_then_they_are_counted(tmp_path: Path, roots: MediaRoots) -> None:
    _pictures(tmp_path / "card", "x/a-UAV1.pgm", "y/a-UAV1.pgm", "other.pgm")
    listing = list_media([tmp_path / "card"], progress=Progress())
    file_import = import_files(
        listing, group(listing.names, "{scene}-{view}.pgm"), roots=roots, progress=Progress()
    )
    assert (len(file_import.files), file_import.left_out) == (1, 2)


def test_import_when_nothing_is_digested_then_facts_have_no_digest(tmp_path: Path, roots: MediaRoots) -> None:
    _pictures(tmp_path / "card", "a.pgm")
    assert _take(tmp_path / "card", roots, is_hashed=False).files["a.pgm"].facts.sha256 == ""


def test_import_when_the_disk_is_full_then_nothing_of_a_copy_is_left(
    tmp_path: Path, roots: MediaRoots, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "link", refuse)
    monkeypatch.setattr(shutil, "copystat", refuse)
    _pictures(tmp_path / "card", "a.pgm")
    file_import = _take(tmp_path / "card", roots, keep="link")
    assert [name for name, _ in file_import.rejected] == ["a.pgm"]
    assert list((tmp_path / "p.media").rglob("*.pgm")) == []


def test_import_when_a_copy_is_cancelled_then_nothing_of_it_is_left(
    tmp_path: Path, roots: MediaRoots, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        # Only now, so that the reading of the file is over.
        progress.cancel()
        raise OSError("no links here")

    finished: list[object] = []
    progress = Progress()
    monkeypatch.setattr(os, "link", refuse)
    monkeypatch.setattr(shutil, "copystat", lambda *paths, **_: finished.append(paths))
    _pictures(tmp_path / "card", "a.pgm")
    listing = list_media([tmp_path / "card"], progress=progress)
    with pytest.raises(Cancelled):
        import_files(listing, group_individually(listing.names), roots=roots, keep="link", progress=progress)
    assert (list((tmp_path / "p.media").rglob("*.pgm")), finished) == ([], [])


def test_import_when_frames_are_linked_then_hidden_files_stay_behind(
    tmp_path: Path, roots: MediaRoots
) -> None:
    _pictures(tmp_path / "card", "s/cam1/1.pgm", "s/cam1/._1.pgm")
    listing = list_media([tmp_path / "card"], progress=Progress())
    grouping = group(listing.names, "{scene}/{view}/{frames}")
    import_files(listing, grouping, roots=roots, keep="link", progress=Progress())
    assert [path.name for path in (tmp_path / "p.media" / "card" / "s" / "cam1").iterdir()] == ["1.pgm"]


def _take_frames(folder: Path, roots: MediaRoots, *, progress: Progress | None = None) -> str:
    listing = list_media([folder], progress=Progress())
    file_import = import_files(
        listing,
        group(listing.names, "{scene}/{frames}"),
        roots=roots,
        keep="link",
        progress=progress or Progress(),
    )
    return file_import.files["walk"].path


def test_import_when_another_folder_of_frames_lies_at_its_place_then_they_are_not_mixed(
    tmp_path: Path, roots: MediaRoots
) -> None:
    for card, shade in (("one", b"0"), ("two", b"9")):
        for number in (1, 2):
            _pictures(tmp_path / card / "set", f"walk/{number}.pgm", content=b"P5\n1 1\n255\n" + shade)
    _pictures(tmp_path / "two" / "set", "walk/3.pgm")
    assert _take_frames(tmp_path / "one" / "set", roots) == "set/walk"
    assert _take_frames(tmp_path / "two" / "set", roots) == "set/walk (2)"
    own = tmp_path / "p.media" / "set"
    assert sorted(path.name for path in (own / "walk").iterdir()) == ["1.pgm", "2.pgm"]
    assert sorted(path.name for path in (own / "walk (2)").iterdir()) == ["1.pgm", "2.pgm", "3.pgm"]
    # The same once more is what is there already.
    assert _take_frames(tmp_path / "two" / "set", roots) == "set/walk (2)"
    (own / "walk" / "2.pgm").unlink()
    assert _take_frames(tmp_path / "one" / "set", roots) == "set/walk"
    assert (own / "walk" / "2.pgm").exists()


def test_import_when_somebody_else_puts_a_file_there_meanwhile_then_it_outlives_a_cancel(
    tmp_path: Path, roots: MediaRoots, monkeypatch: pytest.MonkeyPatch
) -> None:
    _pictures(tmp_path / "card", "a.pgm", "b.pgm")
    theirs = tmp_path / "p.media" / "card" / "a.pgm"
    link = os.link

    def late(source: Path, target: Path) -> None:
        if target == theirs:
            theirs.write_bytes(b"theirs")
        link(source, target)

    monkeypatch.setattr(os, "link", late)
    listing = list_media([tmp_path / "card"], progress=Progress())

    class Stopping(Progress):
        def step(self, n: int = 1) -> None:
            if n and theirs.with_name("b.pgm").exists():
                self.cancel()
            super().step(n)

    with pytest.raises(Cancelled):
        import_files(
            listing, group_individually(listing.names), roots=roots, keep="link", progress=Stopping()
        )
    assert theirs.read_bytes() == b"theirs"
    assert not (theirs.parent / "b.pgm").exists()


def test_import_when_equal_files_are_compared_then_a_cancel_is_heard(
    tmp_path: Path, roots: MediaRoots
) -> None:
    for location in ("card", "p.media/card"):
        _pictures(tmp_path / location, "a.pgm", content=b"P5\n1 1\n255\n0" + bytes(1 << 20))
    asked: list[int] = []

    class Asked(Progress):
        def step(self, n: int = 1) -> None:
            asked.append(n)

    listing = list_media([tmp_path / "card"], progress=Progress())
    import_files(
        listing,
        group_individually(listing.names),
        roots=roots,
        keep="link",
        is_hashed=False,
        progress=Asked(),
    )
    assert asked == [0, 0, 1]
