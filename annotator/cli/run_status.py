"""The state of a run as commands print it; runs that a command starts and processes."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import msgspec

from annotator.cli.console import Console
from annotator.cli.exit_status import FOUND_PROBLEMS
from annotator.cli.run_execution import process_run, require_run, start_run, status_text
from annotator.domain.failure_titles import failure_title
from annotator.domain.run import MICRO, Run
from annotator.domain.run_condition import (
    RunCondition,
    condition_of,
    duration_s,
    models_without_price,
    run_title,
)
from annotator.domain.work import FailureCount, RunCost, RunOrder, RunProgress
from annotator.errors import Cancelled
from annotator.jobs.confirmed_runs import refusal
from annotator.quality.accuracy import METHOD, Accuracy
from annotator.quality.decision_basis import MISSING_TEXTS, DecisionBasis
from annotator.session import Session

SHOWN = 50
"""So many rows of a table are printed; all are in the JSON."""
SHOWN_FAILURES = 10


class RunStatus(msgspec.Struct, frozen=True, kw_only=True):
    """The status of a run.

    Attributes:
        run: The run.
        progress: Its jobs.
        cost: What its cost consists of.
        failures: Reasons of failed calls, the most frequent first.
        has_worker: Whether a worker is active.
        is_confirmed: Whether the person at this machine allows the run.
    """

    run: Run
    progress: RunProgress
    cost: RunCost
    failures: tuple[FailureCount, ...]
    has_worker: bool = False
    is_confirmed: bool = True

    @classmethod
    def of(cls, session: Session, run_id: str) -> RunStatus:
        """Return the present status of a run.

        Raises:
            UserError: The run no longer exists.
        """
        run = require_run(session, run_id)
        return cls(
            run=run,
            progress=session.reader.runs.progress(run_id),
            cost=session.reader.runs.cost(run_id),
            failures=tuple(session.reader.runs.failures(run_id)),
            has_worker=session.reader.runs.has_worker(),
            is_confirmed=session.runs.is_confirmed(run),
        )

    @property
    def condition(self) -> RunCondition:
        """The state, in one word."""
        return condition_of(
            self.run, self.progress, has_worker=self.has_worker, is_confirmed=self.is_confirmed
        )

    @property
    def status(self) -> int:
        """The exit status: 1 if a question has no answer, or the run stopped by itself."""
        return FOUND_PROBLEMS if self.progress.failed or self.run.state == "stopped" else 0

    def to_json(self) -> dict[str, Any]:
        """Return it as an object for ``--json``."""
        run = self.run
        return {
            "id": run.id,
            "kind": run.kind,
            "title": run_title(run),
            "models": run.models,
            "state": run.state,
            "condition": self.condition,
            "message": run.message,
            "created_at": run.created_at,
            "ended_at": run.ended_at,
            "duration_s": duration_s(run, now=time.time()),
            "cost": self.progress.spent_micro / MICRO,
            "cost_parts": {
                "answers": self.cost.counted_micro / MICRO,
                "answers_without_token_counts_at_most": self.cost.uncounted_micro / MICRO,
                "lost_calls_at_most": self.cost.lost_micro / MICRO,
            },
            "models_without_price": models_without_price(run),
            "progress": msgspec.to_builtins(self.progress),
        }

    def failures_json(self) -> dict[str, Any]:
        """Return state and failures, for the object of a verb that worked on the run."""
        return {
            "run": self.run.id,
            "state": self.run.state,
            "failed": self.progress.failed,
            "failures": msgspec.to_builtins(self.failures),
        }

    def print(self, console: Console, *, is_whole: bool = False) -> None:
        """Print the status in one line, then the failures with advice.

        Args:
            console: Where to.
            is_whole: Whether failed calls are listed even if all answers have arrived since.
        """
        console.print(status_text(self.run, self.progress, cost=self.cost, condition=self.condition))
        if self.failures and (is_whole or self.status):
            rows = [
                (failure_title(failure.kind), f"{failure.count:,}", failure.sample)
                for failure in self.failures[:SHOWN_FAILURES]
            ]
            console.table("Calls that failed", head=("kind", "calls", "example"), rows=rows)
        if self.condition == "unconfirmed":
            error = refusal()
            console.print(str(error))
        elif self.progress.failed and self.run.state != "received":
            console.print(f"Retry failed questions with: runs retry PROJECT {self.run.id}")
        elif self.run.state == "stopped":
            console.print(f"Correct the cause, then resume with: runs resume PROJECT {self.run.id}")
            console.print(
                "A run uses the profiles from its start: after you change a profile, start a new run."
            )


def execute_run(session: Session, order: RunOrder, *, workers: int | None, console: Console) -> Run:
    """Create a run and process it to its end.

    Raises:
        UserError: There is nothing to ask, or a model is unknown.
        Cancelled: Ctrl+C was pressed, or the run was paused or cancelled elsewhere; it is not finished.
        EnvironmentFailure: The project file cannot be written.
    """
    run = start_run(session, order, console=console)
    if run.state == "running":
        run = process_run(session, run, console=console, workers=workers)
    require_finished(session, run)
    return run


def require_finished(session: Session, run: Run) -> None:
    """Refuse to evaluate a run with open questions.

    Raises:
        Cancelled: The message contains their number, and how to continue.
    """
    if run.state in {"done", "stopped", "received"}:
        return
    progress = session.reader.runs.progress(run.id)
    left = progress.waiting + progress.in_flight
    if run.state == "cancelled":
        raise Cancelled(f"Run {run.id} was cancelled. Its answers are kept.")
    text = "paused" if run.state == "paused" else "not finished"
    command = f"runs resume PROJECT {run.id}" if run.state == "paused" else "worker PROJECT --until-done"
    raise Cancelled(
        f"Run {run.id} is {text}: {left:,} of {progress.total:,} questions are open, and its answers are "
        f"not applied yet. Continue with: {command}, then repeat this command: answered questions are not "
        "asked again."
    )


def basis_texts(accuracy: Accuracy | None, bases: Sequence[DecisionBasis], *, fewest: int = 1) -> list[str]:
    """Return sentences on the accuracy of a run, and on the basis of decisions without answers of some model.

    Args:
        accuracy: Of all answers, None without any.
        bases: The basis of the decisions.
        fewest: Minimum number of models for a decision about an item.
    """
    texts = []
    if accuracy is not None:
        texts.append(
            f"Accuracy: {accuracy.share:.1%} of {accuracy.known:,} answers "
            f"(95% {METHOD} interval {accuracy.low:.1%} to {accuracy.high:.1%}, items as clusters)."
        )
    for basis in bases:
        if not basis.is_complete:
            reasons = ", ".join(MISSING_TEXTS[kind] for kind in basis.missing)
            texts.append(
                f"{basis.items:,} items {'decided' if basis.answered >= fewest else 'not judged'} "
                f"({basis.answered} of {basis.asked} models answered): {reasons}."
            )
    return texts
