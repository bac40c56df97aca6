"""The command ``necessity``: whether the items need their views, frames, regions and images at all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from annotator.cli.console import Console
from annotator.cli.options import execute, json_option, open_session, project_argument, read_session
from annotator.quality.necessity.decision import MOST_FALSE, PartDecision
from annotator.quality.necessity.report import ALL_TASKS, NecessityReport, TaskGain, flagged_by_task

COLUMNS = (
    "task", "input", "items", "whole_pct", "without_pct", "gain_pct", "low_pct", "high_pct", "gained", "lost",
    "p",
)  # fmt: skip


@click.command()
@project_argument
@click.option("--run", "run_id", default="last", help="A run of the study; default: the last evaluation.")
@click.option(
    "--false-flags",
    "most_false",
    type=click.FloatRange(0, 1, min_open=True),
    default=MOST_FALSE,
    show_default=True,
    help="Largest expected share of false flags.",
)
@click.option(
    "--flag", "is_flagged", is_flag=True, help="Flag the items that do not need a part, as one step."
)
@click.option(
    "--csv", "target", type=click.Path(path_type=Path, dir_okay=False), help="Write the gains to a CSV file."
)
@json_option
def necessity(
    project: Path, *, run_id: str, most_false: float, is_flagged: bool, target: Path | None, console: Console
) -> None:
    """Compare the answers of an evaluation with the whole input and without a part of it.

    The runs are those of: evaluate PROJECT --ablate PART,… Nobody is asked. The result is the gain of each
    part per task, and the items that models answer as surely without it.
    """
    from annotator.commands.necessity_flags import FlagUnneededInput
    from annotator.quality.necessity.report import compare_study, report_necessity
    from annotator.quality.predictions import existing_run

    opened = open_session(project) if is_flagged else read_session(project)
    with opened as session:
        run = existing_run(session.reader, run_id, kinds=("evaluation",))
        with console.progress() as progress:
            study = compare_study(session.reader, run, progress=progress)
            report = report_necessity(study, most_false=most_false)
        flags: dict[str, int] = {}
        if is_flagged:
            command = FlagUnneededInput(report=report)
            execute(session, command, console=console)
            flags = {
                "flags added": command.added,
                "flags closed": command.closed,
                "items to review": command.moved,
            }
    if target is not None:
        _write_csv(target, report.gains)
    console.result(_as_json(report, flags), print_text=lambda: _print(report, flags, console=console))


def _as_json(report: NecessityReport, flags: dict[str, int]) -> dict[str, Any]:
    return {
        "runs": report.runs,
        "models": report.models,
        "gains": [{**msgspec.to_builtins(one), "change": one.gain.gain} for one in report.gains],
        "decisions": [_decision_json(one) for one in report.decisions],
        "flags": flags,
    }


def _decision_json(decision: PartDecision) -> dict[str, Any]:
    items = [
        {
            "item": one.item.id,
            "name": one.item.name,
            "task": one.item.task,
            "right": {comparison.input: comparison.without.right for comparison in one.comparisons},
            "right_whole": one.comparisons[0].whole.right,
        }
        for one in decision.findings
    ]
    fields = ("part", "kind", "items", "threshold", "expected_false", "false_share")
    return {name: getattr(decision, name) for name in fields} | {"findings": items}


def _print(report: NecessityReport, flags: dict[str, int], *, console: Console) -> None:
    head = (
        "task",
        "input",
        "items",
        "whole %",
        "without %",
        "gain",
        "95 %",
        "only whole",
        "only without",
        "p",
    )
    rows = [tuple(_cells(one)) for one in report.gains]
    console.table(f"Gain of each part of the input: {', '.join(report.models)}", head=head, rows=rows)
    for decision in report.decisions:
        console.print(decision_text(decision))
    counts = flagged_by_task(report)
    tasks = [
        (task, kind, f"{count:,}") for (task, kind), count in sorted(counts.items()) if task != ALL_TASKS
    ]
    console.table_if_any("Items that do not need a part", head=("task", "kind", "items"), rows=tasks)
    if flags:
        console.print("  ".join(f"{name} {count:,}" for name, count in flags.items()))


def decision_text(decision: PartDecision) -> str:
    """Return how many items do not need a part, and how many of these findings are expected to be false."""
    about = f"{decision.kind}: {len(decision.findings):,} of {decision.items:,} items"
    if decision.threshold is not None:
        return (
            f"{about} (at least {100 * decision.threshold:.0f} % of the answers right); at most "
            f"{decision.expected_false:.1f} of them are expected to be false."
        )
    if decision.false_share is None:
        return f"{about}."
    return (
        f"{about}: {100 * min(1.0, decision.false_share):.0f} % of the flags would be false at least. "
        "Ask more models, or more rotations or shuffles."
    )


def _cells(one: TaskGain) -> Iterator[str]:
    gain = one.gain
    yield one.task or "all"
    yield one.input
    yield f"{gain.items:,}"
    yield f"{100 * gain.with_it:.1f}"
    yield f"{100 * gain.without:.1f}"
    yield f"{100 * gain.gain:+.1f}"
    yield f"{100 * gain.low:+.1f} to {100 * gain.high:+.1f}"
    yield f"{gain.gained:,}"
    yield f"{gain.lost:,}"
    yield f"{gain.p_value:.4f}"


def _write_csv(target: Path, gains: Sequence[TaskGain]) -> None:
    from annotator.release.cells import csv_line

    lines = [csv_line(COLUMNS)]
    for one in gains:
        gain = one.gain
        shares = (gain.with_it, gain.without, gain.gain, gain.low, gain.high)
        numbers = (*(f"{100 * share:.2f}" for share in shares), f"{gain.gained}", f"{gain.lost}")
        lines.append(
            csv_line((one.task or "all", one.input, f"{gain.items}", *numbers, f"{gain.p_value:.6f}"))
        )
    # In one piece: a file that cannot be written keeps what it had.
    target.write_bytes(b"".join(lines))


VERBS = (necessity,)
