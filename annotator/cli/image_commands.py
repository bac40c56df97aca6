"""Commands that write images and clips of a project to files: frames, clip."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
import msgspec

from annotator.cli.console import Console
from annotator.cli.exit_status import FOUND_PROBLEMS
from annotator.cli.options import json_option, project_argument, read_session
from annotator.domain.medium import VIDEO_TYPES, Medium
from annotator.domain.scene import Scene, SceneView
from annotator.errors import UserError

if TYPE_CHECKING:
    from annotator.media.model_images import FrameSelection
    from annotator.media.render import Rendering
    from annotator.media.video.video import Video
    from annotator.queries.reader import Reader
    from annotator.session import Session

RENDERINGS = ("clean", "detected", "annotated")
M = TypeVar("M", Medium, Scene)


def target_options(function: Any) -> Any:  # noqa: ANN401 - as click's own decorators
    """Add the options that name a scene or a medium."""
    dataset = click.option("--dataset", default="", help="Dataset, if the name is not unique.")
    view = click.option("--view", default="", help="With --scene: only this view.")
    medium = click.option("--medium", "medium_name", default="", help="Name of a media file.")
    scene = click.option("--scene", "scene_name", default="", help="Name of a scene, with all its views.")
    return scene(medium(view(dataset(function))))


@click.command()
@project_argument
@target_options
@click.option("--numbers", default="", metavar="N,N,...", help="Frame numbers, from 0, in display order.")
@click.option("--every", "every_s", type=float, default=0.0, help="Seconds between frames.")
@click.option(
    "--count", "most", type=int, default=0, help="Maximum number of frames, evenly spaced; model runs use 32."
)
@click.option(
    "--rendering",
    type=click.Choice(RENDERINGS),
    default="clean",
    show_default=True,
    help="Overlay drawn on the images.",
)
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), required=True, help="Output folder.")
@json_option
def frames(project: Path, out: Path, rendering: Rendering, console: Console, **choice: Any) -> int:  # noqa: ANN401 - click hands options over by name
    """Write the images of a scene or media file of PROJECT that a model receives, as PNG files.

    For a video, the selected frames are written, by default up to 32 at even distances. A scene with several
    views gets one folder for each view.
    """
    from annotator.media.model_images import save_model_images
    from annotator.queries.overlay_query import read_overlay

    wanted = _frames_wanted(choice)
    written: list[str] = []
    failed: list[dict[str, str]] = []
    with read_session(project) as session, console.progress() as progress:
        for folder, medium in _media(session.reader, choice).items():
            try:
                paths = save_model_images(
                    medium,
                    file=_file_of(medium, session),
                    folder=out / folder,
                    marks=read_overlay(session.reader, medium=medium.id),
                    rendering=rendering,
                    frames=wanted,
                    progress=progress,
                )
            except UserError as error:
                failed.append({"medium": medium.name, "why": str(error)})
            else:
                written += map(str, paths)
    result = {"rendering": rendering, "files": written, "failed": failed}
    console.result(result, print_text=lambda: _print_pictures(result, console=console))
    return FOUND_PROBLEMS if failed else 0


def _frames_wanted(choice: dict[str, Any]) -> FrameSelection:
    """Return which frames the options ask for.

    Raises:
        UserError: They ask in more than one way.
    """
    from annotator.media.model_images import FrameSelection

    given = [name for name in ("numbers", "every_s", "most") if choice[name]]
    if len(given) > 1:
        raise UserError("Only one of --numbers, --every and --count can be set.")
    if choice["numbers"]:
        return FrameSelection(numbers=_numbers(choice["numbers"]))
    return FrameSelection(**{name: choice[name] for name in given})


def _numbers(text: str) -> tuple[int, ...]:
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdigit() for part in parts):
        raise UserError(f"'{text}' is not a list of frame numbers.", hint="Write frame numbers as 0,17,200.")
    return tuple(map(int, parts))


def _print_pictures(result: dict[str, Any], *, console: Console) -> None:
    for file in result["files"]:
        console.print(file)
    for failure in result["failed"]:
        console.warn(f"{failure['medium']}: {failure['why']}")
    console.print(f"{len(result['files']):,} images, {result['rendering']}.")


@click.command()
@project_argument
@target_options
@click.option("--first", type=int, default=0, help="Number of the first frame, from 0.")
@click.option(
    "--last", type=int, help="Number of the last frame, inclusive; default: last frame of the video."
)
@click.option("--from", "from_s", type=float, help="Time of the first frame in seconds, instead of --first.")
@click.option("--to", "to_s", type=float, help="Time of the last frame in seconds, instead of --last.")
@click.option("--widen", is_flag=True, help="Extend the clip to key frames, so that it can be copied.")
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), required=True, help="Output file.")
@json_option
def clip(project: Path, out: Path, console: Console, **choice: Any) -> None:  # noqa: ANN401 - click hands options over by name
    """Write a part of a video of PROJECT as a clip: copied if the cut points allow it, otherwise re-encoded.

    The result shows whether the clip was copied or re-encoded, and why. A clip has no sound.
    """
    from annotator.media.model_images import open_medium_video
    from annotator.media.video.export import save_clip

    with read_session(project) as session, console.progress() as progress:
        medium = _single_video(session.reader, choice)
        file = session.roots.require_file(medium.path or medium.name, name=medium.name)
        video = open_medium_video(medium, file)
        try:
            first, last = _clip_range(video, choice)
            saved = save_clip(
                video, first, last=last, path=out, progress=progress, is_widened=choice["widen"]
            )
        finally:
            video.close()
    result = msgspec.to_builtins(saved)
    how = "copied" if saved.is_copied else f"re-encoded: {saved.why}"
    text = f"{saved.path}: frames {saved.first:,} to {saved.last:,} of {medium.name}, {how}."
    console.result(result, print_text=lambda: console.print(text))


def _clip_range(video: Video, choice: dict[str, Any]) -> tuple[int, int]:
    """Return first and last frame of the clip."""
    first = choice["first"] if choice["from_s"] is None else video.number_at(choice["from_s"])
    last = video.frame_count - 1 if choice["last"] is None else choice["last"]
    last = last if choice["to_s"] is None else video.number_at(choice["to_s"])
    return first, last


def _single_video(reader: Reader, choice: dict[str, Any]) -> Medium:
    videos = [medium for medium in _media(reader, choice).values() if medium.media_type in VIDEO_TYPES]
    if len(videos) == 1:
        return videos[0]
    if videos:
        names = ", ".join(medium.name for medium in videos)
        raise UserError(
            f"A clip needs one video, but several are selected: {names}.", hint="Choose a --view."
        )
    raise UserError("The selected media contain no video.")


def _media(reader: Reader, choice: dict[str, Any]) -> dict[str, Medium]:
    """Return the media that the options name, by the folder that pictures of each go into.

    Raises:
        UserError: None or several are of that name, or both or neither of scene and medium were given.
    """
    if bool(choice["scene_name"]) == bool(choice["medium_name"]):
        raise UserError("Set either --scene or --medium.")
    if choice["medium_name"]:
        if choice["view"]:
            raise UserError("--view requires --scene.")
        return {"": _single_record(reader, Medium, choice["medium_name"], dataset=choice["dataset"])}
    scene = _single_record(reader, Scene, choice["scene_name"], dataset=choice["dataset"])
    views = _chosen_views(scene, choice["view"])
    found = {_folder_of(view, scene): reader.get(Medium, view.medium) for view in views}
    media = {folder: medium for folder, medium in found.items() if medium is not None}
    # One view needs no folder of its own.
    return media if len(media) != 1 else {"": next(iter(media.values()))}


def _chosen_views(scene: Scene, name: str) -> list[SceneView]:
    """Return the view of a name, all for ""."""
    views = [view for view in scene.views if name in ("", view.name)]
    if not views:
        has = ", ".join(view.name for view in scene.views) or "none"
        raise UserError(f"The scene {scene.name} has no view {name}.", hint=f"Views of the scene: {has}.")
    return views


def _folder_of(view: SceneView, scene: Scene) -> str:
    """Return the name of a view's folder: its own, with its place behind it where that is no plain name."""
    name = "".join(ch if ch.isalnum() or ch in "._- " else "_" for ch in view.name).strip(". ")
    is_plain = name == view.name and sum(name == other.name for other in scene.views) == 1
    return name if is_plain and name else f"{name}{scene.views.index(view) + 1}"


def _single_record(reader: Reader, kind: type[M], name: str, *, dataset: str) -> M:
    what = kind.table.entity
    found = [record for record in reader.find(kind, name=name) if dataset in ("", record.dataset)]
    if len(found) == 1:
        return found[0]
    if found:
        datasets = ", ".join(sorted({record.dataset for record in found}))
        raise UserError(
            f"The name {name} is not unique; it is in the datasets {datasets}.",
            hint="Choose one with --dataset.",
        )
    raise UserError(f"There is no {what} named {name}" + (f" in {dataset}." if dataset else "."))


def _file_of(medium: Medium, session: Session) -> Path | None:
    return session.roots.file_of(medium.path or medium.name)


VERBS = (frames, clip)
