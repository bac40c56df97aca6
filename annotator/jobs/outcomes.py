"""What is kept of a call: prediction, cost, and whether it is tried again."""

from __future__ import annotations

import logging
import random
from datetime import UTC, datetime

import msgspec

from annotator.domain.profile import ModelProfile
from annotator.domain.run import Prediction
from annotator.domain.work import CallFailure, Claim, JobOutcome
from annotator.errors import EnvironmentFailure, VantageError
from annotator.jobs.calls import CallDone
from annotator.jobs.job_type import BatchJobType, ChatJobType, JobType, ParsedReply, WorkerContext
from annotator.jobs.retry import demands_long_wait, may_have_cost, retry_after_s
from annotator.model_api import CallFailed, ChatReply, FailureKind, ModelIdentity

log = logging.getLogger(__name__)
TEXT_KEPT = 4_000
"""Characters of a reply stored in the prediction; the complete reply is stored separately."""


def outcomes_of(
    called: CallDone,
    *,
    profile: ModelProfile,
    worker_context: WorkerContext,
    now: float,
    chance: random.Random,
) -> list[JobOutcome]:
    """Return what is kept of a call, one per job."""
    claims, made = called.task.claims, called.made
    if made.error is not None or made.model is None:
        error = made.error or CallFailed("No model was opened.", kind="model", is_retryable=False)
        return [
            failed_outcome(claim, error, profile=profile, model=made.model, now=now, chance=chance)
            for claim in claims
        ]
    kind, model = called.task.kind, made.model
    pairs = zip(claims, made.results, strict=True)
    return [
        _answered(claim, result, kind=kind, profile=profile, model=model, worker_context=worker_context)
        for claim, result in pairs
    ]


def failed_outcome(
    claim: Claim,
    error: VantageError,
    *,
    profile: ModelProfile,
    model: ModelIdentity | None,
    now: float,
    chance: random.Random,
) -> JobOutcome:
    """Return the outcome of a failed call: a retry, or a prediction of kind error.

    A failure that affects all jobs alike (``affects_all_jobs``) does not count as an attempt: the job is
    retried when a person resumes the run.
    """
    failed = error if isinstance(error, CallFailed) else _failed_before_call(error)
    wait_s = retry_after_s(failed, attempts=claim.attempts + 1, tries=profile.tries, chance=chance)
    if affects_all_jobs(error):
        wait_s = 0.0
    failure = CallFailure(
        kind=failed.kind,
        message=str(error),
        status=failed.status,
        retry_at=None if wait_s is None else now + wait_s,
        was_sent=failed.was_sent,
        is_counted=not affects_all_jobs(error),
    )
    prediction = _error(claim, model=model, message=str(error)) if failure.retry_at is None else None
    return JobOutcome(
        claim=claim,
        prediction=prediction,
        failure=failure,
        raw=failed.raw,
        cost_micro=claim.worst_micro if may_have_cost(failed) else 0,
    )


def _failed_before_call(error: VantageError) -> CallFailed:
    """Return the failure of a call that was not made, because the model is not there."""
    return CallFailed(str(error), kind="model", is_retryable=False, was_sent=False)


def material_failure(error: VantageError | None) -> CallFailed:
    """Return why a request cannot be built, as the failure of its job.

    An error of the disk is none of the job's: it is retried, and many in a row stop the run.
    """
    is_of_disk = isinstance(error, EnvironmentFailure)
    kind: FailureKind = "disk" if is_of_disk else "material"
    return CallFailed(str(error), kind=kind, is_retryable=is_of_disk, was_sent=False)


def outcome_without_call(claim: Claim, answer: ParsedReply) -> JobOutcome:
    """Return what is kept of a job that was decided without asking: it cost nothing."""
    prediction = Prediction(
        request_key=claim.request_key.hex(),
        kind=answer.kind,
        target=claim.target,
        spec=claim.spec,
        answer=answer.answer,
        message=answer.message,
        run=claim.run,
        made_at=_now(),
    )
    return JobOutcome(claim=claim, prediction=prediction)


def affects_all_jobs(error: VantageError) -> bool:
    """Tell whether a failure is none of the job's, so that its run stops and the job waits.

    The key is not accepted, the model cannot be opened, or the server accepts no request for hours.
    """
    return not isinstance(error, CallFailed) or error.kind == "key" or demands_long_wait(error)


def _answered(
    claim: Claim,
    result: object,
    *,
    kind: JobType,
    profile: ModelProfile,
    model: ModelIdentity,
    worker_context: WorkerContext,
) -> JobOutcome:
    reply = result if isinstance(result, ChatReply) else ChatReply(text="")
    answer = _read(kind, claim, result, worker_context)
    cost = profile.cost_micro(prompt_tokens=reply.prompt_tokens, completion_tokens=reply.completion_tokens)
    if not reply.prompt_tokens and not reply.completion_tokens:
        # A server without token counts charges all the same, so the maximum cost is booked.
        cost = claim.worst_micro
    prediction = Prediction(
        request_key=claim.request_key.hex(),
        kind=answer.kind,
        target=claim.target,
        model=msgspec.to_builtins(model),
        spec=claim.spec,
        answer=answer.answer,
        text=reply.text[:TEXT_KEPT],
        scores=answer.scores,
        message=answer.message,
        run=claim.run,
        prompt_tokens=reply.prompt_tokens,
        completion_tokens=reply.completion_tokens,
        cost_micro=cost,
        made_at=_now(),
    )
    return JobOutcome(
        claim=claim,
        prediction=prediction,
        raw=reply.raw,
        prompt_tokens=reply.prompt_tokens,
        completion_tokens=reply.completion_tokens,
        cost_micro=cost,
    )


def _read(kind: JobType, claim: Claim, result: object, worker_context: WorkerContext) -> ParsedReply:
    try:
        if isinstance(kind, ChatJobType) and isinstance(result, ChatReply):
            return kind.read(claim, result, worker_context)
        if isinstance(kind, BatchJobType):
            return kind.read(claim, result, worker_context)
    except Exception as error:
        # The reply is there and paid for: to end the worker here would have it asked for again and again.
        log.exception("the reply to job %d", claim.job)
        return ParsedReply(
            kind="unparsed", message=f"The reply cannot be read: {type(error).__name__}: {error}."
        )
    return ParsedReply(
        kind="unparsed", message=f"{type(kind).__name__} does not read {type(result).__name__}."
    )


def _error(claim: Claim, *, model: ModelIdentity | None, message: str) -> Prediction:
    return Prediction(
        request_key=claim.request_key.hex(),
        kind="error",
        target=claim.target,
        model=msgspec.to_builtins(model) if model else {},
        spec=claim.spec,
        message=message,
        run=claim.run,
        made_at=_now(),
    )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
