"""The command ``maps``: draws semantic maps, and maps with their paths."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from annotator.cli.console import Console
from annotator.cli.exit_status import FOUND_PROBLEMS
from annotator.cli.options import execute, json_option, open_session, project_argument
from annotator.domain.topview_map import TOO_SMALL


@click.command()
@project_argument
@click.option("--scene", "scene_name", default="", help="Name of the only scene; default: all scenes.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Output folder.")
@click.option("--add", "is_added", is_flag=True, help="Write into the media folder, and add them as views.")
@click.option("--least-side", type=click.FloatRange(min=0), help="Smallest side of an object, pixels.")
@click.option("--least-area", type=click.FloatRange(0, 100), help="Smallest area, percent of the map.")
@json_option
def maps(
    project: Path,
    scene_name: str,
    out: Path | None,
    *,
    is_added: bool,
    least_side: float | None,
    least_area: float | None,
    console: Console,
) -> int:
    """Draw semantic maps from the rooms and objects of PROJECT's top-view maps, and maps with their paths.

    Objects that are too small, and parts of the building, are left out; the limits are those of the project's
    task set, which the rules for items use, too. Either --out or --add is required.
    """
    from annotator.commands.map_images import FOLDER, AddMapImages, find_map_images, write_map_images
    from annotator.draft.map_view import project_limits

    if (out is None) != is_added:
        raise click.UsageError("Set either --out or --add.")
    with open_session(project) as session:
        limits = project_limits(session.reader)
        if least_side is not None:
            limits = replace(limits, least_side_px=least_side)
        if least_area is not None:
            limits = replace(limits, least_area_share=least_area / 100)
        images = list(find_map_images(session.reader, scene=scene_name, limits=limits))
        folder = out or session.roots.folder_to_write(FOLDER)
        with console.progress() as progress:
            written = write_map_images(images, folder=folder, roots=session.roots, progress=progress)
        if is_added and written:
            execute(session, AddMapImages(written=tuple(written)), console=console)
    result = {
        "maps": [one.to_json() for one in written],
        "added": len(written) if is_added else 0,
        "least_side_px": limits.least_side_px,
        "least_area_share": limits.least_area_share,
    }
    console.result(result, print_text=lambda: _print_maps(result, console=console))
    return 0 if written else FOUND_PROBLEMS


def _print_maps(result: dict[str, Any], *, console: Console) -> None:
    for one in result["maps"]:
        left_out = ", ".join(f"{count:,} {reason}" for reason, count in one.get("left_out", {}).items())
        console.print(f"{one['file']}{f': left out {left_out}' if left_out else ''}")
    if any(one.get("left_out", {}).get(TOO_SMALL) for one in result["maps"]):
        area = f"{100 * result['least_area_share']:g} % of the map"
        console.print(f"Too small: a side under {result['least_side_px']:g} px, or an area under {area}.")
    if not result["maps"]:
        console.print(
            "No map can be drawn: no map has rooms, objects or paths that its scene does not show yet."
        )


VERBS = (maps,)
