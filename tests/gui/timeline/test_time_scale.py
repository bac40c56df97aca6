from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from widgets.timeline.ruler import WORDS_PX, clock_text, ticks
from widgets.timeline.time_scale import TimeScale, scale_for

WHOLE = scale_for(-2.0, 18.0, width_px=1000, most_px_per_s=1200.0)
NO_FRAMES = np.zeros(0)


def test_scale_when_made_then_shows_all_of_it() -> None:
    assert (WHOLE.x_of(-2.0), WHOLE.x_of(18.0), WHOLE.zoom) == (0.0, 1000.0, 1.0)
    assert WHOLE.time_at(500) == 8.0


def test_scale_when_zoomed_at_a_place_then_its_moment_stays_there() -> None:
    zoomed = WHOLE.zoomed(4.0, at_x=300)
    assert zoomed.time_at(300) == pytest.approx(WHOLE.time_at(300))
    assert zoomed.px_per_s == 200.0
    assert zoomed.zoomed(0.25, at_x=300) == WHOLE


def test_scale_when_zoomed_without_end_then_stops_at_its_limits() -> None:
    assert WHOLE.zoomed(1e9, at_x=0).px_per_s == 1200.0
    assert WHOLE.zoomed(1e-9, at_x=0) == WHOLE


def test_scale_when_a_stretch_has_no_length_then_a_second_is_shown() -> None:
    assert scale_for(3.0, 3.0, width_px=100, most_px_per_s=5.0).right_s == 4.0


@given(
    steps=st.lists(
        st.tuples(
            st.sampled_from(["zoom", "pan", "follow", "resize", "reach"]),
            st.floats(-3000, 3000, allow_nan=False),
        ),
        max_size=12,
    )
)
def test_scale_when_moved_about_then_never_leaves_what_there_is(steps: list[tuple[str, float]]) -> None:
    scale = WHOLE
    for what, value in steps:
        scale = moved(scale, what, value)
        assert scale.left_s >= scale.first_s - 1e-6
        assert scale.right_s <= scale.last_s + 1e-6
        assert scale.zoom >= 1 - 1e-9


def moved(scale: TimeScale, what: str, value: float) -> TimeScale:
    if what == "zoom":
        return scale.zoomed(2.0 ** (value / 1000), at_x=abs(value) % scale.width_px)
    if what == "pan":
        return scale.panned(value)
    if what == "follow":
        followed = scale.following(value / 100)
        if scale.first_s <= value / 100 <= scale.last_s:
            assert -1e-6 <= followed.x_of(value / 100) <= followed.width_px + 1e-6
        return followed
    if what == "resize":
        return scale.resized(int(abs(value)))
    return scale.reaching(-abs(value) / 100 - 1, 20.0, most_px_per_s=1200.0)


def test_scale_when_a_moment_is_visible_then_following_it_changes_nothing() -> None:
    zoomed = WHOLE.zoomed(4.0, at_x=0)
    assert zoomed.following(1.0) is zoomed
    turned = zoomed.following(10.0)
    assert turned.x_of(10.0) == pytest.approx(100.0)
    assert turned.following(-1.0).x_of(-1.0) == pytest.approx(200.0)


def test_scale_when_resized_then_the_whole_stays_whole_and_a_part_keeps_its_size() -> None:
    assert WHOLE.resized(500).zoom == 1.0
    zoomed = WHOLE.zoomed(4.0, at_x=0)
    assert zoomed.resized(500).px_per_s == zoomed.px_per_s


@pytest.mark.parametrize(
    ("px_per_s", "texts"),
    [
        (1.5, ["00:00", "01:00", "02:00"]),
        (50.0, ["00:00", "00:02", "00:04"]),
        (200.0, ["00:00.0", "00:00.5", "00:01.0"]),
    ],
)
def test_ticks_when_frames_lie_close_then_are_minutes_and_seconds(px_per_s: float, texts: list[str]) -> None:
    scale = scale_for(0.0, 2000 / px_per_s, width_px=2000, most_px_per_s=1e6)
    found = ticks(scale, frames_s=np.arange(3) / 100)
    assert [tick.text for tick in found if tick.text][:3] == texts
    xs = [tick.x for tick in found if tick.text]
    assert min(np.diff(xs)) >= WORDS_PX


def test_ticks_when_frames_are_wide_then_are_frames() -> None:
    frames_s = np.arange(250) / 25 + 0.5
    scale = scale_for(0.5, 10.5, width_px=1000, most_px_per_s=1e6).zoomed(8.0, at_x=0)
    found = ticks(scale, frames_s=frames_s)
    assert [tick.text for tick in found if tick.text] == [f"f {n}" for n in range(0, 32, 5)]
    assert [round(tick.x) for tick in found[:3]] == [0, 32, 64]


def test_ticks_when_zoomed_then_only_those_visible_are_made() -> None:
    scale = scale_for(0.0, 36_000.0, width_px=1000, most_px_per_s=1e6).zoomed(3600.0, at_x=500)
    assert 0 < len(ticks(scale, frames_s=NO_FRAMES)) < 200


@pytest.mark.parametrize(
    ("time_s", "digits", "message"),
    [
        (13.7333, 3, "00:13.733"),
        (0.9996, 3, "00:01.000"),
        (3725.0, 0, "1:02:05"),
        (-1.25, 3, "−00:01.250"),
        (-0.0001, 3, "00:00.000"),
    ],
)
def test_clock_text_when_read_then_are_minutes_and_seconds(time_s: float, digits: int, message: str) -> None:
    assert clock_text(time_s, digits=digits) == message
