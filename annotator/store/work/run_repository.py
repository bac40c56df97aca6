"""Plans, pauses, resumes, cancels and limits the runs of a project."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

import msgspec

from annotator.domain.carried_run import CarriedJob, CarriedRun
from annotator.domain.record import to_json
from annotator.domain.run import UNFINISHED, Run, RunState
from annotator.domain.work import JobPlan, PlanResult
from annotator.errors import UserError
from annotator.progress import Progress
from annotator.store.connection import Connection
from annotator.store.work import job_transitions, spending
from annotator.store.work.received_runs import Receipt, receive_run
from annotator.store.work.seals import WorkSeals

BATCH = 5_000
"""Jobs inserted between two checks for cancel: about 100 ms (measured)."""
NOT_RUNNING: tuple[RunState, ...] = ("done", "paused", "stopped", "cancelled")
NEW_JOB = """
INSERT INTO job(n, run, request_key, model, target, spec, worst_micro, after, state)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
# An error is not an answer: it is requested again and its prediction replaced (REPLACE_PREDICTION).
ANSWERED_BEFORE = """
UPDATE job SET state='done'
WHERE run=? AND EXISTS (SELECT 1 FROM prediction p WHERE p.request_key=job.request_key AND p.kind<>'error')
"""
# A job that failed because an earlier one failed has no prediction, and is blocked by that job again.
RETRY_FAILED = """
UPDATE job SET state=CASE WHEN after IS NULL THEN 'waiting' ELSE 'blocked' END, not_before=0, ended_at=NULL,
attempts=0
WHERE run=? AND state='failed'
"""


class RunRepository:
    """What people do with runs, over a connection that writes; for one thread at a time."""

    def __init__(self, connection: Connection, *, seals: WorkSeals) -> None:
        self._connection, self._seals = connection, seals

    def plan(self, run: Run, jobs: Iterable[JobPlan], *, progress: Progress) -> PlanResult:
        """Enter a run with its jobs; what was answered before, by whichever run, is done at once.

        Args:
            run: The run.
            jobs: Its jobs; ``after`` counts within them.
            progress: One step per job.

        Raises:
            Cancelled: The user stopped it; nothing was entered.
        """
        with self._seals.transaction():
            self._connection.execute(
                "INSERT INTO run(id, kind, state, record, limit_micro) VALUES (?, ?, ?, ?, ?)",
                (run.id, run.kind, run.state, to_json(run), run.limit_micro),
            )
            first = self._connection.execute("SELECT coalesce(max(n), 0) + 1 FROM job").fetchone()[0]
            count = 0
            rows = _rows(run, jobs, first=first)
            while batch := list(islice(rows, BATCH)):
                self._connection.executemany(NEW_JOB, batch)
                count += len(batch)
                progress.step(len(batch))
            cached = self._connection.execute(ANSWERED_BEFORE, (run.id,)).rowcount
            job_transitions.release_blocked_jobs(self._connection, run.id)
            self._connection.execute("UPDATE run SET cached=? WHERE id=?", (cached, run.id))
            job_transitions.finish_run_if_complete(self._connection, run.id)
        return PlanResult(jobs=count, cached=cached)

    def receive(self, run: CarriedRun, jobs: Iterable[CarriedJob], *, progress: Progress) -> Receipt:
        """Enter a finished run of a bundle.

        Args:
            run: The run.
            jobs: Its jobs, checked.
            progress: One step per job.

        Raises:
            Cancelled: The user stopped it; what was entered is completed when the run is received again.
        """
        return receive_run(
            self._connection, run, jobs, transaction=self._seals.transaction, progress=progress
        )

    def pause(self, run: str) -> None:
        """Pause a run: no more jobs are claimed; calls in progress are still recorded."""
        with self._seals.transaction():
            job_transitions.set_run_state(self._connection, run, "paused", among={"running"})

    def resume(self, run: str) -> None:
        """Resume a paused or stopped run.

        Raises:
            UserError: The run came with a bundle.
        """
        with self._seals.transaction():
            _refuse_received(self._connection, run)
            job_transitions.set_run_state(self._connection, run, "running", among={"paused", "stopped"})
            job_transitions.finish_run_if_complete(self._connection, run)

    def cancel(self, run: str) -> None:
        """Cancel a run: waiting jobs are cancelled; calls in progress are still recorded."""
        with self._seals.transaction():
            job_transitions.set_run_state(self._connection, run, "cancelled", among=UNFINISHED)
            self._connection.execute(
                "UPDATE job SET state='cancelled' WHERE run=? AND state IN ('waiting', 'blocked')", (run,)
            )

    def retry_failed(self, run: str) -> int:
        """Return the failed jobs to the queue and resume the run; returns their number.

        Raises:
            UserError: The run came with a bundle.
        """
        with self._seals.transaction():
            _refuse_received(self._connection, run)
            count = self._connection.execute(RETRY_FAILED, (run,)).rowcount
            if count:
                job_transitions.set_run_state(self._connection, run, "running", among=NOT_RUNNING)
                job_transitions.release_blocked_jobs(self._connection, run)
        return int(count)

    def limit_run(self, run: str, limit_micro: int | None) -> None:
        """Set the limit of a run; one that was stopped by it continues with ``resume``."""
        with self._seals.transaction():
            self._connection.execute("UPDATE run SET limit_micro=? WHERE id=?", (limit_micro, run))

    def limit_all(self, scope: str, limit_micro: int | None) -> None:
        """Limit what all runs together may cost: of a ``day``, or of the ``project``; None for no limit."""
        with self._seals.transaction():
            spending.set_limit(self._connection, scope=scope, limit_micro=limit_micro)


def _refuse_received(connection: Connection, run: str) -> None:
    found = connection.execute("SELECT state FROM run WHERE id=?", (run,)).fetchone()
    if found == ("received",):
        raise received_refusal()


def received_refusal() -> UserError:
    """Return the error for a run that came with a bundle and is to go on."""
    return UserError(
        "The run came with a bundle from elsewhere and cannot be resumed here.",
        hint="Start a run of your own with the same settings.",
    )


def _rows(run: Run, jobs: Iterable[JobPlan], *, first: int) -> Iterator[tuple[object, ...]]:
    for index, job in enumerate(jobs):
        after = None if job.after is None else first + job.after
        state = "waiting" if after is None else "blocked"
        spec = msgspec.json.encode(job.spec).decode()
        yield (
            first + index,
            run.id,
            job.request_key,
            job.model,
            job.target,
            spec,
            job.worst_micro,
            after,
            state,
        )
