from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.media.video.clock import PlaybackClock, TimeRange, faster, span_of


class Hand:
    """Time that moves when a test says so."""

    def __init__(self) -> None:
        self.at = 100.0

    def __call__(self) -> float:
        return self.at


@pytest.fixture
def hand() -> Hand:
    return Hand()


@pytest.fixture
def clock(hand: Hand) -> PlaybackClock:
    return PlaybackClock(TimeRange(first_s=0.0, last_s=10.0), now=hand)


def test_clock_when_made_then_it_stands_at_the_first_moment(clock: PlaybackClock, hand: Hand) -> None:
    hand.at += 5
    assert clock.time_s() == 0
    assert not clock.is_playing


@pytest.mark.parametrize(
    ("speed", "expected"), [(1.0, 2.0), (0.1, 0.2), (4.0, 8.0), (100.0, 10.0), (0.01, 0.2)]
)
def test_clock_when_it_plays_then_time_passes_at_its_speed(
    clock: PlaybackClock, hand: Hand, speed: float, expected: float
) -> None:
    clock.play(speed)
    hand.at += 2
    assert clock.time_s() == pytest.approx(expected)


def test_clock_when_paused_then_time_stands_and_goes_on_from_there(clock: PlaybackClock, hand: Hand) -> None:
    clock.play()
    hand.at += 2
    clock.pause()
    hand.at += 50
    assert clock.time_s() == pytest.approx(2)
    clock.play(-1.0)
    hand.at += 0.5
    assert clock.time_s() == pytest.approx(1.5)
    assert clock.speed == -1.0


def test_clock_when_the_speed_changes_while_playing_then_time_does_not_jump(
    clock: PlaybackClock, hand: Hand
) -> None:
    clock.play()
    hand.at += 2
    clock.play(0.5)
    assert clock.time_s() == pytest.approx(2)
    hand.at += 2
    assert clock.time_s() == pytest.approx(3)


def test_clock_when_it_comes_to_an_end_then_it_stands_there_and_starts_anew(
    clock: PlaybackClock, hand: Hand
) -> None:
    clock.play()
    hand.at += 11
    assert clock.time_s() == 10
    assert not clock.is_playing
    clock.play()
    assert clock.time_s() == 0
    hand.at += 1
    clock.play(-2.0)
    hand.at += 3
    assert clock.time_s() == 0
    clock.play()
    assert clock.time_s() == 10


def test_clock_when_sought_then_it_goes_on_from_there_within_its_span(
    clock: PlaybackClock, hand: Hand
) -> None:
    clock.play()
    hand.at += 1
    clock.seek(7)
    hand.at += 1
    assert clock.time_s() == pytest.approx(8)
    clock.seek(-3)
    assert clock.time_s() == 0
    clock.seek(99)
    assert clock.time_s() == 10


def test_clock_when_it_loops_then_it_comes_back_to_the_beginning_of_the_loop(
    clock: PlaybackClock, hand: Hand
) -> None:
    clock.set_loop(TimeRange(first_s=2, last_s=4))
    clock.seek(1)
    clock.play()
    hand.at += 2.5
    assert clock.time_s() == pytest.approx(3.5)
    hand.at += 1
    assert clock.time_s() == pytest.approx(2.5)
    hand.at += 40
    assert clock.time_s() == pytest.approx(2.5)
    assert clock.is_playing
    clock.play(-1.0)
    hand.at += 1
    assert clock.time_s() == pytest.approx(3.5)


def test_clock_when_the_loop_has_no_length_then_there_is_none(clock: PlaybackClock) -> None:
    clock.set_loop(TimeRange(first_s=2, last_s=2))
    assert clock.loop is None
    clock.set_loop(TimeRange(first_s=2, last_s=3))
    assert clock.loop == TimeRange(first_s=2, last_s=3)


def test_clock_when_its_span_changes_then_the_time_lies_within_it(clock: PlaybackClock) -> None:
    clock.seek(9)
    clock.set_span(TimeRange(first_s=-1, last_s=5))
    assert (clock.time_s(), clock.span) == (5, TimeRange(first_s=-1, last_s=5))


def test_span_when_views_are_shifted_then_it_holds_all_of_them() -> None:
    assert span_of([(0.0, 10.0), (-1.5, 4.0), (3.0, 9.0)]) == TimeRange(first_s=-1.5, last_s=12.0)


def test_faster_when_pressed_again_then_the_next_step_comes_and_the_other_key_turns_round() -> None:
    pressed = [0.0]
    for _ in range(5):
        pressed.append(faster(pressed[-1], is_forward=True))
    assert pressed == [0, 1, 2, 4, 8, 8]
    assert faster(4.0, is_forward=False) == -1
    assert faster(-1.0, is_forward=False) == -2


@given(st.lists(st.tuples(st.floats(0, 30), st.floats(-8, 8).filter(bool)), max_size=12))
def test_clock_when_it_loops_with_any_speeds_then_it_never_leaves_the_loop(
    moves: list[tuple[float, float]],
) -> None:
    hand = Hand()
    clock = PlaybackClock(TimeRange(first_s=0, last_s=10), now=hand)
    clock.set_loop(TimeRange(first_s=2, last_s=4))
    clock.seek(3)
    for passed_s, speed in moves:
        clock.play(speed)
        hand.at += passed_s
        assert 2 - 1e-9 <= clock.time_s() <= 4 + 1e-9
