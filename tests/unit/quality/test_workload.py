"""How much people have done, and what is left, from assignments and times."""

from __future__ import annotations

import pytest

from annotator.domain.workload import AssignedRow, TimeRow
from annotator.quality.workload import Workload, measure_workloads


def assigned(
    person: str, task: str, count: int, *, done: int = 0, left: int | None = None
) -> list[AssignedRow]:
    waiting = count - done if left is None else left
    return [
        AssignedRow(
            person=person,
            role="refine",
            task=task,
            target=f"{task}{number}",
            is_done=number < done,
            is_open=number >= count - waiting,
        )
        for number in range(count)
    ]


def times(person: str, task: str, *seconds: float) -> list[TimeRow]:
    return [
        TimeRow(person=person, role="refine", task=task, target=f"{task}{n}", name=f"{n}", seconds=one)
        for n, one in enumerate(seconds)
    ]


def only(workloads: list[Workload], person: str, task: str = "") -> Workload:
    (found,) = (one for one in workloads if (one.person, one.task) == (person, task))
    return found


def test_workload_when_records_are_done_then_counts_time_and_median_are_of_the_person() -> None:
    rows = assigned("x", "a", 6, done=3, left=2) + assigned("y", "a", 4)
    found = measure_workloads(rows, times("x", "a", 10, 20, 60))
    assert [(one.person, one.assigned, one.done, one.left) for one in found] == [
        ("x", 6, 3, 2),
        ("y", 4, 0, 4),
    ]
    assert (found[0].active_s, found[0].median_s, found[0].timed) == (90.0, 20.0, 3)
    assert (found[1].active_s, found[1].median_s) == (0.0, None)


def test_estimate_when_a_person_has_enough_times_then_is_from_the_own_ones_by_task() -> None:
    rows = assigned("x", "a", 10) + assigned("x", "b", 2)
    own = times("x", "a", 10, 10, 10, 10, 10) + times("x", "b", 40, 40, 40, 40, 40)
    found = measure_workloads(rows, own + times("y", "a", *[500.0] * 9))
    estimate = only(found, "x").estimate
    assert estimate is not None
    # All times of a task are equal: the interval has no width.
    assert (estimate.seconds, estimate.low, estimate.high) == (180.0, 180.0, 180.0)


def test_estimate_when_a_person_has_few_times_then_is_from_those_of_all_persons() -> None:
    found = measure_workloads(assigned("x", "a", 10), times("y", "a", 20, 40) + times("x", "a", 30))
    estimate = only(found, "x").estimate
    assert estimate is not None
    assert estimate.seconds == 300.0
    assert 200.0 <= estimate.low < 300.0 < estimate.high <= 400.0


@pytest.mark.parametrize("count", [400, 600])
def test_estimate_when_the_sample_is_large_then_the_interval_is_that_of_the_mean(count: int) -> None:
    seconds = [10.0 + number % 41 for number in range(count)]
    estimate = only(measure_workloads(assigned("x", "a", 100), times("x", "a", *seconds)), "x").estimate
    assert estimate is not None
    mean = sum(seconds) / count
    spread = (sum((one - mean) ** 2 for one in seconds) / count / count) ** 0.5
    assert estimate.high - estimate.low == pytest.approx(100 * 2 * 1.96 * spread, rel=0.1)


def test_estimate_when_no_record_of_the_role_has_a_time_then_is_unknown_and_nothing_left_takes_no_time() -> (
    None
):
    found = measure_workloads(assigned("x", "a", 3) + assigned("y", "a", 3, done=3), [])
    assert only(found, "x").estimate is None
    done = only(found, "y").estimate
    assert done is not None
    assert done.seconds == 0.0


def test_workload_when_by_task_then_each_task_has_a_row_and_the_sums_are_equal() -> None:
    rows = assigned("x", "a", 3, done=1) + assigned("x", "b", 5)
    spent = times("x", "a", 7) + times("x", "c", 9)
    parts = measure_workloads(rows, spent, is_by_task=True)
    assert [one.task for one in parts] == ["a", "b", "c"]
    whole = only(measure_workloads(rows, spent), "x")
    assert sum(one.left for one in parts) == whole.left
    assert sum(one.active_s for one in parts) == whole.active_s
