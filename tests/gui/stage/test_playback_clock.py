"""Playing judged by what was painted: the number is read from the widget, not from the decoder."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotator.media.video.decoder import FrameDecoder
from tests.gui.stage.reels import Reels, number_on, video_scene
from tests.patience import PATIENCE_S

LATE_S = 0.1
"""So far behind the clock is at most what is painted: a frame and two ticks; never before it."""


def watch(reels: Reels) -> list[list[tuple[int, float]]]:
    """Read every frame that is painted while it plays, with the time of the clock right after."""
    seen: list[list[tuple[int, float]]] = [[] for _ in reels.canvases]

    def look() -> None:
        for index, canvas in enumerate(reels.canvases):
            if not seen[index] or seen[index][-1][0] != canvas.frame:
                read = number_on(canvas)
                assert read == canvas.frame == reels.video(index).painted
                seen[index].append((read, reels.player.time_s))

    reels.player.moved.connect(look)
    return seen


@pytest.mark.parametrize("names", [("pal",), ("ntsc",), ("pal", "ntsc")])
def test_videos_when_played_then_every_painted_number_is_right_and_in_step(
    steady_reels: Reels, names: tuple[str, ...]
) -> None:
    steady_reels.show(*names)
    seen = watch(steady_reels)
    steady_reels.player.play_or_pause()
    steady_reels.wait(lambda: not steady_reels.player.is_playing)
    steady_reels.rest()
    # The last frame may be painted after the last move of the clock.
    steady_reels.player.moved.emit()
    assert steady_reels.numbers() == [
        video.video.frame_count - 1 for video in steady_reels.player.videos if video.video is not None
    ]
    for video, frames in zip(steady_reels.player.videos, seen, strict=True):
        numbers = [number for number, _ in frames]
        assert video.video is not None
        assert numbers == list(range(video.video.frame_count))
        for number, time_s in frames:
            assert time_s - video.time_of(number) >= -1e-6
            assert time_s - video.time_of(number) < LATE_S


def test_videos_when_played_with_an_offset_then_stay_in_step_by_time(steady_reels: Reels) -> None:
    steady_reels.show("pal", "ntsc", offsets=(0.0, 0.7))
    seen = watch(steady_reels)
    steady_reels.player.play_or_pause()
    steady_reels.wait(lambda: steady_reels.video(1).painted >= 60)
    steady_reels.player.pause()
    steady_reels.rest()
    one, other = steady_reels.numbers()
    time_s = steady_reels.player.time_s
    assert (one, other) == (int(time_s * 25 + 1e-6), int((time_s - 0.7) * 30000 / 1001 + 1e-6))
    for video, frames in zip(steady_reels.player.videos, seen, strict=True):
        assert all(0 <= at_s - video.time_of(number) + 1e-6 < LATE_S for number, at_s in frames if number)


def test_videos_when_sought_anywhere_then_each_shows_the_latest_frame_not_after_the_clock(
    reels: Reels,
) -> None:
    reels.show("pal", "ntsc", offsets=(0.25, 0.0))
    for time_s in (0.0, 0.24, 0.25, 0.29, 0.2901, 1.0, 3.3, 2.0, 4.2):
        reels.player.seek(time_s)
        reels.rest()
        for video, number in zip(reels.player.videos, reels.numbers(), strict=True):
            times_s = [video.time_of(at) for at in range(video.video.frame_count)]  # type: ignore[union-attr]
            expected = max((at for at, begin_s in enumerate(times_s) if begin_s <= time_s + 1e-6), default=0)
            assert number == expected


def test_video_when_played_fast_then_skips_frames_and_never_shows_a_wrong_number(steady_reels: Reels) -> None:
    steady_reels.show("pal")
    seen = watch(steady_reels)
    for _ in range(3):
        steady_reels.player.play_faster("1")
    assert steady_reels.player.speed == 4.0
    steady_reels.wait(lambda: not steady_reels.player.is_playing)
    steady_reels.rest()
    assert steady_reels.numbers() == [99]
    assert len(seen[0]) > 5


def test_video_when_played_backwards_then_numbers_fall(steady_reels: Reels) -> None:
    steady_reels.show("pal")
    steady_reels.player.go_end("1")
    steady_reels.rest()
    seen = watch(steady_reels)
    steady_reels.player.play_faster("-1")
    steady_reels.wait(lambda: steady_reels.video().painted < 60)
    steady_reels.player.pause()
    steady_reels.rest()
    numbers = [number for number, _ in seen[0]]
    assert numbers == sorted(numbers, reverse=True)
    assert len(numbers) > 10


def test_views_when_one_is_large_then_the_others_come_back_in_step(reels: Reels) -> None:
    reels.show("pal", "ntsc")
    reels.stage.toggle_large()
    reels.player.play_or_pause()
    reels.wait(lambda: reels.video().painted >= 20)
    reels.player.pause()
    reels.stage.toggle_large()
    reels.rest()
    time_s = reels.player.time_s
    assert reels.numbers() == [video.number_at(time_s) for video in reels.player.videos]


@pytest.mark.slow
def test_flyovers_when_played_then_views_of_other_rates_show_the_same_moment(
    steady_reels: Reels, shared_data: Path
) -> None:
    folder = shared_data / "media" / "videos"
    names = ("uavA_flyover_720p25.mp4", "uavB_flyover_720p30.mp4")
    files = [folder / name for name in names]
    if not all(file.exists() for file in files):
        pytest.skip("the real flights are not on this machine")
    truth = json.loads((folder / "flyover_groundtruth.json").read_text())
    logs = [{entry["frame"]: entry["t"] for entry in truth[name]["log"]} for name in names]
    steady_reels.show_scene(video_scene(files))
    painted: list[tuple[float, list[int]]] = []
    steady_reels.player.moved.connect(
        lambda: painted.append(
            (
                steady_reels.player.time_s,
                [video.painted for video in steady_reels.player.videos],
            )
        )
    )
    steady_reels.player.play_or_pause()
    steady_reels.wait(lambda: steady_reels.video().painted >= 75)
    steady_reels.player.pause()
    checked = 0
    for time_s, numbers in painted:
        for number, log in zip(numbers, logs, strict=True):
            if number in log:
                checked += 1
                assert -1e-6 <= time_s - log[number] < LATE_S
    assert checked > 5


def test_late_frame_when_a_nearer_one_was_given_then_is_not_shown_backwards_either(reels: Reels) -> None:
    reels.show("pal")
    video = reels.video()
    assert video.video is not None
    frames = {number: video.video.frame(number) for number in (44, 47, 50, 60)}
    given: list[int] = []
    video.frame_came.connect(lambda frame: given.append(frame.number))
    video.take_frame(frames[60])
    given.clear()
    video.wanted = 44
    for number in (50, 60, 47, 50, 44, 47):
        video.take_frame(frames[number])
    assert given == [50, 47, 44]


def test_videos_when_played_backwards_and_decoding_is_slow_then_what_is_painted_falls_and_is_never_early(
    reels: Reels, monkeypatch: pytest.MonkeyPatch
) -> None:
    reels.show("pal", "ntsc")
    reels.player.go_end("1")
    reels.rest()
    passes, plain, is_slow = threading.Semaphore(0), FrameDecoder.run, threading.Event()

    def run(own: FrameDecoder, first: int, **options: object) -> Iterator[object]:
        for frame in plain(own, first, **options):  # type: ignore[arg-type]
            if is_slow.is_set():
                passes.acquire(timeout=PATIENCE_S)
            yield frame

    monkeypatch.setattr(FrameDecoder, "run", run)
    is_slow.set()
    seen = watch(reels)
    # A frame for each tick of the clock, over both videos: groups of 25 and 30 take longer than they play.
    reels.player.moved.connect(passes.release)
    reels.player.play_faster("-1")
    reels.player.play_faster("-1")
    reels.wait(lambda: not reels.player.is_playing)
    is_slow.clear()
    passes.release(1000)
    reels.rest()
    assert reels.numbers() == [0, 0]
    late = 0
    for video, frames in zip(reels.player.videos, seen, strict=True):
        numbers = [number for number, _ in frames]
        assert numbers == sorted(numbers, reverse=True)
        # Early would be a frame that the clock has not come down to.
        assert all(video.number_at(at_s) <= number for number, at_s in frames)
        late += sum(video.number_at(at_s) < number for number, at_s in frames)
    assert late > 0
