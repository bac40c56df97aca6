"""Questions about model work: runs, how far they are, what failed, what was answered."""

from __future__ import annotations

import time
import zlib
from collections.abc import Iterator
from typing import Any

import msgspec

from annotator.domain.run import Prediction, Run
from annotator.domain.run_condition import with_reason
from annotator.domain.work import (
    WORKER_ENDED,
    Attempt,
    FailureCount,
    JobPrediction,
    RunCost,
    RunProgress,
    WorkerHeartbeat,
)
from annotator.store.process_check import is_process_gone
from annotator.store.work.job_queries import JobQueries
from annotator.store.work.job_transitions import TAKEN

PACE_S = 60.0
"""The pace of a run is that of its last minute."""
RUN_FIELDS = (
    "record, state, message, ended_at, limit_micro, "
    "(SELECT count(*) FROM run earlier WHERE earlier.kind=run.kind AND earlier.id<=run.id "
    "AND (earlier.state='received')=(run.state='received'))"
)
# With a single max() SQLite takes bare columns from the row of the maximum, here the newest message.
FAILURES = """
SELECT kind, count(*), message, max(fence),
  sum(EXISTS (SELECT 1 FROM job WHERE n=attempt.job AND fence=attempt.fence AND state IN ('failed', 'done')))
FROM attempt WHERE run=? AND kind<>'' GROUP BY kind ORDER BY count(*) DESC
"""
# A job that was never claimed is not before 0: only the index is read for it.
TO_RETRY = """
SELECT count(*) FROM job j JOIN attempt a ON a.fence=j.fence
WHERE j.run=? AND j.state='waiting' AND j.not_before>0 AND a.kind<>''
"""
# By the jobs of the run: attempts have no index of all calls by run. An answer without token counts is booked
# at the maximum of its job; only where the two are equal is its prediction read, 5 µs each.
COST = """
SELECT spent_micro, coalesce(answers, 0), coalesce(uncounted, 0) FROM run LEFT JOIN (
  SELECT sum(a.cost_micro) AS answers, sum(
    CASE WHEN a.cost_micro=j.worst_micro AND a.cost_micro>0 AND (
      SELECT coalesce(record->>'prompt_tokens', 0)+coalesce(record->>'completion_tokens', 0)
      FROM prediction WHERE request_key=j.request_key
    )=0 THEN a.cost_micro ELSE 0 END
  ) AS uncounted
  FROM job j JOIN attempt a ON a.job=j.n
  WHERE j.run=:run AND a.kind='' AND a.state IN ('answered', 'late')
) WHERE id=:run
"""
# One step of the recursion a kind: the index is entered a dozen times, however many calls failed.
FIRST_FAILURES = """
WITH RECURSIVE known(kind) AS (
  SELECT min(kind) FROM attempt WHERE run=:run AND kind<>''
  UNION ALL SELECT (SELECT min(kind) FROM attempt WHERE run=:run AND kind<>'' AND kind>known.kind) FROM known
  WHERE known.kind IS NOT NULL
)
SELECT kind, (SELECT message FROM attempt a WHERE a.run=:run AND a.kind<>'' AND a.kind=known.kind
  AND a.fence>:after ORDER BY a.fence LIMIT 1) AS message
FROM known WHERE kind IS NOT NULL AND message IS NOT NULL
"""
# Each part is counted on a partial index of just those jobs; a single count would read all 10^5 jobs of a
# run.
OPEN_BY_MODEL = f"""
SELECT model, sum(count) FROM (
  SELECT model, count(*) AS count FROM job WHERE run=:run AND state='waiting' GROUP BY model
  UNION ALL SELECT model, count(*) FROM job WHERE run=:run AND state='blocked' GROUP BY model
  UNION ALL SELECT model, count(*) FROM job WHERE run=:run AND state IN {TAKEN} GROUP BY model
) GROUP BY model
"""
# Bounded: the model of each job is read from its row, 2 µs each (measured), twice a second for a bar.
ENDED_BY_MODEL = """
SELECT model, count(*), min(ended_at) FROM (
  SELECT model, ended_at FROM job WHERE run=? AND ended_at>? ORDER BY ended_at DESC LIMIT 10000
) GROUP BY model
"""
PREDICTIONS_OF_RUN = """
SELECT p.record FROM job j JOIN prediction p ON p.request_key=j.request_key
WHERE j.run=? AND (? IS NULL OR j.target=?) ORDER BY j.n
"""
JOBS_OF_RUN = """
SELECT j.model, j.target, j.spec, j.state, p.record
FROM job j LEFT JOIN prediction p ON p.request_key=j.request_key WHERE j.run=? ORDER BY j.n
"""


class RunQueries(JobQueries):
    """The part of a reader that queries model work."""

    def all(self) -> list[Run]:
        """Return all runs, the newest first."""
        rows = self._connection.execute(f"SELECT {RUN_FIELDS} FROM run ORDER BY id DESC").fetchall()
        return [_run(row) for row in rows]

    def get(self, run_id: str) -> Run | None:
        """Return one run, None where there is none."""
        found = self._connection.execute(f"SELECT {RUN_FIELDS} FROM run WHERE id=?", (run_id,)).fetchone()
        return None if found is None else _run(found)

    def progress(self, run_id: str, *, now: float | None = None) -> RunProgress:
        """Return how far a run is.

        Args:
            run_id: Id of a run that is there.
            now: Unix time, the real one by default.
        """
        moment = time.time() if now is None else now
        states = dict(
            self._connection.execute(
                "SELECT state, count(*) FROM job WHERE run=? GROUP BY state", (run_id,)
            ).fetchall()
        )
        spent, reserved, cached, limit, models = self._connection.execute(
            "SELECT spent_micro, reserved_micro, cached, limit_micro, json_array_length(record, '$.models') "
            "FROM run WHERE id=?",
            (run_id,),
        ).fetchone()
        retried = self._connection.execute(
            "SELECT count(*) FROM attempt WHERE run=? AND kind<>''", (run_id,)
        ).fetchone()[0]
        pace = self._pace(run_id, now=moment)
        to_retry = self._count_to_retry(run_id) if retried else 0
        waiting = states.get("waiting", 0) + states.get("blocked", 0)
        in_flight = states.get("claimed", 0) + states.get("sent", 0)
        failed = states.get("failed", 0)
        return RunProgress(
            total=sum(states.values()),
            done=states.get("done", 0),
            cached=cached,
            failed=failed,
            waiting=waiting,
            in_flight=in_flight,
            cancelled=states.get("cancelled", 0),
            # The last failure of a failed job, and of one that waits, was not followed by another call.
            retried=max(0, retried - failed - to_retry),
            to_retry=to_retry,
            spent_micro=spent,
            reserved_micro=reserved,
            limit_micro=limit,
            per_second=pace,
            left_s=(
                self._left_s(run_id, now=moment)
                if models > 1
                else _left_s(waiting + in_flight, per_second=pace)
            ),
        )

    def cost(self, run_id: str) -> RunCost:
        """Return what the cost of a run consists of; nothing for a run that no longer exists."""
        row = self._connection.execute(COST, {"run": run_id}).fetchone()
        spent, answers, uncounted = row or (0, 0, 0)
        return RunCost(
            counted_micro=answers - uncounted,
            uncounted_micro=uncounted,
            lost_micro=max(0, spent - answers),
        )

    def _count_to_retry(self, run_id: str) -> int:
        return int(self._connection.execute(TO_RETRY, (run_id,)).fetchone()[0])

    def failures(self, run_id: str) -> list[FailureCount]:
        """Return the ways in which calls of a run failed, the most frequent first."""
        rows = self._connection.execute(FAILURES, (run_id,)).fetchall()
        return [
            FailureCount(kind=kind, count=count, sample=sample, left=left)
            for kind, count, sample, _newest, left in rows
        ]

    def first_failures(self, run_id: str, *, after: int) -> dict[str, str]:
        """Return the message of the first failed call of each kind; fast enough for polling.

        Args:
            run_id: Id of the run.
            after: Number of an attempt (``newest_attempt``); this and earlier ones are skipped.
        """
        parameters = {"run": run_id, "after": after}
        return dict(self._connection.execute(FIRST_FAILURES, parameters).fetchall())

    def newest_attempt(self) -> int:
        """Return the number of the newest attempt of all runs, 0 for none."""
        return int(self._connection.execute("SELECT coalesce(max(fence), 0) FROM attempt").fetchone()[0])

    def predictions(self, run_id: str, *, target: str | None = None) -> Iterator[Prediction]:
        """Yield the predictions of a run's jobs in their order, those answered before the run included.

        Args:
            run_id: Id of the run.
            target: Only those about this record.
        """
        for (record,) in self._connection.execute(PREDICTIONS_OF_RUN, (run_id, target, target)):
            yield msgspec.json.decode(record, type=Prediction)

    def jobs(self, run_id: str) -> Iterator[JobPrediction]:
        """Yield all jobs of a run in their order, each with its prediction where there is one."""
        for model, target, spec, state, record in self._connection.execute(JOBS_OF_RUN, (run_id,)):
            prediction = None if record is None else msgspec.json.decode(record, type=Prediction)
            decoded = msgspec.json.decode(spec)
            yield JobPrediction(model=model, target=target, spec=decoded, state=state, prediction=prediction)

    def predictions_on(self, target: str) -> list[Prediction]:
        """Return all predictions about one record, of whichever run, the oldest first."""
        rows = self._connection.execute("SELECT record FROM prediction WHERE target=? ORDER BY n", (target,))
        return [msgspec.json.decode(record, type=Prediction) for (record,) in rows.fetchall()]

    def prediction_of(self, request_key: bytes) -> Prediction | None:
        """Return the prediction of a request key, None where nothing was answered."""
        found = self._connection.execute(
            "SELECT record FROM prediction WHERE request_key=?", (request_key,)
        ).fetchone()
        return None if found is None else msgspec.json.decode(found[0], type=Prediction)

    def is_answered(self, request_key: bytes) -> bool:
        """Return whether a request key has a prediction, so that it is not requested again."""
        found = self._connection.execute(
            "SELECT kind FROM prediction WHERE request_key=?", (request_key,)
        ).fetchone()
        return found is not None and found[0] != "error"

    def attempts_of(self, request_key: bytes) -> list[Attempt]:
        """Return every attempt of a request key, of whichever run, the oldest first."""
        fields = ", ".join(f"a.{name}" for name in Attempt.__struct_fields__)
        rows = self._connection.execute(
            f"SELECT {fields} FROM job j JOIN attempt a ON a.job=j.n WHERE j.request_key=? ORDER BY a.fence",
            (request_key,),
        ).fetchall()
        return [Attempt(**dict(zip(Attempt.__struct_fields__, row, strict=True))) for row in rows]

    def request_of(self, fence: int) -> bytes:
        """Return the request of an attempt, b"" if it was not sent."""
        found = self._connection.execute(
            "SELECT body FROM attempt a JOIN request r ON r.sha256=a.request WHERE a.fence=?", (fence,)
        ).fetchone()
        return b"" if found is None else zlib.decompress(found[0])

    def reply_of(self, fence: int) -> bytes:
        """Return the unchanged reply of an attempt, b"" for none."""
        found = self._connection.execute("SELECT body FROM reply WHERE fence=?", (fence,)).fetchone()
        return b"" if found is None else zlib.decompress(found[0])

    def has_worker(self) -> bool:
        """Return whether any worker has a recent heartbeat."""
        return any(worker.is_at_work(now=time.time()) for worker in self.workers())

    def workers(self) -> list[WorkerHeartbeat]:
        """Return the workers, the one with the newest heartbeat first; a killed one has ended."""
        fields = WorkerHeartbeat.__struct_fields__
        # The column keeps its name: another one would cost a migration of every project.
        columns = ", ".join(fields).replace("heartbeat_at", "beat_at")
        rows = self._connection.execute(f"SELECT {columns} FROM worker ORDER BY beat_at DESC")
        found = [WorkerHeartbeat(**dict(zip(fields, row, strict=True))) for row in rows.fetchall()]
        now = time.time()
        # Only those that seem to be at work: the numbers of old processes are in use again.
        return [_ended_if_killed(one) if one.is_at_work(now=now) else one for one in found]

    def spending(self) -> dict[str, int]:
        """Return what model work cost, millionths, by day (UTC)."""
        return dict(self._connection.execute("SELECT day, spent_micro FROM spending ORDER BY day").fetchall())

    def spending_limits(self) -> dict[str, int]:
        """Return the limits over all runs, millionths, by ``day`` and ``project``."""
        return dict(self._connection.execute("SELECT scope, limit_micro FROM spending_limit").fetchall())

    def work_stamp(self) -> int:
        """Return a number that is another one once somebody else wrote to the file; costs microseconds."""
        return int(self._connection.execute("PRAGMA data_version").fetchone()[0])

    def running(self) -> list[str]:
        """Return the ids of the active runs."""
        return [
            run for (run,) in self._connection.execute("SELECT id FROM run WHERE state='running'").fetchall()
        ]

    def _pace(self, run_id: str, *, now: float) -> float:
        count, first = self._connection.execute(
            "SELECT count(*), min(ended_at) FROM job WHERE run=? AND ended_at>?", (run_id, now - PACE_S)
        ).fetchone()
        return _per_second(count, first, now=now)

    def _left_s(self, run_id: str, *, now: float) -> float | None:
        """Return the seconds until the slowest model of a run has finished, None if a rate is unknown.

        Estimated for each model: the common rate is that of the fast ones, and drops when they have finished.
        """
        ended = self._connection.execute(ENDED_BY_MODEL, (run_id, now - PACE_S)).fetchall()
        paces = {model: _per_second(count, first, now=now) for model, count, first in ended}
        left = self._connection.execute(OPEN_BY_MODEL, {"run": run_id}).fetchall()
        times = [_left_s(count, per_second=paces.get(model, 0.0)) for model, count in left]
        known = [time_s for time_s in times if time_s is not None]
        return max(known, default=0.0) if len(known) == len(times) and paces else None


# Worked out here, on one thread: see store/projections.
for _kind in (Run, Prediction):
    msgspec.json.Decoder(_kind)


def _run(row: tuple[Any, ...]) -> Run:
    record, state, message, ended_at, limit_micro, number = row
    run = msgspec.json.decode(record, type=Run)
    run = msgspec.structs.replace(run, state=state, ended_at=ended_at, limit_micro=limit_micro, number=number)
    return with_reason(run, message)


def _per_second(count: int, first: float | None, *, now: float) -> float:
    """Return jobs per second since the first of some jobs ended; the interval is at least one second."""
    return 0.0 if first is None else count / max(1.0, now - first)


def _left_s(count: int, *, per_second: float) -> float | None:
    return count / per_second if per_second else None


def _ended_if_killed(worker: WorkerHeartbeat) -> WorkerHeartbeat:
    """Return a worker as ended if its process is gone: a killed one cannot say so itself."""
    is_gone = is_process_gone(host=worker.host, pid=worker.pid)
    return msgspec.structs.replace(worker, status=WORKER_ENDED) if is_gone else worker
