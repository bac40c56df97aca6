"""Drafting by a model, as the verb ``draft --by model`` does it: the run, then the keeping of what passed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from annotator.cli.console import Console
from annotator.cli.options import do, opened
from annotator.cli.standing import work_off
from annotator.cli.working import standing_words
from annotator.commands.model_drafts import KeepModelDrafts
from annotator.domain.work import RunOrder
from annotator.draft.chain.settings import ChainSettings
from annotator.errors import UserError

FOUND_PROBLEMS = 1


def draft_by_model(
    project: Path, settings: ChainSettings, *, model: str, limit_micro: int | None, console: Console
) -> int:
    """Ask a model, keep what passes the checks, say what came of each task, and return the exit status.

    Raises:
        UserError: There is nothing to draft from, or no such model.
        HostError: The disk refused.
        Cancelled: Ctrl+C was pressed, or somebody else paused or cancelled the run: nothing is kept, and what
            was answered is not asked again.
    """
    if not model:
        raise UserError("No model was named.", hint="Name a model profile with: --model NAME")
    with opened(project) as session:
        order = RunOrder(
            kind="draft",
            models=(model,),
            settings=settings.to_json(),
            limit_micro=limit_micro,
        )
        run = work_off(session, order, workers=None, console=console)
        command = KeepModelDrafts(run=run.id)
        do(session, command, console=console)
        progress = session.reader.run_progress(run.id)
        console.warn(standing_words(run, progress))
    report = {
        "run": run.id,
        "state": run.state,
        "cost_micro": progress.spent_micro,
        "failed": progress.failed,
        "prompts": sorted(run.settings["prompts"]),
        **command.report.to_json(),
    }
    console.result(report, words=lambda: _print_report(report, console=console))
    return 0 if run.state == "done" and not progress.failed else FOUND_PROBLEMS


def _print_report(report: dict[str, Any], *, console: Console) -> None:
    counts = ("drafted", "unchanged", "rejected")
    console.say("  ".join(f"{name} {report[name]:,}" for name in counts))
    rows = [
        (name, *(f"{task[count]:,}" for count in counts), _attempts_words(task["attempts"]))
        for name, task in report["tasks"].items()
    ]
    if rows:
        console.table("Items", head=("task", *counts, "attempts taken"), rows=rows)
    reasons = [
        (name, reason, f"{count:,}")
        for name, task in report["tasks"].items()
        for reason, count in task["reasons"].items()
    ]
    if reasons:
        console.table("No item", head=("task", "reason", "number"), rows=reasons)


def _attempts_words(attempts: dict[str, int]) -> str:
    return ", ".join(f"{count:,} at attempt {attempt}" for attempt, count in attempts.items())
