from __future__ import annotations

import os
from pathlib import Path

import pytest
from PIL import Image

from annotator.errors import Cancelled
from annotator.media import capture_times
from annotator.media.capture_times import read_capture_times
from annotator.media.listing import MediaListing, list_media
from annotator.media.probe import MediaProbe, probe_media
from annotator.media.time_grouping import group_by_time
from annotator.progress import Progress


def _shoot(path: Path, *, time: str = "", model: str = "") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    exif = Image.Exif()
    if model:
        exif[0x0110] = model
    if time:
        exif.get_ifd(0x8769)[0x9003] = time
    Image.new("RGB", (8, 8)).save(path, exif=exif)


def _listing(folder: Path) -> MediaListing:
    return list_media([folder], progress=Progress())


def test_shots_when_pictures_tell_their_time_then_it_is_taken(tmp_path: Path) -> None:
    _shoot(tmp_path / "A" / "1.jpg", time="2016:06:23 16:32:43")
    _shoot(tmp_path / "B" / "9.jpg", time="2016:06:23 16:32:44")
    shots, unread = read_capture_times(_listing(tmp_path), progress=Progress())
    assert [(shot.name, shot.camera) for shot in shots] == [("A/1.jpg", "A"), ("B/9.jpg", "B")]
    assert shots[1].time_s - shots[0].time_s == 1.0
    assert unread == []
    (scene,) = group_by_time(shots, tolerance_s=2).scenes
    assert scene.name == "2016-06-23 16:32:43"


def test_shots_when_pictures_tell_no_time_then_it_is_that_of_the_file(tmp_path: Path) -> None:
    _shoot(tmp_path / "1.jpg")
    os.utime(tmp_path / "1.jpg", (1_000, 2_000))
    shots, _ = read_capture_times(_listing(tmp_path), progress=Progress())
    assert (shots[0].time_s, shots[0].camera) == (2_000.0, "UAV1")


def test_shots_when_all_lie_in_one_folder_then_models_tell_cameras_apart(tmp_path: Path) -> None:
    _shoot(tmp_path / "1.jpg", model="FC330", time="2016:06:23 16:32:43")
    _shoot(tmp_path / "2.jpg", model="FC6310", time="2016:06:23 16:32:43")
    shots, _ = read_capture_times(_listing(tmp_path), progress=Progress())
    assert [shot.camera for shot in shots] == ["FC330", "FC6310"]


def test_shots_when_folders_are_called_alike_then_their_paths_tell_cameras_apart(tmp_path: Path) -> None:
    _shoot(tmp_path / "day1" / "cam" / "1.jpg")
    _shoot(tmp_path / "day2" / "cam" / "1.jpg")
    shots, _ = read_capture_times(_listing(tmp_path), progress=Progress())
    assert [shot.camera for shot in shots] == ["day1/cam", "day2/cam"]


def test_shots_when_a_file_is_gone_then_it_is_named(tmp_path: Path) -> None:
    _shoot(tmp_path / "1.jpg")
    listing = _listing(tmp_path)
    (tmp_path / "1.jpg").unlink()
    assert read_capture_times(listing, progress=Progress()) == ([], ["1.jpg"])


def test_shots_when_cancelled_then_it_stops(tmp_path: Path) -> None:
    _shoot(tmp_path / "1.jpg")
    listing, progress = _listing(tmp_path), Progress()
    progress.cancel()
    with pytest.raises(Cancelled):
        read_capture_times(listing, progress=progress)


def test_shots_of_real_pictures_when_read_then_names_and_shots_agree(shared_data: Path) -> None:
    listing = list_media(sorted((shared_data / "media" / "images").glob("DJI*")), progress=Progress())
    shots, _ = read_capture_times(listing, progress=Progress())
    # By the time of the last change, 19:24, two of them would come after all others.
    assert [shot.name for shot in sorted(shots, key=lambda shot: shot.time_s)] == list(listing.names)
    assert len(group_by_time(shots, tolerance_s=1).scenes) == 5


def test_shots_when_a_file_goes_after_it_was_read_then_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read_and_remove(path: Path, **options: bool) -> MediaProbe:
        facts = probe_media(path, **options)
        path.unlink()
        return facts

    Image.new("RGB", (4, 4)).save(tmp_path / "1.png")
    monkeypatch.setattr(capture_times, "probe_media", read_and_remove)
    assert read_capture_times(_listing(tmp_path), progress=Progress()) == ([], ["1.png"])
