"""A run, one batch of model work with fixed settings, and the states of its jobs."""

from __future__ import annotations

from typing import Any, Literal

from annotator.domain.record import ValueObject

RunKind = Literal["blind", "consensus", "evaluation", "draft", "detect", "depth"]
RunState = Literal["running", "paused", "cancelled", "done", "stopped", "received"]
"""``stopped``: a limit of cost was reached, or nothing is left but failures that wait for a person.
``received``: it ran elsewhere, came with a bundle, and stands still."""
LimitScope = Literal["run", "day", "project"]
"""Whose limit of cost it is."""
UNFINISHED: frozenset[RunState] = frozenset({"running", "paused", "stopped"})
"""States of a run that may still bring answers. A cancelled one brings none: what was answered counts."""
JobState = Literal["blocked", "waiting", "claimed", "sent", "done", "failed", "cancelled"]
PredictionKind = Literal["answer", "unparsed", "empty", "error"]
"""An error, an empty reply and one that cannot be read are predictions of their own kind, never 'wrong'."""
MICRO = 1_000_000
"""Costs are whole millionths of the currency, so that sums are exact."""


class Run(ValueObject, frozen=True, kw_only=True, omit_defaults=True):
    """One batch of model work.

    Attributes:
        id: UUIDv7.
        kind: What is done.
        title: Displayed name.
        models: Names of the model profiles.
        settings: Further settings of the kind of run (JSON): items, rotations, samples,
            prompt, frames, policy.
        profiles: The profiles at the creation of the run (JSON), by name; without secrets.
        limit_micro: Limit of cost in millionths; 0 for free models only, None for no limit of its own.
        created_by: Id of the actor.
        created_at: ISO 8601 UTC.
        state: State of the run.
        ended_at: ISO 8601 UTC, "" while it is active.
        message: Reason of the state, "" for none.
        limit_scope: The cost limit that stopped the run, "" for another reason; read from what is stored as
            its reason.
        number: Its number among the runs of its kind, from 1; computed when it is read, not stored.
    """

    id: str
    kind: RunKind
    title: str = ""
    models: tuple[str, ...] = ()
    settings: dict[str, Any] = {}
    profiles: dict[str, Any] = {}
    limit_micro: int | None = None
    created_by: str = ""
    created_at: str = ""
    state: RunState = "running"
    ended_at: str = ""
    message: str = ""
    limit_scope: LimitScope | Literal[""] = ""
    number: int = 0


class Prediction(ValueObject, frozen=True, kw_only=True, omit_defaults=True):
    """One model's answer to one request, or the reason why there is none.

    Attributes:
        request_key: Hex digest of everything that determines the answer; each key is requested once.
        kind: Answer, unparsed, empty or error.
        target: Id of the item, medium or scene.
        model: The model's identity (JSON of ``model_api.ModelIdentity``).
        spec: Parameters of the request (JSON): prompt, rotation, sample, frames.
        answer: The answer in canonical form, "" for none; for a detector and a draft step JSON.
        text: Beginning of the model's text; the complete reply is stored separately.
        scores: Scores of the options in the order of the item, empty if the model gives none.
        message: Reason why there is no answer, "" for an answer.
        run: Id of the run that made the request.
        prompt_tokens: As counted by the server.
        completion_tokens: The same.
        cost_micro: Cost in millionths.
        made_at: ISO 8601 UTC.
    """

    request_key: str
    kind: PredictionKind
    target: str
    model: dict[str, Any] = {}
    spec: dict[str, Any] = {}
    answer: str = ""
    text: str = ""
    scores: tuple[float, ...] = ()
    message: str = ""
    run: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_micro: int = 0
    made_at: str = ""
