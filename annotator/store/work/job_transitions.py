"""How jobs and runs move from state to state; all inside the caller's transaction."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime

from annotator.domain.record import to_json
from annotator.domain.run import LimitScope, Prediction, RunState
from annotator.domain.run_condition import limit_code
from annotator.domain.work import Claim
from annotator.errors import UserError
from annotator.store.connection import Connection

# SQL texts instead of parameters: partial indexes (tables.py) have the same literals in their conditions.
OPEN = "('blocked', 'waiting', 'claimed', 'sent')"
TAKEN = "('claimed', 'sent')"
# Only an error is replaced: the first answer to a request key is final, whichever run requests it again.
REPLACE_PREDICTION = """
INSERT INTO prediction(request_key, kind, target, record) VALUES (?, ?, ?, ?)
ON CONFLICT(request_key) DO UPDATE SET kind=excluded.kind, record=excluded.record
WHERE prediction.kind='error'
"""


def is_held(connection: Connection, claim: Claim) -> bool:
    """Return whether a claim is the newest of its job, and the job is not finished."""
    found = connection.execute("SELECT fence, state FROM job WHERE n=?", (claim.job,)).fetchone()
    return found is not None and found[0] == claim.fence and found[1] in {"claimed", "sent"}


def close_attempt(
    connection: Connection,
    fence: int,
    *,
    state: str,
    now: float,
    cost_micro: int = 0,
    kind: str = "",
    message: str = "",
    status: int = 0,
) -> None:
    """Write down how an attempt ended."""
    connection.execute(
        "UPDATE attempt SET state=?, ended_at=?, cost_micro=?, kind=?, message=?, status=? WHERE fence=?",
        (state, now, cost_micro, kind, message, status, fence),
    )


def requeue_job(
    connection: Connection, job: int, *, not_before: float = 0.0, is_counted: bool = True
) -> None:
    """Return a job to the queue; if its run was cancelled meanwhile, the job is cancelled.

    Args:
        connection: Of the project, inside a transaction.
        job: Number of the job.
        not_before: Unix time of the next attempt; waiting jobs are ordered by it.
        is_counted: Whether the ended claim counts as one of the job's attempts.
    """
    connection.execute(
        "UPDATE job SET state=CASE (SELECT state FROM run WHERE id=job.run) WHEN 'cancelled' "
        "THEN 'cancelled' ELSE 'waiting' END, lease_until=0, not_before=?, attempts=attempts-? WHERE n=?",
        (not_before, int(not is_counted), job),
    )


def store_prediction(connection: Connection, prediction: Prediction, *, request_key: bytes) -> None:
    """Store the prediction of a request key unless it has an answer."""
    row = (request_key, prediction.kind, prediction.target, to_json(prediction))
    connection.execute(REPLACE_PREDICTION, row)


def end_job(connection: Connection, job: int, *, is_answered: bool, now: float) -> None:
    """End a job; jobs that depend on it become ready, or fail if it failed."""
    connection.execute(
        "UPDATE job SET state=?, ended_at=? WHERE n=?", ("done" if is_answered else "failed", now, job)
    )
    if is_answered:
        connection.execute("UPDATE job SET state='waiting' WHERE after=? AND state='blocked'", (job,))
        return
    doomed = [job]
    # One query per step: a chain has at most a few dozen jobs, and ``after`` is indexed.
    while doomed:
        following = connection.execute(
            "UPDATE job SET state='failed', ended_at=? WHERE after=? AND state='blocked' RETURNING n",
            (now, doomed.pop()),
        ).fetchall()
        doomed += [n for (n,) in following]


def release_blocked_jobs(connection: Connection, run: str) -> None:
    """Let those jobs of a run wait whose forerunner is done."""
    connection.execute(
        "UPDATE job SET state='waiting' WHERE run=? AND state='blocked' "
        "AND (SELECT b.state FROM job b WHERE b.n=job.after)='done'",
        (run,),
    )


def finish_run_if_complete(connection: Connection, run: str) -> None:
    """Call a run done once none of its jobs is open."""
    is_open = connection.execute(f"SELECT 1 FROM job WHERE run=? AND state IN {OPEN} LIMIT 1", (run,))
    if is_open.fetchone() is None:
        set_run_state(connection, run, "done", among={"running", "paused", "stopped"})


def stop_run_if_over_budget(connection: Connection, run: str, *, scope: LimitScope) -> None:
    """Stop a run whose limit allows no further job, once none of its calls is in progress."""
    taken = connection.execute(f"SELECT 1 FROM job WHERE run=? AND state IN {TAKEN} LIMIT 1", (run,))
    if taken.fetchone() is None:
        set_run_state(connection, run, "stopped", among={"running"}, message=limit_code(scope))


def set_run_state(
    connection: Connection, run: str, state: RunState, *, among: Collection[RunState], message: str = ""
) -> None:
    """Change the state of a run if its present state is one of those given.

    Raises:
        UserError: The run does not exist.
    """
    found = connection.execute("SELECT state FROM run WHERE id=?", (run,)).fetchone()
    if found is None:
        raise UserError("The run does not exist.", hint="List the runs with: runs")
    if found[0] not in among:
        return
    ended_at = "" if state in {"running", "paused"} else datetime.now(UTC).isoformat(timespec="seconds")
    connection.execute(
        "UPDATE run SET state=?, message=?, ended_at=? WHERE id=?", (state, message, ended_at, run)
    )
