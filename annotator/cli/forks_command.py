"""The command ``forks``: lists and settles what workstations changed independently."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import msgspec

from annotator.cli.console import Console
from annotator.cli.exit_status import FOUND_PROBLEMS
from annotator.cli.options import execute, json_option, open_session, project_argument, read_session
from annotator.domain.rows import Fork, ForkValue
from annotator.errors import UserError

SHOWN_LETTERS = 60


@click.command()
@project_argument
@click.option(
    "--keep", "kept", multiple=True, metavar="EVENT", help="Keep the value of this event; may be repeated."
)
@json_option
def forks(project: Path, *, kept: tuple[str, ...], console: Console) -> int:
    """List the fields of PROJECT that workstations changed independently, and choose values.

    Ends with 1 while there are any.
    """
    # Imported here: the window's start lists all verbs.
    from annotator.commands.forks import ResolveFork

    opened = open_session if kept else read_session
    with opened(project) as session:
        for event in kept:
            fork = _fork_of(event, session.reader.forks.all())
            command = ResolveFork(entity_id=fork.entity_id, field=fork.field, event=event)
            execute(session, command, console=console)
        found = session.reader.forks.all()
    result: dict[str, Any] = {"forks": msgspec.to_builtins(found)}
    console.result(result, print_text=lambda: print_forks(found, console=console))
    return FOUND_PROBLEMS if found else 0


def _fork_of(event: str, found: list[Fork]) -> Fork:
    for fork in found:
        if any(one.event == event for one in fork.values):
            return fork
    raise UserError(
        f"No fork has a value of event {event}.", hint="List the forks with: vantage forks PROJECT."
    )


def _row(fork: Fork, one: ForkValue) -> tuple[str, ...]:
    text = one.value[:SHOWN_LETTERS]
    return (fork.entity, fork.entity_id, fork.field, one.actor, one.wall_time, text, one.event)


def print_forks(found: list[Fork], *, console: Console) -> None:
    """Print each value of each fork, and how many forks there are."""
    rows = [_row(fork, one) for fork in found for one in fork.values]
    if rows:
        head = ("record", "id", "field", "by", "time", "value", "event")
        console.table(
            "Fields that workstations changed independently; the first value is shown", head=head, rows=rows
        )
    console.print(f"{len(found):,} forks")


VERBS = (forks,)
