"""The queue of model work: hands out claims and records outcomes, one prediction per request key.

A claim has a fence: the number of its attempt, which only increases. Only the newest claim of a job can
record an outcome. The state ``sent`` is committed before a call, so that after a crash requests that were
sent are distinguished from those that were not. Reply, prediction and end of the job are one transaction.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from annotator.domain.run import Prediction, RunKind, RunState
from annotator.domain.work import Claim, ExpiredClaims, JobOutcome
from annotator.errors import UserError
from annotator.store.connection import Connection, connect, convert_disk_errors
from annotator.store.project_path import require_project_file
from annotator.store.schema import require_project_schema
from annotator.store.work import job_transitions, late_answers, spending
from annotator.store.work.run_repository import RunRepository
from annotator.store.work.seals import WorkSeals

LEASE_S = 60.0
"""Seconds without a heartbeat after which a worker is treated as dead."""
TWIN_WAIT_S = 1.0
"""Seconds after which a job is retried that another run is requesting. It is not notified of the answer, and
the delay should not be noticeable in the window."""
DEATHS = 8
"""Number of workers that may die during the calls of one job before it fails: it could kill all others."""
NEXT = f"""
SELECT n, request_key, target, spec, worst_micro, attempts,
(SELECT b.request_key FROM job b WHERE b.n=j.after),
EXISTS (SELECT 1 FROM prediction p WHERE p.request_key=j.request_key AND p.kind<>'error'),
EXISTS (SELECT 1 FROM job t WHERE t.request_key=j.request_key AND t.state IN {job_transitions.TAKEN})
FROM job j WHERE run=? AND model=? AND state='waiting' AND not_before<=? ORDER BY not_before, n LIMIT ?
"""
WAITING = """
SELECT r.id, m.value FROM run r, json_each(r.record, '$.models') m WHERE r.state='running' AND EXISTS
(SELECT 1 FROM job j WHERE j.run=r.id AND j.model=m.value AND j.state='waiting' AND j.not_before<=?)
ORDER BY r.id
"""
EXPIRED = f"""
SELECT n, run, fence, state, worst_micro, request_key, target,
(SELECT count(*) FROM attempt a WHERE a.job=job.n AND a.state='unsure')
FROM job WHERE state IN {job_transitions.TAKEN} AND
"""
TOO_FAR = """
UPDATE job SET not_before=? WHERE n IN (SELECT j.n FROM run r, json_each(r.record, '$.models') m, job j
WHERE r.state='running' AND j.run=r.id AND j.model=m.value AND j.state='waiting' AND j.not_before>?)
"""
OVER = "lease_until<?"
NAMED = "fence IN (SELECT value FROM json_each(?))"
LEASES = f"SELECT fence, lease_until FROM job WHERE state IN {job_transitions.TAKEN}"
HOLDERS = f"""
SELECT DISTINCT j.run, j.model, a.worker FROM job j JOIN attempt a ON a.fence=j.fence
WHERE j.state IN {job_transitions.TAKEN}
"""
# The state is part of the condition, so a claim that another worker has taken over is not changed.
HOLD = "UPDATE job SET state='sent' WHERE n=? AND fence=? AND state='claimed'"


class WorkQueue:
    """The queue of one project, with its own connection; for one thread at a time.

    Attributes:
        runs: Plans and controls the runs.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._seals = WorkSeals(connection)
        self.runs = RunRepository(connection, seals=self._seals)

    @classmethod
    def open(cls, path: Path) -> WorkQueue:
        """Open the queue of a project.

        Raises:
            UserError: There is no project at that path, or it is of another version.
            EnvironmentFailure: It cannot be opened.
        """
        require_project_file(path)
        connection = connect(path, read_only=False)
        try:
            require_project_schema(connection, path=path)
        except BaseException:
            # BaseException: after Ctrl+C nobody else could close the connection.
            connection.close()
            raise
        return cls(connection)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def checkpoint(self) -> None:
        """Run a checkpoint after a large plan, without waiting for readers."""
        with convert_disk_errors():
            self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Make one transaction of all that is done in the block."""
        with self._seals.transaction():
            yield

    def claim(
        self, worker: str, *, run: str, model: str, count: int, now: float, lease_s: float = LEASE_S
    ) -> list[Claim]:
        """Claim waiting jobs and reserve their maximum cost, in one transaction.

        A run is stopped with a message if its limit allows no further job and no call is in progress.

        Args:
            worker: Id of the worker.
            run: Id of the run.
            model: Name of the profile.
            count: Maximum number of jobs.
            now: Unix time.
            lease_s: Seconds after which a claim expires without ``heartbeat``.
        """
        with self.transaction():
            kind, state = self._run(run)
            if state != "running":
                return []
            left, reserved = spending.remaining_budget(self._connection, run=run, now=now), 0
            claims: list[Claim] = []
            # All rows first: the loop changes the table and the index that they are read from.
            for row in self._connection.execute(NEXT, (run, model, now, count)).fetchall():
                if self._is_asked_already(row, claims=claims, now=now):
                    continue
                # 0 for a free model, which no limit stops.
                worst = row[4]
                if worst and left.micro is not None and reserved + worst > left.micro:
                    if not claims:
                        job_transitions.stop_run_if_over_budget(self._connection, run, scope=left.scope)
                    break
                reserved += worst
                fence = self._claim_jobs(row[0], run=run, worker=worker, now=now, lease_s=lease_s)
                claims.append(_claim(row, fence=fence, run=run, kind=kind, model=model))
            spending.reserve(self._connection, run=run, micro=reserved)
            job_transitions.finish_run_if_complete(self._connection, run)
        return claims

    def mark_sent(self, claims: Sequence[Claim], requests: Sequence[bytes]) -> list[bool]:
        """Record that calls are about to be made; committed before the calls.

        Args:
            claims: The claims.
            requests: The request of each claim; equal requests are stored once, by their hash.

        Returns:
            Whether each claim is still valid; a call is made only then.
        """
        with self.transaction():
            return [self._note_sent(claim, body) for claim, body in zip(claims, requests, strict=True)]

    def record(self, outcomes: Sequence[JobOutcome], *, now: float) -> list[bool]:
        """Record outcomes: reply, prediction, cost and end of the job, in one transaction.

        An answer of a worker that was thought dead counts by its request key. An outcome that was recorded
        before changes nothing.

        Returns:
            Whether each outcome is one of its job's; False for failures that came too late.
        """
        with self.transaction():
            taken = [self._note_outcome(outcome, now=now) for outcome in outcomes]
            for run in {outcome.claim.run for outcome in outcomes}:
                job_transitions.finish_run_if_complete(self._connection, run)
        return taken

    def release_claims(self, claims: Sequence[Claim], *, now: float) -> None:
        """Let go of claims that were not sent."""
        with self.transaction():
            for claim in claims:
                if job_transitions.is_held(self._connection, claim):
                    job_transitions.close_attempt(self._connection, claim.fence, state="lost", now=now)
                    job_transitions.requeue_job(self._connection, claim.job, is_counted=False)
                    spending.reserve(self._connection, run=claim.run, micro=-claim.worst_micro)

    def heartbeat(self, claims: Sequence[Claim], *, now: float, lease_s: float = LEASE_S) -> None:
        """Hold claims for longer, and take up calls again whose worker was thought dead."""
        with self.transaction():
            late_answers.resume_calls(self._connection, claims, now=now)
            self._connection.executemany(
                "UPDATE job SET lease_until=? WHERE n=? AND fence=?",
                [(now + lease_s, claim.job, claim.fence) for claim in claims],
            )

    def leases(self) -> list[tuple[int, float]]:
        """Return the fence of each present claim, and the Unix time at which its lease ends."""
        return self._connection.execute(LEASES).fetchall()

    def expire(self, *, now: float, fences: Collection[int] | None = None) -> ExpiredClaims:
        """Return the jobs of dead workers to the queue.

        A request that was sent may have been answered and charged: its maximum cost counts as spent, and it
        is retried after all others if the limits allow it. A job during which several workers died fails.

        Args:
            now: Unix time.
            fences: The claims of dead workers; None for all whose lease is over.
        """
        with self.transaction():
            rows = self._expired(fences, now=now)
            given_up = sum(self._expire(row, now=now) for row in rows)
            for run in {row[1] for row in rows} if given_up else ():
                job_transitions.finish_run_if_complete(self._connection, run)
        unsure = sum(row[3] == "sent" for row in rows)
        return ExpiredClaims(back=len(rows) - unsure, unsure=unsure, given_up=given_up)

    def advance_retries(self, *, now: float, longest_s: float) -> None:
        """Let jobs go on that wait for a time which only a clock that was set back can have made so late.

        Args:
            now: Unix time.
            longest_s: The longest delay that any job is given.
        """
        with self.transaction():
            self._connection.execute(TOO_FAR, (now, now + longest_s))

    def _expired(self, fences: Collection[int] | None, *, now: float) -> list[tuple[Any, ...]]:
        if fences is None:
            return self._connection.execute(EXPIRED + OVER, (now,)).fetchall()
        named = msgspec.json.encode(list(fences)).decode()
        return self._connection.execute(EXPIRED + NAMED, (named,)).fetchall() if fences else []

    def stamp(self) -> int:
        """Return a number that is another one once somebody else wrote to the file."""
        return int(self._connection.execute("PRAGMA data_version").fetchone()[0])

    def running(self) -> set[str]:
        """Return the ids of the active runs."""
        return {run for (run,) in self._connection.execute("SELECT id FROM run WHERE state='running'")}

    def stop_run(self, run: str, message: str) -> None:
        """Stop a run until a person has corrected what the message describes."""
        with self.transaction():
            job_transitions.set_run_state(
                self._connection, run, "stopped", among={"running"}, message=message
            )

    def waiting(self, *, now: float) -> list[tuple[str, str]]:
        """Return run and profile of what may be claimed, the oldest run first."""
        return self._connection.execute(WAITING, (now,)).fetchall()

    def holders(self) -> list[tuple[str, str, str]]:
        """Return run, profile and worker of the present claims."""
        return self._connection.execute(HOLDERS).fetchall()

    def record_worker(self, worker: str, *, pid: int, host: str, now: float, status: str) -> None:
        """Record a heartbeat of a worker."""
        with self.transaction():
            self._connection.execute(
                "INSERT INTO worker (id, pid, host, started_at, beat_at, status) VALUES (?, ?, ?, ?, ?, ?) "
                "ON CONFLICT DO UPDATE SET beat_at=excluded.beat_at, status=excluded.status",
                (worker, pid, host, now, now, status),
            )

    def _run(self, run: str) -> tuple[RunKind, RunState]:
        found = self._connection.execute("SELECT kind, state FROM run WHERE id=?", (run,)).fetchone()
        if found is None:
            raise UserError("The run does not exist.", hint="List the runs with: runs")
        return found[0], found[1]

    def _is_asked_already(self, row: tuple[Any, ...], *, claims: Sequence[Claim], now: float) -> bool:
        """End a job that has been answered meanwhile; postpone one that another job is requesting."""
        n, request_key, is_answered, is_asked = row[0], row[1], row[7], row[8]
        if is_answered:
            job_transitions.end_job(self._connection, n, is_answered=True, now=now)
        elif is_asked or any(claim.request_key == request_key for claim in claims):
            job_transitions.requeue_job(self._connection, n, not_before=now + TWIN_WAIT_S)
        else:
            return False
        return True

    def _expire(self, row: tuple[Any, ...], *, now: float) -> bool:
        """Return one job to the queue; True if it failed for good."""
        n, run, fence, state, worst, request_key, target, deaths = row
        is_unsure = state == "sent"
        cost = worst if is_unsure else 0
        job_transitions.close_attempt(
            self._connection, fence, state="unsure" if is_unsure else "lost", now=now, cost_micro=cost
        )
        spending.spend(self._connection, run=run, reserved_micro=worst, cost_micro=cost, now=now)
        if not is_unsure or deaths + 1 < DEATHS:
            job_transitions.requeue_job(
                self._connection, n, not_before=now if is_unsure else 0.0, is_counted=is_unsure
            )
            return False
        message = f"{DEATHS} workers terminated while processing this job."
        prediction = Prediction(
            request_key=request_key.hex(), kind="error", target=target, message=message, run=run
        )
        job_transitions.store_prediction(self._connection, prediction, request_key=request_key)
        job_transitions.end_job(self._connection, n, is_answered=False, now=now)
        return True

    def _claim_jobs(self, job: int, *, run: str, worker: str, now: float, lease_s: float) -> int:
        made = self._connection.execute(
            "INSERT INTO attempt(job, run, worker, state, began_at) VALUES (?, ?, ?, 'claimed', ?)",
            (job, run, worker, now),
        )
        fence = int(made.lastrowid or 0)
        self._connection.execute(
            "UPDATE job SET state='claimed', fence=?, lease_until=?, attempts=attempts+1 WHERE n=?",
            (fence, now + lease_s, job),
        )
        return fence

    def _note_sent(self, claim: Claim, body: bytes) -> bool:
        if not self._connection.execute(HOLD, (claim.job, claim.fence)).rowcount:
            return False
        digest = hashlib.sha256(body).digest()
        self._connection.execute(
            "INSERT INTO request (sha256, body) VALUES (?, ?) ON CONFLICT DO NOTHING",
            (digest, zlib.compress(body, 1)),
        )
        self._connection.execute(
            "UPDATE attempt SET state='sent', request=? WHERE fence=?", (digest, claim.fence)
        )
        return True

    def _note_outcome(self, outcome: JobOutcome, *, now: float) -> bool:
        claim, failure = outcome.claim, outcome.failure
        end = late_answers.end_of_attempt(self._connection, claim.fence)
        if end is None or end.is_recorded:
            # A commit can be reported as failed though it reached the disk: it is repeated then.
            return end is not None and end.state != "late"
        is_held = job_transitions.is_held(self._connection, claim)
        # Also for a late claim: the call was made and may have been charged.
        if outcome.raw:
            self._connection.execute(
                "INSERT INTO reply (fence, body) VALUES (?, ?) ON CONFLICT DO NOTHING",
                (claim.fence, zlib.compress(outcome.raw, 1)),
            )
        state = "answered" if failure is None else "failed"
        counts = is_held or late_answers.is_answer(outcome)
        job_transitions.close_attempt(
            self._connection,
            claim.fence,
            state=state if counts else "late",
            now=now,
            cost_micro=outcome.cost_micro,
            kind=failure.kind if failure else "",
            message=failure.message if failure else "",
            status=failure.status if failure else 0,
        )
        if is_held:
            self._settle(outcome, now=now)
        else:
            late_answers.settle(self._connection, outcome, end, now=now)
        return counts

    def _settle(self, outcome: JobOutcome, *, now: float) -> None:
        connection, claim = self._connection, outcome.claim
        failure, prediction = outcome.failure, outcome.prediction
        spending.spend(
            connection,
            run=claim.run,
            reserved_micro=claim.worst_micro,
            cost_micro=outcome.cost_micro,
            now=now,
        )
        if prediction is not None:
            job_transitions.store_prediction(connection, prediction, request_key=claim.request_key)
        if failure is not None and failure.retry_at is not None:
            job_transitions.requeue_job(
                connection, claim.job, not_before=failure.retry_at, is_counted=failure.is_counted
            )
        else:
            # A late answer may have come before a failure of the one who was asked next.
            is_answered = failure is None or late_answers.is_answered(connection, claim.request_key)
            job_transitions.end_job(connection, claim.job, is_answered=is_answered, now=now)


def _claim(row: tuple[Any, ...], *, fence: int, run: str, kind: RunKind, model: str) -> Claim:
    n, request_key, target, spec, worst_micro, attempts, after_request_key = row[:7]
    return Claim(
        job=n,
        fence=fence,
        run=run,
        kind=kind,
        request_key=request_key,
        model=model,
        target=target,
        spec=msgspec.json.decode(spec),
        worst_micro=worst_micro,
        attempts=attempts,
        after_request_key=after_request_key,
    )
