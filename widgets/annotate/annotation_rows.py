"""The rows of the annotation list."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal, overload

from annotator.domain.polyline import Polyline
from annotator.domain.region import Region
from annotator.media.render import COLOURS, UNLINKED
from widgets.medium_view import MediumView
from widgets.stage.region_facts import state_texts
from widgets.stage.scene import StageScene
from widgets.stage.view_annotations import ViewAnnotations
from widgets.translation import join_texts, tr, trn

NO_COLOUR = -1
OTHER_FRAMES = 40
"""Number of other annotated frames of a video that are listed; all of them are on the timeline."""


@dataclass(frozen=True, kw_only=True)
class AnnotationRow:
    """One row.

    Attributes:
        kind: Heading, or kind of the annotations.
        text: Main text.
        note: Text after the main text.
        ids: Ids of its regions and paths.
        colour: Index into the region colours, ``NO_COLOUR`` for a heading or a frame.
        medium: Id of the video's medium for a frame, or "".
        frame: Number of that frame.
    """

    kind: Literal["heading", "region", "link", "path", "frame"]
    text: str
    note: str = ""
    ids: tuple[str, ...] = ()
    colour: int = NO_COLOUR
    medium: str = ""
    frame: int = 0


@dataclass(frozen=True, kw_only=True)
class RowChange:
    """Differences of a part of the list from its previous state.

    Attributes:
        removed: Old indices of removed rows, ascending.
        inserted: New indices of inserted rows, ascending.
        changed: First and last new index of rows whose text can have changed, or None.
    """

    removed: tuple[int, ...] = ()
    inserted: tuple[int, ...] = ()
    changed: tuple[int, int] | None = None


class RegionRows(Sequence[AnnotationRow]):
    """Rows of the regions of one view, created on access.

    Args:
        marks: The annotations of the view.
    """

    def __init__(self, marks: ViewAnnotations) -> None:
        self.marks = marks

    def __len__(self) -> int:
        return len(self.marks.marks.regions)

    @overload
    def __getitem__(self, at: int) -> AnnotationRow: ...
    @overload
    def __getitem__(self, at: slice) -> list[AnnotationRow]: ...
    def __getitem__(self, at: int | slice) -> AnnotationRow | list[AnnotationRow]:
        if isinstance(at, slice):
            return [self[position] for position in range(len(self))[at]]
        region = self.marks.marks.regions[at]
        return _region_row(region, colour=_colour(region, self.marks))

    def change_from(self, before: Sequence[AnnotationRow]) -> RowChange | None:
        """Return the differences from previous rows, or None if they are not an update of them."""
        if not isinstance(before, RegionRows):
            return None
        if before.marks is self.marks:
            return RowChange()
        change = self.marks.change
        if change is None or change.previous is not before.marks.revision:
            return None
        indices = tuple(index for index, _ in change.regions.inserted)
        replaced = sum(one == other for one, other in zip(change.regions.removed, indices, strict=False))
        # Replaced rows are first in both lists, because the rows after them have moved. A link can change the
        # colour of many rows at once, so all visible rows are updated.
        is_other = replaced or self.marks.link_colour_indices is not before.marks.link_colour_indices
        return RowChange(
            removed=change.regions.removed[replaced:],
            inserted=indices[replaced:],
            changed=(0, len(self) - 1) if is_other else None,
        )


class MarkRows(Sequence[AnnotationRow]):
    """All rows of the list: named parts, one after another.

    Args:
        parts: The parts by name.
    """

    def __init__(self, parts: Mapping[str, Sequence[AnnotationRow]]) -> None:
        # Empty parts would have the same start index as the next one.
        self._parts = {name: part for name, part in parts.items() if len(part)}
        self._starts = [0, *accumulate(len(part) for part in self._parts.values())]

    def __len__(self) -> int:
        return self._starts[-1]

    @overload
    def __getitem__(self, at: int) -> AnnotationRow: ...
    @overload
    def __getitem__(self, at: slice) -> list[AnnotationRow]: ...
    def __getitem__(self, at: int | slice) -> AnnotationRow | list[AnnotationRow]:
        if isinstance(at, slice):
            return [self[position] for position in range(len(self))[at]]
        position = range(len(self))[at]
        part = bisect_right(self._starts, position) - 1
        return list(self._parts.values())[part][position - self._starts[part]]

    def indices_of(self, ids: Collection[str]) -> list[int]:
        """Return the indices of rows whose annotations are all in a set of ids, ascending."""
        found: list[int] = []
        for start, part in zip(self._starts, self._parts.values(), strict=False):
            # Index lookup: iterating over thousands of region rows would create all of them.
            if isinstance(part, RegionRows):
                known = part.marks.ids
                found += sorted(start + known[one] for one in ids if one in known)
            else:
                wanted = set(ids)
                found += [start + at for at, row in enumerate(part) if row.ids and wanted.issuperset(row.ids)]
        return found

    def change_from(self, before: MarkRows) -> RowChange | None:
        """Return the differences from the previous list, or None if the list has to be reset."""
        # Rows cannot be mapped if a part appeared or disappeared.
        if list(before._parts) != list(self._parts):
            return None
        removed: list[int] = []
        inserted: list[int] = []
        changed: list[int] = []
        for at, (name, part) in enumerate(self._parts.items()):
            change = _change(part, before._parts[name])
            if change is None:
                return None
            removed += [before._starts[at] + index for index in change.removed]
            inserted += [self._starts[at] + index for index in change.inserted]
            changed += [self._starts[at] + index for index in change.changed or ()]
        edges = (min(changed), max(changed)) if changed else None
        return RowChange(removed=tuple(removed), inserted=tuple(inserted), changed=edges)


def annotation_rows(shown: StageScene, *, frames: Mapping[str, int | None]) -> MarkRows:
    """Return the rows: links on the displayed frames, regions and paths of each view, then other frames.

    Args:
        shown: The scene.
        frames: Number of the displayed frame by medium id; None for a still.
    """
    seen = {
        view.medium.id: shown.view_marks(view.medium.id, frames.get(view.medium.id)) for view in shown.media
    }
    parts: dict[str, Sequence[AnnotationRow]] = {"links": _link_rows(shown, seen=tuple(seen.values()))}
    for at, view in enumerate(shown.media):
        marks = seen[view.medium.id]
        regions, paths = RegionRows(marks), [_path_row(path, n) for n, path in enumerate(marks.marks.paths)]
        if len(regions) + len(paths):
            title, count = view.view or view.medium.name, len(regions) + len(paths)
            parts[f"{at} heading"] = [AnnotationRow(kind="heading", text=title, note=f"{count:,}")]
        parts |= {f"{at} regions": regions, f"{at} paths": paths}
    for at, view in enumerate(shown.media):
        parts[f"{at} frames"] = _frame_rows(shown, view, frame=frames.get(view.medium.id))
    return MarkRows(parts)


def counts_text(shown: StageScene, *, frames: Mapping[str, int | None]) -> str:
    """Return the text with the number of regions on the displayed frames and on others."""
    if proposed := len(shown.proposals):
        text = trn("{n} proposal", "{n} proposals", n=proposed)
        return join_texts([trn("{n} region", "{n} regions", n=len(shown.marks.regions) - proposed), text])
    count = len(shown.marks.regions)
    here = sum(len(shown.marks_of(medium, frame).regions) for medium, frame in frames.items())
    if not count:
        return tr("No regions.")
    if here == count:
        return trn("{n} region", "{n} regions", n=count)
    return tr("{n} here, {others} on other frames", n=f"{here:,}", others=f"{count - here:,}")


def _change(part: Sequence[AnnotationRow], before: Sequence[AnnotationRow]) -> RowChange | None:
    if isinstance(part, RegionRows):
        return part.change_from(before)
    if len(part) != len(before):
        return None
    return RowChange(changed=None if part == before else (0, len(part) - 1))


def _colour(region: Region, marks: ViewAnnotations) -> int:
    """Return the index of a region's colour in ``COLOURS``, as in the rendering ``annotated``."""
    if not marks.marks.links:
        return region.number % len(COLOURS)
    return marks.link_colour_indices.get(region.id, UNLINKED)


def _link_rows(shown: StageScene, *, seen: Sequence[ViewAnnotations]) -> list[AnnotationRow]:
    rows: list[AnnotationRow] = []
    for link in shown.marks.links:
        if link.kind != "same":
            continue
        found = [
            region for one in link.regions for marks in seen if (region := marks.region(one)) is not None
        ]
        if found:
            text = "  –  ".join(f"{shown.view_of(one.medium)} {one.number}".strip() for one in found)
            note = next((one.category for one in found if one.category), "")
            colour = shown.link_colours[found[0].id]
            rows.append(AnnotationRow(kind="link", text=text, note=note, ids=link.regions, colour=colour))
    return [_heading(tr("Links"), rows), *rows] if rows else []


def _frame_rows(shown: StageScene, view: MediumView, *, frame: int | None) -> list[AnnotationRow]:
    """Return rows of a video's annotated frames, except the displayed one; the nearest frames only."""
    marked = shown.marked_frames.get(view.medium.id, ())
    others = [one for one in marked if one != frame]
    if not others or frame is None:
        return []
    # Centred on the displayed frame, shifted at the ends to keep the number of rows.
    first = max(0, min(bisect_left(others, frame) - OTHER_FRAMES // 2, len(others) - OTHER_FRAMES))
    head = " · ".join(filter(None, (view.view, tr("other frames"))))
    rows = [*_frames(shown, view.medium.id, others[first : first + OTHER_FRAMES])]
    return [AnnotationRow(kind="heading", text=head, note=f"{len(others):,}"), *rows]


def _frames(shown: StageScene, medium: str, numbers: list[int]) -> Iterator[AnnotationRow]:
    for number in numbers:
        marks = shown.marks_of(medium, number)
        proposed, paths = sum(one.is_proposed for one in marks.regions), len(marks.paths)
        regions = len(marks.regions) - proposed
        counts = (
            trn("{n} region", "{n} regions", n=regions) if regions else "",
            trn("{n} proposal", "{n} proposals", n=proposed) if proposed else "",
            trn("{n} path", "{n} paths", n=paths) if paths else "",
        )
        yield AnnotationRow(
            kind="frame",
            text=tr("frame {n}", n=f"{number:,}"),
            note=join_texts(filter(None, counts)),
            medium=medium,
            frame=number,
        )


def _heading(text: str, rows: list[AnnotationRow]) -> AnnotationRow:
    return AnnotationRow(kind="heading", text=text, note=f"{len(rows):,}")


def _region_row(region: Region, *, colour: int) -> AnnotationRow:
    return AnnotationRow(
        kind="region",
        text=tr("Region {n}", n=region.number),
        note=_region_note(region),
        ids=(region.id,),
        colour=colour,
    )


def _region_note(region: Region) -> str:
    """Return its category, and what else is known of it."""
    facts = (
        region.category,
        tr("room") if region.is_room else "",
        *state_texts(region),
    )
    return " · ".join(filter(None, facts))


def _path_row(path: Polyline, at: int) -> AnnotationRow:
    text = path.label or tr("Path {n}", n=at + 1)
    points = tr("{n} points", n=len(path.points))
    return AnnotationRow(kind="path", text=text, note=points, ids=(path.id,), colour=at)
