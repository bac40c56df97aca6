from __future__ import annotations

import threading
from pathlib import Path

import pytest

from annotator.media.video.cache import CacheBudget
from annotator.media.video.frame_reader import FrameReader
from annotator.media.video.frames import Frame
from annotator.media.video.prefetch import FRAMES_BEHIND
from annotator.media.video.video import Video
from tests.bench.numbered_videos import read_number
from tests.unit.media.video.video_shelf import LARGE, PATIENCE_S, VideoShelf, Watcher, overwritten

SMALL = 49_152 * 30
"""Room for thirty frames of the small videos, with what the decoder pads them."""


def opened(shelf: VideoShelf, kind: str = "rate_29_97") -> Video:
    return Video.open(Path(shelf.kind(kind).path))


def test_view_when_a_frame_is_here_then_the_request_returns_it(shelf: VideoShelf) -> None:
    with Watcher(opened(shelf)) as watcher:
        watcher.show(40)
        watcher.settle()
        frame = watcher.view.request(39)
        assert frame is not None
        assert (frame.number, read_number(frame.bgra())) == (39, 39)
        assert watcher.came.empty()


def test_view_when_it_has_sought_then_frames_behind_and_ahead_are_fetched(shelf: VideoShelf) -> None:
    with Watcher(opened(shelf)) as watcher:
        watcher.show(70)
        watcher.settle()
        ((first, last),) = watcher.view.buffered()
        assert first <= 70 - FRAMES_BEHIND * 2 // 3
        assert last >= 80
        assert watcher.view.used_bytes > 0


def test_view_when_it_has_sought_then_no_pause_is_made_before_frames_behind_are_fetched(
    shelf: VideoShelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("annotator.media.video.frame_reader.PAUSE_S", 3600.0)
    with Watcher(opened(shelf)) as watcher:
        watcher.show(70)
        watcher.settle()
        assert watcher.view.buffered()[0][0] <= 70 - FRAMES_BEHIND * 2 // 3


def test_view_when_a_number_lies_outside_then_the_nearest_frame_comes(shelf: VideoShelf) -> None:
    with Watcher(opened(shelf)) as watcher:
        assert watcher.view.request(1000) is None
        assert _number(watcher.next()) == 89
        assert watcher.view.request(-5) is None
        assert _number(watcher.next()) == 0


def test_view_when_requests_come_faster_than_frames_then_the_last_one_is_shown(shelf: VideoShelf) -> None:
    with Watcher(opened(shelf)) as watcher:
        for number in (80, 3, 60, 20, 75, 31):
            found = watcher.view.request(number)
        while found is None or found.number != 31:
            found = watcher.next()
        assert read_number(found.rgb()) == 31
        watcher.settle()
        assert watcher.came.empty()


def test_view_when_steps_back_follow_at_once_then_what_is_behind_them_is_fetched_all_the_same(
    shelf: VideoShelf,
) -> None:
    with Watcher(opened(shelf)) as watcher:
        watcher.show(89)
        read = [read_number(watcher.show(number).rgb()) for number in range(88, 60, -1)]
        assert read == list(range(88, 60, -1))
        watcher.settle()
        assert watcher.view.buffered()[0][0] <= 24


def test_view_when_a_key_frame_was_sought_in_between_then_rising_requests_are_right(
    shelf: VideoShelf,
) -> None:
    with Watcher(opened(shelf, "hevc")) as watcher:
        for number in (5, 20, 33, 50, 71, 88):
            assert read_number(watcher.show(number).rgb()) == number


def test_view_when_scrubbing_then_the_nearest_key_frame_comes_before_the_exact_one(shelf: VideoShelf) -> None:
    with Watcher(opened(shelf)) as watcher:
        assert watcher.view.request_preview(56) is None
        assert [_number(watcher.next()), _number(watcher.next())] == [48, 56]


def test_view_when_playing_then_frames_ahead_are_fetched_and_those_behind_are_not(shelf: VideoShelf) -> None:
    with Watcher(opened(shelf)) as watcher:
        watcher.view.play(1.0)
        watcher.show(30)
        watcher.settle()
        assert watcher.view.buffered() == [(30, 62)]
        watcher.view.pause()
        watcher.settle()
        assert watcher.view.buffered() == [(0, 62)]


def test_view_when_playing_backwards_then_each_frame_comes_in_a_small_cache_too(shelf: VideoShelf) -> None:
    with Watcher(opened(shelf), budget=CacheBudget(SMALL)) as watcher:
        watcher.view.play(-1.0)
        read = [read_number(watcher.show(number).rgb()) for number in range(89, -1, -1)]
        assert read == list(range(89, -1, -1))


def test_view_when_a_loop_plays_then_its_beginning_is_ready_at_its_end(shelf: VideoShelf) -> None:
    with Watcher(opened(shelf)) as watcher:
        watcher.view.play(1.0, loop=(40, 60))
        watcher.show(50)
        watcher.settle()
        assert watcher.view.buffered() == [(40, 60)]


def test_view_when_frames_take_much_then_the_budget_holds(shelf: VideoShelf) -> None:
    video = opened(shelf, "one_frame")
    budget = CacheBudget(SMALL)
    video = opened(shelf, "all_key_frames")
    with Watcher(video, budget=budget) as watcher:
        for number in range(video.frame_count):
            watcher.show(number)
            assert watcher.view.used_bytes <= SMALL


def test_view_when_another_one_opens_then_it_gives_room_and_goes_on(shelf: VideoShelf) -> None:
    video = opened(shelf, "all_key_frames")
    budget = CacheBudget(SMALL)
    with Watcher(video, budget=budget) as first:
        for number in range(40):
            first.show(number)
        with Watcher(video, budget=budget) as second:
            second.show(5)
            first.show(60)
            first.settle()
            assert first.view.used_bytes <= SMALL // 2
            assert read_number(first.show(2).rgb()) == 2


def test_view_when_a_frame_is_lost_then_it_says_so_each_time_and_shows_the_next(
    shelf: VideoShelf, tmp_path: Path
) -> None:
    made = shelf.made("large_mp4", LARGE)
    video = Video.open(overwritten(Path(made.path), tmp_path / "damaged.mp4", at=0.4, count=2500))
    there = {frame.number for frame in video.new_source().run(0, last=video.frame_count - 1)}
    lost = min(set(range(video.frame_count)) - there)
    with Watcher(video) as watcher:
        for _ in range(2):
            assert watcher.view.request(lost) is None
            number, words = watcher.next()
            assert number == lost
            assert "is damaged" in words
            assert watcher.view.is_lost(lost)
            watcher.settle()
        assert read_number(watcher.show(80).rgb()) == 80


def test_view_when_the_file_goes_away_then_it_says_so_in_words(shelf: VideoShelf, tmp_path: Path) -> None:
    path = tmp_path / "video.mp4"
    path.write_bytes(Path(shelf.kind("rate_29_97").path).read_bytes())
    video = Video.open(path)
    path.unlink()
    with Watcher(video) as watcher:
        assert watcher.view.request(5) is None
        number, words = watcher.next()
        assert number == 5
        assert "cannot be read" in words


def test_view_when_closed_from_its_own_callback_then_it_ends(shelf: VideoShelf) -> None:
    ended = threading.Event()
    views: list[FrameReader] = []

    def close(_: Frame) -> None:
        views[0].close()
        ended.set()

    views.append(FrameReader(opened(shelf), on_frame=close))
    views[0].request(5)
    assert ended.wait(PATIENCE_S)
    views[0].close()


def test_view_when_closed_while_it_decodes_then_no_frame_comes_after_that(shelf: VideoShelf) -> None:
    came: list[Frame] = []
    view = FrameReader(opened(shelf), on_frame=came.append)
    view.request(89)
    view.close()
    count = len(came)
    assert view.buffered() == []
    assert len(came) == count


def _number(came: Frame | tuple[int, str]) -> int:
    assert not isinstance(came, tuple), came
    return came.number
