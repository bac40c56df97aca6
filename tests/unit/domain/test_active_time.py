"""Active time against a second-by-second count."""

from __future__ import annotations

from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.domain.active_time import ActiveTime

LIMIT_S = 7


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("wait"), st.integers(min_value=0, max_value=20)),
        st.tuples(st.just("show"), st.sampled_from(["", "a", "b"])),
        st.tuples(st.sampled_from(["input", "pause", "resume", "look"]), st.none()),
    ),
    max_size=40,
)


@given(steps=STEPS)
def test_time_when_anything_happens_then_equals_a_count_of_single_seconds(
    steps: list[tuple[str, int | str | None]],
) -> None:
    clock = Clock()
    time = ActiveTime(clock, idle_limit_s=LIMIT_S)
    record, is_active, quiet_s = "", False, 0
    expected: dict[str, float] = defaultdict(float)
    for what, value in steps:
        if what == "wait":
            assert isinstance(value, int)
            for _second in range(value):
                clock.now += 1
                quiet_s += 1
                if record and is_active and quiet_s <= LIMIT_S:
                    expected[record] += 1
        elif what == "show":
            time.show(str(value))
            record, quiet_s = (str(value), 0) if value != record else (record, quiet_s)
        elif what == "input":
            time.note_input()
            quiet_s = 0
        elif what == "pause":
            time.pause()
            is_active = False
        elif what == "resume":
            time.resume()
            quiet_s = quiet_s if is_active else 0
            is_active = True
        else:
            time.pending_s("a")
    assert {name: time.pending_s(name) for name in "ab"} == {name: expected[name] for name in "ab"}
    assert sum(expected.values()) <= clock.now - 1000


def test_time_when_nobody_is_there_for_a_night_then_counts_the_idle_limit_alone() -> None:
    clock = Clock()
    time = ActiveTime(clock)
    time.resume()
    time.show("label")
    clock.now += 27 * 3600
    assert time.take("label") == 60.0
    time.note_input()
    clock.now += 5
    assert time.take("label") == 5.0


def test_time_when_it_is_taken_and_given_back_then_nothing_is_lost() -> None:
    clock = Clock()
    time = ActiveTime(clock)
    time.resume()
    time.show("label")
    clock.now += 4
    taken = time.take("label")
    assert (taken, time.pending_s("label")) == (4.0, 0.0)
    time.give_back("label", taken)
    clock.now += 2
    assert time.take("label") == pytest.approx(6.0)
