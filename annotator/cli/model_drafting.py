"""Drafting by a model for ``draft --by model``: the run, then storing the drafts that passed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from annotator.cli.console import Console
from annotator.cli.exit_status import FOUND_PROBLEMS
from annotator.cli.options import execute, open_session
from annotator.cli.run_execution import status_text
from annotator.cli.run_status import execute_run
from annotator.commands.model_drafts import StoreModelDrafts
from annotator.domain.run_condition import condition_of
from annotator.domain.work import RunOrder
from annotator.draft.llm.settings import DraftingSettings
from annotator.errors import UserError


def draft_by_model(
    project: Path, settings: DraftingSettings, *, model: str, limit_micro: int | None, console: Console
) -> int:
    """Run a model, store the drafts that pass the checks, report each task, and return the exit status.

    Raises:
        UserError: There is nothing to draft from, or the model is unknown.
        EnvironmentFailure: The project file cannot be written.
        Cancelled: Ctrl+C was pressed, or the run was paused or cancelled elsewhere: no item is stored, and
            answered steps are not repeated.
    """
    if not model:
        raise UserError("No model is given.", hint="Set a model profile with: --model NAME")
    with open_session(project) as session:
        order = RunOrder(
            kind="draft",
            models=(model,),
            settings=settings.to_json(),
            limit_micro=limit_micro,
        )
        run = execute_run(session, order, workers=None, console=console)
        command = StoreModelDrafts(run=run.id)
        execute(session, command, console=console)
        progress = session.reader.runs.progress(run.id)
        condition = condition_of(run, progress, has_worker=session.reader.runs.has_worker())
        cost = session.reader.runs.cost(run.id)
        console.warn(status_text(run, progress, cost=cost, condition=condition))
    report = {
        "run": run.id,
        "state": run.state,
        "cost_micro": progress.spent_micro,
        "failed": progress.failed,
        "prompts": sorted(run.settings["prompts"]),
        **command.report.to_json(),
    }
    console.result(report, print_text=lambda: _print_report(report, console=console))
    return 0 if run.state == "done" and not progress.failed else FOUND_PROBLEMS


def _print_report(report: dict[str, Any], *, console: Console) -> None:
    counts = ("drafted", "unchanged", "rejected")
    console.print("  ".join(f"{name} {report[name]:,}" for name in counts))
    rows = [
        (name, *(f"{task[count]:,}" for count in counts), _attempts_text(task["attempts"]))
        for name, task in report["tasks"].items()
    ]
    console.table_if_any("Items", head=("task", *counts, "attempts needed"), rows=rows)
    reasons = [
        (name, reason, f"{count:,}")
        for name, task in report["tasks"].items()
        for reason, count in task["reasons"].items()
    ]
    console.table_if_any("Not drafted", head=("task", "reason", "number"), rows=reasons)


def _attempts_text(attempts: dict[str, int]) -> str:
    return ", ".join(f"{count:,} at attempt {attempt}" for attempt, count in attempts.items())
