from __future__ import annotations

from itertools import pairwise

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from annotator.domain.region import Box, Region
from annotator.media.render import Overlay
from tests.gui.stage.reels import Reels
from widgets.stage.player import Player


def go(reels: Reels, number: int, *, index: int = 0) -> None:
    reels.player.seek(reels.video(index).time_of(number))
    reels.rest()


def test_step_when_taken_then_shows_the_very_next_frame_of_the_video_in_front(reels: Reels) -> None:
    reels.show("pal", "ntsc")
    assert reels.numbers() == [0, 0]
    for step, expected in (("1", 1), ("1", 2), ("10", 12), ("-1", 11), ("-10", 1), ("-10", 0)):
        reels.player.step(step)
        reels.rest()
        assert reels.numbers()[0] == expected
    reels.canvases[1].setFocus()
    reels.wait(lambda: reels.player.front is reels.video(1))
    for expected in (1, 2, 3):
        reels.player.step("1")
        reels.rest()
        assert reels.numbers()[1] == expected


def test_step_when_the_one_before_is_not_painted_then_waits_for_it(reels: Reels) -> None:
    reels.show("pal")
    for _ in range(5):
        reels.player.step("10")
    reels.rest()
    assert reels.numbers() == [10]


def test_step_when_it_plays_then_stops(reels: Reels) -> None:
    reels.show("pal")
    reels.player.play_or_pause()
    reels.wait(lambda: reels.video().painted >= 3)
    reels.player.step("1")
    assert not reels.player.is_playing
    reels.rest()
    assert reels.numbers() == [reels.video().number_at(reels.player.time_s)]


def test_step_key_when_taken_then_goes_from_key_frame_to_key_frame(reels: Reels) -> None:
    reels.show("pal")
    video = reels.video().video
    assert video is not None
    keys = video.key_frames.tolist()
    assert keys[:3] == [0, 25, 50]
    go(reels, 30)
    for step, expected in (("1", 50), ("-1", 25), ("-1", 0), ("-1", 0), ("1", 25)):
        reels.player.step_key(step)
        reels.rest()
        assert reels.numbers() == [expected]


def test_seconds_and_ends_when_asked_for_then_are_those_of_the_clock(reels: Reels) -> None:
    reels.show("pal", "ntsc")
    for do, expected in (
        (lambda: reels.player.step_second("1"), [25, 29]),
        (lambda: reels.player.step_second("-1"), [0, 0]),
        (lambda: reels.player.go_end("1"), [99, 109]),
        (lambda: reels.player.go_end("-1"), [0, 0]),
    ):
        do()
        reels.rest()
        assert reels.numbers() == expected


def test_speeds_when_chosen_then_go_up_and_down_in_their_direction(reels: Reels) -> None:
    reels.show("pal")
    player = reels.player
    speeds = []
    for do in (
        lambda: player.play_faster("1"),
        lambda: player.play_faster("1"),
        player.slower,
        player.slower,
        lambda: player.play_faster("-1"),
        lambda: player.play_faster("-1"),
        player.slower,
    ):
        do()
        speeds.append(player.speed)
    assert speeds == [1.0, 2.0, 1.0, 0.5, -1.0, -2.0, -1.0]
    player.pause()
    assert not player.is_playing
    player.play_faster("1")
    assert player.speed == 1.0


def test_playing_backwards_when_at_the_beginning_then_stops_there_or_begins_at_the_end(reels: Reels) -> None:
    reels.show("short")
    go(reels, 5)
    reels.player.play_faster("-1")
    reels.wait(lambda: not reels.player.is_playing)
    reels.rest()
    assert reels.numbers() == [0]
    reels.player.play_faster("-1")
    reels.wait(lambda: reels.video().painted > 5)
    reels.player.pause()


def test_loop_when_a_segment_is_marked_then_stays_in_it(reels: Reels) -> None:
    reels.show("pal")
    player, video = reels.player, reels.video()
    go(reels, 20)
    player.mark_in()
    go(reels, 26)
    player.mark_out()
    player.toggle_loop()
    loop = player.loop
    assert loop is not None
    # The frame of the out mark belongs to it, to its end.
    assert (loop.first_s, loop.last_s) == (video.time_of(20), pytest.approx(video.time_of(27), abs=1e-5))
    assert video.number_at(loop.last_s) == 26
    painted: list[int] = []
    player.moved.connect(lambda: painted.append(video.painted))
    player.play_or_pause()
    # At its end it begins anew: numbers fall while it plays forward.
    reels.wait(lambda: any(after < before for before, after in pairwise(painted)))
    player.pause()
    reels.rest()
    assert set(painted) <= set(range(20, 27))
    player.toggle_loop()
    assert player.loop is None


def test_loop_when_nothing_is_marked_then_the_last_frame_is_shown_as_long_as_others(reels: Reels) -> None:
    reels.show("pal", "ntsc")
    player, (video, other) = reels.player, reels.player.videos
    player.toggle_loop()
    loop = player.loop
    assert loop is not None
    assert video.video is not None
    assert other.video is not None
    # The longer one ends it: 100 frames of 25 a second, 110 of 29.97.
    assert video.last_s > other.last_s
    assert (loop.first_s, loop.last_s) == (0.0, pytest.approx(video.video.duration_s, abs=1e-5))
    assert (video.number_at(loop.last_s), video.phase_at(loop.last_s)) == (99, "during")
    player.place(other, offset_s=2.0)
    # Only the other one runs there, and its frames count.
    loop = player.loop
    assert loop is not None
    assert loop.last_s == pytest.approx(2.0 + other.video.duration_s, abs=1e-5)


def test_marks_when_set_the_wrong_way_round_then_the_older_one_goes(reels: Reels) -> None:
    reels.show("pal")
    player = reels.player
    player.seek(2.0)
    player.mark_in()
    player.seek(1.0)
    player.mark_out()
    assert (player.in_s, player.out_s) == (None, 1.0)
    player.seek(3.0)
    player.mark_in()
    assert (player.in_s, player.out_s) == (3.0, None)
    player.clear_marks()
    assert (player.in_s, player.out_s) == (None, None)


def test_shift_when_a_person_moves_a_video_then_it_follows_and_the_workspace_hears(reels: Reels) -> None:
    reels.show("pal", "ntsc")
    player = reels.player
    shifted: list[tuple[str, float]] = []
    player.shifted.connect(lambda view, offset_s: shifted.append((view, offset_s)))
    player.seek(1.0)
    player.shift(reels.video(1), 0.5)
    reels.rest()
    assert reels.numbers() == [25, 14]
    assert shifted == [("UAV2", 0.5)]
    video = reels.video(1).video
    assert video is not None
    assert (player.span.first_s, player.span.last_s) == (0.0, 0.5 + video.times_s[-1])


def test_scrub_when_moved_quickly_then_ends_at_the_exact_frame(reels: Reels) -> None:
    reels.show("pal", "ntsc")
    for at in range(40):
        reels.player.scrub(at * 0.09)
    reels.rest()
    time_s = reels.player.time_s
    assert time_s == pytest.approx(3.51)
    assert reels.numbers() == [video.number_at(time_s) for video in reels.player.videos] == [87, 105]


def test_buffered_when_frames_are_decoded_then_is_told(reels: Reels) -> None:
    reels.show("pal")
    video, seen = reels.video(), list[list[tuple[int, int]]]()
    reels.player.changed.connect(lambda: seen.append(video.buffered()))
    go(reels, 60)
    reels.wait(lambda: not video.is_busy())
    reels.wait(lambda: bool(seen) and seen[-1] == video.buffered())
    assert any(first <= 60 <= last for first, last in seen[-1])


def test_space_when_tapped_then_plays_and_when_it_holds_the_picture_then_does_not(reels: Reels) -> None:
    reels.show("pal")
    canvas = reels.canvases[0]
    QTest.keyClick(canvas, Qt.Key.Key_Space)
    assert reels.player.is_playing
    QTest.keyClick(canvas, Qt.Key.Key_Space)
    assert not reels.player.is_playing
    QTest.keyPress(canvas, Qt.Key.Key_Space)
    QTest.mousePress(canvas, Qt.MouseButton.LeftButton, pos=canvas.rect().center())
    QTest.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=canvas.rect().center())
    QTest.keyRelease(canvas, Qt.Key.Key_Space)
    assert not reels.player.is_playing


def test_arrows_when_no_tool_wants_them_then_step(reels: Reels) -> None:
    reels.show("pal")
    reels.stage.choose_tool("box")
    for key, expected in ((Qt.Key.Key_Right, 1), (Qt.Key.Key_Right, 2), (Qt.Key.Key_Left, 1)):
        QTest.keyClick(reels.canvases[0], key)
        reels.rest()
        assert reels.numbers() == [expected]


def test_stage_when_it_is_hidden_then_stops(reels: Reels) -> None:
    reels.show("pal")
    reels.player.play_or_pause()
    reels.stage.hide()
    assert not reels.player.is_playing


def test_keys_when_they_only_pan_then_playing_goes_on_and_when_they_move_marks_it_stops(reels: Reels) -> None:
    box = Box(x1=100, y1=150, x2=200, y2=200)
    mine = Region(id="r", medium="m1", number=1, box=box, frame=0)
    reels.show("pal", marks=Overlay(regions=(mine,)))
    canvas, player = reels.canvases[0], reels.player
    player.play_or_pause()
    QTest.keyClick(canvas, Qt.Key.Key_Down)
    assert player.is_playing
    player.pause()
    player.go_end("-1")
    reels.rest()
    reels.stage.select(["r"])
    player.play_or_pause()
    QTest.keyClick(canvas, Qt.Key.Key_Down)
    assert not player.is_playing
    reels.rest()
    assert reels.numbers() == [0]


def test_player_when_it_has_no_videos_then_does_nothing() -> None:
    player = Player()
    for do in (player.play_or_pause, player.slower, player.pause, player.toggle_loop):
        do()
    player.step("1")
    player.step_key("1")
    player.play_faster("1")
    assert not player.has_videos
    assert not player.is_playing
    assert (player.span.first_s, player.span.last_s, player.time_s) == (0.0, 0.0, 0.0)
