"""How much of their work people have done, how long it took, and what is left."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from annotator.domain.record import ValueObject
from annotator.domain.workload import AssignedRow, TimeRow

RESAMPLES = 1000
LARGE_SAMPLE = 500
"""Means of larger samples are drawn from their normal distribution: resampling gives the same, slower."""
FEWEST_RECORDS = 5
"""With fewer timed records of a task, a person's estimate is made from the records of all persons."""
PERCENTILES = (2.5, 97.5)

Seconds = npt.NDArray[np.float64]
Task = tuple[str, str]
"""Role, and task or dataset."""


class TimeEstimate(ValueObject, frozen=True, kw_only=True):
    """Time that is left: the expected value, and a 95 % bootstrap interval over the timed records.

    Attributes:
        seconds: Expected active time.
        low: Lower end.
        high: Upper end.
    """

    seconds: float
    low: float
    high: float


class Workload(ValueObject, frozen=True, kw_only=True):
    """The work of a person in one role, on one task or on all.

    Attributes:
        person: Id of the actor.
        role: What the person does.
        task: Task or dataset, "" for all together.
        assigned: Number of assigned records.
        done: Number of those that the person has handed in.
        left: Number of those that still wait. Those that another person has finished are neither.
        active_s: Active time, also on records that are not assigned.
        timed: Number of records with active time.
        median_s: Median active time of a record, None without any.
        estimate: Active time that is left, None while no record in the role has a time.
    """

    person: str
    role: str
    task: str
    assigned: int
    done: int
    left: int
    active_s: float
    timed: int
    median_s: float | None
    estimate: TimeEstimate | None


def measure_workloads(
    assigned: Iterable[AssignedRow], times: Iterable[TimeRow], *, seed: int = 0, is_by_task: bool = False
) -> list[Workload]:
    """Return the work of each person in each role, sorted by person and role.

    Args:
        assigned: The assignments.
        times: The active times.
        seed: Seed of the bootstrap.
        is_by_task: Whether each task has a row of its own.
    """
    by_person: dict[tuple[str, str], list[AssignedRow]] = defaultdict(list)
    for row in assigned:
        by_person[row.person, row.role].append(row)
    spent: dict[tuple[str, str], list[TimeRow]] = defaultdict(list)
    for time in times:
        spent[time.person, time.role].append(time)
    rates = _Rates([time for rows in spent.values() for time in rows], seed=seed)
    return [
        _workload((*key, task), by_person[key], spent[key], rates=rates)
        for key in sorted({*by_person, *spent})
        for task in (_tasks(by_person[key], spent[key]) if is_by_task else [""])
    ]


def _tasks(assigned: Iterable[AssignedRow], times: Iterable[TimeRow]) -> list[str]:
    return sorted({row.task for row in assigned} | {time.task for time in times})


def _workload(
    key: tuple[str, str, str], assigned: Sequence[AssignedRow], times: Sequence[TimeRow], *, rates: _Rates
) -> Workload:
    person, role, task = key
    rows = [row for row in assigned if task in ("", row.task)]
    seconds = [time.seconds for time in times if task in ("", time.task)]
    left: dict[Task, int] = defaultdict(int)
    for row in rows:
        left[role, row.task] += row.is_open
    return Workload(
        person=person,
        role=role,
        task=task,
        assigned=len(rows),
        done=sum(row.is_done for row in rows),
        left=sum(left.values()),
        active_s=round(sum(seconds), 1),
        timed=len(seconds),
        median_s=round(float(np.median(seconds)), 1) if seconds else None,
        estimate=rates.estimate(person, left),
    )


class _Rates:
    """Times of records from which times of others are estimated."""

    def __init__(self, times: Iterable[TimeRow], *, seed: int) -> None:
        self._seed = seed
        self._own: dict[tuple[str, Task], list[float]] = defaultdict(list)
        self._all: dict[Task, list[float]] = defaultdict(list)
        self._roles: dict[str, list[float]] = defaultdict(list)
        for time in times:
            self._own[time.person, (time.role, time.task)].append(time.seconds)
            self._all[time.role, time.task].append(time.seconds)
            self._roles[time.role].append(time.seconds)

    def estimate(self, person: str, left: Mapping[Task, int]) -> TimeEstimate | None:
        """Return the time that a person needs for numbers of records by task; None if it is unknown."""
        open_tasks = {task: count for task, count in left.items() if count}
        samples = {task: self._sample(person, task) for task in open_tasks}
        if not all(samples.values()):
            return None
        expected = sum(count * float(np.mean(samples[task])) for task, count in open_tasks.items())
        chance = np.random.default_rng(self._seed)
        totals = np.zeros(RESAMPLES)
        # Sorted: the draws follow each other, and equal figures must not depend on the order of rows.
        for task, count in sorted(open_tasks.items()):
            totals += count * _resampled_means(np.asarray(samples[task]), chance)
        low, high = np.percentile(totals, PERCENTILES)
        return TimeEstimate(seconds=round(expected, 1), low=round(float(low), 1), high=round(float(high), 1))

    def _sample(self, person: str, task: Task) -> list[float]:
        """Return times of the person on the task; of all persons, or of all tasks, where these are few."""
        own = self._own.get((person, task), [])
        if len(own) >= FEWEST_RECORDS:
            return own
        return self._all.get(task) or self._roles.get(task[0], [])


def _resampled_means(seconds: Seconds, chance: np.random.Generator) -> Seconds:
    """Return means of bootstrap samples, float64 (RESAMPLES,), seconds."""
    if len(seconds) > LARGE_SAMPLE:
        return chance.normal(seconds.mean(), seconds.std() / math.sqrt(len(seconds)), RESAMPLES)
    drawn = chance.integers(len(seconds), size=(RESAMPLES, len(seconds)))
    means: Seconds = seconds[drawn].mean(axis=1)
    return means
