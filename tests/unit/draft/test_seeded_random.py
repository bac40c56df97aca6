from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from annotator.draft.seeded_random import SeededRandom
from annotator.quality.checks.balance import uniform_chance

REPO = Path(__file__).resolve().parents[3]


def test_draw_when_parts_are_the_same_then_so_are_the_numbers() -> None:
    one, two = SeededRandom(0, "aircop", "scene"), SeededRandom(0, "aircop", "scene")
    assert [one.below(1000) for _ in range(20)] == [two.below(1000) for _ in range(20)]


@pytest.mark.parametrize("parts", [(1, "ab", "c"), (0, "a", "bc"), (0, "abc"), (0, "ab", "c", "")])
def test_draw_when_a_part_differs_then_the_numbers_differ(parts: tuple[str | int, ...]) -> None:
    other, one = SeededRandom(*parts), SeededRandom(0, "ab", "c")
    assert [other.below(1000) for _ in range(20)] != [one.below(1000) for _ in range(20)]


def test_draw_when_pythons_hash_seed_differs_then_the_numbers_do_not() -> None:
    code = """
from annotator.draft.seeded_random import SeededRandom
print(SeededRandom(7, "scene", "UAV1").shuffled(range(9)))
"""
    seen = {
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=REPO,
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert seen == {f"{SeededRandom(7, 'scene', 'UAV1').shuffled(range(9))}\n"}


def test_below_when_drawn_often_then_all_numbers_are_alike_likely() -> None:
    counts = Counter(SeededRandom(n).below(7) for n in range(7000))
    assert set(counts) == set(range(7))
    chance = uniform_chance([counts[n] for n in range(7)])
    assert chance is not None
    assert chance > 0.001


def test_shuffled_when_drawn_often_then_all_orders_are_alike_likely() -> None:
    orders = Counter(tuple(SeededRandom("s", n).shuffled("abc")) for n in range(6000))
    assert len(orders) == 6
    chance = uniform_chance(list(orders.values()))
    assert chance is not None
    assert chance > 0.001


def test_between_when_the_bounds_are_equal_then_it_is_that_number() -> None:
    assert SeededRandom(1).between(5, 5) == 5
    assert {SeededRandom(n).between(2, 4) for n in range(50)} == {2, 3, 4}


def test_sample_when_more_is_asked_for_than_there_is_then_all_come() -> None:
    assert sorted(SeededRandom(1).sample([3, 1, 2], 9)) == [1, 2, 3]
    assert len(set(SeededRandom(1).sample(range(100), 10))) == 10
