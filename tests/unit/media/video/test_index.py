from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from annotator.errors import Cancelled
from annotator.media.video import index_store
from annotator.media.video.index import HIDDEN, KEY, from_bytes, to_bytes
from annotator.media.video.index_store import video_index
from annotator.media.video.indexing import make_index
from annotator.progress import Progress
from tests.unit.media.video.video_shelf import ALL_KINDS, VideoShelf


@pytest.mark.parametrize("kind", ["edit_list", "open_gop", "turned", "bare_stream"])
def test_index_when_written_and_read_then_it_is_the_same(kind: str, shelf: VideoShelf) -> None:
    index = make_index(Path(shelf.kind(kind).path))
    again = from_bytes(to_bytes(index))
    assert again is not None
    assert again.facts == index.facts
    assert np.array_equal(again.packet_pts, index.packet_pts)
    assert np.array_equal(again.packet_flags, index.packet_flags)


def test_index_when_its_bytes_are_damaged_then_there_is_none(shelf: VideoShelf) -> None:
    content = to_bytes(make_index(Path(shelf.kind("turned").path)))
    assert from_bytes(content[:-1]) is None
    assert from_bytes(b"") is None
    assert from_bytes(b"\x80") is None


def test_index_when_an_edit_list_hides_frames_then_they_have_no_number(shelf: VideoShelf) -> None:
    index = make_index(Path(shelf.kind("edit_list").path))
    cut = ALL_KINDS["edit_list"].cut
    assert int(np.count_nonzero(index.packet_flags & HIDDEN)) == cut
    assert int(np.count_nonzero(index.numbers < 0)) == cut
    assert index.key_frames.tolist() == [24 - cut, 48 - cut, 72 - cut]


def test_index_when_a_group_is_open_then_frames_before_its_key_frame_begin_one_group_earlier(
    shelf: VideoShelf,
) -> None:
    index = make_index(Path(shelf.kind("open_gop").path))
    key = int(index.key_frames[1])
    assert index.key_before(key) == 1
    leaning = [n for n in range(key) if index.packet_indices[n] > index.packet_indices[key]]
    assert leaning
    assert {index.key_before(number) for number in leaning} == {0}
    assert index.key_before(key, back=5) == 0


def test_index_when_key_frames_are_flagged_then_they_are_those(shelf: VideoShelf) -> None:
    index = make_index(Path(shelf.kind("rate_29_97").path))
    assert index.key_frames.tolist() == [0, 24, 48, 72]
    assert np.flatnonzero(index.packet_flags & KEY).tolist() == index.key_packets
    assert index.longest_group() == 24


def test_video_index_when_asked_again_then_nothing_is_read(
    shelf: VideoShelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = Path(shelf.kind("hevc").path)
    first = video_index(path)
    monkeypatch.setattr(index_store, "make_index", _refuse)
    assert video_index(path).facts == first.facts


def test_video_index_when_another_project_claims_the_digest_for_its_own_file_then_each_file_has_its_own(
    shelf: VideoShelf, tmp_path: Path
) -> None:
    theirs, ours = tmp_path / "theirs" / "video.mp4", tmp_path / "ours" / "video.mp4"
    videos = [Path(shelf.kind(kind).path).read_bytes() for kind in ("one_frame", "rate_29_97")]
    size = max(map(len, videos))
    for file, content in zip((theirs, ours), videos, strict=True):
        file.parent.mkdir()
        # Of one size: bytes after the end are no part of a video.
        file.write_bytes(content.ljust(size, b"\0"))
        os.utime(file, ns=(1, 1))

    assert len(video_index(theirs, sha256="ab" * 32).packet_indices) == 1
    assert len(video_index(ours, sha256="ab" * 32).packet_indices) == 90


def test_video_index_when_the_file_changed_then_it_is_made_anew(shelf: VideoShelf, tmp_path: Path) -> None:
    path = tmp_path / "video.mp4"
    path.write_bytes(Path(shelf.kind("rate_29_97").path).read_bytes())
    assert len(video_index(path).packet_indices) == 90
    path.write_bytes(Path(shelf.kind("one_frame").path).read_bytes())
    os.utime(path, ns=(1, 1))
    assert len(video_index(path).packet_indices) == 1


def test_video_index_when_the_kept_one_is_damaged_then_it_is_made_anew(
    shelf: VideoShelf, private_cache: Path
) -> None:
    path = Path(shelf.kind("turned").path)
    video_index(path)
    (kept,) = private_cache.rglob("*.index")
    kept.write_bytes(b"torn")
    assert len(video_index(path).packet_indices) == 90
    assert from_bytes(kept.read_bytes()) is not None


def test_video_index_when_the_cache_cannot_be_written_then_it_is_returned_all_the_same(
    shelf: VideoShelf, private_cache: Path
) -> None:
    private_cache.write_text("a file where the folder should be")
    assert len(video_index(Path(shelf.kind("turned").path)).packet_indices) == 90


def test_make_index_when_cancelled_then_it_stops(shelf: VideoShelf) -> None:
    progress = Progress()
    progress.cancel()
    with pytest.raises(Cancelled):
        make_index(Path(shelf.kind("turned").path), progress=progress)


def _refuse(*_: object, **__: object) -> None:
    raise AssertionError("made anew")
