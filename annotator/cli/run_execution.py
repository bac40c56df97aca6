"""Start runs and process them in the same process; ``worker`` processes the rest."""

from __future__ import annotations

from annotator.cli.console import Console
from annotator.cli.options import model_catalog
from annotator.cli.run_progress import RunProgressBar
from annotator.cli.worker_commands import drain_on_signal
from annotator.domain.run import MICRO, Run
from annotator.domain.run_condition import CONDITION_TITLES, RunCondition, models_without_price
from annotator.domain.work import RunCost, RunOrder, RunProgress
from annotator.errors import UserError
from annotator.jobs.confirmed_runs import ConfirmedRuns
from annotator.jobs.worker import Processes, create_worker
from annotator.session import Session
from annotator.user_profile import config_folder

LIMITS_BELOW = 1e12
"""Larger limits do not fit into the project file in millionths."""


def start_run(session: Session, order: RunOrder, *, console: Console) -> Run:
    """Create a run and print its number of calls and its possible cost.

    Raises:
        UserError: There is nothing to ask, or a model is not known.
        Cancelled: Ctrl+C was pressed; no run was created.
    """
    with console.progress() as progress:
        future = session.runs.start(order, progress=progress)
        run, planned = console.wait(future, progress=progress)
    console.warn(f"Run {run.id}: {planned.jobs:,} questions, {planned.cached:,} of them already answered.")
    for reason, count in planned.left_out.items():
        console.warn(f"{count:,} skipped: {reason}.")
    if unknown := models_without_price(run):
        console.warn(
            f"The price of {', '.join(unknown)} is unknown: a cost limit does not count these requests. "
            "Set it with: models add NAME --price IN OUT"
        )
    return run


def process_run(session: Session, run: Run, *, console: Console, workers: int | None = None) -> Run:
    """Process a run until it is finished or stopped; the first Ctrl+C waits for calls in progress.

    Args:
        session: The project.
        run: The run.
        console: Shows the progress.
        workers: Processes that share the work; None for one a GPU where there are several.

    Raises:
        EnvironmentFailure: The project file cannot be written.
    """
    with console.progress() as progress:
        progress_bar = RunProgressBar(session.reader, runs=(run.id,), progress=progress, report=console.warn)
        with (
            create_worker(
                session.path,
                catalogue=model_catalog(),
                confirmed=ConfirmedRuns(config_folder()),
                run=run.id,
                processes=Processes(count=workers),
                recorded=lambda _count: progress_bar.update(),
                report=console.warn,
            ) as working,
            drain_on_signal(working.stop),
        ):
            working.work(until_done=True)
        progress_bar.end()
    return require_run(session, run.id)


def require_run(session: Session, run_id: str) -> Run:
    """Return the present state of a run.

    Raises:
        UserError: The run no longer exists.
    """
    run = session.reader.runs.get(run_id)
    if run is None:
        raise UserError("There is no such run.", hint="List them with: runs list PROJECT")
    return run


def status_text(run: Run, progress: RunProgress, *, cost: RunCost, condition: RunCondition) -> str:
    """Return the status of a run as one line."""
    money = (
        f" It cost {progress.spent_micro / MICRO:,.4f}{_maximum_text(cost)}." if progress.spent_micro else ""
    )
    if unknown := models_without_price(run):
        money += f" Unknown price: {', '.join(unknown)}."
    return (
        f"Run {run.id}: {CONDITION_TITLES[condition]}. {progress.done:,} of {progress.total:,} answered "
        f"({progress.cached:,} before), {progress.failed:,} failed, "
        f"{progress.waiting + progress.in_flight:,} open.{money} {run.message}"
    ).strip()


def _maximum_text(cost: RunCost) -> str:
    """Return which parts of the cost are a maximum, in parentheses; "" if all of it is known."""
    if not cost.has_maximum:
        return ""
    parts = [f"answers {cost.counted_micro / MICRO:,.4f}"]
    if cost.uncounted_micro:
        parts.append(f"answers without token counts at most {cost.uncounted_micro / MICRO:,.4f}")
    if cost.lost_micro:
        parts.append(f"lost calls at most {cost.lost_micro / MICRO:,.4f}")
    return f" ({', '.join(parts)})"


def limit_micro(limit: float | None) -> int | None:
    """Return a limit of cost in millionths, None for none.

    Raises:
        UserError: The limit is negative, too large or no number.
    """
    if limit is None:
        return None
    # Also refuses 'nan' and 'inf', which are numbers for the option.
    if not 0 <= limit < LIMITS_BELOW:
        raise UserError(
            f"The cost limit {limit:g} is not possible.",
            hint="Enter a number of 0 or more, below 1,000,000,000,000.",
        )
    return round(limit * MICRO)
