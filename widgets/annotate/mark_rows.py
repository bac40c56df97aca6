"""What is marked in a scene, as rows to read and to choose from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from annotator.domain.path import Path
from annotator.domain.region import Region
from annotator.media.render import colour_numbers
from widgets.library.details import ShownMedium
from widgets.stage.scene import StageScene
from widgets.translation import tr

NO_COLOUR = -1


@dataclass(frozen=True, kw_only=True)
class MarkRow:
    """One row.

    Attributes:
        kind: A heading, or what the row stands for.
        text: What is read first.
        note: What is read after it.
        ids: Ids of the regions and paths that it stands for.
        colour: Place in the colours of regions, ``NO_COLOUR`` for a heading.
    """

    kind: Literal["heading", "region", "link", "path"]
    text: str
    note: str = ""
    ids: tuple[str, ...] = ()
    colour: int = NO_COLOUR


def mark_rows(shown: StageScene) -> list[MarkRow]:
    """Return the links of a scene, then the regions and paths of each view."""
    colours = colour_numbers(shown.marks, rendering="annotated")
    rows = _link_rows(shown, colours=colours)
    for medium in shown.media:
        rows += _view_rows(shown, medium, colours=colours)
    return rows


def _link_rows(shown: StageScene, *, colours: dict[str, int]) -> list[MarkRow]:
    regions = {region.id: region for region in shown.marks.regions}
    rows: list[MarkRow] = []
    for link in shown.marks.links:
        found = [regions[one] for one in link.regions if one in regions]
        if link.kind == "same" and found:
            text = "  –  ".join(f"{shown.view_of(one.medium)} {one.number}".strip() for one in found)
            note = next((one.category for one in found if one.category), "")
            colour = colours[found[0].id]
            rows.append(MarkRow(kind="link", text=text, note=note, ids=link.regions, colour=colour))
    return [_heading(tr("Links"), rows), *rows] if rows else []


def _view_rows(shown: StageScene, view: ShownMedium, *, colours: dict[str, int]) -> list[MarkRow]:
    regions = [region for region in shown.marks.regions if region.medium == view.medium.id]
    paths = [path for path in shown.marks.paths if path.medium == view.medium.id]
    rows = [_region_row(region, colour=colours[region.id]) for region in regions]
    rows += (_path_row(path, at) for at, path in enumerate(paths))
    return [_heading(view.view or view.medium.name, rows), *rows] if rows else []


def _heading(text: str, rows: list[MarkRow]) -> MarkRow:
    return MarkRow(kind="heading", text=text, note=f"{len(rows):,}")


def _region_row(region: Region, *, colour: int) -> MarkRow:
    return MarkRow(
        kind="region",
        text=tr("Region {n}", n=region.number),
        note="  ".join(filter(None, (region.category, _frame_words(region.frame)))),
        ids=(region.id,),
        colour=colour,
    )


def _path_row(path: Path, at: int) -> MarkRow:
    text = path.label or tr("Path {n}", n=at + 1)
    points = "  ".join(filter(None, (tr("{n} points", n=len(path.points)), _frame_words(path.frame))))
    return MarkRow(kind="path", text=text, note=points, ids=(path.id,), colour=at)


def _frame_words(frame: int | None) -> str:
    return "" if frame is None else tr("frame {n}", n=frame)
