"""The order of frames under input variants."""

from __future__ import annotations

import pytest

from annotator.domain.input_variants import FrameOrder

SHUFFLED = FrameOrder(order="shuffled")


@pytest.mark.parametrize("count", [2, 3, 8])
def test_shuffled_when_drawn_for_many_videos_then_frames_are_never_in_order_of_time(count: int) -> None:
    frames = list(range(count))
    orders = [SHUFFLED.arranged(frames, seed=f"{n}") for n in range(60)]
    assert all(order != frames and sorted(order) == frames for order in orders)
    assert orders == [SHUFFLED.arranged(frames, seed=f"{n}") for n in range(60)]


def test_shuffled_when_frames_are_alike_or_one_then_it_ends() -> None:
    assert SHUFFLED.arranged(["a"], seed="1") == ["a"]
    assert SHUFFLED.arranged(["a", "a"], seed="1") == ["a", "a"]
    assert SHUFFLED.arranged([], seed="1") == []


def test_decides_when_frames_are_shuffled_then_answers_to_the_earlier_draws_are_not_used_again() -> None:
    assert SHUFFLED.decides == {"kind": "frame_order", "order": "shuffled", "draw": 2}
    assert FrameOrder(order="reversed").decides == {"kind": "frame_order", "order": "reversed"}
