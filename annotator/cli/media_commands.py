"""The command ``media``: survey, add, locate and check the media files of a project."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from annotator.cli.console import Console
from annotator.cli.exit_status import FOUND_PROBLEMS
from annotator.cli.media_grouping import group_files, grouping_report, print_added, print_grouping
from annotator.cli.options import execute, json_option, open_session, project_argument, read_session
from annotator.cli.project_group import ProjectGroup
from annotator.errors import UserError

SHOWN = 20
OWN_TITLE = "the project's own folder"


@click.group(cls=ProjectGroup, name="media")
@project_argument
@click.pass_context
def media(context: click.Context, project: Path) -> None:
    """Manage the media files of PROJECT: survey, add, locate moved files, report their health.

    Without a subcommand, survey is run. Each subcommand accepts --json.
    """
    context.obj = project


@media.command()
@json_option
@click.pass_obj
def survey(project: Path, console: Console) -> None:
    """Record the location, the properties and the faults of all media files."""
    from annotator.commands.media import RegisterMedia
    from annotator.queries.media_survey import survey_media

    with open_session(project) as session:
        with console.progress() as progress:
            found = survey_media(session.reader, root=session.roots, progress=progress)
        execute(session, RegisterMedia(survey=found), console=console)
    missing = [entry.name for entry in found.of("missing")]
    counts = ", ".join(f"{count:,} {outcome}" for outcome, count in found.counts.items()) or "no media"
    console.result(
        {"counts": found.counts, "missing": missing}, print_text=lambda: console.print(f"Media: {counts}.")
    )


@media.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--pattern", default="", help="Filename pattern, for example '{scene}-{view}.jpg'.")
@click.option("--preset", "preset_id", default="", help="Predefined pattern of a benchmark or camera.")
@click.option(
    "--by-time", "tolerance_s", type=float, help="Group by time: maximum seconds between files of a scene."
)
@click.option(
    "--csv",
    "table",
    type=click.Path(path_type=Path, dir_okay=False),
    help="CSV file with the columns scene,view,path.",
)
@click.option("--dataset", default="", help="Name of the dataset; default: name of the preset.")
@click.option("--licence", default="", help="Licence of the files.")
@click.option("--source", default="", help="Origin of the files.")
@click.option("--stay/--link", default=True, help="Use files in place, or link them into the media folder.")
@click.option("--hash/--no-hash", "is_hashed", default=True, help="Compute the SHA-256 of each file.")
@click.option("--dry-run", is_flag=True, help="Show how files would be grouped; change nothing.")
@json_option
@click.pass_obj
def add(project: Path, /, paths: tuple[Path, ...], console: Console, **choice: Any) -> int:  # noqa: ANN401 - click hands options over by name
    """Add files and folders PATHS as media, grouped into scenes and views.

    Without a grouping option, the preset that matches most file names is used. If none matches, each file
    becomes a scene.
    """
    from annotator.commands.media_import import ImportMedia
    from annotator.media.file_import import import_files
    from annotator.media.listing import list_media

    with open_session(project) as session:
        with console.progress() as progress:
            listing = list_media(paths, progress=progress)
            method, grouping = group_files(listing, choice, progress=progress)
        result = {"grouped_by": method, **grouping_report(listing, grouping)}
        if choice["dry_run"]:
            console.result(result, print_text=lambda: print_grouping(result, grouping, console=console))
            return 0 if grouping.scenes else FOUND_PROBLEMS
        with console.progress() as progress:
            file_import = import_files(
                listing,
                grouping,
                roots=session.roots,
                keep="stay" if choice["stay"] else "link",
                folder=choice["dataset"],
                is_hashed=choice["is_hashed"],
                progress=progress,
            )
        command = ImportMedia(
            file_import=file_import,
            dataset=choice["dataset"],
            licence=choice["licence"],
            source=choice["source"],
        )
        execute(session, command, console=console)
    result |= command.report.to_json()
    console.result(result, print_text=lambda: print_added(result, grouping, console=console))
    return 0 if grouping.scenes else FOUND_PROBLEMS


@media.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@json_option
@click.pass_obj
def locate(project: Path, folder: Path, console: Console) -> None:
    """Search FOLDER for missing media; it becomes a media root if it contains any of them."""
    from annotator.commands.media import RegisterMedia
    from annotator.queries.media_health import find_media_in

    with open_session(project) as session:
        with console.progress() as progress:
            found = find_media_in(session.reader, folder, roots=session.roots, progress=progress)
        if found.located:
            execute(session, RegisterMedia(survey=found), console=console)
    result = {"found": len(found.of("found")), "still_missing": [entry.name for entry in found.of("missing")]}
    text = f"{result['found']:,} media found, {len(found.of('missing')):,} still missing."
    console.result(result, print_text=lambda: console.print(text))


@media.command()
@click.option("--allow", is_flag=True, help="Confirm all folders that the project names.")
@click.option("--decline", is_flag=True, help="Do not use these folders, and ask no more.")
@json_option
@click.pass_obj
def roots(project: Path, console: Console, *, allow: bool, decline: bool) -> None:
    """List the media folders of PROJECT, and confirm those that somebody else has chosen.

    A project uses folders outside of its own one only after you have chosen them in an import or confirmed
    them here. The choice is kept in your settings.
    """
    if allow and decline:
        raise UserError("Only one of --allow and --decline can be set.")
    with read_session(project, is_noting_offers=False) as session:
        chosen = session.roots
        if allow:
            chosen.allow({**chosen.declined(), **chosen.offers()})
        elif decline:
            chosen.decline(chosen.offers())
        result = {
            "used": _titled(chosen.folders()),
            "not_confirmed": _titled(chosen.offers()),
            "declined": _titled(chosen.declined()),
        }
    console.result(result, print_text=lambda: _print_roots(result, console=console))


@media.command()
@click.option("--deep", is_flag=True, help="Decode each image to find damaged files.")
@json_option
@click.pass_obj
def health(project: Path, deep: bool, console: Console) -> int:  # noqa: FBT001 - by name
    """List missing, changed and damaged files, and the storage that media use.

    What is found is stored in PROJECT, if it can be written.
    """
    from annotator.commands.media import RegisterMedia
    from annotator.queries.media_health import media_health
    from annotator.queries.media_survey import survey_media

    with read_session(project) as session:
        with console.progress() as progress:
            found = survey_media(session.reader, root=session.roots, is_decoded=deep, progress=progress)
        if not session.is_read_only:
            execute(session, RegisterMedia(survey=found), console=console)
        result = media_health(session.reader, found).to_json()
    console.result(result, print_text=lambda: _print_health(result, console=console))
    return FOUND_PROBLEMS if any(result[name] for name in ("missing", "changed", "damaged")) else 0


def _titled(folders: Mapping[str, Path]) -> dict[str, str]:
    return {name or OWN_TITLE: str(folder) for name, folder in folders.items()}


def _print_roots(result: dict[str, dict[str, str]], *, console: Console) -> None:
    for title, folders in (
        ("Media folders", result["used"]),
        ("Not confirmed (confirm with --allow)", result["not_confirmed"]),
        ("Declined (confirm with --allow)", result["declined"]),
    ):
        console.table_if_any(title, head=("name", "folder"), rows=list(folders.items()))


def _amount(files: int | list[Any]) -> int:
    return len(files) if isinstance(files, list) else files


def _print_health(result: dict[str, Any], *, console: Console) -> None:
    counts = ("found", "unseen", "missing", "changed", "damaged")
    console.print("  ".join(f"{name} {_amount(result[name]):,}" for name in counts))
    for name in ("missing", "changed", "damaged"):
        problems = [(entry["name"], entry["why"]) for entry in result[name][:SHOWN]]
        title = f"{name.capitalize()} (first {len(problems)})"
        console.table_if_any(title, head=("medium", "why"), rows=problems)
    for by in ("kind", "dataset", "source"):
        rows = [
            (use["name"] or "-", f"{use['media']:,}", f"{use['bytes'] / 1e6:,.1f}")
            for use in result["storage"][by]
        ]
        console.table_if_any(f"Storage by {by}", head=(by, "media", "MB"), rows=rows)


VERBS = (media,)
