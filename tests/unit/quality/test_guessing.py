"""What guessing gets right: distributions against hand-computed and drawn values, chances per format."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import pytest

from annotator.domain.item import Item
from annotator.domain.medium import Medium
from annotator.quality import guessing
from annotator.quality.context import Context
from annotator.quality.guessing import Chances, at_least, right_counts


def test_right_counts_when_chances_are_equal_then_equal_the_binomial() -> None:
    counts = right_counts([0.25] * 4)
    assert counts.tolist() == pytest.approx([math.comb(4, k) * 0.25**k * 0.75 ** (4 - k) for k in range(5)])


def test_right_counts_when_chances_differ_then_equal_what_is_computed_by_hand() -> None:
    # 1/4 and 1/2: none 3/8, one 1/4·1/2 + 3/4·1/2 = 1/2, both 1/8.
    assert right_counts([0.25, 0.5]).tolist() == pytest.approx([0.375, 0.5, 0.125])


def test_right_counts_when_drawn_a_hundred_thousand_times_then_agree() -> None:
    chances = [1 / 2, 1 / 3, 1 / 4, 1 / 12, 1 / 18]
    draw, rounds = random.Random(5), 100_000
    seen = [0] * 6
    for _ in range(rounds):
        seen[sum(draw.random() < chance for chance in chances)] += 1
    assert right_counts(chances).tolist() == pytest.approx([count / rounds for count in seen], abs=0.005)


@pytest.mark.parametrize(("count", "likely"), [(0, 1.0), (-1, 1.0), (1, 0.4375), (2, 0.0625), (3, 0.0)])
def test_at_least_when_two_tries_of_a_quarter_then_is_the_upper_tail(count: int, likely: float) -> None:
    assert at_least([0.25, 0.25], count) == pytest.approx(likely)


def test_at_least_when_tries_are_too_many_for_the_exact_way_then_is_near_it() -> None:
    tries = guessing.EXACT_UP_TO
    for count in (460, 500, 540):
        exact = float(right_counts([0.25] * (tries + 1))[count:].sum())
        assert at_least([0.25] * (tries + 1), count) == pytest.approx(exact, abs=0.002)
    assert at_least([1.0] * (tries + 1), tries + 1) == 1.0


def test_chances_when_items_have_options_then_are_one_of_them(
    make_item: Callable[..., Item], context: Context
) -> None:
    four, two = make_item(), make_item("yes", "no")
    chances = Chances([four, two], context=context)
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
    make_item: Callable[..., Item], context: Context, answer_format: str, key: str, chance: float
) -> None:
    item = make_item(options=(), answer_format=answer_format, key=key)
    assert Chances([item], context=context).of(item) == pytest.approx(chance)


def test_chances_when_regions_are_known_then_count_them(
    make_item: Callable[..., Item], make_context: Callable[..., Context]
) -> None:
    item = make_item(options=(), answer_format="region_label", key="Region 3")
    context = make_context(seen={0, 1, 2, 3, 4})
    assert Chances([item], context=context).of(item) == pytest.approx(1 / 5)


def test_chances_when_a_format_has_no_baseline_then_repeat_the_keys_of_the_task(
    make_item: Callable[..., Item], context: Context
) -> None:
    keys = ["The drone rises.", "The drone rises.", "The drone rises.", "It turns left."]
    items = [
        make_item(id=str(n), options=(), answer_format="free_text", key=key) for n, key in enumerate(keys)
    ]
    # Drawing from three of one and one of another: 9/16 + 1/16.
    assert Chances(items, context=context).of(items[0]) == pytest.approx(0.625)


def test_chances_when_a_box_lies_in_a_picture_of_known_size_then_are_its_baseline(
    make_item: Callable[..., Item],
) -> None:
    shown = Medium(id="seen", name="seen.jpg", width_px=1000, height_px=600)
    context = Context(find_medium={"seen": shown}.get, find_regions=lambda medium: frozenset())
    item = make_item(options=(), answer_format="bbox", key="[0, 0, 1000, 600]")
    chance = Chances([item], context=context).of(item)
    assert 0.05 < chance < 0.5
