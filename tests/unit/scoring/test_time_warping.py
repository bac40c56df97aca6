"""DTW and its approximation, against what they are by definition."""

from __future__ import annotations

import math
import tracemalloc
from functools import cache

import numpy as np
import pytest

from annotator.scoring.time_warping import Floats, approximate_dtw, exact_dtw


def walk(seed: int, points: int, *, is_rounded: bool) -> Floats:
    steps = np.random.default_rng(seed).normal(size=(points, 3)).cumsum(axis=0)
    return np.round(steps) if is_rounded else steps


def distances(one: Floats, other: Floats) -> Floats:
    return np.sqrt(np.square(one[:, None] - other[None]).sum(axis=2))


def by_definition(one: Floats, other: Floats) -> float:
    between = distances(one, other)

    @cache
    def least(row: int, column: int) -> float:
        if row < 0 or column < 0:
            return 0.0 if row == column == -1 else math.inf
        before = min(least(row - 1, column), least(row, column - 1), least(row - 1, column - 1))
        return float(between[row, column]) + before

    return least(len(one) - 1, len(other) - 1)


def fast_by_definition(one: Floats, other: Floats) -> tuple[float, list[tuple[int, int]]]:
    """FastDTW of radius 1 as its paper describes it, with the whole matrix masked by the window."""
    rows, columns = len(one), len(other)
    allowed = np.ones((rows, columns), dtype=bool)
    if rows >= 3 and columns >= 3:
        halves = [
            np.array([(path[2 * n] + path[2 * n + 1]) / 2 for n in range(len(path) // 2)])
            for path in (one, other)
        ]
        allowed[:] = False
        for row, column in fast_by_definition(*halves)[1]:
            top, left = max(0, 2 * row - 2), max(0, 2 * column - 2)
            allowed[top : 2 * row + 4, left : 2 * column + 4] = True
    between = np.where(allowed, distances(one, other), math.inf)
    sums = np.full((rows + 1, columns + 1), math.inf)
    sums[0, 0] = 0.0
    for row in range(rows):
        for column in range(columns):
            before = min(sums[row, column + 1], sums[row + 1, column], sums[row, column])
            sums[row + 1, column + 1] = before + between[row, column]
    path, cell = [], (rows, columns)
    while cell != (0, 0):
        path.append((cell[0] - 1, cell[1] - 1))
        near = [(cell[0] - 1, cell[1]), (cell[0], cell[1] - 1), (cell[0] - 1, cell[1] - 1)]
        cell = min((location for location in near if min(location) >= 0), key=lambda location: sums[location])
    return float(sums[rows, columns]), path[::-1]


@pytest.mark.parametrize("is_rounded", [True, False])
def test_exact_when_walks_are_random_then_equals_the_definition(*, is_rounded: bool) -> None:
    for seed in range(40):
        one = walk(seed, 1 + seed % 13, is_rounded=is_rounded)
        other = walk(seed + 99, 1 + seed % 7, is_rounded=is_rounded)
        for first, second in ((one, other), (other, one)):
            assert exact_dtw(first, second) == pytest.approx(by_definition(first, second), abs=1e-9)


def test_approximation_when_walks_are_random_then_equals_its_paper_and_is_not_less_than_exact() -> None:
    differing = 0
    for seed in range(40):
        one, other = (
            walk(seed, 1 + seed, is_rounded=False),
            walk(seed + 99, 1 + (7 * seed) % 50, is_rounded=False),
        )
        found, exact = approximate_dtw(one, other), exact_dtw(one, other)
        assert found == pytest.approx(fast_by_definition(one, other)[0], abs=1e-9)
        assert found >= exact - 1e-9
        differing += found > exact + 1e-9
    # The two are not the same measure.
    assert differing > 5


def test_exact_when_paths_are_equal_then_is_nothing() -> None:
    path = walk(3, 50, is_rounded=False)
    assert exact_dtw(path, path) == 0.0
    assert approximate_dtw(path, path) == 0.0


def test_exact_when_the_coordinates_are_angles_then_the_shorter_turn_counts() -> None:
    one, other = np.array([[3.0], [-3.0]]), np.array([[-3.0], [-3.0]])
    assert exact_dtw(one, other, is_circular=True) == pytest.approx(2 * math.pi - 6)
    assert exact_dtw(one, other) == 6.0


def test_exact_when_paths_are_long_then_needs_no_memory_for_each_pair_of_points() -> None:
    one, other = (walk(seed, 2_000, is_rounded=False) for seed in (1, 2))
    tracemalloc.start()
    exact_dtw(one, other)
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # All distances would be 32 MB.
    assert peak_bytes < 2e6
