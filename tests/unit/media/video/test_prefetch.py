from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.media.video.cache import FrameCache
from annotator.media.video.frames import ImageFrame
from annotator.media.video.prefetch import (
    FRAMES_AHEAD,
    FRAMES_BEHIND,
    NEAR,
    NEAR_ON,
    TAIL_SHARE,
    FrameRange,
    PrefetchTarget,
    next_range,
)

BYTES = 12
GROUP = 250
COUNT = 1000
FULL_MS, SKIMMED_MS, KEY_MS = 1.6, 0.9, 33.0
"""A frame of 720p decoded, one on the way to another (half are left out), and the pace of a held key."""


def groups(number: int) -> tuple[int, int]:
    first = number // GROUP * GROUP
    return first, min(COUNT, first + GROUP) - 1


def cache_of(*runs: tuple[int, int], capacity: int = 700) -> FrameCache:
    cache = FrameCache(capacity * BYTES)
    for first, last in runs:
        for number in range(first, last + 1):
            cache.put(_frame(number), centre=number)
    return cache


def aim(number: int, *, speed: float = 0.0, is_stepping_back: bool = False, capacity: int = 700,
        loop: tuple[int, int] | None = None) -> PrefetchTarget:  # fmt: skip
    return PrefetchTarget(
        number=number,
        speed=speed,
        is_stepping_back=is_stepping_back,
        count=COUNT,
        capacity=capacity,
        loop=loop,
    )


def plan(where: PrefetchTarget, cache: FrameCache) -> FrameRange | None:
    return next_range(where, cache, groups=groups)


def test_plan_when_the_frame_is_not_here_then_it_comes_first_with_those_just_before_it() -> None:
    assert plan(aim(400), cache_of()) == FrameRange(first=400 - NEAR, last=400)
    assert plan(aim(252), cache_of()) == FrameRange(first=250, last=252)


def test_plan_when_the_playhead_jumps_ahead_then_less_is_decoded_before_it() -> None:
    moving = PrefetchTarget(number=400, is_moving_on=True, count=COUNT, capacity=700)
    assert plan(moving, cache_of()) == FrameRange(first=400 - NEAR_ON, last=400)


def test_plan_when_the_frame_is_here_then_those_behind_are_fetched_to_a_depth() -> None:
    assert plan(aim(400), cache_of((400 - NEAR, 400))) == FrameRange(
        first=400 - FRAMES_BEHIND, last=399 - NEAR
    )


def test_plan_when_the_group_begins_within_the_depth_then_the_one_before_is_fetched_next() -> None:
    assert plan(aim(270), cache_of((250, 270))) == FrameRange(first=270 - FRAMES_BEHIND, last=249)


def test_plan_when_all_behind_is_here_then_a_few_ahead_are_fetched() -> None:
    assert plan(aim(400), cache_of((340, 400))) == FrameRange(first=401, last=400 + FRAMES_AHEAD)
    assert plan(aim(400), cache_of((340, 400 + FRAMES_AHEAD))) is None


def test_plan_when_little_of_what_is_behind_is_used_up_then_nothing_is_fetched() -> None:
    assert plan(aim(390), cache_of((340, 390 + FRAMES_AHEAD))) is None
    assert plan(aim(365), cache_of((340, 365 + FRAMES_AHEAD))) == FrameRange(
        first=365 - FRAMES_BEHIND, last=339
    )


def test_plan_when_stepping_back_then_whole_groups_are_fetched() -> None:
    found = plan(aim(400, is_stepping_back=True), cache_of((330, 412)))
    assert found == FrameRange(first=250, last=329)


def test_plan_when_stepping_back_nears_the_gap_then_the_end_of_the_group_is_fetched_first() -> None:
    where = aim(255, is_stepping_back=True)
    assert plan(where, cache_of((250, 262))) == FrameRange(first=250 - NEAR, last=249)
    far = cache_of((250 - NEAR, 262))
    assert plan(where, far) == FrameRange(first=249 - NEAR - TAIL_SHARE * (5 + NEAR) + 1, last=249 - NEAR)


def test_plan_when_little_of_a_group_would_be_left_then_it_is_fetched_with_the_rest() -> None:
    behind = 2 * NEAR
    where = aim(behind + 3, is_stepping_back=True)
    assert plan(where, cache_of((behind, behind + 20))) == FrameRange(first=0, last=behind - 1)


@pytest.mark.parametrize("behind_key", [0, 3, 8, 16, 40, 110, 249])
def test_plan_when_a_key_is_held_after_a_seek_then_there_is_one_wait_at_most_and_only_near_a_key_frame(
    behind_key: int,
) -> None:
    waits = _waits(250 + behind_key, steps=240)
    whole_group = GROUP * FULL_MS
    assert len(waits) <= 1
    assert sum(waits) <= max(0.0, 0.7 * whole_group - behind_key * KEY_MS)


def test_plan_when_playing_then_only_what_comes_is_fetched() -> None:
    assert plan(aim(400, speed=1.0), cache_of((400, 400))) == FrameRange(first=401, last=432)
    assert plan(aim(400, speed=4.0), cache_of((400, 400))) == FrameRange(first=401, last=500)
    assert plan(aim(400, speed=1.0), cache_of()) == FrameRange(first=400, last=432)


def test_plan_when_playing_backwards_then_groups_are_fetched_one_after_the_other() -> None:
    assert plan(aim(400, speed=-1.0), cache_of((350, 400))) == FrameRange(first=250, last=349)
    assert plan(aim(345, speed=-1.0), cache_of((250, 400))) == FrameRange(first=0, last=249)


def test_plan_when_a_loop_fits_then_all_of_it_is_kept_and_nothing_beyond_is_fetched() -> None:
    where = aim(140, speed=1.0, loop=(100, 150))
    assert where.centre == 125
    assert plan(where, cache_of((140, 140))) == FrameRange(first=141, last=150)
    assert plan(where, cache_of((140, 150))) == FrameRange(first=100, last=139)
    assert plan(where, cache_of((100, 150))) is None


def test_plan_when_a_frame_is_lost_then_it_is_not_fetched_again() -> None:
    cache = cache_of((340, 399), (401, 412))
    cache.put_lost(400, last=400)
    assert plan(aim(400), cache) is None


@pytest.mark.parametrize(("number", "speed"), [(454, -1.0), (10, 1.0)])
def test_plan_when_playing_towards_a_loop_that_fills_the_cache_then_what_plays_is_kept(
    number: int, speed: float
) -> None:
    where = aim(number, speed=speed, capacity=120, loop=(79, 189))
    cache = cache_of((79, 189), capacity=120)
    run = plan(where, cache)
    assert run is not None
    for wanted in range(run.first, run.last + 1):
        cache.put(_frame(wanted), centre=where.centre)
    assert number in cache


@pytest.mark.parametrize("capacity", [8, 9, 13, 40, 120, 700])
@given(
    number=st.integers(0, COUNT - 1),
    speed=st.sampled_from([-8.0, -1.0, 0.0, 1.0, 8.0]),
    is_stepping_back=st.booleans(),
    loop=st.none() | st.tuples(st.integers(0, 400), st.integers(1, 500)),
    before=st.none() | st.integers(0, COUNT - 1),
)
def test_plan_when_carried_out_then_it_comes_to_an_end_with_the_wanted_frame_kept(
    capacity: int,
    number: int,
    speed: float,
    is_stepping_back: bool,
    loop: tuple[int, int] | None,
    before: int | None,
) -> None:
    if loop is not None:
        loop = (loop[0], min(COUNT - 1, loop[0] + loop[1]))
        number = min(max(number, loop[0]), loop[1])
    where = aim(number, speed=speed, is_stepping_back=is_stepping_back, capacity=capacity, loop=loop)
    # Full of what was played before, or empty.
    kept = () if before is None else ((before, min(COUNT - 1, before + capacity - 1)),)
    cache = cache_of(*kept, capacity=capacity)
    for _ in range(40):
        run = plan(where, cache)
        if run is None:
            break
        assert 0 <= run.first <= run.last < COUNT
        for wanted in range(run.first, run.last + 1):
            cache.put(_frame(wanted), centre=where.centre)
    assert plan(where, cache) is None
    assert number in cache


@pytest.mark.parametrize("capacity", [8, 9, 13, 40, 121, 180])
@pytest.mark.parametrize("speed", [0.0, 1.0, 8.0])
def test_plan_when_going_on_with_a_full_cache_then_each_frame_is_decoded_once(
    capacity: int, speed: float
) -> None:
    cache = FrameCache(capacity * BYTES)
    decoded = Counter[int]()
    for number in range(COUNT):
        where = aim(number, speed=speed, capacity=capacity)
        for _ in range(8):
            if (run := plan(where, cache)) is None:
                break
            for wanted in range(run.first, run.last + 1):
                decoded[wanted] += 1
                cache.put(_frame(wanted), centre=where.centre)
        assert plan(where, cache) is None
    assert set(decoded) == set(range(COUNT))
    assert set(decoded.values()) == {1}


def _frame(number: int) -> ImageFrame:
    return ImageFrame(number=number, time_s=number / 25, picture=np.zeros((2, 2, 3), np.uint8))


def _waits(number: int, *, steps: int) -> list[float]:
    """Return how long steps back wait after a seek, ms, where one frame after the other is decoded."""
    cache = FrameCache(700 * BYTES)
    coming: list[tuple[float, int]] = []
    now_ms = asked_ms = 0.0
    waits = []
    for wanted in range(number, number - steps - 1, -1):
        where = aim(wanted, is_stepping_back=wanted < number)
        is_late = False
        while now_ms < asked_ms or wanted not in cache:
            is_late = now_ms >= asked_ms
            coming = coming or _decoding(plan(where, cache))
            if not coming:
                break
            cost_ms, decoded = coming.pop(0)
            now_ms += cost_ms
            cache.put(_frame(decoded), centre=where.centre)
        if is_late and wanted < number:
            waits.append(now_ms - asked_ms)
        asked_ms = (now_ms if is_late else asked_ms) + KEY_MS
    return waits


def _decoding(run: FrameRange | None) -> list[tuple[float, int]]:
    """Return what each frame of a run takes, ms, with its number; the first one stands for the way to it."""
    if run is None:
        return []
    way = (run.first - groups(run.first)[0]) * SKIMMED_MS
    return [
        (FULL_MS + (way if number == run.first else 0.0), number) for number in range(run.first, run.last + 1)
    ]
