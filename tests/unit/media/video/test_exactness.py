"""The right frame, on every kind of file, in any order; read back from the picture."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest

from annotator.media.image_decoder import decode_image
from annotator.media.video.video import Video
from annotator.media.video_file import probe_video
from tests.bench.numbered_videos import KINDS, picture_of, read_number
from tests.unit.media.video.video_shelf import (
    ALL_KINDS,
    LARGE,
    VideoShelf,
    Watcher,
    any_order,
    cut_off,
    mirrored,
    overwritten,
    wrong_frames,
)

LONG = ("drone_hills_720p.mp4", "drone_hills_pingpong_720p_15s.mp4", "uavA_flyover_720p25.mp4")
REAL = (
    "drone_hills_vfr.mp4",
    "uavB_flyover_720p30.mp4",
    *(pytest.param(name, marks=pytest.mark.slow) for name in LONG),
)


@pytest.mark.parametrize("kind", ALL_KINDS)
def test_video_when_frames_are_asked_in_any_order_then_each_shows_its_own_number(
    kind: str, shelf: VideoShelf
) -> None:
    made = shelf.kind(kind)
    video = Video.open(Path(made.path))
    assert video.frame_count == len(made.numbers)
    assert wrong_frames(video, made, any_order(video.frame_count)) == []
    video.close()


@pytest.mark.parametrize("kind", ALL_KINDS)
def test_video_when_opened_then_times_count_from_the_first_frame(kind: str, shelf: VideoShelf) -> None:
    made = shelf.kind(kind)
    video = Video.open(Path(made.path))
    # Matroska keeps milliseconds.
    assert np.allclose(video.times_s, made.times_s, atol=0.001)
    assert video.size_px == ALL_KINDS[kind].size_px
    assert video.damage == ""


@pytest.mark.parametrize("kind", ["rate_12_5", "rate_29_97", "late_start", "transport_stream", "edit_list"])
def test_video_when_its_rate_is_steady_then_fps_is_what_it_was_made_with(
    kind: str, shelf: VideoShelf
) -> None:
    video = Video.open(Path(shelf.kind(kind).path))
    rate = float(Fraction(ALL_KINDS[kind].rate))
    assert video.fps == pytest.approx(rate, rel=1e-4)
    assert video.duration_s == pytest.approx(video.frame_count / rate, rel=1e-3)


def test_video_when_its_rate_varies_then_fps_is_the_mean_and_times_decide(shelf: VideoShelf) -> None:
    video = Video.open(Path(shelf.kind("variable_rate").path))
    assert video.fps == pytest.approx((video.frame_count - 1) / video.times_s[-1], rel=0.01)
    for number in range(video.frame_count):
        assert video.number_at(video.times_s[number]) == number
        assert video.number_at(float(video.times_s[number]) - 0.001) == max(0, number - 1)


def test_video_when_its_container_mirrors_it_then_frames_and_thumbnail_are_seen_so(
    shelf: VideoShelf, tmp_path: Path
) -> None:
    source = Path(shelf.kind("with_sound").path)
    video = Video.open(mirrored(source, tmp_path / "mirrored.mp4", width=192))
    pictures = [video.frame(0).rgb(), decode_image(video.path), video.frame(60).rgb()]
    video.close()
    assert [read_number(picture) for picture in pictures] == [None, None, None]
    assert [read_number(picture[:, ::-1]) for picture in pictures] == [0, 0, 60]


@pytest.mark.parametrize("kind", ["turned", "turned_over", "turned_left", "edit_list", "open_gop_stream"])
def test_thumbnail_when_made_of_a_video_then_it_is_the_first_frame_of_the_stage(
    kind: str, shelf: VideoShelf
) -> None:
    video = Video.open(Path(shelf.kind(kind).path))
    assert np.array_equal(decode_image(video.path), video.frame(0).rgb())
    facts = probe_video(video.path)
    assert (facts.width_px, facts.height_px) == video.size_px
    video.close()


@pytest.mark.parametrize("codec", ["libx264", "ffv1"])
def test_video_when_it_has_one_channel_then_it_is_shown_in_grey_as_it_is(codec: str, tmp_path: Path) -> None:
    path = tmp_path / "near_infrared.mkv"
    greys = [picture_of(number, size_px=(192, 128))[..., 0] for number in range(6)]
    with av.open(str(path), "w") as out:
        stream = out.add_stream(codec, rate=25, options={"crf": "4"} if codec == "libx264" else {})
        stream.width, stream.height, stream.pix_fmt = 192, 128, "gray"
        stream.codec_context.color_range = av.video.reformatter.ColorRange.JPEG
        for grey in greys:
            out.mux(stream.encode(av.VideoFrame.from_ndarray(grey, format="gray")))
        out.mux(stream.encode())
    video = Video.open(path)
    for number in (5, 0, 3):
        picture = video.frame(number).rgb()
        assert read_number(picture) == number
        assert np.array_equal(picture[..., 0], picture[..., 1])
        assert np.array_equal(picture[..., 0], picture[..., 2])
        assert np.abs(picture[..., 0].astype(int) - greys[number]).mean() < 2
    video.close()


def test_video_when_it_has_sound_then_it_says_so(shelf: VideoShelf) -> None:
    assert Video.open(Path(shelf.kind("with_sound").path)).has_audio
    assert not Video.open(Path(shelf.kind("rate_29_97").path)).has_audio


@pytest.mark.parametrize("kind", [*KINDS, "rolling_refresh", "bare_stream"])
def test_view_when_frames_are_asked_in_any_order_then_each_shows_its_own_number(
    kind: str, shelf: VideoShelf
) -> None:
    made = shelf.kind(kind)
    with Watcher(Video.open(Path(made.path))) as watcher:
        order = any_order(len(made.numbers))
        assert [read_number(watcher.show(n).bgra()) for n in order] == [made.numbers[n] for n in order]


@pytest.mark.parametrize("ending", ["mp4", "ts", "mkv"])
def test_video_when_damaged_in_the_middle_then_frames_before_and_behind_are_right(
    ending: str, shelf: VideoShelf, tmp_path: Path
) -> None:
    made = shelf.made(f"large_{ending}", type(LARGE)(**{**_members(LARGE), "ending": ending}))
    video = Video.open(overwritten(Path(made.path), tmp_path / f"damaged.{ending}", at=0.4, count=2500))
    # Two groups of 24 frames may suffer; times tell which frame it is where packets are gone.
    right = [n for n in range(video.frame_count) if not 20 < round(video.times_s[n] * 25) < 50]
    assert len(right) > 55
    assert [read_number(video.frame(n).rgb()) for n in right] == [round(video.times_s[n] * 25) for n in right]


def test_frame_when_it_leans_on_damage_then_it_says_so_until_the_next_key_frame(
    shelf: VideoShelf, tmp_path: Path
) -> None:
    made = shelf.made("large_mp4", LARGE)
    video = Video.open(overwritten(Path(made.path), tmp_path / "damaged.mp4", at=0.4, count=2500))
    told = {frame.number: frame.is_damaged for frame in video.new_source().run(0, last=video.frame_count - 1)}
    unreadable = [n for n in range(video.frame_count) if n not in told or told[n]]
    assert unreadable
    assert all(24 <= n < 50 for n in unreadable)
    assert not told[video.frame_count - 1]


@pytest.mark.parametrize("muxing", ["frag_keyframe+empty_moov+default_base_moof", "faststart"])
def test_video_when_cut_off_then_it_says_so_and_has_the_frames_that_can_be_shown(
    muxing: str, shelf: VideoShelf, tmp_path: Path
) -> None:
    recipe = type(LARGE)(**{**_members(LARGE), "muxing": {"movflags": muxing}})
    made = shelf.made(f"large_{muxing[:4]}", recipe)
    video = Video.open(cut_off(Path(made.path), tmp_path / "cut.mp4", share=0.6))
    assert video.damage
    assert 30 < video.frame_count < 70
    assert wrong_frames(video, made, any_order(video.frame_count)) == []


@pytest.mark.parametrize("name", REAL)
def test_real_video_when_frames_are_sought_then_they_equal_those_of_reading_from_the_beginning(
    name: str, shared_data: Path
) -> None:
    path = shared_data / "media" / "videos" / name
    if not path.exists():
        pytest.skip(f"{name} is not among the sample files")
    video = Video.open(path)
    order = [0, video.frame_count - 1, video.frame_count // 2, 3, video.frame_count // 2 - 1]
    sought = {number: _mark(video.frame(number).rgb()) for number in order}
    video.close()
    read = {f.number: _mark(f.rgb()) for f in video.new_source().run(0, last=video.frame_count - 1)
            if f.number in sought}  # fmt: skip
    assert sought == read


def _mark(picture: np.ndarray) -> bytes:
    return picture[::16, ::16].tobytes()


def _members(recipe: object) -> dict[str, object]:
    return {name: getattr(recipe, name) for name in recipe.__struct_fields__}
