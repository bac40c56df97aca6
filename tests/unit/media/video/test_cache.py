from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.media.video import cache as cache_module
from annotator.media.video.cache import CacheBudget, FrameCache
from annotator.media.video.frames import ImageFrame

BYTES = 12


def frame(number: int) -> ImageFrame:
    return ImageFrame(number=number, time_s=number / 25, picture=np.zeros((2, 2, 3), np.uint8))


def filled(*numbers: int, capacity: int = 100) -> FrameCache:
    cache = FrameCache(capacity * BYTES)
    for number in numbers:
        cache.put(frame(number), centre=number)
    return cache


def test_cache_when_full_then_frames_furthest_from_the_centre_go() -> None:
    cache = FrameCache(3 * BYTES)
    for number in (1, 2, 3, 4, 9):
        cache.put(frame(number), centre=3)
    assert cache.runs() == [(2, 4)]
    assert cache.used_bytes == 3 * BYTES


def test_cache_when_a_frame_comes_twice_then_it_counts_once() -> None:
    cache = filled(1, 1)
    assert (len(cache), cache.used_bytes) == (1, BYTES)


def test_cache_when_frames_are_lost_then_they_have_a_place_and_no_picture() -> None:
    cache = filled(1, 4)
    cache.put_lost(1, last=3)
    assert cache.get(1) is not None
    assert not cache.is_lost(1)
    assert cache.get(2) is None
    assert cache.is_lost(2)
    assert not cache.is_lost(7)
    assert cache.missing_above(0, high=5) == (5, 5)


def test_cache_when_it_shrinks_then_it_tells_whether_frames_went() -> None:
    cache = filled(1, 2, 3)
    assert not cache.resize(3 * BYTES, centre=2)
    assert cache.resize(BYTES, centre=2)
    assert cache.runs() == [(2, 2)]


def test_cache_when_cleared_then_nothing_is_left() -> None:
    cache = filled(1, 2)
    cache.clear()
    assert (len(cache), cache.used_bytes, cache.runs()) == (0, 0, [])


@given(st.sets(st.integers(0, 40)), st.integers(0, 40), st.integers(0, 40))
def test_cache_when_asked_for_what_is_missing_then_it_is_the_nearest_stretch(
    numbers: set[int], at: int, edge: int
) -> None:
    cache = filled(*numbers)
    below = [n for n in range(edge, at) if n not in numbers]
    above = [n for n in range(at + 1, edge + 1) if n not in numbers]
    found_below, found_above = cache.missing_below(at, low=edge), cache.missing_above(at, high=edge)
    assert (found_below is None) == (not below)
    assert (found_above is None) == (not above)
    if found_below:
        assert found_below[1] == below[-1]
        assert set(range(found_below[0], found_below[1] + 1)) <= set(below)
        assert found_below[0] == edge or found_below[0] - 1 in numbers
    if found_above:
        assert found_above[0] == above[0]
        assert set(range(found_above[0], found_above[1] + 1)) <= set(above)
        assert found_above[1] == edge or found_above[1] + 1 in numbers


def test_budget_when_views_come_and_go_then_each_has_its_share() -> None:
    budget = CacheBudget(1000)
    budget.join("a", need_bytes=0)
    assert budget.share_bytes("a") == 1000
    budget.join("b", need_bytes=700)
    assert (budget.share_bytes("a"), budget.share_bytes("b")) == (500, 700)
    budget.leave("b")
    assert budget.share_bytes("a") == 1000


def test_budget_when_a_video_wants_too_much_then_a_quarter_of_the_memory_is_the_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cache_module, "memory_bytes", lambda: 8000)
    budget = CacheBudget()
    budget.join("a", need_bytes=50_000)
    budget.join("b", need_bytes=0)
    assert budget.share_bytes("a") == budget.share_bytes("b") == 1000


def test_memory_when_asked_then_it_is_more_than_this_test_takes() -> None:
    assert cache_module.memory_bytes() > 100_000_000
