"""The command ``variants``: multiple-choice, high-resolution and other-map versions of items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from annotator.cli.console import Console
from annotator.cli.item_commands import require_chosen, selection_options
from annotator.cli.options import execute, json_option, open_session, project_argument, read_session
from annotator.domain.item import Item, VariantKind

if TYPE_CHECKING:
    from annotator.commands.variants import MakeVariants, VariantReport
    from annotator.session import Session

SHOWN = 3
"""Examples on a terminal; JSON contains all variants."""


@click.command()
@project_argument
@click.option(
    "--kind",
    type=click.Choice(get_args(VariantKind)),
    required=True,
    help="choice: lettered options; resolution: larger images; map: the other kind of top-view map.",
)
@selection_options
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of wrong options and letters.")
@click.option(
    "--options", type=int, default=4, show_default=True, help="Options of a multiple-choice variant."
)
@click.option("--originals", default="", help="Folder with larger images below the media folder.")
@click.option("--dry-run", "is_dry", is_flag=True, help="Show what would be made; change nothing.")
@json_option
def variants(project: Path, *, is_dry: bool, console: Console, **asked: Any) -> None:  # noqa: ANN401 - filters and settings
    """Make variants of the items of PROJECT as drafts that are linked to their sources, in one step.

    An item has one variant of a kind: repeating the command makes again only those whose source has changed.
    The same items, seed and number of options give the same variants in all copies of the project.
    """
    settings = {name: asked.pop(name) for name in ("kind", "seed", "options", "originals")}
    if is_dry:
        with read_session(project) as session, session.reader.snapshot(), console.progress() as progress:
            command = _command(session, asked, settings)
            for _ in command.plan(session.reader, progress=progress):
                pass
    else:
        with open_session(project) as session:
            command = _command(session, asked, settings)
            execute(session, command, console=console)
    report = command.report
    result = _result(report, kind=settings["kind"], is_dry=is_dry)
    console.result(result, print_text=lambda: _print_report(report, is_dry=is_dry, console=console))


def _command(session: Session, chosen: dict[str, Any], settings: dict[str, Any]) -> MakeVariants:
    from annotator.commands.variants import MakeVariants
    from annotator.draft.variants.variant_rule import VariantSettings

    items = require_chosen(session.reader, chosen)
    return MakeVariants(
        items=tuple(item.id for item in items), settings=VariantSettings(**settings), roots=session.roots
    )


def _result(report: VariantReport, *, kind: str, is_dry: bool) -> dict[str, Any]:
    return {
        "kind": kind,
        "made": len(report.made),
        "updated": len(report.updated),
        "linked": len(report.linked),
        "rejected": len(report.rejected),
        "known": report.known,
        "short": report.short,
        "skipped": dict(sorted(report.skipped.items())),
        "letters": dict(sorted(_letters(item for _, item in report.made).items())),
        "dry_run": is_dry,
        "items": [_cells(source, item) for source, item in report.made],
    }


def _letters(items: Iterable[Item]) -> Counter[str]:
    return Counter(item.answer_key for item in items if item.answer_format == "option_letter")


def _cells(source: Item, item: Item) -> dict[str, Any]:
    return {
        "name": item.name,
        "source": source.name,
        "task": f"{item.task_set}/{item.task}",
        "question": item.question,
        "options": {option.letter: option.text for option in item.options},
        "answer": item.answer_key,
    }


def _print_report(report: VariantReport, *, is_dry: bool, console: Console) -> None:
    for source, item in report.made[:SHOWN]:
        console.print(f"{item.name} of {source.name}: {item.question}")
        for option in item.options:
            mark = "*" if option.letter == item.answer_key else " "
            console.print(f"  {mark} {option.letter}. {option.text}")
        if not item.options:
            console.print(f"  {item.answer_key}")
    for reason, count in sorted(report.skipped.items()):
        console.print(f"{count:,} without a variant: {reason}")
    if report.short:
        console.print(f"{report.short:,} with fewer options, since no other answers are certainly wrong")
    for kept, item in report.rejected[:SHOWN]:
        console.print(f"{item.name} is rejected: {kept.name} is the same variant of the same item")
    if len(report.rejected) > SHOWN:
        console.print(f"{len(report.rejected):,} variants that existed twice are rejected")
    what = "would be made" if is_dry else "made"
    console.print(
        f"{len(report.made):,} variants {what}, {len(report.updated):,} again, {len(report.linked):,} items "
        f"linked, {report.known:,} up to date."
    )


VERBS = (variants,)
