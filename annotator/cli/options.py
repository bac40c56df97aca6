"""Arguments shared by several commands."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click

from annotator.cli.console import Console, plain
from annotator.commands.command import Command
from annotator.domain.changes import Changes
from annotator.errors import EnvironmentFailure, UserError
from annotator.model_api import ModelCatalog
from annotator.session import Session
from annotator.store.connection import convert_disk_errors

MOST_WORKERS = 64
"""Each worker is a process with its own models; only one process writes to the project file at a time."""
C = TypeVar("C", bound=Callable[..., Any])

project_argument = click.argument("project", type=click.Path(path_type=Path, dir_okay=False))


def workers_option(function: C) -> C:
    """Give a verb ``--workers``, handed over as a number, or None for one process a GPU."""

    def number(_context: click.Context, _parameter: click.Parameter, value: str) -> int | None:
        if value == "auto":
            return None
        if not value.isdigit() or not 1 <= int(value) <= MOST_WORKERS:
            raise click.BadParameter(f"must be a number from 1 to {MOST_WORKERS}, or 'auto'.")
        return int(value)

    return click.option(
        "--workers",
        default="auto",
        show_default=True,
        metavar="N|auto",
        callback=number,
        help="Number of worker processes; default on a machine with several GPUs: one per GPU.",
    )(function)


def json_option(function: C) -> C:
    """Give a verb ``--json``, handed over as a ``console``."""

    def console(_context: click.Context, _parameter: click.Parameter, value: object) -> Console:
        return Console(as_json=bool(value))

    help_text = "Print the result as one JSON object on standard output."
    return click.option("--json", "console", is_flag=True, callback=console, help=help_text)(function)


def model_catalog() -> ModelCatalog:
    """Return what opens models, as the composition root handed it to this command line.

    Raises:
        UserError: This Vantage was started without models.
    """
    make: Callable[[], ModelCatalog] | None = click.get_current_context().find_root().obj
    if make is None:
        raise UserError("The models package is not installed.", hint="Start Vantage with main.py.")
    return make()


@contextmanager
def open_session(project: Path) -> Iterator[Session]:
    """Open a project for one verb.

    Raises:
        UserError: The file does not exist, or this version cannot open it.
        EnvironmentFailure: The file cannot be read or written.
    """
    with convert_disk_errors(), Session.open(project) as session:
        _note_offers(session)
        yield session


@contextmanager
def read_session(
    project: Path, *, is_noting_offers: bool = True, is_written: bool = True
) -> Iterator[Session]:
    """Open a project for a verb that can do without writing; one that is not writable is opened for reading.

    Args:
        project: The project file.
        is_noting_offers: Whether media folders that are not confirmed are mentioned on standard error.
        is_written: Whether the project may be migrated, and what a dead process left may be deleted.

    Raises:
        UserError: The file does not exist, or this version cannot open it.
        EnvironmentFailure: The file cannot be read, or it has to be migrated and is not writable.
    """
    opened = _opened_to_read if is_written else Session.open_for_reading
    with convert_disk_errors(), opened(project) as session:
        if is_noting_offers:
            _note_offers(session)
        yield session


def _note_offers(session: Session) -> None:
    """Mention media folders that the project names and that are not used before they are confirmed."""
    try:
        count = len(session.roots.offers())
    except UserError as error:
        click.echo(plain(str(error)), err=True)
        return
    if count:
        click.echo(
            f"The project names {count} media folders that you have not confirmed; "
            "their files count as missing. List and confirm them with: media PROJECT roots",
            err=True,
        )


def _opened_to_read(project: Path) -> Session:
    try:
        return Session.open(project)
    except EnvironmentFailure as failure:
        try:
            return Session.open_for_reading(project)
        except UserError:
            # Of an earlier version: the reason why it was not migrated is the one to tell.
            raise failure from None


def execute(session: Session, command: Command, *, console: Console) -> Changes:
    """Execute a command with progress on standard error; Ctrl+C cancels it.

    Raises:
        UserError: The command is not possible.
        Cancelled: Ctrl+C was pressed; the project is unchanged.
        EnvironmentFailure: The project file cannot be written.
    """
    with console.progress() as progress:
        return console.wait(session.execute(command, progress=progress), progress=progress)
