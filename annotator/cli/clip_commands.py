"""The command ``clips``: list the clips of a project, and cut those of a table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from annotator.cli.console import Console
from annotator.cli.exit_status import FOUND_PROBLEMS
from annotator.cli.options import execute, json_option, open_session, project_argument, read_session
from annotator.cli.project_group import ProjectGroup
from annotator.domain.medium import VIDEO_TYPES, Medium
from annotator.domain.task_set_catalogue import TaskSetCatalogue
from annotator.errors import UserError

if TYPE_CHECKING:
    from annotator.domain.task_set import ClipLength
    from annotator.media.video.video import Video
    from annotator.session import Session


@click.group(cls=ProjectGroup, name="clips")
@project_argument
@click.pass_context
def clips(context: click.Context, project: Path) -> None:
    """List the videos of PROJECT with their lengths, or cut clips out of them.

    Without a subcommand, list is run. Each subcommand accepts --json.
    """
    context.obj = project


@clips.command(name="list")
@json_option
@click.pass_obj
def list_clips(project: Path, console: Console) -> int:
    """List all videos: length, source and frames of clips, and whether the task set permits the length."""
    with read_session(project) as session:
        limits = _limits(session)
        videos = [record for record in session.reader.records(Medium) if record.media_type in VIDEO_TYPES]
        rows = [_row(video, session, limits=limits) for video in videos]
    result = {"limits": msgspec.to_builtins(limits) if limits else None, "videos": rows}
    console.result(result, print_text=lambda: _print_videos(result, console=console))
    return FOUND_PROBLEMS if any(row["is_within_limits"] is False for row in rows) else 0


@clips.command()
@click.argument("table", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--dry-run", is_flag=True, help="Check the table and show the clips; write nothing.")
@json_option
@click.pass_obj
def cut(project: Path, table: Path, *, dry_run: bool, console: Console) -> int:
    """Cut the clips of TABLE, and add them to the project.

    TABLE is a CSV or Excel file with the columns video, in, out and name, and optionally dataset, goal,
    route, footage (real, simulated) and cut (exact, wider). in and out are seconds (13.5), minutes and
    seconds (1:02.5) or frame numbers (412 f); both frames belong to the clip. If a row is wrong, nothing is
    cut.
    """
    from annotator.commands.clips import MakeClips
    from annotator.spreadsheets.clip_table import read_clip_table

    with open_session(project) as session:
        requests = tuple(
            read_clip_table(table, session.reader, open_video=lambda medium: _open(medium, session))
        )
        if not requests:
            raise UserError(f"{table.name} contains no clips.", hint="Add a row for each clip.")
        command = MakeClips(clips=requests, roots=session.roots)
        if dry_run:
            command.check(session.reader)
        else:
            execute(session, command, console=console)
        limits = _limits(session)
    made = [
        {**msgspec.to_builtins(clip), "is_within_limits": _is_within(clip.duration_s, limits)}
        for clip in command.made
    ]
    result = {"clips": [msgspec.to_builtins(request) for request in requests] if dry_run else made}
    console.result(result, print_text=lambda: _print_clips(result, console=console))
    return FOUND_PROBLEMS if any(clip["is_within_limits"] is False for clip in made) else 0


def _limits(session: Session) -> ClipLength | None:
    task_set = session.reader.project.task_set
    return TaskSetCatalogue.of(session.path).get(task_set).clip_length if task_set else None


def _is_within(duration_s: float, limits: ClipLength | None) -> bool | None:
    return limits.contains(duration_s) if limits is not None and duration_s else None


def _row(video: Medium, session: Session, *, limits: ClipLength | None) -> dict[str, Any]:
    source = session.reader.get(Medium, video.derived_from) if video.derived_from else None
    return {
        "name": video.name,
        "dataset": video.dataset,
        "duration_s": video.duration_s,
        "frames": video.frames,
        "footage": video.footage,
        "video": source.name if source is not None else "",
        "first": video.clip.first if video.clip is not None else None,
        "last": video.clip.last if video.clip is not None else None,
        "is_within_limits": _is_within(video.duration_s, limits),
    }


def _open(medium: Medium, session: Session) -> Video:
    from annotator.media.model_images import open_medium_video

    return open_medium_video(medium, session.roots.require_file(medium.path or medium.name, name=medium.name))


def _print_videos(result: dict[str, Any], *, console: Console) -> None:
    for row in result["videos"]:
        origin = f", frames {row['first']:,} to {row['last']:,} of {row['video']}" if row["video"] else ""
        outside = ", outside the limits" if row["is_within_limits"] is False else ""
        console.print(f"{row['name']}: {row['duration_s']:,.1f} s{origin}{outside}")
    if not result["videos"]:
        console.print("The project has no videos.")


def _print_clips(result: dict[str, Any], *, console: Console) -> None:
    for clip in result["clips"]:
        how = ""
        if "path" in clip:
            how = " copied" if clip["is_copied"] else f" re-encoded: {clip['why']}"
            how = f", {clip['duration_s']:,.1f} s,{how}"
        console.print(f"{clip['name']}: frames {clip['first']:,} to {clip['last']:,}{how}")
        if clip.get("is_within_limits") is False:
            console.warn(f"{clip['name']} is shorter or longer than the task set's clips.")


VERBS = (clips,)
