from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.domain.event_label import EventLabel, ObjectCount
from annotator.draft.rule_result import DraftedItem, RuleResult, SkippedItem
from annotator.draft.rules.aircop_counting import ladder
from annotator.draft.seeded_random import SeededRandom
from annotator.quality.checks.balance import uniform_chance

DraftOne = Callable[..., RuleResult]
MakeLabel = Callable[..., EventLabel]


@given(st.integers(0, 5000), st.integers())
def test_ladder_when_made_then_four_rising_numbers_from_0_hold_the_count(count: int, seed: int) -> None:
    numbers = ladder(count, draw=SeededRandom(seed))
    assert count in numbers
    assert numbers[0] >= 0
    assert len({two - one for one, two in itertools.pairwise(numbers)}) == 1
    assert numbers[0] < numbers[3]


@given(st.integers(0, 3), st.integers())
def test_ladder_when_the_count_is_below_four_then_the_four_tell_nothing(count: int, seed: int) -> None:
    assert ladder(count, draw=SeededRandom(seed)) == (0, 1, 2, 3)


@pytest.mark.parametrize("count", [4, 5, 7, 12, 20, 60, 150])
def test_ladder_when_drawn_often_then_the_count_stands_at_each_place_alike_often(count: int) -> None:
    ladders = [ladder(count, draw=SeededRandom(count, seed)) for seed in range(2000)]
    assert min(min(numbers) for numbers in ladders) >= 0
    places = Counter(numbers.index(count) for numbers in ladders)
    chance = uniform_chance([places[place] for place in range(4)])
    assert chance is not None
    assert chance > 0.001


@pytest.mark.parametrize(
    ("count", "narrowest", "widest"), [(4, 1, 2), (24, 2, 4), (60, 5, 12), (120, 10, 24)]
)
def test_ladder_when_the_count_grows_then_so_does_the_step(count: int, narrowest: int, widest: int) -> None:
    steps = set()
    for seed in range(600):
        numbers = ladder(count, draw=SeededRandom(seed))
        steps.add(numbers[1] - numbers[0])
    assert (min(steps), max(steps)) == (narrowest, widest)


@pytest.mark.parametrize(
    ("count", "reason"),
    [
        (None, "count is missing"),
        (ObjectCount(), "count is missing"),
        (ObjectCount(value=60, approximate=True), "count is approximate"),
        (ObjectCount(value=-1), "count is below 0"),
    ],
)
def test_counting_when_there_is_no_exact_count_then_there_is_no_item(
    draft_one: DraftOne, make_label: MakeLabel, count: ObjectCount | None, reason: str
) -> None:
    assert draft_one("aircop.counting", make_label(count=count)) == SkippedItem(reason)


def test_counting_when_nothing_is_there_then_zero_is_right_and_the_words_are_the_same(
    draft_one: DraftOne, make_label: MakeLabel
) -> None:
    none = draft_one("aircop.counting", make_label(count=ObjectCount(value=0), object_types=()))
    some = draft_one("aircop.counting", make_label(count=ObjectCount(value=9), object_types=("vehicles",)))
    assert isinstance(none, DraftedItem)
    assert isinstance(some, DraftedItem)
    assert none.answer == "0"
    assert none.item.question == some.item.question
    assert "vehicles, pedestrians, bicycles and drones" in none.item.question
