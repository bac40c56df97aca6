"""Clips as a table: the ranges that are to be cut out of the videos of a project, one per row."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import cast

from annotator.commands.clips import FIELDS, ClipRequest, TextKind
from annotator.domain.medium import VIDEO_TYPES, Footage, Medium
from annotator.domain.scene import Scene
from annotator.domain.timecode import read_timecode
from annotator.errors import UserError
from annotator.importers.table_rows import Table
from annotator.importers.tables import first_table
from annotator.media.video.moments import frame_at
from annotator.media.video.video import Video
from annotator.queries.reader import Reader

REQUIRED = ("video", "in", "out", "name")
OPTIONAL = ("dataset", "goal", "route", "footage", "cut")
_COLUMNS_HINT = f"Columns: {', '.join((*REQUIRED, *OPTIONAL))}."
FOOTAGE: tuple[Footage, ...] = ("", "real", "simulated")
CUTS = ("exact", "wider")
"""Words of the column ``cut``: exactly these frames, or the wider range that needs no re-encoding."""
OpenVideo = Callable[[Medium], Video]


def read_clip_table(path: Path, reader: Reader, *, open_video: OpenVideo) -> Iterator[ClipRequest]:
    """Yield the clip of each row of a table.

    ``in`` and ``out`` are moments as in ``read_timecode``; the frames shown at both belong to the clip.

    Args:
        path: A CSV or Excel file with the columns ``video``, ``in``, ``out`` and ``name``.
        reader: The project.
        open_video: Opens the video of a medium.

    Raises:
        UserError: A column is missing, or a row is wrong; the message names the row.
        EnvironmentFailure: A file cannot be read.
    """
    table = _table_of_clips(path)
    for row in table.rows():
        cells = {column: str(row.cells.get(column) or "").strip() for column in table.columns}
        try:
            if row.fault:
                raise UserError(row.fault)
            yield _request(cells, reader, open_video=open_video)
        except UserError as error:
            raise UserError(f"{path.name}, {row.locator}: {error.message}", hint=error.hint) from error


def _table_of_clips(path: Path) -> Table:
    table = first_table(path)
    columns = table.columns if table is not None else ()
    missing = [name for name in REQUIRED if name not in columns]
    if table is None or missing:
        raise UserError(f"{path.name} has no column {', '.join(missing)}.", hint=_COLUMNS_HINT)
    if unknown := [column for column in columns if column not in (*REQUIRED, *OPTIONAL)]:
        raise UserError(f"{path.name} has the unknown column '{unknown[0]}'.", hint=_COLUMNS_HINT)
    return table


def _request(cells: Mapping[str, str], reader: Reader, *, open_video: OpenVideo) -> ClipRequest:
    medium = _video(cells["video"], cells.get("dataset", ""), reader)
    kind, text = _text(cells)
    footage, cut = cells.get("footage", ""), cells.get("cut", "") or CUTS[0]
    for name, value, known in (("footage", footage, FOOTAGE), ("cut", cut, CUTS)):
        if value not in known:
            raise UserError(f"'{value}' is not valid in the column {name}.", hint=f"Valid: {_listed(known)}.")
    video = open_video(medium)
    try:
        first, last = (frame_at(read_timecode(cells[name]), video) for name in ("in", "out"))
    finally:
        video.close()
    if last < first:
        raise UserError("The clip ends before it begins.", hint="Enter an out point after the in point.")
    return ClipRequest(
        medium=medium.id,
        scene=scene_of(reader, medium),
        first=first,
        last=last,
        name=cells["name"],
        text_kind=kind,
        text=text,
        footage=cast("Footage", footage) or medium.footage,
        is_widened=cut == "wider",
    )


def scene_of(reader: Reader, medium: Medium) -> str:
    """Return the id of the scene whose flights belong to a video, "" if no scene shows it."""
    scenes = [reader.require(Scene, scene) for scene in reader.scenes.showing(medium.id)]
    # If several scenes show it, the one with the fewest views is about this video most of all.
    return min(scenes, key=lambda scene: len(scene.views)).id if scenes else ""


def _video(name: str, dataset: str, reader: Reader) -> Medium:
    found = [one for one in reader.find(Medium, name=name) if dataset in ("", one.dataset)]
    if not found:
        raise UserError(f"There is no media file named '{name}'.", hint="Enter the name of a video.")
    if len(found) > 1:
        raise UserError(
            f"{len(found)} media files are named '{name}'.", hint="Enter the dataset of the video as well."
        )
    if found[0].media_type not in VIDEO_TYPES:
        raise UserError(f"{name} is not a video.", hint="Choose a video.")
    return found[0]


def _text(cells: Mapping[str, str]) -> tuple[TextKind, str]:
    given: list[tuple[TextKind, str]] = [(kind, cells[kind]) for kind in FIELDS if cells.get(kind)]
    if len(given) > 1:
        raise UserError("A clip has either a goal or a route.", hint="Leave one of the two cells empty.")
    return given[0] if given else ("goal", "")


def _listed(values: tuple[str, ...]) -> str:
    return ", ".join(filter(None, values))
