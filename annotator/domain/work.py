"""Data types of the queue of model work: job plans, claims, outcomes, and the progress of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec

from annotator.domain.run import JobState, Prediction, RunKind

HEARTBEAT_EXPIRES_S = 30.0
"""A worker is active if its last heartbeat is not older; it sends one every few seconds."""
WORKER_ENDED = "ended"
"""Status of a worker that ended by itself; its row is kept, and its last heartbeat is recent."""


class RunOrder(msgspec.Struct, frozen=True, kw_only=True):
    """A request to start a run.

    Attributes:
        kind: Kind of the run.
        title: Title of the run, "" for its kind and number.
        models: Names of profiles.
        settings: Settings of the kind of run (JSON).
        limit_micro: Cost limit in millionths; None for no limit of its own.
    """

    kind: RunKind
    title: str = ""
    models: tuple[str, ...] = ()
    settings: dict[str, Any] = {}
    limit_micro: int | None = None


class Estimate(msgspec.Struct, frozen=True, kw_only=True):
    """The requests that a run would make, computed before it starts.

    Attributes:
        jobs: Number of requests.
        cached: Number of these that were answered before.
        targets: Number of records that the requests concern.
        worst_micro: Maximum cost in millionths.
        by_model: Number of open requests by profile.
        left_out: Number of selected records without a request, by reason
            (``domain.eval_settings.ExclusionReason``). Together with ``targets`` they are the records that
            the user sees as selected; records that the settings exclude (another task, a rejected item)
            are in neither.
    """

    jobs: int
    cached: int
    targets: int
    worst_micro: int
    by_model: dict[str, int]
    left_out: dict[str, int] = {}


def sum_estimates(estimates: Sequence[Estimate]) -> Estimate:
    """Return the estimate of several runs that are started together.

    Records are those of the run with the most: the runs ask the same ones in several ways.
    """
    by_model: Counter[str] = Counter()
    for one in estimates:
        by_model.update(one.by_model)
    most = max(estimates, key=lambda one: one.targets)
    return Estimate(
        jobs=sum(one.jobs for one in estimates),
        cached=sum(one.cached for one in estimates),
        targets=most.targets,
        worst_micro=sum(one.worst_micro for one in estimates),
        by_model=dict(by_model),
        left_out=most.left_out,
    )


class JobPlan(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One planned request of a run.

    ``gc=False``: plans contain no reference cycles, and the cycle collector would traverse 100,000 of them
    repeatedly.

    Attributes:
        request_key: SHA-256 of everything that determines the answer, 32 bytes.
        model: Name of the model's profile.
        target: Id of the item, medium or scene.
        spec: Other parameters of the request (JSON).
        worst_micro: Maximum cost in millionths; 0 for a free model.
        after: Index in the same plan of the job whose prediction this one needs, None for none.
    """

    request_key: bytes
    model: str
    target: str
    spec: dict[str, Any] = {}
    worst_micro: int = 0
    after: int | None = None


class PlanResult(msgspec.Struct, frozen=True, kw_only=True):
    """Number of planned jobs, number of them answered before, and number of records left out by reason."""

    jobs: int
    cached: int
    left_out: dict[str, int] = {}


class Claim(msgspec.Struct, frozen=True, kw_only=True):
    """A job that a worker has claimed.

    Attributes:
        job: Number of the job.
        fence: Number of the claim: only the newest claim of a job can record an outcome.
        run: Id of the run.
        kind: Kind of the run.
        request_key: As in ``JobPlan``.
        model: Name of the profile.
        target: Id of the item, medium or scene.
        spec: As in ``JobPlan``.
        worst_micro: Reserved cost in millionths.
        attempts: Number of earlier claims.
        after_request_key: Key of the job whose prediction this one needs, None for none.
    """

    job: int
    fence: int
    run: str
    kind: RunKind
    request_key: bytes
    model: str
    target: str
    spec: dict[str, Any]
    worst_micro: int
    attempts: int
    after_request_key: bytes | None = None


class CallFailure(msgspec.Struct, frozen=True, kw_only=True):
    """A call without an answer.

    Attributes:
        kind: A ``model_api.FailureKind``.
        message: Description of the failure.
        status: HTTP status, 0 for none.
        retry_at: Unix time of the next attempt; None if the job fails for good.
        was_sent: Whether the request may have been charged.
        is_counted: Whether it counts as an attempt of the job; false if the job did not cause the failure.
    """

    kind: str
    message: str
    status: int = 0
    retry_at: float | None = None
    was_sent: bool = True
    is_counted: bool = True


class JobOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a claim: a prediction or a failure; recorded in one transaction.

    Attributes:
        claim: The claim.
        prediction: The prediction; of the kind ``error`` for a final failure; None if the job is retried.
        failure: The failure, None for an answer.
        raw: The unchanged reply.
        prompt_tokens: As counted by the server.
        completion_tokens: The same.
        cost_micro: Cost of the call in millionths.
    """

    claim: Claim
    prediction: Prediction | None = None
    failure: CallFailure | None = None
    raw: bytes = b""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_micro: int = 0


class ExpiredClaims(msgspec.Struct, frozen=True, kw_only=True):
    """Claims without a heartbeat in time.

    Attributes:
        back: Number of jobs that were not sent and are waiting again.
        unsure: Number of jobs that were sent, with an unknown outcome; they are waiting again.
        given_up: Number of these that failed because too many workers died during their calls.
    """

    back: int
    unsure: int
    given_up: int = 0


class RunProgress(msgspec.Struct, frozen=True, kw_only=True):
    """The progress of a run.

    Attributes:
        total: Number of jobs.
        done: Jobs with a reply: answered, unparsed or empty.
        cached: Number of these that were answered before the run.
        failed: Jobs that failed after the last attempt.
        waiting: Jobs that have not started, blocked ones included.
        in_flight: Jobs that are claimed or sent.
        cancelled: Jobs cancelled with the run.
        retried: Failed attempts that were followed by another one.
        to_retry: Jobs that failed and wait for another attempt.
        spent_micro: Cost so far, calls with an unknown outcome at their maximum.
        reserved_micro: Reserved for the jobs in flight.
        limit_micro: Limit of the run, None for none.
        per_second: Jobs that ended in the last minute, per second.
        left_s: Estimated remaining seconds at that rate, None if unknown.
    """

    total: int
    done: int
    cached: int
    failed: int
    waiting: int
    in_flight: int
    cancelled: int
    retried: int
    to_retry: int = 0
    spent_micro: int
    reserved_micro: int
    limit_micro: int | None
    per_second: float
    left_s: float | None


class RunCost(msgspec.Struct, frozen=True, kw_only=True):
    """What the cost of a run consists of, in millionths.

    Attributes:
        counted_micro: Answers, by the token counts of the server.
        uncounted_micro: Answers without token counts, at their maximum cost.
        lost_micro: Calls without an answer that the server may have charged, at their maximum cost.
    """

    counted_micro: int = 0
    uncounted_micro: int = 0
    lost_micro: int = 0

    @property
    def has_maximum(self) -> bool:
        """Whether a part is a maximum: the run may have cost less."""
        return bool(self.uncounted_micro or self.lost_micro)


class JobPrediction(msgspec.Struct, frozen=True, kw_only=True):
    """A job of a run with its prediction.

    Attributes:
        model: Name of the model's profile in this run.
        target: Id of the item, medium or scene.
        spec: Parameters of the request (JSON).
        state: State of the job.
        prediction: The prediction, whichever run requested it; None if there is none yet.
    """

    model: str
    target: str
    spec: dict[str, Any]
    state: JobState
    prediction: Prediction | None


class JobQuery(msgspec.Struct, frozen=True, kw_only=True):
    """A selection of a run's jobs; empty tuples and texts select everything.

    Attributes:
        run: Id of the run.
        kinds: Kinds of predictions; ``waiting`` for jobs without one.
        models: Names of profiles.
        text: Part of the name of the record that a job concerns.
    """

    run: str
    kinds: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    text: str = ""


class ListedJob(JobPrediction, frozen=True, kw_only=True):
    """A job for display in a list.

    Attributes:
        number: Number of the job, unique in the project.
        request_key: As in ``JobPlan``.
        name: Name of the record that it concerns, "" if the record no longer exists.
    """

    number: int
    request_key: bytes
    name: str


class RunPace(msgspec.Struct, frozen=True, kw_only=True):
    """The throughput of a run over time.

    Attributes:
        began_at: Unix time at which the first job was answered.
        step_s: Length of a step in seconds.
        counts: Number of jobs that were answered in each step.
    """

    began_at: float
    step_s: float
    counts: tuple[int, ...]


class FailureCount(msgspec.Struct, frozen=True, kw_only=True):
    """The number of failures of one kind in a run.

    Attributes:
        kind: A ``model_api.FailureKind``, or ``unparsed`` or ``empty``.
        count: Number of attempts.
        sample: Message of the newest one.
        left: Number of jobs that ended with such a failure; the others are asked again, or were answered.
    """

    kind: str
    count: int
    sample: str
    left: int


class Attempt(msgspec.Struct, frozen=True, kw_only=True):
    """One attempt of a job.

    Attributes:
        job: Number of the job.
        fence: Number of the claim.
        worker: Id of the worker.
        state: ``claimed``, ``sent``, ``answered``, ``failed``, ``unsure``; ``late`` if another claim had
            the job by then.
        began_at: Unix time.
        ended_at: Unix time, None while it is active.
        kind: Kind of the failure, "" for an answer.
        message: Description of the failure, "" for an answer.
        status: HTTP status.
        cost_micro: Cost in millionths.
    """

    job: int
    fence: int
    worker: str
    state: str
    began_at: float
    ended_at: float | None
    kind: str
    message: str
    status: int
    cost_micro: int


class WorkerHeartbeat(msgspec.Struct, frozen=True, kw_only=True):
    """A worker at its last heartbeat.

    Attributes:
        id: Id of the worker.
        pid: Id of its process.
        host: Name of its machine.
        started_at: Unix time.
        heartbeat_at: Unix time of the heartbeat.
        status: Its activity, or the reason why it ended.
    """

    id: str
    pid: int
    host: str
    started_at: float
    heartbeat_at: float
    status: str

    def is_at_work(self, *, now: float) -> bool:
        """Return whether its heartbeat is recent and it has not ended."""
        # One in the future is of a wrong clock, or of a file from elsewhere: it would be recent for years.
        return self.status != WORKER_ENDED and abs(now - self.heartbeat_at) < HEARTBEAT_EXPIRES_S
