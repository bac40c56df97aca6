"""The command ``key-errors``: items whose answer key is probably wrong."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from annotator.cli.console import Console
from annotator.cli.options import execute, json_option, open_session, project_argument, read_session
from annotator.quality.key_errors.report import KeyErrorReport


@click.command(name="key-errors")
@project_argument
@click.option("--run", "run_ids", multiple=True, help="Only answers of this run and of people; repeatable.")
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True, help="Number of items.")
@click.option(
    "--least",
    type=click.FloatRange(0, 1),
    default=0.1,
    show_default=True,
    help="Smallest probability of a wrong answer key.",
)
@click.option("--flag", "is_flagged", is_flag=True, help="Flag the items for review, as one step.")
@json_option
def key_errors(
    project: Path, *, run_ids: tuple[str, ...], limit: int, least: float, is_flagged: bool, console: Console
) -> None:
    """List the items of PROJECT whose answer key is most probably wrong.

    The probabilities follow from stored answers of models with images and of people; nobody is asked. With
    --flag the items are flagged for review; earlier flags of items that are not listed any more are closed.
    """
    from annotator.commands.key_error_flags import FlagKeyErrors
    from annotator.quality.key_errors.report import find_key_errors

    opened = open_session(project) if is_flagged else read_session(project)
    with opened as session:
        with console.progress() as progress:
            report = find_key_errors(
                session.reader, run_ids=run_ids, limit=limit, least=least, progress=progress
            )
        flags: dict[str, int] = {}
        if is_flagged:
            command = FlagKeyErrors(findings=report.findings)
            execute(session, command, console=console)
            flags = {
                "flags added": command.added,
                "flags closed": command.closed,
                "items to review": command.moved,
            }
    result = {**msgspec.to_builtins(report), "flags": flags}
    console.result(result, print_text=lambda: _print(report, flags, console=console))


def _print(report: KeyErrorReport, flags: dict[str, int], *, console: Console) -> None:
    console.print(
        f"{report.judged:,} of {report.items:,} items have answers of two models or people at least; "
        f"{report.expected:.1f} answer keys are expected to be wrong ({100 * report.share_wrong:.1f} %)."
    )
    rows = [
        (one.name, f"{one.items:,}", f"{100 * one.right:.0f} %", f"{one.weight:.2f}")
        for one in report.respondents
    ]
    console.table("Models and people", head=("name", "items", "right", "weight"), rows=rows)
    findings = [
        (
            one.name,
            one.task,
            one.answer_key,
            one.answer or "–",
            f"{100 * one.probability:.0f} %",
            ", ".join(f"{name} {answer}" for name, answer in one.answers.items()),
        )
        for one in report.findings
    ]
    head = ("item", "task", "key", "probably right", "wrong with", "answers")
    console.table("Probably wrong answer keys", head=head, rows=findings)
    if flags:
        console.print("  ".join(f"{name} {count:,}" for name, count in flags.items()))


VERBS = (key_errors,)
