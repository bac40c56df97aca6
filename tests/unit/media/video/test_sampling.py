from __future__ import annotations

import pytest

from annotator.media.video.sampling import evenly_spaced


@pytest.mark.parametrize(
    ("frames", "step", "count"), [(0, 1, 0), (1, 1, 1), (32, 1, 32), (33, 2, 17), (64, 2, 32), (100, 4, 25)]
)
def test_evenly_spaced_when_taken_as_urbanvideo_does_then_every_so_manieth_comes(
    frames: int, step: int, count: int
) -> None:
    assert evenly_spaced(frames) == tuple(range(0, frames, step))
    assert len(evenly_spaced(frames)) == count


def test_evenly_spaced_when_fewer_are_wanted_then_the_distance_grows() -> None:
    assert evenly_spaced(10, most=3) == (0, 4, 8)
