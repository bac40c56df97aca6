"""Answers and signs of life of workers that were thought dead; all inside the caller's transaction.

A worker may sleep or stand still for longer than its lease. Its calls were made and paid for all the same, so
nothing of them is refused: each attempt is recorded once, with what it did cost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from annotator.domain.work import Claim, JobOutcome
from annotator.store.connection import Connection
from annotator.store.work import job_transitions, spending

RECORDED = frozenset({"answered", "failed", "late"})
"""States of an attempt whose outcome is known."""
# The jobs come as one JSON array: a statement of SQLite takes at most 32,766 values of its own.
EXPIRED_CALLS = """
SELECT n FROM job WHERE n IN (SELECT value FROM json_each(?)) AND state='waiting'
AND (SELECT state FROM attempt a WHERE a.fence=job.fence)='unsure'
"""


@dataclass(frozen=True, kw_only=True)
class AttemptEnd:
    """How an attempt ended as far as it is recorded.

    Attributes:
        state: Its state.
        cost_micro: What was counted as spent for it, millionths.
        ended_at: Unix time, None while it has not ended.
    """

    state: str
    cost_micro: int
    ended_at: float | None

    @property
    def is_recorded(self) -> bool:
        """Whether its outcome was recorded before."""
        return self.state in RECORDED


def end_of_attempt(connection: Connection, fence: int) -> AttemptEnd | None:
    """Return how an attempt ended, None for one that is not in the project."""
    select = "SELECT state, cost_micro, ended_at FROM attempt WHERE fence=?"
    found = connection.execute(select, (fence,)).fetchone()
    return None if found is None else AttemptEnd(state=found[0], cost_micro=found[1], ended_at=found[2])


def is_answer(outcome: JobOutcome) -> bool:
    """Return whether an outcome is an answer, which ends its job whoever gives it."""
    return outcome.prediction is not None and outcome.prediction.kind != "error"


def is_answered(connection: Connection, request_key: bytes) -> bool:
    """Return whether a request has an answer."""
    select = "SELECT 1 FROM prediction WHERE request_key=? AND kind<>'error'"
    return connection.execute(select, (request_key,)).fetchone() is not None


def settle(connection: Connection, outcome: JobOutcome, end: AttemptEnd, *, now: float) -> None:
    """Record a late outcome: its cost instead of the one that was counted for it, and its answer.

    Args:
        connection: Of the project, inside a transaction.
        outcome: The outcome.
        end: How its attempt was recorded as ended.
        now: Unix time.
    """
    _correct_cost(connection, end, run=outcome.claim.run, cost_micro=outcome.cost_micro, now=now)
    if outcome.prediction is not None and is_answer(outcome):
        claim = outcome.claim
        job_transitions.store_prediction(connection, outcome.prediction, request_key=claim.request_key)
        _end_answered_job(connection, claim, now=now)


def resume_calls(connection: Connection, claims: Sequence[Claim], *, now: float) -> None:
    """Take up the calls of a worker again that was thought dead, as far as their jobs still wait."""
    jobs = msgspec.json.encode([claim.job for claim in claims]).decode()
    expired = {job for (job,) in connection.execute(EXPIRED_CALLS, (jobs,))}
    for claim in claims:
        # With the fence: a job that somebody else has claimed since then has another one.
        changed = "UPDATE job SET state='sent' WHERE n=? AND fence=?"
        if claim.job not in expired or not connection.execute(changed, (claim.job, claim.fence)).rowcount:
            continue
        if end := end_of_attempt(connection, claim.fence):
            _correct_cost(connection, end, run=claim.run, cost_micro=0, now=now)
        reopened = "UPDATE attempt SET state='sent', ended_at=NULL, cost_micro=0 WHERE fence=?"
        connection.execute(reopened, (claim.fence,))
        # What was counted as spent is set aside again: its answer is on the way, and its cost not known.
        spending.reserve(connection, run=claim.run, micro=claim.worst_micro)


def _correct_cost(connection: Connection, end: AttemptEnd, *, run: str, cost_micro: int, now: float) -> None:
    """Count what a call did cost instead of what was counted when its worker was thought dead."""
    spending.correct(connection, run=run, micro=cost_micro - end.cost_micro, day_at=end.ended_at or now)


def _end_answered_job(connection: Connection, claim: Claim, *, now: float) -> None:
    """End the job of a late answer; a worker that has claimed it meanwhile does not send it any more.

    A request that another worker has sent meanwhile is waited for: it is paid for, too.
    """
    found = connection.execute("SELECT state, fence FROM job WHERE n=?", (claim.job,)).fetchone()
    state, fence = found or ("", 0)
    # Claimed and not sent: nothing is paid for it, so what was set aside for it is free again.
    if state == "claimed":
        job_transitions.close_attempt(connection, fence, state="lost", now=now)
        spending.reserve(connection, run=claim.run, micro=-claim.worst_micro)
    if state in {"claimed", "waiting", "failed"}:
        job_transitions.end_job(connection, claim.job, is_answered=True, now=now)
