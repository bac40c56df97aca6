from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable

import pytest

from annotator.domain.item import LETTERS, Item, Option
from annotator.quality.check import DatasetCollector
from annotator.quality.checks.balance import (
    ComparedItems,
    LengthCollector,
    LetterCollector,
    chi_square_tail,
    uniform_chance,
)
from annotator.quality.context import CheckContext

WORDS = ("a car", "the bridge", "two vans", "one tree")


# Source of the expected values: printed tables of the chi-square distribution.
@pytest.mark.parametrize(
    ("statistic", "degrees", "tail"),
    [
        (3.841, 1, 0.05),
        (10.828, 1, 0.001),
        (5.991, 2, 0.05),
        (7.815, 3, 0.05),
        (16.266, 3, 0.001),
        (9.488, 4, 0.05),
        (11.070, 5, 0.05),
        (22.458, 6, 0.001),
        (15.507, 8, 0.05),
    ],
)
def test_chi_square_tail_when_the_statistic_is_a_tables_then_so_is_the_tail(
    statistic: float, degrees: int, tail: float
) -> None:
    assert chi_square_tail(statistic, degrees=degrees) == pytest.approx(tail, rel=2e-3)


@pytest.mark.parametrize("degrees", range(1, 9))
def test_chi_square_tail_when_the_statistic_is_0_or_huge_then_it_is_1_or_0(degrees: int) -> None:
    assert chi_square_tail(0.0, degrees=degrees) == 1.0
    assert chi_square_tail(1e6, degrees=degrees) == 0.0


def test_uniform_chance_when_under_five_are_expected_then_nothing_can_be_said() -> None:
    assert uniform_chance([19, 0, 0, 0]) is None
    assert uniform_chance([20, 0, 0, 0]) == pytest.approx(0, abs=1e-9)


def _fed(collector: DatasetCollector, items: list[Item]) -> list[tuple[str, str, str]]:
    for item in items:
        collector.add(item)
    return [(entity, target, hit.message) for entity, target, hit in collector.findings()]


def test_letter_balance_when_the_key_is_always_a_or_b_then_the_shares_are_told(
    make_item: Callable[..., Item],
) -> None:
    items = [make_item(*WORDS, answer_key="AB"[n % 2], task="when_to_collaborate") for n in range(40)]
    [(entity, target, message)] = _fed(LetterCollector(), items)
    assert (entity, target) == ("task", "aircop/when_to_collaborate")
    assert message == (
        "Answer keys of 40 items with 4 options: A 50.0%, B 50.0%, C 0.0%, D 0.0%; uniform: 25.0% each."
    )


def test_letter_balance_when_keys_are_drawn_evenly_then_nothing_is_said(
    make_item: Callable[..., Item],
) -> None:
    draws = random.Random(3)
    items = [make_item(*WORDS, answer_key=draws.choice("ABCD")) for _ in range(2000)]
    assert _fed(LetterCollector(), items) == []


def test_letter_balance_when_the_gain_is_tiny_then_significance_alone_does_not_speak() -> None:
    group = ComparedItems("aircop", "object_counting", 4)
    small, large = [254_000, 249_000, 248_500, 248_500], [280_000, 240_000, 240_000, 240_000]
    for counts, findings in ((small, 0), (large, 1)):
        assert uniform_chance(counts) < 0.001
        collector = LetterCollector()
        collector._letters[group] = Counter(dict(zip(LETTERS, counts, strict=False)))
        assert len(list(collector.findings())) == findings


def test_letter_balance_when_option_counts_differ_then_they_are_judged_apart(
    make_item: Callable[..., Item],
) -> None:
    three = [make_item(*WORDS[:3], answer_key="A", task_set="urbanvideo", task="causal") for _ in range(30)]
    draws = random.Random(5)
    four = [
        make_item(*WORDS, answer_key=draws.choice("ABCD"), task_set="urbanvideo", task="causal")
        for _ in range(400)
    ]
    [(_, target, message)] = _fed(LetterCollector(), three + four)
    assert target == "urbanvideo/causal"
    assert message.startswith("Answer keys of 30 items with 3 options: A 100.0%")
    assert "4 options" not in message


def test_letter_balance_when_keys_or_letters_are_broken_then_they_are_left_out(
    make_item: Callable[..., Item],
) -> None:
    broken = [
        make_item(*WORDS, answer_key="A, B"),
        make_item(*WORDS, answer_key="", answer_format="option_letter"),
    ]
    gap = make_item(options=tuple(Option(letter=c, text=c) for c in "ACDE"), answer_key="A")
    assert _fed(LetterCollector(), [*broken, gap] * 100) == []


def _length_items(make_item: Callable[..., Item], *, longest_is_key: int, n: int) -> list[Item]:
    texts = ("short", "also short", "a much longer and more careful answer", "tiny")
    return [make_item(*texts, answer_key="C" if k < longest_is_key else "ABD"[k % 3]) for k in range(n)]


def test_longest_option_when_it_is_right_too_often_then_the_share_is_told(
    make_item: Callable[..., Item], context: CheckContext
) -> None:
    items = _length_items(make_item, longest_is_key=60, n=100)
    [(entity, target, message)] = _fed(LengthCollector(context), items)
    assert (entity, target) == ("task", "aircop/object_recognition")
    assert "In 100 items" in message
    assert "correct in 60.0%; the chance level is 25.0%" in message


def test_longest_option_when_it_is_right_by_chance_or_less_then_nothing_is_said(
    make_item: Callable[..., Item], context: CheckContext
) -> None:
    assert _fed(LengthCollector(context), _length_items(make_item, longest_is_key=25, n=100)) == []
    assert _fed(LengthCollector(context), _length_items(make_item, longest_is_key=0, n=100)) == []


def test_longest_option_when_the_share_is_at_the_threshold_then_the_test_has_one_side(
    make_item: Callable[..., Item], context: CheckContext
) -> None:
    """38 of 100 has z = 3.00 (one side: p = 0.0013), 39 has 3.23 (one side 0.0006, two sides 0.0012)."""
    assert _fed(LengthCollector(context), _length_items(make_item, longest_is_key=38, n=100)) == []
    assert len(_fed(LengthCollector(context), _length_items(make_item, longest_is_key=39, n=100))) == 1


def test_longest_option_when_the_longest_is_tied_then_the_item_does_not_count(
    make_item: Callable[..., Item], context: CheckContext
) -> None:
    assert _fed(LengthCollector(context), [make_item("aaaa", "bbbb", "c", "d", answer_key="A")] * 100) == []


def test_longest_option_when_options_are_numbers_or_a_closed_list_then_it_is_not_asked(
    make_item: Callable[..., Item], context: CheckContext
) -> None:
    numbers = [make_item("8", "9", "10", "7", answer_key="C")] * 100
    phrases = ("Yes, partially usable", "Yes, usable", "Yes, highly usable", "No, not usable")
    closed = [make_item(*phrases, answer_key="A", task="usability_assessment")] * 100
    assert _fed(LengthCollector(context), numbers + closed) == []


def test_longest_option_when_there_are_too_few_items_then_nothing_is_said(
    make_item: Callable[..., Item], context: CheckContext
) -> None:
    assert _fed(LengthCollector(context), _length_items(make_item, longest_is_key=19, n=19)) == []


def test_balance_when_letters_are_drawn_at_random_then_false_alarms_are_rare(
    make_item: Callable[..., Item],
) -> None:
    """Threshold 0.001: of 400 fair sets of 200 keys, more than 4 alarms has a chance below 0.0001."""
    draws = random.Random(11)
    alarms = 0
    for _ in range(400):
        counts = [0, 0, 0, 0]
        for _ in range(200):
            counts[draws.randrange(4)] += 1
        chance = uniform_chance(counts)
        assert chance is not None
        assert math.isfinite(chance)
        alarms += chance < 0.001
    assert alarms <= 4
