"""What is marked in a scene, as rows to read and to choose from."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from annotator.domain.path import Path
from annotator.domain.region import Region
from annotator.media.render import Marks, colour_numbers
from widgets.shown_medium import ShownMedium
from widgets.stage.scene import StageScene
from widgets.translation import tr, trn

NO_COLOUR = -1
OTHER_FRAMES = 40
"""Frames of a film with marks that are listed beside the painted one; all of them are on the timeline."""


@dataclass(frozen=True, kw_only=True)
class MarkRow:
    """One row.

    Attributes:
        kind: A heading, or what the row stands for.
        text: What is read first.
        note: What is read after it.
        ids: Ids of the regions and paths that it stands for.
        colour: Place in the colours of regions, ``NO_COLOUR`` for a heading or a frame.
        medium: Id of the film whose frame it stands for, "" for none.
        frame: Number of that frame.
    """

    kind: Literal["heading", "region", "link", "path", "frame"]
    text: str
    note: str = ""
    ids: tuple[str, ...] = ()
    colour: int = NO_COLOUR
    medium: str = ""
    frame: int = 0


def mark_rows(shown: StageScene, *, frames: Mapping[str, int | None]) -> list[MarkRow]:
    """Return the links of what is on the screen, then regions and paths of each view, then other frames.

    Args:
        shown: The scene.
        frames: Number of the frame that each film shows, by id of its medium; None for a still.
    """
    seen = {
        view.medium.id: shown.marks_of(view.medium.id, frames.get(view.medium.id)) for view in shown.media
    }
    regions = tuple(region for marks in seen.values() for region in marks.regions)
    here = Marks(regions=regions, links=shown.marks.links)
    colours = colour_numbers(here, rendering="annotated")
    rows = _link_rows(shown, here=here, colours=colours)
    for view in shown.media:
        rows += _view_rows(view, marks=seen[view.medium.id], colours=colours)
    for view in shown.media:
        rows += _frame_rows(shown, view, frame=frames.get(view.medium.id))
    return rows


def count_words(shown: StageScene, *, frames: Mapping[str, int | None]) -> str:
    """Return how many regions there are, on the screen and on other frames."""
    count = len(shown.marks.regions)
    here = sum(len(shown.marks_of(medium, frame).regions) for medium, frame in frames.items())
    if not count:
        return tr("Nothing is marked yet.")
    if here == count:
        return trn("{n} region", "{n} regions", n=count)
    return tr("{n} here, {others} on other frames", n=f"{here:,}", others=f"{count - here:,}")


def _link_rows(shown: StageScene, *, here: Marks, colours: dict[str, int]) -> list[MarkRow]:
    regions = {region.id: region for region in here.regions}
    rows: list[MarkRow] = []
    for link in here.links:
        found = [regions[one] for one in link.regions if one in regions]
        if link.kind == "same" and found:
            text = "  –  ".join(f"{shown.view_of(one.medium)} {one.number}".strip() for one in found)
            note = next((one.category for one in found if one.category), "")
            colour = colours[found[0].id]
            rows.append(MarkRow(kind="link", text=text, note=note, ids=link.regions, colour=colour))
    return [_heading(tr("Links"), rows), *rows] if rows else []


def _view_rows(view: ShownMedium, *, marks: Marks, colours: dict[str, int]) -> list[MarkRow]:
    rows = [_region_row(region, colour=colours[region.id]) for region in marks.regions]
    rows += (_path_row(path, at) for at, path in enumerate(marks.paths))
    return [_heading(view.view or view.medium.name, rows), *rows] if rows else []


def _frame_rows(shown: StageScene, view: ShownMedium, *, frame: int | None) -> list[MarkRow]:
    """Return the frames of a film that carry marks, but for the painted one: those around it."""
    marked = shown.marked_frames.get(view.medium.id, ())
    others = [one for one in marked if one != frame]
    if not others or frame is None:
        return []
    first = max(0, min(bisect_left(others, frame) - OTHER_FRAMES // 2, len(others) - OTHER_FRAMES))
    head = " · ".join(filter(None, (view.view, tr("other frames"))))
    rows = [*_frames(shown, view.medium.id, others[first : first + OTHER_FRAMES])]
    return [MarkRow(kind="heading", text=head, note=f"{len(others):,}"), *rows]


def _frames(shown: StageScene, medium: str, numbers: list[int]) -> Iterator[MarkRow]:
    for number in numbers:
        marks = shown.marks_of(medium, number)
        regions, paths = len(marks.regions), len(marks.paths)
        counts = (
            trn("{n} region", "{n} regions", n=regions) if regions else "",
            trn("{n} path", "{n} paths", n=paths) if paths else "",
        )
        yield MarkRow(
            kind="frame",
            text=tr("frame {n}", n=f"{number:,}"),
            note=", ".join(filter(None, counts)),
            medium=medium,
            frame=number,
        )


def _heading(text: str, rows: list[MarkRow]) -> MarkRow:
    return MarkRow(kind="heading", text=text, note=f"{len(rows):,}")


def _region_row(region: Region, *, colour: int) -> MarkRow:
    return MarkRow(
        kind="region",
        text=tr("Region {n}", n=region.number),
        note=region.category,
        ids=(region.id,),
        colour=colour,
    )


def _path_row(path: Path, at: int) -> MarkRow:
    text = path.label or tr("Path {n}", n=at + 1)
    points = tr("{n} points", n=len(path.points))
    return MarkRow(kind="path", text=text, note=points, ids=(path.id,), colour=at)
