from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from annotator.errors import EnvironmentFailure, UserError
from annotator.media.video.video import Video
from tests.bench.numbered_videos import picture_of, read_number
from tests.unit.media.video.video_shelf import Watcher

SIZE = (192, 128)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "frames"
    path.mkdir()
    for number in range(12):
        Image.fromarray(picture_of(number, size_px=SIZE)).save(path / f"frame_{number}.png")
    (path / "notes.txt").write_text("no picture")
    return path


def test_folder_when_opened_then_it_is_a_video_in_natural_order(folder: Path) -> None:
    video = Video.open(folder, fps=12.5)
    assert (video.frame_count, video.size_px, video.fps) == (12, SIZE, 12.5)
    assert [read_number(video.frame(number).rgb()) for number in (11, 2, 10, 0)] == [11, 2, 10, 0]
    assert video.times_s[3] == pytest.approx(0.24)
    assert video.duration_s == pytest.approx(0.96)
    assert video.key_frames.tolist() == list(range(12))


def test_folder_when_numbers_are_missing_then_the_pictures_that_are_there_follow_one_another(
    folder: Path,
) -> None:
    for gone in (3, 4, 8):
        (folder / f"frame_{gone}.png").unlink()
    video = Video.open(folder, fps=10)
    assert (video.frame_count, video.duration_s) == (9, pytest.approx(0.9))
    assert [read_number(frame.rgb()) for frame in video.frames(range(9))] == [0, 1, 2, 5, 6, 7, 9, 10, 11]


def test_folder_when_its_pictures_are_grey_then_it_is_shown_as_it_is(tmp_path: Path) -> None:
    for number in range(3):
        Image.fromarray(picture_of(number, size_px=SIZE)[..., 0]).save(tmp_path / f"{number}.png")
    picture = Video.open(tmp_path).frame(2).rgb()
    assert np.array_equal(picture, np.repeat(picture_of(2, size_px=SIZE)[..., :1], 3, axis=2))


def test_folder_when_viewed_then_each_frame_comes_with_its_number(folder: Path) -> None:
    with Watcher(Video.open(folder)) as watcher:
        assert [read_number(watcher.show(number).bgra()) for number in (7, 6, 11)] == [7, 6, 11]


def test_folder_when_a_picture_is_damaged_then_that_frame_is_lost_and_the_others_are_not(
    folder: Path,
) -> None:
    (folder / "frame_5.png").write_bytes(b"torn")
    video = Video.open(folder)
    with pytest.raises(UserError, match="Frame 5 of frames is damaged"):
        video.frame(5)
    assert [frame.number for frame in video.new_source().run(3, last=7)] == [3, 4, 6, 7]


def test_folder_when_it_holds_no_pictures_then_it_says_so(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="contains no images"):
        Video.open(tmp_path)


@pytest.mark.parametrize("fps", [0, -5, float("nan"), float("inf")])
def test_folder_when_the_rate_is_none_then_it_says_so(folder: Path, fps: float) -> None:
    with pytest.raises(UserError, match="is not a valid frame rate"):
        Video.open(folder, fps=fps)


def test_folder_when_it_is_gone_then_the_host_is_blamed(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFailure, match="cannot be read"):
        Video.open(tmp_path / "gone")
