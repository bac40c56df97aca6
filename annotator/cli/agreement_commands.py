"""The commands ``responses`` and ``agreement``: independent answers of people, and how far they agree."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from annotator.cli.console import Console
from annotator.cli.options import execute, json_option, open_session, project_argument, read_session
from annotator.quality.agreement.coefficients import Coefficient
from annotator.quality.agreement.report import SubjectAgreement


@click.command()
@project_argument
@click.argument("table", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@json_option
def responses(project: Path, table: Path, *, console: Console) -> None:
    """Add the independent answers in TABLE (CSV or spreadsheet) to PROJECT, as one step.

    Columns: name (of the item), person, answer; optional: task_set, seconds, reason. Answers that differ from
    the answer key, or from each other, flag the item.
    """
    from annotator.spreadsheets.response_sheet import read_responses

    with open_session(project) as session:
        command = read_responses(table, session.reader, executing=session.actor)
        changes = execute(session, command, console=console)
    result = {
        "responses": changes.counts.get("response", 0),
        "people_added": len(command.people),
        "flags": changes.counts.get("flag", 0),
        "command": changes.command,
    }
    text = f"{result['responses']:,} answers added, {result['flags']:,} flags"
    console.result(result, print_text=lambda: console.print(text))


@click.command()
@project_argument
@click.option("--seed", default=0, show_default=True, help="Seed of the confidence intervals.")
@click.option(
    "--table",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write every figure, and those of the human reference, as CSV.",
)
@json_option
def agreement(project: Path, *, seed: int, table: Path | None, console: Console) -> None:
    """Measure how far people agree: per task, per pair of people, per field of the event form.

    Percent agreement, Fleiss' kappa and Krippendorff's alpha, Cohen's kappa per pair, and the mean score of
    one person's answers against another's, with 95 % bootstrap intervals over the items.
    """
    from annotator.quality.people_figures import people_figures
    from annotator.spreadsheets.people_table import write_people_table

    with read_session(project) as session, console.progress() as progress:
        figures = people_figures(session.reader, seed=seed, progress=progress)
    if table is not None:
        write_people_table(figures, table)
    found = [one.with_names(figures.names) for one in figures.agreement]
    result = {"seed": seed, "subjects": msgspec.to_builtins(found)}
    console.result(result, print_text=lambda: _print(found, console=console))


def _print(found: list[SubjectAgreement], *, console: Console) -> None:
    if not found:
        console.print("Nobody has answered an item yet. Add answers with: vantage responses PROJECT TABLE.")
        return
    rows = [
        (
            one.subject,
            f"{one.people}",
            f"{one.units:,}",
            f"{one.unread:,}",
            coefficient_text(one.percent),
            coefficient_text(one.fleiss),
            coefficient_text(one.alpha),
            coefficient_text(one.score),
        )
        for one in found
    ]
    head = ("subject", "people", "shared", "unread", "percent", "Fleiss' kappa", "alpha", "score")
    console.table("Agreement (95 % interval)", head=head, rows=rows)
    pairs = [
        (
            one.subject,
            " / ".join(pair.people),
            f"{pair.percent.units:,}",
            coefficient_text(pair.percent),
            coefficient_text(pair.kappa),
            coefficient_text(pair.score),
        )
        for one in found
        for pair in one.pairs
    ]
    head_of_pairs = ("subject", "people", "shared", "percent", "Cohen's kappa", "score")
    console.table("Pairs of people", head=head_of_pairs, rows=pairs)


def coefficient_text(found: Coefficient | None) -> str:
    """Return a coefficient with its interval, or why it is not defined."""
    if found is None:
        return ""
    if found.value is None:
        return f"undefined: {found.reason}"
    interval = (
        f" ({found.low:.2f} to {found.high:.2f})" if found.low is not None and found.high is not None else ""
    )
    return f"{found.value:.3f}{interval}"


VERBS = (responses, agreement)
