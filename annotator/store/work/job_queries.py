"""The jobs of a run as a list of any size: numbers of a selection at once, the jobs themselves by pages."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from annotator.domain.run import Prediction
from annotator.domain.work import JobQuery, ListedJob, RunPace
from annotator.store.connection import Connection

MOST_STEPS = 120
"""Steps of a pace: as many as a small plot can show."""
WAITING = "waiting"
"""Kind of jobs without a prediction, for queries."""
JOBS = """
SELECT j.n, j.request_key, j.model, j.target, j.spec, j.state, p.record,
  coalesce((SELECT name FROM item WHERE id=j.target), (SELECT name FROM medium WHERE id=j.target),
    (SELECT name FROM scene WHERE id=j.target), '')
FROM job j LEFT JOIN prediction p ON p.request_key=j.request_key
WHERE j.n IN (SELECT value FROM json_each(?)) ORDER BY j.n
"""
ANSWER_SIZES = """
SELECT count(*), sum(length(j.spec) + length(p.record))
FROM job j JOIN prediction p ON p.request_key=j.request_key WHERE j.run=?
"""
# lower() of SQLite on both sides: it leaves other letters than those of ASCII as they are.
NAMED = """j.target IN (
  SELECT id FROM item WHERE instr(lower(name), lower(?))>0
  UNION ALL SELECT id FROM medium WHERE instr(lower(name), lower(?))>0
  UNION ALL SELECT id FROM scene WHERE instr(lower(name), lower(?))>0)
"""
PACE = """
SELECT cast((ended_at - ?) / ? AS INTEGER), count(*) FROM job
WHERE run=? AND state='done' AND ended_at IS NOT NULL GROUP BY 1
"""


class JobQueries:
    """The part of a project's reader that lists the jobs of runs."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def job_numbers(self, query: JobQuery) -> list[int]:
        """Return the numbers of the jobs that a query selects, rising."""
        where, values = ["j.run=?"], [query.run]
        if query.models:
            where.append(f"j.model IN ({_marks(query.models)})")
            values += query.models
        if query.kinds:
            where.append(f"coalesce(p.kind, '{WAITING}') IN ({_marks(query.kinds)})")
            values += query.kinds
        if query.text:
            where.append(NAMED)
            values += [query.text] * 3
        # The predictions of 10^5 jobs are joined only if the query filters by them.
        join = "LEFT JOIN prediction p ON p.request_key=j.request_key" if query.kinds else ""
        select = f"SELECT j.n FROM job j {join} WHERE {' AND '.join(where)} ORDER BY j.n"
        return [number for (number,) in self._connection.execute(select, values)]

    def set_jobs(self, run_id: str, *, target: str) -> list[int]:
        """Return the numbers of a run's jobs that concern many records at once, in ascending order.

        Args:
            run_id: Id of the run.
            target: Value of ``target`` in such jobs.
        """
        rows = self._connection.execute(
            "SELECT n FROM job WHERE run=? AND target=? ORDER BY n", (run_id, target)
        )
        return [number for (number,) in rows]

    def item_names(self, ids: Iterable[str], *, text: str = "") -> dict[str, str]:
        """Return the names of items by their ids; only those with a part of a name."""
        parameters = (msgspec.json.encode(list(ids)).decode(), text)
        select = (
            "SELECT id, name FROM item WHERE id IN (SELECT value FROM json_each(?)) "
            "AND instr(lower(name), lower(?))>0"
        )
        return dict(self._connection.execute(select, parameters).fetchall())

    def answer_sizes(self, run_id: str) -> tuple[int, int]:
        """Return the number of jobs of a run with a prediction, and about how many bytes they take."""
        count, size = self._connection.execute(ANSWER_SIZES, (run_id,)).fetchone()
        return int(count), int(size or 0)

    def jobs_at(self, numbers: Iterable[int]) -> list[ListedJob]:
        """Return jobs by their numbers, in ascending order; unknown numbers are skipped."""
        numbers_json = msgspec.json.encode(list(numbers)).decode()
        return [_listed(row) for row in self._connection.execute(JOBS, (numbers_json,))]

    def pace(self, run_id: str) -> RunPace:
        """Return how many jobs of a run were answered in each step of its time."""
        first, last = self._connection.execute(
            "SELECT min(ended_at), max(ended_at) FROM job WHERE run=? AND state='done'", (run_id,)
        ).fetchone()
        if first is None:
            return RunPace(began_at=0.0, step_s=1.0, counts=())
        step_s = max(1.0, (last - first) / MOST_STEPS)
        counts = [0] * (int((last - first) / step_s) + 1)
        for at, count in self._connection.execute(PACE, (first, step_s, run_id)):
            counts[at] = count
        return RunPace(began_at=first, step_s=step_s, counts=tuple(counts))


def _marks(values: Iterable[object]) -> str:
    return ", ".join("?" for _ in values)


def _listed(row: tuple[Any, ...]) -> ListedJob:
    number, request_key, model, target, spec, state, record, name = row
    return ListedJob(
        number=number,
        request_key=request_key,
        model=model,
        target=target,
        name=name,
        spec=msgspec.json.decode(spec),
        state=state,
        prediction=None if record is None else msgspec.json.decode(record, type=Prediction),
    )
