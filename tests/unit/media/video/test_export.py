from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from annotator.bench.films import picture_of, read_number
from annotator.errors import Cancelled, HostError, UserError
from annotator.media.video import export
from annotator.media.video.export import save_clip, save_frame, save_frames
from annotator.media.video.film import Film
from annotator.media.video.sampling import evenly_spaced
from annotator.progress import Progress
from tests.unit.media.video.films import FilmShelf


def opened(shelf: FilmShelf, kind: str) -> Film:
    return Film.open(Path(shelf.kind(kind).path))


def numbers_of(path: str) -> list[int | None]:
    film = Film.open(Path(path))
    return [read_number(frame.rgb()) for frame in film.frames(range(film.frame_count))]


def test_frame_when_saved_then_the_file_holds_that_very_picture(shelf: FilmShelf, tmp_path: Path) -> None:
    film = opened(shelf, "turned")
    save_frame(film, 37, path=tmp_path / "new" / "frame.png")
    saved = np.asarray(Image.open(tmp_path / "new" / "frame.png"))
    assert read_number(saved) == 37
    assert np.array_equal(saved, film.frame(37).rgb())


def test_frames_when_saved_by_list_then_each_is_there_under_its_number(
    shelf: FilmShelf, tmp_path: Path
) -> None:
    film = opened(shelf, "open_gop")
    paths = save_frames(film, [60, 3, 3, 24], folder=tmp_path, progress=Progress())
    assert [path.name for path in paths] == [f"open_gop_{n:06d}.png" for n in (60, 3, 3, 24)]
    assert [read_number(np.asarray(Image.open(path))) for path in paths] == [60, 3, 3, 24]
    assert len(list(tmp_path.glob("*.png"))) == 3


def test_frames_when_evenly_spaced_then_those_of_a_model_run_are_saved(
    shelf: FilmShelf, tmp_path: Path
) -> None:
    film = opened(shelf, "rate_12_5")
    paths = save_frames(film, evenly_spaced(film.frame_count), folder=tmp_path, progress=Progress())
    assert [read_number(np.asarray(Image.open(path))) for path in paths] == list(range(0, 90, 3))


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
    assert np.allclose(Film.open(Path(clip.path)).times_s, times_s, atol=1e-6)


@pytest.mark.parametrize(
    ("kind", "first", "last", "why"),
    [
        ("rate_29_97", 3, 9, "the first frame is no key frame"),
        ("variable_rate", 0, 30, "no key frame follows the last frame"),
        ("open_gop", 24, 47, "no key frame follows the last frame"),
        ("turned", 24, 47, "the film is turned"),
        ("bare_stream", 24, 47, "the film states no times"),
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
    assert np.allclose(Film.open(Path(clip.path)).times_s, times_s, atol=1e-4)


def test_clip_when_the_codec_does_not_fit_the_container_then_it_is_coded_anew(
    shelf: FilmShelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    film = opened(shelf, "rate_29_97")
    monkeypatch.setattr(export, "_copy", _refused)
    clip = save_clip(film, 0, last=23, path=tmp_path / "clip.mp4", progress=Progress())
    assert clip.why.startswith("its packets do not fit into .mp4")
    assert numbers_of(clip.path) == list(range(24))


def test_clip_when_made_of_a_folder_with_odd_sides_then_each_picture_is_a_frame(tmp_path: Path) -> None:
    folder = tmp_path / "frames"
    folder.mkdir()
    for number in range(5):
        Image.fromarray(picture_of(number, size_px=(193, 129))).save(folder / f"{number}.png")
    clip = save_clip(Film.open(folder), 1, last=3, path=tmp_path / "clip.mkv", progress=Progress())
    assert clip.why == "it is a folder of pictures"
    assert numbers_of(clip.path) == [1, 2, 3]
    assert Film.open(Path(clip.path)).size_px == (193, 129)


def test_clip_when_cancelled_then_nothing_is_left(shelf: FilmShelf, tmp_path: Path) -> None:
    progress = Progress()
    film = opened(shelf, "rate_29_97")
    progress.cancel()
    with pytest.raises(Cancelled):
        save_clip(film, 3, last=9, path=tmp_path / "clip.mp4", progress=progress)
    assert not list(tmp_path.rglob("*.mp4"))


@pytest.mark.parametrize(("first", "last"), [(-1, 3), (5, 4), (0, 90)])
def test_clip_when_there_are_no_such_frames_then_it_says_so(
    first: int, last: int, shelf: FilmShelf, tmp_path: Path
) -> None:
    with pytest.raises(UserError, match="has no frames"):
        save_clip(opened(shelf, "hevc"), first, last=last, path=tmp_path / "c.mp4", progress=Progress())


def test_clip_when_the_ending_is_unknown_then_it_says_which_are(shelf: FilmShelf, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"\.mkv"):
        save_clip(opened(shelf, "hevc"), 0, last=3, path=tmp_path / "c.gif", progress=Progress())


def test_frame_when_the_disk_refuses_then_the_host_is_blamed(shelf: FilmShelf, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(HostError, match="cannot be written"):
        save_frame(opened(shelf, "hevc"), 0, path=tmp_path / "file" / "frame.png")


def _refused(*_: object, **__: object) -> None:
    raise ValueError("no such codec here")
