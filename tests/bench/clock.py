"""Timing: rounds of several things in turn, so that a slow moment of the machine hits all of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from annotator.progress import Progress

Times = dict[str, list[float]]


def timed(work: Callable[..., object], *arguments: object) -> float:
    """Return the seconds that a function took on its arguments."""
    began = time.perf_counter()
    work(*arguments)
    return time.perf_counter() - began


def interleaved(
    works: Mapping[str, Callable[[], object]], *, rounds: int, warm_up: int = 1, progress: Progress
) -> Times:
    """Time several things in turn, round after round.

    Args:
        works: What to time, by name.
        rounds: Number of rounds that count.
        warm_up: Rounds before them that do not.
        progress: Stepped once a round that counts.

    Returns:
        Seconds of each round, by name.
    """
    times: Times = {name: [] for name in works}
    for number in range(-warm_up, rounds):
        for name, work in works.items():
            took = timed(work)
            if number >= 0:
                times[name].append(took)
        progress.step(int(number >= 0))
    return times


def median(values: Sequence[float]) -> float:
    """Return the median."""
    return float(np.median(values))


def p95(values: Sequence[float]) -> float:
    """Return the value that 95 % stay under, or at."""
    return float(np.percentile(values, 95))
