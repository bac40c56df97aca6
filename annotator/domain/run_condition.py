"""How a run stands, in the one word that lists, pages and commands show, and its English titles."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Literal

import msgspec

from annotator.domain.input_variants import variant_title
from annotator.domain.profile import ModelProfile
from annotator.domain.run import LimitScope, Run
from annotator.domain.study import variants_of
from annotator.domain.work import RunProgress

RunCondition = Literal[
    "unconfirmed",
    "waiting",
    "running",
    "paused",
    "limited",
    "stopped",
    "failed",
    "partly_failed",
    "cancelled",
    "done",
    "received",
]
"""``unconfirmed``: it was started elsewhere, and the person here has not allowed it. ``waiting``: it goes on,
and no worker is there. ``limited``: a cost limit leaves no room. ``stopped``: a failure waits for a person.
``failed``: over without an answer. ``partly_failed``: over, some without one. ``received``: it ran elsewhere
and came with a bundle."""
CONDITION_TITLES: dict[RunCondition, str] = {
    "unconfirmed": "Not confirmed (started elsewhere)",
    "waiting": "Waiting (no worker)",
    "running": "Running",
    "paused": "Paused",
    "limited": "Stopped at cost limit",
    "stopped": "Stopped by errors",
    "failed": "Failed",
    "partly_failed": "Done with errors",
    "cancelled": "Cancelled",
    "done": "Done",
    "received": "From elsewhere",
}
LIMIT_REASONS: dict[LimitScope, str] = {
    "run": "The run's cost limit is too low for the next call.",
    "day": "Today's cost limit is too low for the next call.",
    "project": "The project's cost limit is too low for the next call.",
}
"""Why a run stopped, by the limit that left no room."""
_LIMIT_CODES = {f"limit:{scope}": scope for scope in LIMIT_REASONS}
EARLIER_LIMIT_REASONS: dict[str, LimitScope] = {
    "The run's cost limit is too low for the next call.": "run",
    "Today's cost limit is too low for the next call.": "day",
    "The project's cost limit is too low for the next call.": "project",
}
"""What versions stored before the code of the limit. No new ones are added."""
KIND_TITLES = {
    "blind": "Blind filter",
    "consensus": "Consensus",
    "evaluation": "Evaluation",
    "draft": "Drafting by model",
    "detect": "Detection",
    "depth": "Depth",
}


def condition_of(
    run: Run, progress: RunProgress, *, has_worker: bool, is_confirmed: bool = True
) -> RunCondition:
    """Return how a run stands.

    Args:
        run: The run.
        progress: Its jobs.
        has_worker: Whether any worker was heard of just now.
        is_confirmed: Whether the person at this machine allows it.
    """
    if run.state == "running" and not is_confirmed:
        return "unconfirmed"
    if run.state == "running":
        return "running" if has_worker else "waiting"
    if run.state == "stopped":
        return "limited" if run.limit_scope else "stopped"
    if run.state == "done" and progress.failed:
        return "partly_failed" if progress.done else "failed"
    return run.state


def limit_code(scope: LimitScope) -> str:
    """Return what is stored as the reason of a run that a cost limit stopped."""
    return f"limit:{scope}"


def with_reason(run: Run, stored: str) -> Run:
    """Return a run with the reason of its state, read from what is stored: a code, or an error's text."""
    scope = _LIMIT_CODES.get(stored) or EARLIER_LIMIT_REASONS.get(stored)
    if scope is None:
        return msgspec.structs.replace(run, message=stored)
    return msgspec.structs.replace(run, message=LIMIT_REASONS[scope], limit_scope=scope)


def given_title(run: Run) -> str:
    """Return the name that a person gave a run, "" for none."""
    # Runs of earlier versions were called by kind and models where nobody named them.
    return "" if run.title.startswith(f"{run.kind}: ") else run.title


def run_title(run: Run) -> str:
    """Return what a run is called in English: "Blind filter 3" where nobody named it."""
    title = given_title(run) or f"{KIND_TITLES[run.kind]} {run.number}"
    title = " · ".join(filter(None, (title, variant_title(variants_of(run)))))
    return f"{title} (from elsewhere)" if run.state == "received" else title


def duration_s(run: Run, *, now: float) -> float:
    """Return how long a run took, for one that is not over until now, in seconds."""
    if not run.created_at:
        return 0.0
    ended = datetime.fromisoformat(run.ended_at) if run.ended_at else datetime.fromtimestamp(now, UTC)
    return max(0.0, (ended - datetime.fromisoformat(run.created_at)).total_seconds())


def models_without_price(run: Run) -> tuple[str, ...]:
    """Return the names of a run's models that may cost something, at a price that nobody stated."""
    profiles = (msgspec.convert(profile, ModelProfile) for profile in run.profiles.values())
    return tuple(profile.name for profile in profiles if profile.has_unknown_price)
