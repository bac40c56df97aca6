"""Commands on a whole project: new, demo, stats, verify, backup."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from annotator.cli.console import Console
from annotator.cli.exit_status import FOUND_PROBLEMS
from annotator.cli.options import json_option, open_session, project_argument, read_session
from annotator.errors import EnvironmentFailure, UserError
from annotator.session import Session
from annotator.store.schema import ForeignSchema

if TYPE_CHECKING:
    from annotator.demo.plan import Size
    from annotator.verification import VerifyReport


@click.command()
@project_argument
@click.option("--title", default="", help="Display name; default: name of the file.")
@json_option
def new(project: Path, title: str, console: Console) -> None:
    """Create an empty PROJECT file."""
    with Session.create(_with_suffix(project), title=title) as session:
        made = {"project": str(session.path), "title": session.title, "media_root": str(session.media_root)}
    console.result(
        made,
        print_text=lambda: console.print(
            f"Created {made['project']}. Put its media files into {made['media_root']}."
        ),
    )


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--size",
    type=click.Choice(["small", "standard", "large"]),
    default="standard",
    show_default=True,
    help="small: 13 images, takes seconds; standard: all types of media and tasks; large: more of each.",
)
@click.option("--seed", type=int, default=7, show_default=True, help="Seed of the generated city.")
@json_option
def demo(folder: Path, size: Size, seed: int, console: Console) -> None:
    """Create the demo project in FOLDER: generated images, clips and maps, labels, items and flags."""
    from annotator.demo.project import make_demo

    with console.progress() as progress:
        project = make_demo(folder, progress=progress, seed=seed, size=size)
    console.result(
        {"project": str(project)}, print_text=lambda: console.print(f"Created the demo project {project}.")
    )


@click.command()
@project_argument
@click.option(
    "--figures",
    type=click.Path(path_type=Path, file_okay=False),
    help="Also write the distributions (issue classes, frames, words, answers …) into this folder as CSV.",
)
@json_option
def stats(project: Path, figures: Path | None, console: Console) -> None:
    """Show statistics of PROJECT: items by task and state, answer letters, text lengths, flags, media."""
    from annotator.release.dataset_figures import dataset_figures, write_figures
    from annotator.release.statistics import statistics

    with read_session(project) as session, console.progress() as progress:
        numbers = statistics(session.reader, progress=progress)
        if figures is not None:
            write_figures(dataset_figures(session.reader, progress=progress), figures)

    def print_text() -> None:
        for table in numbers.tables():
            console.table(table.title, head=table.head, rows=table.rows)

    console.result(numbers.to_json(), print_text=print_text)


@click.command()
@click.argument("project", type=click.Path(path_type=Path))
@click.option(
    "--release",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="Also verify a release folder.",
)
@click.option(
    "--keys",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder of the hidden answer keys of the release; by default the folder beside it: RELEASE-keys.",
)
@json_option
def verify(project: Path, folder: Path | None, keys: Path | None, console: Console) -> int:
    """Verify PROJECT: pages, hash chain, tables against the log, model work, media against their hashes.

    PROJECT may be a release folder, or a folder of hidden answer keys, which is then verified alone.
    """
    report = _verified(project, folder, keys=keys, console=console)

    def print_text() -> None:
        for problem in report.problems:
            console.print(f"{problem.kind}: {problem.where}: {problem.message}")
        for note in report.notes:
            console.print(note)
        missing = f" {len(report.media_missing):,} media files are missing." if report.media_missing else ""
        found = f"{len(report.problems):,} problems." if report.problems else "No problems."
        checked = f"{report.events:,} events, {report.media_checked:,} media checked"
        console.print(f"{'Release' if project.is_dir() else checked}: {found}{missing}")

    console.result(report.to_json(), print_text=print_text)
    return FOUND_PROBLEMS if report.problems else 0


def _verified(project: Path, release: Path | None, *, keys: Path | None, console: Console) -> VerifyReport:
    from annotator.signing_keys import trusted_keys
    from annotator.store.project_file import is_older
    from annotator.verification import verify_everything, verify_release_alone

    if project.is_dir():
        with console.progress() as progress:
            return verify_release_alone(project, keys=keys, progress=progress, trusted=trusted_keys())
    try:
        # Never written: what a crash has left is deleted when the project is opened for writing.
        with read_session(project, is_written=False) as session, console.progress() as progress:
            return verify_everything(
                session, release=release, keys=keys, progress=progress, trusted=trusted_keys()
            )
    except (UserError, EnvironmentFailure) as error:
        is_foreign = isinstance(error, EnvironmentFailure | ForeignSchema)
        if not is_foreign and (release or not project.is_file() or not is_older(project)):
            raise
        report = _verified_unopened(project, console=console)
        if report is None:
            raise
        return report


def _verified_unopened(project: Path, *, console: Console) -> VerifyReport | None:
    """Return what is wrong with a file that cannot be opened, None where that cannot be told."""
    from annotator.verification import IS_OLDER, verify_unopened

    with console.progress() as progress:
        report = verify_unopened(project, progress=progress) if project.is_file() else None
    return report if report is not None and (report.problems or IS_OLDER in report.notes) else None


@click.command()
@project_argument
@json_option
def rebuild(project: Path, console: Console) -> None:
    """Make all tables of PROJECT anew from its log, in a new file; the old one is kept beside it.

    For a project whose tables differ from its log, or whose schema another program has changed. A log that is
    not sound is refused.
    """
    from annotator.store.rebuild import rebuild_project

    with console.progress() as progress:
        made = rebuild_project(project, progress=progress)
    console.result(
        {"events": made.events, "kept": str(made.kept)},
        print_text=lambda: console.print(
            f"Rebuilt {project} from {made.events:,} events. The file as it was is {made.kept}."
        ),
    )


@click.command()
@project_argument
@click.option("--list", "only_list", is_flag=True, help="List the existing backups instead of creating one.")
@click.option("--check", "is_checked", is_flag=True, help="Check the content as verify does; takes as long.")
@json_option
def backup(*, project: Path, only_list: bool, is_checked: bool, console: Console) -> int:
    """Create a backup of PROJECT beside it, and check each page of it."""
    from annotator.store.backup_content import check_content, note_check
    from annotator.store.backups import list_backups

    with read_session(project) if only_list else open_session(project) as session:
        if not only_list:
            with console.progress() as progress:
                made = session.backup(reason="by hand", progress=progress)
                if is_checked:
                    note_check(made.path, check_content(made.path, progress=progress))
    backups = [
        {"path": str(b.path), "made_at": b.made_at.isoformat(), "reason": b.reason, "content": b.content}
        for b in list_backups(project)
    ]
    shown = backups if only_list else backups[:1]
    console.result(
        {"backups": shown},
        print_text=lambda: console.table(
            "Backups", head=("path", "created", "why", "content"), rows=[tuple(b.values()) for b in shown]
        ),
    )
    return FOUND_PROBLEMS if is_checked and shown and shown[0]["content"] == "damaged" else 0


def _with_suffix(project: Path) -> Path:
    if project.suffix not in ("", ".vantage"):
        raise UserError(f"The name of a project file must end in .vantage, not {project.suffix}.")
    return project.with_suffix(".vantage")


VERBS = (new, demo, stats, verify, rebuild, backup)
