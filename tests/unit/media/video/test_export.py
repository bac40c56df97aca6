from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from annotator.errors import Cancelled, EnvironmentFailure, UserError
from annotator.media.video import export
from annotator.media.video.export import save_clip, save_picture
from annotator.media.video.video import Video
from annotator.progress import Progress, ProgressUpdate
from tests.bench.films import picture_of, read_number
from tests.unit.media.video.films import FilmShelf


def opened(shelf: FilmShelf, kind: str) -> Video:
    return Video.open(Path(shelf.kind(kind).path))


def numbers_of(path: str) -> list[int | None]:
    film = Video.open(Path(path))
    return [read_number(frame.rgb()) for frame in film.frames(range(film.frame_count))]


def test_picture_when_saved_then_the_file_holds_it_and_a_second_one_takes_its_place(tmp_path: Path) -> None:
    for number in (3, 37):
        save_picture(picture_of(number, size_px=(192, 128)), path=tmp_path / "new" / "frame.png")
    saved = np.asarray(Image.open(tmp_path / "new" / "frame.png"))
    assert np.array_equal(saved, picture_of(37, size_px=(192, 128)))
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["frame.png"]


@pytest.mark.parametrize(
    ("kind", "first", "last"),
    [
        ("variable_rate", 24, 47),
        ("transport_stream", 24, 71),
        ("edit_list", 14, 37),
        ("late_start", 48, 89),
        ("hevc", 0, 89),
        ("fragmented", 72, 89),
    ],
)
def test_clip_when_the_cuts_lie_at_key_frames_then_it_is_copied(
    kind: str, first: int, last: int, shelf: FilmShelf, tmp_path: Path
) -> None:
    film = opened(shelf, kind)
    clip = save_clip(film, first, last=last, path=tmp_path / "clip.mp4", progress=Progress())
    assert (clip.is_copied, clip.why, clip.frames) == (True, "", last - first + 1)
    assert numbers_of(clip.path) == list(shelf.kind(kind).numbers[first : last + 1])
    times_s = film.times_s[first : last + 1] - film.times_s[first]
    assert np.allclose(Video.open(Path(clip.path)).times_s, times_s, atol=1e-6)


@pytest.mark.parametrize(
    ("kind", "first", "last", "why"),
    [
        ("rate_29_97", 3, 9, "the first frame is not a key frame"),
        ("variable_rate", 0, 30, "no key frame follows the last frame"),
        ("open_gop", 24, 47, "no key frame follows the last frame"),
        ("turned", 24, 47, "the video is rotated"),
        ("bare_stream", 24, 47, "the video has no timestamps"),
    ],
)
def test_clip_when_it_cannot_be_copied_then_it_is_coded_anew_frame_by_frame_and_says_why(
    kind: str, first: int, last: int, why: str, shelf: FilmShelf, tmp_path: Path
) -> None:
    film = opened(shelf, kind)
    clip = save_clip(film, first, last=last, path=tmp_path / "clip.mp4", progress=Progress())
    assert (clip.is_copied, clip.why) == (False, why)
    assert numbers_of(clip.path) == list(range(first, last + 1))
    times_s = film.times_s[first : last + 1] - film.times_s[first]
    assert np.allclose(Video.open(Path(clip.path)).times_s, times_s, atol=1e-4)


def test_clip_when_the_codec_does_not_fit_the_container_then_it_is_coded_anew(
    shelf: FilmShelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    film = opened(shelf, "rate_29_97")
    monkeypatch.setattr(export, "_copy", _refused)
    clip = save_clip(film, 0, last=23, path=tmp_path / "clip.mp4", progress=Progress())
    assert clip.why.startswith("its packets are not supported by .mp4")
    assert numbers_of(clip.path) == list(range(24))


def test_clip_when_made_of_a_folder_with_odd_sides_then_each_picture_is_a_frame(tmp_path: Path) -> None:
    folder = tmp_path / "frames"
    folder.mkdir()
    for number in range(5):
        Image.fromarray(picture_of(number, size_px=(193, 129))).save(folder / f"{number}.png")
    clip = save_clip(Video.open(folder), 1, last=3, path=tmp_path / "clip.mkv", progress=Progress())
    assert clip.why == "the video is a folder of images"
    assert numbers_of(clip.path) == [1, 2, 3]
    assert Video.open(Path(clip.path)).size_px == (193, 129)


@pytest.mark.parametrize(("first", "words"), [(3, "Encoding"), (48, "Copying")])
def test_clip_when_cancelled_then_nothing_is_left(
    first: int, words: str, shelf: FilmShelf, tmp_path: Path
) -> None:
    progress = Progress(lambda step: progress.cancel() if step.what.startswith(words) else None)
    with pytest.raises(Cancelled):
        save_clip(opened(shelf, "late_start"), first, last=89, path=tmp_path / "clip.mp4", progress=progress)
    assert not list(tmp_path.rglob("*.mp4"))


def test_clip_when_copied_then_each_frame_is_counted(shelf: FilmShelf, tmp_path: Path) -> None:
    steps: list[ProgressUpdate] = []
    save_clip(
        opened(shelf, "late_start"), 48, last=89, path=tmp_path / "c.mp4", progress=Progress(steps.append)
    )
    assert (steps[-1].what, steps[-1].done, steps[-1].total) == ("Copying a clip of late_start.mkv", 42, 42)


@pytest.mark.parametrize(("first", "last"), [(-1, 3), (5, 4), (0, 90)])
def test_clip_when_there_are_no_such_frames_then_it_says_so(
    first: int, last: int, shelf: FilmShelf, tmp_path: Path
) -> None:
    with pytest.raises(UserError, match="has no frames"):
        save_clip(opened(shelf, "hevc"), first, last=last, path=tmp_path / "c.mp4", progress=Progress())


def test_clip_when_the_ending_is_unknown_then_it_says_which_are(shelf: FilmShelf, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"\.mkv"):
        save_clip(opened(shelf, "hevc"), 0, last=3, path=tmp_path / "c.gif", progress=Progress())


def test_picture_when_the_disk_refuses_then_the_host_is_blamed(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(EnvironmentFailure, match="cannot be written"):
        save_picture(picture_of(0, size_px=(192, 128)), path=tmp_path / "file" / "frame.png")


def _refused(*_: object, **__: object) -> None:
    raise ValueError("no such codec here")
