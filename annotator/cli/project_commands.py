"""Verbs on a project as a whole: new, demo, stats, verify, backup."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from annotator.cli.console import Console
from annotator.cli.options import json_option, open_session, project_argument
from annotator.errors import UserError
from annotator.session import Session

if TYPE_CHECKING:
    from annotator.demo.plan import Size

FOUND_PROBLEMS = 1


@click.command()
@project_argument
@click.option("--title", default="", help="Name that people see; the file's name by default.")
@json_option
def new(project: Path, title: str, console: Console) -> None:
    """Make an empty PROJECT file."""
    with Session.create(_with_suffix(project), title=title) as session:
        made = {"project": str(session.path), "title": session.title, "media_root": str(session.media_root)}
    console.result(
        made,
        words=lambda: console.print(f"Made {made['project']}; its media belong into {made['media_root']}."),
    )


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--size",
    type=click.Choice(["small", "standard", "large"]),
    default="standard",
    show_default=True,
    help="small: 13 pictures in seconds; standard: all kinds of media and tasks; large: more of them.",
)
@click.option("--seed", type=int, default=7, show_default=True, help="Another number, another city.")
@json_option
def demo(folder: Path, size: Size, seed: int, console: Console) -> None:
    """Make the demo project in FOLDER: pictures, clips and maps drawn by code, labels, items, flags."""
    from annotator.demo.project import make_demo

    with console.progress() as progress:
        project = make_demo(folder, progress=progress, seed=seed, size=size)
    console.result({"project": str(project)}, words=lambda: console.print(f"The demo project is {project}."))


@click.command()
@project_argument
@json_option
def stats(project: Path, console: Console) -> None:
    """Count what PROJECT holds: items per task and state, letters, lengths, flags, media."""
    from annotator.release.statistics import statistics

    with open_session(project) as session, console.progress() as progress:
        numbers = statistics(session.reader, progress=progress)

    def words() -> None:
        for table in numbers.tables():
            console.table(table.title, head=table.head, rows=table.rows)

    console.result(numbers.to_json(), words=words)


@click.command()
@project_argument
@click.option(
    "--release",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="Check a release folder too.",
)
@json_option
def verify(project: Path, folder: Path | None, console: Console) -> int:
    """Prove that PROJECT is whole: pages, hash chain, tables against the log, media against their hashes."""
    from annotator.verification import verify_everything

    with open_session(project) as session, console.progress() as progress:
        report = verify_everything(session, release=folder, progress=progress)

    def words() -> None:
        for problem in report.problems:
            console.print(f"{problem.kind}: {problem.where}: {problem.message}")
        missing = f" {len(report.media_missing):,} media files are not here." if report.media_missing else ""
        found = f"{len(report.problems):,} problems." if report.problems else "All is well."
        console.print(f"{report.events:,} events, {report.media_checked:,} media checked: {found}{missing}")

    console.result(report.to_json(), words=words)
    return FOUND_PROBLEMS if report.problems else 0


@click.command()
@project_argument
@click.option("--list", "only_list", is_flag=True, help="List the backups there are instead of making one.")
@json_option
def backup(project: Path, only_list: bool, console: Console) -> None:  # noqa: FBT001 - click hands it over by name
    """Make a verified backup of PROJECT beside it."""
    from annotator.store.backups import list_backups

    with open_session(project) as session:
        if not only_list:
            with console.progress() as progress:
                session.backup(reason="by hand", progress=progress)
    backups = [
        {"path": str(b.path), "made_at": b.made_at.isoformat(), "reason": b.reason}
        for b in list_backups(project)
    ]
    shown = backups if only_list else backups[:1]
    console.result(
        {"backups": shown},
        words=lambda: console.table(
            "Backups", head=("path", "made at", "why"), rows=[tuple(b.values()) for b in shown]
        ),
    )


def _with_suffix(project: Path) -> Path:
    if project.suffix not in ("", ".vantage"):
        raise UserError(f"A project's file name ends in .vantage, not {project.suffix}.")
    return project.with_suffix(".vantage")


VERBS = (new, demo, stats, verify, backup)
