from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import av
import msgspec
import numpy as np
import pytest
from PIL import Image

from annotator.errors import Cancelled, EnvironmentFailure, UserError
from annotator.media.video import export
from annotator.media.video.clip_cut import ClipCut
from annotator.media.video.export import save_clip, save_picture
from annotator.media.video.opening import OpenVideo
from annotator.media.video.video import Video
from annotator.progress import Progress, ProgressUpdate
from tests.bench.numbered_videos import Recipe, picture_of, read_number
from tests.unit.media.video.video_shelf import VideoShelf

if TYPE_CHECKING:
    from av.container import OutputContainer


def opened(shelf: VideoShelf, kind: str) -> Video:
    return Video.open(Path(shelf.kind(kind).path))


def numbers_of(path: str) -> list[int | None]:
    video = Video.open(Path(path))
    return [read_number(frame.rgb()) for frame in video.frames(range(video.frame_count))]


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
        ("turned", 24, 47),
        ("turned_left", 0, 89),
        ("all_key_frames", 7, 9),
        # Behind the cut no key frame has to follow: what is left out is needed by nothing in the clip.
        ("hidden_reference", 24, 30),
    ],
)
def test_clip_when_the_cuts_lie_at_key_frames_then_it_is_copied(
    kind: str, first: int, last: int, shelf: VideoShelf, tmp_path: Path
) -> None:
    video = opened(shelf, kind)
    clip = save_clip(video, first, last=last, path=tmp_path / "clip.mp4", progress=Progress())
    assert (clip.is_copied, clip.why, clip.frames) == (True, "", last - first + 1)
    assert numbers_of(clip.path) == list(shelf.kind(kind).numbers[first : last + 1])
    times_s = video.times_s[first : last + 1] - video.times_s[first]
    assert np.allclose(Video.open(Path(clip.path)).times_s, times_s, atol=1e-6)


@pytest.mark.parametrize(
    ("kind", "first", "last", "why"),
    [
        ("rate_29_97", 3, 9, "the first frame is not a key frame"),
        ("edit_list", 0, 13, "the first frame depends on frames that the video hides"),
        ("variable_rate", 0, 30, "the last frame depends on frames that are shown after it"),
        ("open_gop", 24, 47, "frames before the first one are stored behind it"),
        ("bare_stream", 24, 47, "the video has no timestamps"),
    ],
)
def test_clip_when_it_cannot_be_copied_then_it_is_coded_anew_frame_by_frame_and_says_why(
    kind: str, first: int, last: int, why: str, shelf: VideoShelf, tmp_path: Path
) -> None:
    video = opened(shelf, kind)
    clip = save_clip(video, first, last=last, path=tmp_path / "clip.mp4", progress=Progress())
    assert (clip.is_copied, clip.why) == (False, why)
    assert numbers_of(clip.path) == list(shelf.kind(kind).numbers[first : last + 1])
    times_s = video.times_s[first : last + 1] - video.times_s[first]
    assert np.allclose(Video.open(Path(clip.path)).times_s, times_s, atol=1e-4)


@pytest.mark.parametrize(
    ("kind", "asked", "given"),
    [
        ("variable_rate", (30, 33), (24, 47)),
        ("edit_list", (30, 33), (14, 37)),
        ("edit_list", (3, 9), (0, 13)),
        # The frames before a key frame of an open group depend on the group before it.
        ("open_gop", (24, 47), (0, 68)),
        ("open_gop", (3, 9), (0, 20)),
        ("rolling_refresh", (60, 70), (0, 89)),
        ("turned", (30, 33), (24, 47)),
    ],
)
@pytest.mark.parametrize("ending", [".mp4", ".mov", ".mkv"])
def test_clip_when_widened_then_it_is_copied_and_shows_exactly_the_wider_range(
    kind: str, asked: tuple[int, int], given: tuple[int, int], ending: str, shelf: VideoShelf, tmp_path: Path
) -> None:
    video, path = opened(shelf, kind), tmp_path / f"clip{ending}"
    clip = save_clip(video, asked[0], last=asked[1], path=path, progress=Progress(), is_widened=True)
    if (kind, given[0], ending) == ("edit_list", 0, ".mkv"):
        # Without edit lists it cannot hide what stands before the first frame: the range stays as it was.
        assert (clip.is_copied, clip.why) == (
            False,
            "the container cannot hide the frames before the first one",
        )
        given = asked
    else:
        assert (clip.is_copied, clip.why) == (True, "")
    assert (clip.first, clip.last, clip.frames) == (*given, given[1] - given[0] + 1)
    assert numbers_of(clip.path) == list(shelf.kind(kind).numbers[given[0] : given[1] + 1])
    copy = Video.open(path)
    assert copy.size_px == video.size_px
    times_s = video.times_s[given[0] : given[1] + 1] - video.times_s[given[0]]
    assert np.allclose(copy.times_s, times_s, atol=1e-3)


def test_clip_when_widened_and_nothing_can_be_copied_then_it_stays_and_says_why(
    shelf: VideoShelf, tmp_path: Path
) -> None:
    video = opened(shelf, "bare_stream")
    clip = save_clip(video, 24, last=30, path=tmp_path / "c.mp4", progress=Progress(), is_widened=True)
    assert (clip.first, clip.last, clip.is_copied) == (24, 30, False)
    assert clip.why == "the video has no timestamps"


def test_clip_when_a_copy_shows_other_pictures_then_it_is_coded_anew(
    shelf: VideoShelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    video, copy = opened(shelf, "rate_29_97"), export._copy

    def from_another_folder(
        opened_video: OpenVideo, out: OutputContainer, *, cut: ClipCut, **more: Any
    ) -> None:
        # As many frames, and others: only their pictures tell.
        copy(opened_video, out, cut=msgspec.structs.replace(cut, begin=24, end=48), **more)

    monkeypatch.setattr(export, "_copy", from_another_folder)
    clip = save_clip(video, 0, last=23, path=tmp_path / "clip.mp4", progress=Progress())
    assert clip.why == "the first frame depends on frames before it"
    assert numbers_of(clip.path) == list(range(24))


@pytest.mark.parametrize("source", ["mp4", "mkv"])
@pytest.mark.parametrize("ending", [".mp4", ".mkv"])
def test_clip_when_the_video_is_av1_then_it_is_copied(
    source: str, ending: str, shelf: VideoShelf, tmp_path: Path
) -> None:
    if "libsvtav1" not in av.codecs_available:
        pytest.skip("this build of FFmpeg has no encoder for AV1")
    made = shelf.made(
        f"av1_{source}", Recipe(ending=source, codec="libsvtav1", options={"preset": "10"}, frames=48)
    )
    video = Video.open(Path(made.path))
    clip = save_clip(video, 24, last=47, path=tmp_path / f"clip{ending}", progress=Progress())
    assert (clip.is_copied, clip.why) == (True, "")
    assert Video.open(Path(clip.path)).coding == video.coding
    assert numbers_of(clip.path) == list(range(24, 48))


def test_clip_when_the_codec_does_not_fit_the_container_then_it_is_coded_anew(
    shelf: VideoShelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    video = opened(shelf, "rate_29_97")
    monkeypatch.setattr(export, "_copy", _refused)
    clip = save_clip(video, 0, last=23, path=tmp_path / "clip.mp4", progress=Progress())
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


@pytest.mark.parametrize(("first", "text"), [(3, "Encoding"), (48, "Copying")])
def test_clip_when_cancelled_then_nothing_is_left(
    first: int, text: str, shelf: VideoShelf, tmp_path: Path
) -> None:
    progress = Progress(lambda step: progress.cancel() if step.what.startswith(text) else None)
    with pytest.raises(Cancelled):
        save_clip(opened(shelf, "late_start"), first, last=89, path=tmp_path / "clip.mp4", progress=progress)
    assert not list(tmp_path.rglob("*.mp4"))


def test_clip_when_copied_then_each_frame_is_counted(shelf: VideoShelf, tmp_path: Path) -> None:
    steps: list[ProgressUpdate] = []
    save_clip(
        opened(shelf, "late_start"), 48, last=89, path=tmp_path / "c.mp4", progress=Progress(steps.append)
    )
    assert (steps[-1].what, steps[-1].done, steps[-1].total) == ("Copying a clip of late_start.mkv", 42, 42)


@pytest.mark.parametrize(("first", "last"), [(-1, 3), (5, 4), (0, 90)])
def test_clip_when_there_are_no_such_frames_then_it_says_so(
    first: int, last: int, shelf: VideoShelf, tmp_path: Path
) -> None:
    with pytest.raises(UserError, match="has no frames"):
        save_clip(opened(shelf, "hevc"), first, last=last, path=tmp_path / "c.mp4", progress=Progress())


def test_clip_when_the_ending_is_unknown_then_it_says_which_are(shelf: VideoShelf, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"\.mkv"):
        save_clip(opened(shelf, "hevc"), 0, last=3, path=tmp_path / "c.gif", progress=Progress())


def test_picture_when_the_disk_refuses_then_the_host_is_blamed(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(EnvironmentFailure, match="cannot be written"):
        save_picture(picture_of(0, size_px=(192, 128)), path=tmp_path / "file" / "frame.png")


def _refused(*_: object, **__: object) -> None:
    raise ValueError("no such codec here")
