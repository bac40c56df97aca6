"""What guessing gets right: distributions against hand-computed and drawn values, chances per format."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.domain.item import Item
from annotator.domain.medium import Medium
from annotator.quality import chance_level
from annotator.quality.chance_level import ChanceLevels, at_least, right_counts
from annotator.quality.context import CheckContext


def test_right_counts_when_chances_are_equal_then_equal_the_binomial() -> None:
    counts = right_counts([0.25] * 4)
    assert counts.tolist() == pytest.approx([math.comb(4, k) * 0.25**k * 0.75 ** (4 - k) for k in range(5)])


def test_right_counts_when_chances_differ_then_equal_what_is_computed_by_hand() -> None:
    # 1/4 and 1/2: none 3/8, one 1/4·1/2 + 3/4·1/2 = 1/2, both 1/8.
    assert right_counts([0.25, 0.5]).tolist() == pytest.approx([0.375, 0.5, 0.125])


@given(st.lists(st.sampled_from([0.0, 1 / 18, 1 / 12, 0.25, 0.3, 0.5, 0.99, 1.0]), max_size=8))
def test_right_counts_when_every_outcome_is_gone_through_then_agree(chances: list[float]) -> None:
    # Source of the comparison: the definition of the Poisson-binomial distribution, with exact fractions.
    exact = [Fraction(0)] * (len(chances) + 1)
    for fallen in itertools.product([True, False], repeat=len(chances)):
        weights = (
            Fraction(c) if is_right else 1 - Fraction(c) for c, is_right in zip(chances, fallen, strict=True)
        )
        exact[sum(fallen)] += math.prod(weights, start=Fraction(1))
    assert right_counts(chances).tolist() == pytest.approx([float(share) for share in exact], abs=1e-12)


@pytest.mark.parametrize(
    ("tries", "chance", "count"), [(148, 0.25, 60), (1339, 0.25, 400), (2500, 1 / 12, 260), (40, 0.5, 40)]
)
def test_at_least_when_tries_are_many_then_is_the_binomial_tail_even_far_out(
    tries: int, chance: float, count: int
) -> None:
    with localcontext(prec=60):
        right, wrong = Decimal(chance), 1 - Decimal(chance)
        tail = sum(math.comb(tries, k) * right**k * wrong ** (tries - k) for k in range(count, tries + 1))
    assert at_least([chance] * tries, count) == pytest.approx(float(tail), rel=1e-8)


@pytest.mark.parametrize(("count", "likely"), [(0, 1.0), (-1, 1.0), (1, 0.4375), (2, 0.0625), (3, 0.0)])
def test_at_least_when_two_tries_of_a_quarter_then_is_the_upper_tail(count: int, likely: float) -> None:
    assert at_least([0.25, 0.25], count) == pytest.approx(likely)


def test_at_least_when_tries_are_too_many_for_the_exact_way_then_is_near_it() -> None:
    tries = chance_level.EXACT_UP_TO
    counts = right_counts([0.25] * (tries + 1))
    assert counts.sum() == pytest.approx(1.0)
    for count in (4_900, 5_000, 5_060, 5_120):
        near = at_least([0.25] * (tries + 1), count)
        assert near == pytest.approx(float(counts[count:].sum()), abs=0.001)
        assert near != at_least([0.25] * tries, count)
    assert at_least([1.0] * (tries + 1), tries + 1) == 1.0


def test_chances_when_items_have_options_then_are_one_of_them(
    make_item: Callable[..., Item], context: CheckContext
) -> None:
    four, two = make_item(), make_item("yes", "no")
    chances = ChanceLevels([four, two], context=context)
    assert (chances.of(four), chances.of(two)) == (0.25, 0.5)


@pytest.mark.parametrize(
    ("answer_format", "key", "chance"),
    [
        ("clock", "2 o'clock", 1 / 12),
        ("direction_label", "Direction 3", 1 / 6),
        ("angle", "88.0 degrees", 1 / 18),
    ],
)
def test_chances_when_a_format_has_a_baseline_then_are_that(
    make_item: Callable[..., Item], context: CheckContext, answer_format: str, key: str, chance: float
) -> None:
    item = make_item(options=(), answer_format=answer_format, answer_key=key)
    assert ChanceLevels([item], context=context).of(item) == pytest.approx(chance)


def test_chances_when_regions_are_known_then_count_them(
    make_item: Callable[..., Item], make_context: Callable[..., CheckContext]
) -> None:
    item = make_item(options=(), answer_format="region_label", answer_key="Region 3")
    context = make_context(seen={0, 1, 2, 3, 4})
    assert ChanceLevels([item], context=context).of(item) == pytest.approx(1 / 5)


@pytest.mark.parametrize(
    ("answer_format", "key", "views", "chance"),
    [
        # Two of five regions: 10 choices. The mean score would be 2/5.
        ("region_set", "Region 3, 4", ({0, 1, 2, 3, 4},), 1 / 10),
        ("region_set", "Region 3", ({0, 1, 2, 3},), 1 / 4),
        ("region_set", "Region 0, 1, 2", ({0, 1, 2},), 1.0),
        ("region_label", "Region 3, 4", ({0, 1, 2, 3, 4},), 1 / 20),
        # Two of 2·3 pairs: 15 choices. The mean F1 would be 1/3.
        ("pair_list", "0-1, 1-2", ({0, 1}, {0, 1, 2}), 1 / 15),
        ("angle_distance", "88.0 degrees, 12.0 meters", (), 1 / 18),
    ],
)
def test_chances_when_only_full_marks_count_then_are_one_of_all_choices_of_that_size(
    make_item: Callable[..., Item],
    answer_format: str,
    key: str,
    views: tuple[set[int], ...],
    chance: float,
) -> None:
    seen = {f"view{index}": frozenset(regions) for index, regions in enumerate(views)}
    context = CheckContext(find_medium=lambda medium: None, find_regions=seen.__getitem__)
    item = make_item(options=(), answer_format=answer_format, answer_key=key, media=tuple(seen))
    assert ChanceLevels([item], context=context).of(item) == pytest.approx(chance)


def test_chances_when_several_of_the_options_are_right_then_are_one_of_all_choices(
    make_item: Callable[..., Item], context: CheckContext
) -> None:
    item = make_item("bed", "chair", "desk", "lamp", answer_format="span_set", answer_key='["bed", "lamp"]')
    assert ChanceLevels([item], context=context).of(item) == pytest.approx(1 / 6)


@pytest.mark.parametrize(
    ("answer_format", "key"), [("region_set", "Region 3"), ("pair_list", "0-1"), ("region_label", "Region 3")]
)
def test_chances_when_nobody_drew_regions_then_repeat_the_keys_of_the_task(
    make_item: Callable[..., Item], context: CheckContext, answer_format: str, key: str
) -> None:
    other = {"Region 3": "Region 4", "0-1": "1-0"}[key]
    items = [
        make_item(id=str(n), options=(), answer_format=answer_format, answer_key=told)
        for n, told in enumerate([key, key, other, other])
    ]
    assert ChanceLevels(items, context=context).of(items[0]) == pytest.approx(0.5)


def test_chances_when_a_format_has_no_baseline_then_repeat_the_keys_of_the_task(
    make_item: Callable[..., Item], context: CheckContext
) -> None:
    keys = ["The drone rises.", "The drone rises.", "The drone rises.", "It turns left."]
    items = [
        make_item(id=str(n), options=(), answer_format="free_text", answer_key=key)
        for n, key in enumerate(keys)
    ]
    # Drawing from three of one and one of another: 9/16 + 1/16.
    assert ChanceLevels(items, context=context).of(items[0]) == pytest.approx(0.625)


def test_chances_when_a_box_lies_in_a_picture_of_known_size_then_are_its_baseline(
    make_item: Callable[..., Item],
) -> None:
    shown = Medium(id="seen", name="seen.jpg", width_px=1000, height_px=600)
    context = CheckContext(find_medium={"seen": shown}.get, find_regions=lambda medium: frozenset())
    item = make_item(options=(), answer_format="bbox", answer_key="[0, 0, 1000, 600]")
    chance = ChanceLevels([item], context=context).of(item)
    assert 0.05 < chance < 0.5


def test_chances_when_the_format_of_an_item_is_no_text_then_repeat_the_keys_of_the_task(
    make_item: Callable[..., Item], context: CheckContext
) -> None:
    items = [make_item(options=(), answer_format="trajectory", answer_key=key) for key in ("a", "b")]
    assert ChanceLevels(items, context=context).of(items[0]) == pytest.approx(0.5)
