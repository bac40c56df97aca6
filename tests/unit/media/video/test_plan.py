from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.media.video.cache import FrameCache
from annotator.media.video.frames import PictureFrame
from annotator.media.video.plan import AHEAD, BEHIND, NEAR, NEAR_ON, Aim, Run, next_run

BYTES = 12
GROUP = 250
COUNT = 1000


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
        loop: tuple[int, int] | None = None) -> Aim:  # fmt: skip
    return Aim(number=number, speed=speed, is_stepping_back=is_stepping_back, count=COUNT, capacity=capacity,
               loop=loop)  # fmt: skip


def plan(where: Aim, cache: FrameCache) -> Run | None:
    return next_run(where, cache, groups=groups)


def test_plan_when_the_frame_is_not_here_then_it_comes_first_with_those_just_before_it() -> None:
    assert plan(aim(400), cache_of()) == Run(first=400 - NEAR, last=400)
    assert plan(aim(252), cache_of()) == Run(first=250, last=252)


def test_plan_when_the_playhead_jumps_ahead_then_less_is_decoded_before_it() -> None:
    moving = Aim(number=400, is_moving_on=True, count=COUNT, capacity=700)
    assert plan(moving, cache_of()) == Run(first=400 - NEAR_ON, last=400)


def test_plan_when_the_frame_is_here_then_those_behind_are_fetched_to_a_depth() -> None:
    assert plan(aim(400), cache_of((400 - NEAR, 400))) == Run(first=400 - BEHIND, last=399 - NEAR)


def test_plan_when_the_group_begins_within_the_depth_then_the_one_before_is_fetched_next() -> None:
    assert plan(aim(270), cache_of((250, 270))) == Run(first=270 - BEHIND, last=249)


def test_plan_when_all_behind_is_here_then_a_few_ahead_are_fetched() -> None:
    assert plan(aim(400), cache_of((340, 400))) == Run(first=401, last=400 + AHEAD)
    assert plan(aim(400), cache_of((340, 400 + AHEAD))) is None


def test_plan_when_little_of_what_is_behind_is_used_up_then_nothing_is_fetched() -> None:
    assert plan(aim(390), cache_of((340, 390 + AHEAD))) is None
    assert plan(aim(365), cache_of((340, 365 + AHEAD))) == Run(first=365 - BEHIND, last=339)


def test_plan_when_stepping_back_then_whole_groups_are_fetched() -> None:
    found = plan(aim(400, is_stepping_back=True), cache_of((370, 412)))
    assert found == Run(first=250, last=369)


def test_plan_when_playing_then_only_what_comes_is_fetched() -> None:
    assert plan(aim(400, speed=1.0), cache_of((400, 400))) == Run(first=401, last=432)
    assert plan(aim(400, speed=4.0), cache_of((400, 400))) == Run(first=401, last=500)
    assert plan(aim(400, speed=1.0), cache_of()) == Run(first=400, last=432)


def test_plan_when_playing_backwards_then_groups_are_fetched_one_after_the_other() -> None:
    assert plan(aim(400, speed=-1.0), cache_of((390, 400))) == Run(first=250, last=389)
    assert plan(aim(270, speed=-1.0), cache_of((250, 290))) == Run(first=0, last=249)


def test_plan_when_a_loop_fits_then_all_of_it_is_kept_and_nothing_beyond_is_fetched() -> None:
    where = aim(140, speed=1.0, loop=(100, 150))
    assert where.centre == 125
    assert plan(where, cache_of((140, 140))) == Run(first=141, last=150)
    assert plan(where, cache_of((140, 150))) == Run(first=100, last=139)
    assert plan(where, cache_of((100, 150))) is None


def test_plan_when_a_frame_is_lost_then_it_is_not_fetched_again() -> None:
    cache = cache_of((340, 399), (401, 412))
    cache.put_lost(400, last=400)
    assert plan(aim(400), cache) is None


@pytest.mark.parametrize("capacity", [8, 9, 13, 40, 120, 700])
@given(
    number=st.integers(0, COUNT - 1),
    speed=st.sampled_from([-8.0, -1.0, 0.0, 1.0, 8.0]),
    is_stepping_back=st.booleans(),
    loop=st.none() | st.tuples(st.integers(0, 400), st.integers(1, 500)),
)
def test_plan_when_carried_out_then_it_comes_to_an_end_with_the_wanted_frame_kept(
    capacity: int, number: int, speed: float, is_stepping_back: bool, loop: tuple[int, int] | None
) -> None:
    if loop is not None:
        loop = (loop[0], min(COUNT - 1, loop[0] + loop[1]))
        number = min(max(number, loop[0]), loop[1])
    where = aim(number, speed=speed, is_stepping_back=is_stepping_back, capacity=capacity, loop=loop)
    cache = FrameCache(capacity * BYTES)
    for _ in range(40):
        run = plan(where, cache)
        if run is None:
            break
        assert 0 <= run.first <= run.last < COUNT
        for wanted in range(run.first, run.last + 1):
            cache.put(_frame(wanted), centre=where.centre)
    assert plan(where, cache) is None
    assert number in cache


def _frame(number: int) -> PictureFrame:
    return PictureFrame(number=number, time_s=number / 25, picture=np.zeros((2, 2, 3), np.uint8))
