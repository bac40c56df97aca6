from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.domain.event_label import EventLabel, ObjectCount, PercentBox
from annotator.draft.rule_result import DraftedItem, RuleResult, SkippedItem
from annotator.draft.rules.aircop_counting import ladder
from annotator.draft.seeded_random import SeededRandom

DraftOne = Callable[..., RuleResult]
MakeLabel = Callable[..., EventLabel]


@given(st.integers(0, 5000), st.integers())
def test_ladder_when_made_then_four_rising_numbers_from_0_hold_the_count(count: int, seed: int) -> None:
    numbers = ladder(count, draw=SeededRandom(seed))
    assert count in numbers
    assert numbers[0] >= 0
    assert len({two - one for one, two in itertools.pairwise(numbers)}) == 1
    assert numbers[0] < numbers[3]


@pytest.mark.parametrize("count", range(4))
def test_ladder_when_the_count_is_below_four_then_the_four_tell_nothing(count: int) -> None:
    assert {ladder(count, draw=SeededRandom(seed)) for seed in range(50)} == {(0, 1, 2, 3)}


@pytest.mark.parametrize("count", [4, 5, 7, 12, 20, 60, 150])
def test_ladder_when_offered_then_each_of_its_numbers_could_be_the_count(count: int) -> None:
    offered = {ladder(count, draw=SeededRandom(seed)) for seed in range(60)}
    for numbers in offered:
        for other in numbers:
            assert numbers in {ladder(other, draw=SeededRandom(seed)) for seed in range(300)}


def test_ladder_when_counts_are_uniform_then_the_count_stands_at_each_place_about_alike_often() -> None:
    locations: Counter[int] = Counter()
    for count in range(4, 300):
        locations.update(ladder(count, draw=SeededRandom(count, seed)).index(count) for seed in range(10))
    assert max(locations.values()) < 0.29 * locations.total()


@pytest.mark.parametrize("count", [4, 24, 60, 120, 5000, 10**12])
def test_ladder_when_the_count_grows_then_so_does_the_step(count: int) -> None:
    for seed in range(200):
        numbers = ladder(count, draw=SeededRandom(seed))
        assert numbers[3] // 12 <= numbers[1] - numbers[0] <= max(1, numbers[3] // 5)


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


@pytest.mark.parametrize(("label", "gives_item"), [("too_small", False), ("occluded", True)])
def test_counting_when_more_visible_objects_are_marked_than_counted_then_there_is_no_item(
    draft_one: DraftOne, make_label: MakeLabel, label: str, gives_item: bool
) -> None:
    boxes = (PercentBox(x=1, y=1, width=2, height=2, labels=(label,)),) * 3
    outcome = draft_one("aircop.counting", make_label(count=ObjectCount(value=2), issue_boxes=boxes))
    assert isinstance(outcome, DraftedItem) == gives_item
    assert gives_item or outcome == SkippedItem("more objects are marked than counted")


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
