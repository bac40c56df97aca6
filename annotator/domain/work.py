"""What the queue of model work hands in and out: plans of jobs, claims, outcomes, and how far a run is."""

from __future__ import annotations

from typing import Any

import msgspec

from annotator.domain.run import JobState, Prediction, RunKind

HEARD_S = 30.0
"""A worker that was heard of within this time is at work; it tells of itself every few seconds."""
WORKER_ENDED = "ended"
"""The last words of a worker that ended by itself; its row stays, and was heard of just now."""


class RunOrder(msgspec.Struct, frozen=True, kw_only=True):
    """What a person wants done.

    Attributes:
        kind: What.
        title: What the run is to be called, "" for its kind and number.
        models: Names of profiles.
        settings: By the kind of run (JSON).
        limit_micro: It may cost so much, millionths; None for no limit of its own.
    """

    kind: RunKind
    title: str = ""
    models: tuple[str, ...] = ()
    settings: dict[str, Any] = {}
    limit_micro: int | None = None


class Estimate(msgspec.Struct, frozen=True, kw_only=True):
    """What a run would ask, before it is begun.

    Attributes:
        jobs: Requests in all.
        cached: Of these, answered before.
        targets: Records that they are about.
        worst_micro: It would cost at most so much, millionths.
        by_model: Requests that are still to be asked, by profile.
        left_out: Records that were chosen and are not asked about, by reason
            (``domain.asking.ExclusionReason``). Together with ``targets`` they are the records that a person
            sees as chosen; those that the settings themselves pass over (another task, a rejected item) are
            in neither.
    """

    jobs: int
    cached: int
    targets: int
    worst_micro: int
    by_model: dict[str, int]
    left_out: dict[str, int] = {}


class JobPlan(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One request that a run wants answered.

    Plans are trees that refer to nothing that refers back: the search for garbage can pass them over, which
    walked a hundred thousand of them again and again.

    Attributes:
        key: SHA-256 of everything that decides the answer, 32 bytes.
        model: Name of the model's profile.
        target: Id of the item, medium or scene.
        spec: All that decides it besides model and target (JSON).
        worst_micro: It costs at most so much, millionths; 0 for a model that is free.
        after: Place in the same plan of a job whose prediction this one builds on, None for none.
    """

    key: bytes
    model: str
    target: str
    spec: dict[str, Any] = {}
    worst_micro: int = 0
    after: int | None = None


class PlanResult(msgspec.Struct, frozen=True, kw_only=True):
    """How many jobs a plan made, how many of them were answered before, and what was left out and why."""

    jobs: int
    cached: int
    left_out: dict[str, int] = {}


class Claim(msgspec.Struct, frozen=True, kw_only=True):
    """A job in the hands of a worker.

    Attributes:
        job: Its number.
        fence: The claim's own number: an outcome is taken only from the newest claim.
        run: Id of the run.
        kind: Kind of the run.
        key: As planned, like the rest.
        model: Name of the profile.
        target: Id of the record that it is about.
        spec: All that decides it besides.
        worst_micro: Reserved for it.
        attempts: How often it was claimed before.
        after_key: Key of the job that it builds on, None for none.
    """

    job: int
    fence: int
    run: str
    kind: RunKind
    key: bytes
    model: str
    target: str
    spec: dict[str, Any]
    worst_micro: int
    attempts: int
    after_key: bytes | None = None


class CallFailure(msgspec.Struct, frozen=True, kw_only=True):
    """A call that gave no answer.

    Attributes:
        kind: A ``predictor.FailureKind``.
        words: What happened, for people.
        status: HTTP status, 0 for none.
        retry_at: Unix time at which it is to be tried again; None where that would be of no use.
        was_sent: Whether it may have cost something.
        is_counted: Whether it was one of the tries that a job has; not where the job is not to blame.
    """

    kind: str
    words: str
    status: int = 0
    retry_at: float | None = None
    was_sent: bool = True
    is_counted: bool = True


class JobOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a claim: a prediction, or a failure; recorded in one transaction.

    Attributes:
        claim: The claim.
        prediction: The prediction; for a failure for good the one that says so; None where it is tried again.
        failure: Why there is no answer, None for an answer.
        raw: The reply as it came.
        prompt_tokens: As counted by the server.
        completion_tokens: The same.
        cost_micro: What the call cost.
    """

    claim: Claim
    prediction: Prediction | None = None
    failure: CallFailure | None = None
    raw: bytes = b""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_micro: int = 0


class ExpiredClaims(msgspec.Struct, frozen=True, kw_only=True):
    """Claims whose worker was not heard of in time.

    Attributes:
        back: Jobs that had not been sent and wait again.
        unsure: Jobs that had been sent, nobody knows with what outcome; they wait again too.
        given_up: Of these, given up: too many workers died while they were asked.
    """

    back: int
    unsure: int
    given_up: int = 0


class RunProgress(msgspec.Struct, frozen=True, kw_only=True):
    """How far a run is.

    Attributes:
        total: Jobs in all.
        done: Answered, unparsed or empty: the model was heard.
        cached: Of these, answered before the run.
        failed: Given up after the last try.
        waiting: Not begun, blocked ones included.
        in_flight: Claimed or sent.
        cancelled: Left out because the run was cancelled.
        retried: Attempts that failed and were tried again.
        spent_micro: What it cost so far, unsure calls at their worst.
        reserved_micro: Set aside for what is in flight.
        limit_micro: The run's own limit, None for none.
        per_second: Jobs that ended in the last minute, per second.
        left_s: Seconds that the rest takes at that pace, None where it cannot be said.
    """

    total: int
    done: int
    cached: int
    failed: int
    waiting: int
    in_flight: int
    cancelled: int
    retried: int
    spent_micro: int
    reserved_micro: int
    limit_micro: int | None
    per_second: float
    left_s: float | None


class JobPrediction(msgspec.Struct, frozen=True, kw_only=True):
    """A job of a run with what is known of its answer.

    Attributes:
        model: Name of the model's profile in this run.
        target: Id of the record that it is about.
        spec: What was asked of it (JSON).
        state: How the job stands.
        prediction: The prediction, whichever run got it; None where there is none yet.
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
        kinds: Kinds of predictions, any of them; ``waiting`` for jobs that have none yet.
        models: Names of profiles, any of them.
        text: Part of the name of the record that a job is about.
    """

    run: str
    kinds: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    text: str = ""


class ListedJob(JobPrediction, frozen=True, kw_only=True):
    """A job as a list shows it.

    Attributes:
        number: Of the job, unique in the project.
        key: Of what decides its answer.
        name: Of the record that it is about, "" where it is gone.
    """

    number: int
    key: bytes
    name: str


class RunPace(msgspec.Struct, frozen=True, kw_only=True):
    """How fast a run went, step by step.

    Attributes:
        began_at: Unix time at which the first job ended.
        step_s: Length of a step.
        counts: Jobs that ended in each step.
    """

    began_at: float
    step_s: float
    counts: tuple[int, ...]


class FailureCount(msgspec.Struct, frozen=True, kw_only=True):
    """How often calls of a run failed in one way.

    Attributes:
        kind: A ``predictor.FailureKind``, or ``unparsed`` or ``empty``.
        count: Attempts.
        sample: The newest one's words.
    """

    kind: str
    count: int
    sample: str


class Attempt(msgspec.Struct, frozen=True, kw_only=True):
    """One try of a job.

    Attributes:
        job: Its number.
        fence: The claim's number.
        worker: Id of who tried.
        state: ``claimed``, ``sent``, ``answered``, ``failed``, ``unsure``; ``late``: another had it by then.
        began_at: Unix time.
        ended_at: Unix time, None while it goes on.
        kind: Why it failed, "" for an answer.
        words: The same for people.
        status: HTTP status.
        cost_micro: What it cost.
    """

    job: int
    fence: int
    worker: str
    state: str
    began_at: float
    ended_at: float | None
    kind: str
    words: str
    status: int
    cost_micro: int


class WorkerHeartbeat(msgspec.Struct, frozen=True, kw_only=True):
    """A worker as it last told of itself.

    Attributes:
        id: Its id.
        pid: Number of its process.
        host: Name of its machine.
        started_at: Unix time.
        beat_at: Unix time of its last sign.
        words: What it does, or why it ended.
    """

    id: str
    pid: int
    host: str
    started_at: float
    beat_at: float
    words: str

    def is_at_work(self, *, now: float) -> bool:
        """Tell whether it was heard of just now and has not ended."""
        return self.words != WORKER_ENDED and now - self.beat_at < HEARD_S
