"""The command ``release-diff``: the difference between two releases, item by item."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from annotator.cli.console import Console
from annotator.cli.options import json_option, read_session
from annotator.release_difference.difference import ReleaseDifference, compare_folders
from annotator.release_difference.difference_table import write_table
from annotator.release_difference.removal_reasons import with_reasons

DIFFERS = 1
SHOWN = 40
VALUE_SHOWN = 60


@click.command("release-diff")
@click.argument("old", type=click.Path(exists=True, path_type=Path))
@click.argument("new", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--project",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Say of items that are gone why, as far as this project knows.",
)
@click.option(
    "--csv",
    "table",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Also write the whole difference into this file, a row for each change.",
)
@json_option
def release_diff(old: Path, new: Path, *, project: Path | None, table: Path | None, console: Console) -> int:
    """Compare the releases OLD and NEW item by item: added, removed and changed items, answer keys first.

    OLD and NEW are release folders, or published files of questions. The status is 1 if they differ.
    """
    with console.progress() as progress:
        difference = compare_folders(old, new, progress=progress)
    if project is not None:
        with read_session(project) as session, session.reader.snapshot():
            difference = with_reasons(difference, session.reader)
    if table is not None:
        write_table(difference, table)
    equality = {"equal": difference.is_equal, "equal_files": difference.has_equal_files}
    result = equality | msgspec.to_builtins(difference)
    console.result(result, print_text=lambda: _print(difference, table, console=console))
    return 0 if difference.is_equal else DIFFERS


def _print(difference: ReleaseDifference, table: Path | None, *, console: Console) -> None:
    console.print(summary_text(difference))
    rows = [(one.field, _cell(one.old), _cell(one.new)) for one in difference.settings]
    console.table_if_any("Settings", head=("setting", "old", "new"), rows=rows)
    counts = [(field, f"{count:,}") for field, count in difference.fields.items()]
    console.table_if_any("Changed fields", head=("field", "items"), rows=counts)
    changes = [
        (item.name, change.field, _cell(change.old), _cell(change.new))
        for item in difference.changed[:SHOWN]
        for change in item.changes
    ]
    title = f"Changed items: {len(difference.changed):,}"
    console.table_if_any(title, head=("item", "field", "old", "new"), rows=changes)
    for title, items in (("Removed items", difference.removed), ("Added items", difference.added)):
        listed = [(one.task, one.name, _cell(one.why)) for one in items[:SHOWN]]
        console.table_if_any(f"{title}: {len(items):,}", head=("task", "item", "why"), rows=listed)
    if table is not None:
        console.print(f"The whole difference is in {table}.")


def summary_text(difference: ReleaseDifference) -> str:
    """Return a difference in a sentence."""
    hidden = ""
    if difference.not_compared:
        hidden += f" Hidden answer keys that were not compared: {difference.not_compared:,}."
    if difference.unreadable:
        hidden += f" Records that cannot be read, and were not compared: {difference.unreadable:,}."
    if difference.is_equal and difference.has_equal_files:
        return f"The releases are equal: the same files with {difference.new.items:,} items.{hidden}"
    if difference.is_equal:
        return f"The releases have the same {difference.new.items:,} items without a change.{hidden}"
    return (
        f"Added {len(difference.added):,}, removed {len(difference.removed):,}, changed "
        f"{len(difference.changed):,}, unchanged {difference.unchanged:,}.{hidden}"
    )


def _cell(text: str) -> str:
    line = " | ".join(text.split("\n"))
    return line if len(line) <= VALUE_SHOWN else f"{line[:VALUE_SHOWN]}…"


VERBS = (release_diff,)
