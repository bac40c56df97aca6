"""Dynamic time warping (DTW): the least summed distance of two paths that are aligned in order.

Source of the approximation: Salvador and Chan, Toward accurate dynamic time warping in linear time and space,
Intelligent Data Analysis 11 (2007) 561; the scripts of IndoorUAV use it with radius 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import cast

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Cell = tuple[int, int]


def exact_dtw(one: Floats, other: Floats, *, is_circular: bool = False) -> float:
    """Return the least sum over all alignments.

    Args:
        one: Points of a path, (points, coordinates), at least one.
        other: Points of the other.
        is_circular: Whether the coordinates are angles in radians, of which the shorter turn counts.
    """
    # The arrays below are as long as the shorter path; all distances at once would need gigabytes.
    if len(one) > len(other):
        one, other = other, one
    rows, columns = len(one), len(other)
    # By anti-diagonals: the cells of one depend only on the two before it, so that each is one operation.
    # Cell i of a diagonal is row i; index 0 is the border outside the matrix.
    before, last = np.full(rows + 1, np.inf), np.full(rows + 1, np.inf)
    # Alignments start at the border before the first cell, and after the first diagonal nowhere.
    before[0] = 0.0
    for diagonal in range(rows + columns - 1):
        top, bottom = max(0, diagonal - columns + 1), min(rows - 1, diagonal)
        own, below = slice(top, bottom + 1), slice(top + 1, bottom + 2)
        opposite = other[diagonal - bottom : diagonal - top + 1][::-1]
        steps = _distances(one[own], opposite, is_circular=is_circular)
        current = np.full(rows + 1, np.inf)
        current[below] = steps + np.minimum(np.minimum(last[own], last[below]), before[own])
        before, last = last, current
        before[0] = np.inf
    return float(last[rows])


def turn(differences: Floats) -> Floats:
    """Return differences of angles in radians as the shorter turn, -pi to pi."""
    turned: Floats = (differences + math.pi) % (2 * math.pi) - math.pi
    return turned


def approximate_dtw(one: Floats, other: Floats, *, radius: int = 1) -> float:
    """Return the sum that FastDTW finds, which is not less than the exact one.

    Args:
        one: Points of a path, (points, coordinates).
        other: Points of the other.
        radius: How far from the coarser alignment the finer one is looked for.
    """
    return _aligned(one, other, radius)[0]


def _aligned(one: Floats, other: Floats, radius: int) -> tuple[float, list[Cell]]:
    if min(len(one), len(other)) < radius + 2:
        every = [(row, column) for row in range(len(one)) for column in range(len(other))]
        return _cheapest_path(one, other, every)
    _, coarse = _aligned(_halved(one), _halved(other), radius)
    return _cheapest_path(one, other, _window(coarse, len(one), len(other), radius))


def _distances(ones: Floats, others: Floats, *, is_circular: bool) -> Floats:
    """Return the distance of each point to the point of the other path at the same place."""
    differences = turn(ones - others) if is_circular else ones - others
    return cast("Floats", np.sqrt(np.square(differences).sum(axis=1)))


def _halved(points: Floats) -> Floats:
    """Return the means of pairs of points; an odd last one is left out."""
    pairs = len(points) // 2
    halved: Floats = (points[: 2 * pairs : 2] + points[1 : 2 * pairs : 2]) / 2
    return halved


def _refined(coarse: Iterable[Cell], radius: int) -> set[Cell]:
    """Return the cells of twice the resolution that coarser ones, and those around them, consist of."""
    reach = range(-radius, radius + 1)
    wide = {(row + down, column + right) for row, column in coarse for down in reach for right in reach}
    return {
        (2 * row + down, 2 * column + right) for row, column in wide for down in (0, 1) for right in (0, 1)
    }


def _window(coarse: Iterable[Cell], rows: int, columns: int, radius: int) -> list[Cell]:
    """Return the cells in which the finer alignment is looked for, row by row without gaps."""
    fine = _refined(coarse, radius)
    cells: list[Cell] = []
    start = 0
    for row in range(rows):
        first = next((column for column in range(start, columns) if (row, column) in fine), None)
        if first is None:
            continue
        end = first
        while end < columns and (row, end) in fine:
            cells.append((row, end))
            end += 1
        start = first
    return cells


def _cheapest_path(one: Floats, other: Floats, cells: Sequence[Cell]) -> tuple[float, list[Cell]]:
    """Return the least sum over the alignments within some cells, and the first such alignment."""
    sums: dict[Cell, float] = {(-1, -1): 0.0}
    origins: dict[Cell, Cell] = {}
    for row, column in cells:
        # Of equal sums the first counts, in this order: the alignment decides the window of the finer one.
        near = ((row - 1, column), (row, column - 1), (row - 1, column - 1))
        step = math.sqrt(float(np.square(one[row] - other[column]).sum()))
        totals = [sums.get(cell, math.inf) + step for cell in near]
        sums[row, column] = min(totals)
        origins[row, column] = near[totals.index(sums[row, column])]
    cell = (len(one) - 1, len(other) - 1)
    total, path = sums[cell], []
    while cell != (-1, -1):
        path.append(cell)
        cell = origins[cell]
    return total, path[::-1]
