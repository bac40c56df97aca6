"""The commands ``settled-texts`` and ``error-labels``: what people decided about predictions, as tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import click

from annotator.cli.console import Console
from annotator.cli.options import execute, json_option, open_session, project_argument, read_session
from annotator.cli.project_group import ProjectGroup
from annotator.commands.prediction_decisions import ErrorDecision, LabelErrors, SettleTexts, TextDecision
from annotator.domain.error_classes import ErrorClassCatalogue
from annotator.domain.error_label import ErrorLabel
from annotator.domain.latest_decision import latest_decisions
from annotator.domain.release import Release
from annotator.domain.settled_text import NO_ANSWER, SettledText
from annotator.importers.input_file import printable
from annotator.scoring.error_table import read_error_labels, write_error_labels
from annotator.scoring.settled_texts import read_decisions, write_settled

_FILE = click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
_TABLE = click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))

MOST_NAMED = 10
"""Unknown names that a warning lists; the JSON result has all."""


@click.group(cls=ProjectGroup, name="settled-texts")
@project_argument
@click.pass_context
def settled_texts(context: click.Context, project: Path) -> None:
    """Show what replies mean that no rule can read, as people decided in PROJECT.

    Without a subcommand, the decisions are listed. Each subcommand accepts --json.
    """
    context.obj = project


@settled_texts.command(name="list")
@json_option
@click.pass_obj
def list_texts(project: Path, /, *, console: Console) -> None:
    """List the decisions."""
    with read_session(project) as session:
        found = latest_decisions(session.reader.find(SettledText))
    rows = [
        (one.item or _all_items(one), one.model or "all models", one.text, one.answer or NO_ANSWER)
        for one in found
    ]
    result = {"settled": list(map(_settled_json, found))}
    head = ("item", "model", "reply", "answer")
    console.result(result, print_text=lambda: console.table("Settled texts", head=head, rows=rows))


@settled_texts.command(name="export")
@_FILE
@json_option
@click.pass_obj
def export_texts(project: Path, /, *, file: Path, console: Console) -> None:
    """Write the decisions into FILE, a table for score --settled."""
    with read_session(project) as session:
        count = write_settled(file, latest_decisions(session.reader.find(SettledText)))
    _written(count, "settled texts", file, console=console)


@settled_texts.command(name="import")
@_TABLE
@json_option
@click.pass_obj
def import_texts(project: Path, /, *, file: Path, console: Console) -> None:
    """Take the decisions of FILE, with the columns id, text, answer, model and answer_format.

    An empty answer is open.
    """
    decisions = tuple(
        TextDecision(
            item=one.item,
            text=one.text,
            answer=one.answer,
            model=one.model,
            answer_format=one.answer_format,
        )
        for one in read_decisions(file)
    )
    with open_session(project) as session:
        execute(session, SettleTexts(decisions=decisions, person=session.actor.id), console=console)
    _taken(len(decisions), "settled texts", console=console)


@click.group(cls=ProjectGroup, name="error-labels")
@project_argument
@click.pass_context
def error_labels(context: click.Context, project: Path) -> None:
    """Show why models were wrong, as people labelled it in PROJECT.

    Without a subcommand, the labels are counted by class and model. Each subcommand accepts --json.
    """
    context.obj = project


@error_labels.command(name="count")
@click.option("--release", default="", help="Only the labels of this release: its number, or a file name.")
@json_option
@click.pass_obj
def count_labels(project: Path, /, *, release: str, console: Console) -> None:
    """Count the labels by class and model."""
    with read_session(project) as session:
        found = _labels_of(session.reader.find(ErrorLabel), release)
    counts = Counter((one.error_class, one.model) for one in found)
    rows = [(name, model, f"{count:,}") for (name, model), count in sorted(counts.items())]
    result = {
        "labels": len(found),
        "counts": [
            {"error_class": name, "model": model, "count": count}
            for (name, model), count in sorted(counts.items())
        ],
    }
    head = ("error class", "model", "errors")
    console.result(result, print_text=lambda: console.table("Error labels", head=head, rows=rows))


@error_labels.command(name="export")
@_FILE
@click.option("--release", default="", help="Only the labels of this release: its number, or a file name.")
@json_option
@click.pass_obj
def export_labels(project: Path, /, *, file: Path, release: str, console: Console) -> None:
    """Write the labels into FILE, a CSV table."""
    with read_session(project) as session:
        count = write_error_labels(file, _labels_of(session.reader.find(ErrorLabel), release))
    _written(count, "error labels", file, console=console)


@error_labels.command(name="import")
@_TABLE
@json_option
@click.pass_obj
def import_labels(project: Path, /, *, file: Path, console: Console) -> None:
    """Take the labels of FILE, with the columns release, item, model, error_class, note and reply_sha256.

    An empty class withdraws a label. All rows are one step of undo. Classes of no set of PROJECT, and
    releases that PROJECT has not made, are taken and listed.
    """
    labels = read_error_labels(file)
    decisions = tuple(
        ErrorDecision(
            release=one.release,
            item=one.item,
            model=one.model,
            error_class=one.error_class,
            note=one.note,
            reply_sha256=one.reply_sha256,
        )
        for one in labels
    )
    with open_session(project) as session:
        execute(session, LabelErrors(decisions=decisions, person=session.actor.id), console=console)
        releases = {one.sha256 for one in session.reader.find(Release)}
    classes = ErrorClassCatalogue.of(project)
    unknown = {
        "unknown_classes": Counter(
            one.error_class for one in labels if one.error_class and classes.find(one.error_class) is None
        ),
        "unknown_releases": Counter(one.release for one in labels if one.release not in releases),
    }
    _warn_of_unknown(
        unknown["unknown_classes"], "error classes that no set of the project has", console=console
    )
    _warn_of_unknown(unknown["unknown_releases"], "releases that the project has not made", console=console)
    _taken(len(decisions), "error labels", console=console, **unknown)


def _labels_of(labels: Iterable[ErrorLabel], release: str) -> list[ErrorLabel]:
    return [one for one in latest_decisions(labels) if release in ("", one.release)]


def _settled_json(one: SettledText) -> dict[str, str]:
    return {
        "id": one.item,
        "model": one.model,
        "text": one.text,
        "answer": one.answer,
        "answer_format": one.answer_format,
    }


def _all_items(one: SettledText) -> str:
    return f"all items of {one.answer_format}" if one.answer_format else "all items"


def _written(count: int, what: str, file: Path, *, console: Console) -> None:
    result = {"written": count, "file": str(file)}
    console.result(result, print_text=lambda: console.print(f"{file}: {count:,} {what} written."))


def _warn_of_unknown(rows: Counter[str], what: str, *, console: Console) -> None:
    if rows:
        shown = ", ".join(
            f"{printable(name)} ({count:,})" for name, count in sorted(rows.items())[:MOST_NAMED]
        )
        more = f" and {len(rows) - MOST_NAMED:,} more" if len(rows) > MOST_NAMED else ""
        console.warn(f"Rows that name {what}: {shown}{more}.")


def _taken(count: int, what: str, *, console: Console, **others: Counter[str]) -> None:
    console.result(
        {"rows": count, **others}, print_text=lambda: console.print(f"{count:,} rows with {what} taken.")
    )


VERBS = (settled_texts, error_labels)
