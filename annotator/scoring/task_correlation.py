"""How the scores of tasks go together over models: Pearson's correlation of each pair of tasks.

Source: UrbanVideo-Bench (arXiv 2503.06157) and AirCopBench (arXiv 2511.11025) print such matrices. The
significance is that of Student's t with models - 2 degrees of freedom, the interval Fisher's.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import NormalDist
from typing import Literal

import msgspec
import numpy as np
import numpy.typing as npt

from annotator.scoring.score_tables import ScoreTables
from annotator.scoring.task_order import in_paper_order

# Over two models every correlation is 1 or -1.
LEAST_MODELS = 3
LEAST_FOR_INTERVAL = 4
"""Fisher's interval divides by the root of the number of models less three."""
NO_VARIANCE_PCT = 1e-9
"""Scores in percent that differ by less are equal but for rounding."""
TOO_FEW = "A correlation needs at least 3 models with a score in both tasks."
CONSTANT = "All models have the same score in one of the tasks."
_NORMAL_97_5 = NormalDist().inv_cdf(0.975)
Floats = npt.NDArray[np.float64]


class TaskPair(msgspec.Struct, frozen=True, kw_only=True):
    """The correlation of two tasks.

    Attributes:
        value: Pearson's coefficient, -1 to 1; None where it is not defined.
        models: Models with a score in both tasks.
        p_value: Probability of a coefficient as far from 0 if the tasks are not correlated, None without one.
        low: Lower end of the 95 % interval; None with fewer than 4 models.
        high: Upper end.
        reason: Why it is not defined, "" if it is.
    """

    value: float | None
    models: int
    p_value: float | None = None
    low: float | None = None
    high: float | None = None
    reason: str = ""


class TaskCorrelation(msgspec.Struct, frozen=True, kw_only=True):
    """The matrix of all tasks.

    Attributes:
        tasks: The tasks, ``set/task``; rows and columns are in this order.
        models: Names of the models that it is over.
        pairs: One row per task, with a pair for each task.
        reason: Why nothing is defined, "" if something is.
    """

    tasks: tuple[str, ...]
    models: tuple[str, ...]
    pairs: tuple[tuple[TaskPair, ...], ...]
    reason: str = ""


def correlate_tasks(
    tables: Mapping[str, ScoreTables], *, measure: Literal["score", "exact"] = "score"
) -> TaskCorrelation:
    """Return the correlation of all tasks over some models.

    Args:
        tables: The scores of each model, by name.
        measure: What is correlated: the mean scores, or the shares of right answers.
    """
    tasks = tuple(in_paper_order({task for own in tables.values() for task in own.tasks}))
    scores = np.array(
        [[_value(own, task, measure) for own in tables.values()] for task in tasks], dtype=float
    )
    pairs = tuple(tuple(_pair(one, other) for other in scores) for one in scores)
    return TaskCorrelation(
        tasks=tasks, models=tuple(tables), pairs=pairs, reason=TOO_FEW if len(tables) < LEAST_MODELS else ""
    )


def _value(tables: ScoreTables, task: str, measure: Literal["score", "exact"]) -> float:
    total = tables.tasks.get(task)
    if total is None:
        return math.nan
    value = total.score_pct if measure == "score" else total.exact_pct
    return math.nan if value is None else value


def _pair(one: Floats, other: Floats) -> TaskPair:
    known = ~(np.isnan(one) | np.isnan(other))
    count = int(np.count_nonzero(known))
    if count < LEAST_MODELS:
        return TaskPair(value=None, models=count, reason=TOO_FEW)
    first, second = (values[known] - values[known].mean() for values in (one, other))
    if min(np.ptp(first), np.ptp(second)) < NO_VARIANCE_PCT:
        return TaskPair(value=None, models=count, reason=CONSTANT)
    spread = math.sqrt(float(first @ first) * float(second @ second))
    # Rounding can lead past 1, where neither the arc sine nor the interval is defined.
    value = min(1.0, max(-1.0, float(first @ second) / spread))
    low, high = _interval(value, models=count)
    return TaskPair(value=value, models=count, p_value=p_value(value, models=count), low=low, high=high)


def p_value(value: float, *, models: int) -> float:
    """Return the two-sided probability of a coefficient, by Student's t with models - 2 degrees of freedom.

    Source: Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.3 and 26.7.4, where the sine of
    the angle is the coefficient.
    """
    degrees, sine = models - 2, abs(value)
    cosine_squared, is_odd = max(0.0, 1 - sine * sine), degrees % 2
    terms, factor = 0.0, math.sqrt(cosine_squared) if is_odd else 1.0
    for number in range(is_odd, degrees - 1, 2):
        terms += factor
        factor *= cosine_squared * (number + 1) / (number + 2)
    inside = sine * terms
    if is_odd:
        inside = 2 / math.pi * (math.asin(min(1.0, sine)) + inside)
    return min(1.0, max(0.0, 1 - inside))


def _interval(value: float, *, models: int) -> tuple[float | None, float | None]:
    if models < LEAST_FOR_INTERVAL:
        return None, None
    # Fisher's transform of 1 is infinite.
    if abs(value) == 1.0:
        return value, value
    reach = _NORMAL_97_5 / math.sqrt(models - 3)
    centre = math.atanh(value)
    return math.tanh(centre - reach), math.tanh(centre + reach)


def pair_rows(correlation: TaskCorrelation) -> Sequence[tuple[str, str, TaskPair]]:
    """Return each pair of different tasks once, in the order of the matrix."""
    tasks = correlation.tasks
    return [
        (tasks[row], tasks[column], correlation.pairs[row][column])
        for row in range(len(tasks))
        for column in range(row + 1, len(tasks))
    ]
