"""Updates a scene of the stage after a command by reading only the changed records."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from annotator.domain.changes import Changes
from annotator.domain.event_label import EventLabel
from annotator.domain.flag import Flag
from annotator.domain.link import Link
from annotator.domain.polyline import Polyline
from annotator.domain.record import Record
from annotator.domain.region import Region
from annotator.domain.trajectory import Trajectory
from annotator.media.media_roots import MediaRoots
from annotator.media.render import Overlay
from annotator.queries.reader import Reader
from widgets.stage.annotations_update import update_annotations
from widgets.stage.list_change import ListChange, list_change
from widgets.stage.scene import FrameMarks, StageScene, read_flags, read_labels, read_scene
from widgets.stage.view_annotations import ViewAnnotations

MOST_CHANGED = 200
"""Number of changed annotations above which reading the whole scene is faster."""
LARGE = 1000
"""Number of regions from which arrays are kept when only links changed; smaller arrays are recomputed."""
SHOWN = ("region", "link", "path", "event_label", "trajectory", "flag")
"""Record types that a stage displays, in addition to its scene and the media."""
M = TypeVar("M", Region, Polyline)
R = TypeVar("R", bound=Record)
MediumFrame = tuple[str, int | None]


def is_concerned(shown: StageScene, changes: Changes) -> bool:
    """Return whether a change can affect the displayed scene; cheap enough for the GUI thread."""
    return _is_whole(shown, changes) or any(changes.concerns(entity) for entity in SHOWN)


def read_changed_scene(
    reader: Reader, *, shown: StageScene, changes: Changes, roots: MediaRoots
) -> StageScene | None:
    """Return a scene after a change: None if it was deleted, the same object if nothing differs.

    Args:
        reader: The project.
        shown: The scene before the change.
        changes: The changes since it was read.
        roots: Media folders.
    """
    if _is_whole(shown, changes):
        return read_scene(reader, scene=shown.scene.id, roots=roots, person=shown.person)
    with reader.snapshot():
        return _Update(reader, shown, changes).scene()


def _is_whole(shown: StageScene, changes: Changes) -> bool:
    """Return whether the whole scene has to be read again."""
    media = [view.medium for view in shown.scene.views]
    if _concerns_scene(shown, changes):
        return True
    ids = [changes.ids[entity] for entity in SHOWN if entity in changes.ids]
    is_listed = sum(len(known) for known in ids if known is not None) <= MOST_CHANGED
    # None stands for an unknown set of records; a medium in two views breaks the sort order.
    return None in ids or not is_listed or len(set(media)) < len(media)


def _concerns_scene(shown: StageScene, changes: Changes) -> bool:
    """Return whether the scene itself, one of its media, or what applies to all scenes has changed."""
    if changes.concerns("project") or changes.concerns("assignment"):
        return True
    media = (view.medium for view in shown.scene.views)
    return changes.concerns("scene", shown.scene.id) or any(changes.concerns("medium", one) for one in media)


def _names_still_valid(before: StageScene, after: StageScene, *, has_links_changed: bool) -> list[str]:
    """Return the cached properties whose results are the same after the change."""
    names = ["segments", "flights", "geometry"] if after.trajectories is before.trajectories else []
    names += ["_issues"] if after.labels is before.labels else []
    return names + ([] if has_links_changed else ["same_links", "link_colours"])


class _Update:
    """Reads the changed records of a scene and merges them."""

    def __init__(self, reader: Reader, shown: StageScene, changes: Changes) -> None:
        self._reader, self._shown, self._changes = reader, shown, changes
        self._media = {view.medium: at for at, view in enumerate(shown.scene.views)}
        self._numbers: dict[str, int] = {}

    def scene(self) -> StageScene:
        """Return the scene after the change."""
        before = self._shown
        regions = self._marks_splice(Region, before.marks.regions)
        paths = self._marks_splice(Polyline, before.marks.paths)
        links = self._links_splice()
        labels, trajectories = self._labels(), self._trajectories()
        flags = self._flags(labels, trajectories)
        # Returning the same object lets the views skip the update by an identity check.
        is_same = (labels, trajectories, flags) == (before.labels, before.trajectories, before.flags)
        if is_same and not (regions or paths or links):
            return before
        marks = Overlay(
            regions=_after(before.marks.regions, regions),
            links=_after(before.marks.links, links),
            paths=_after(before.marks.paths, paths),
        )
        after = replace(before, marks=marks, labels=labels, trajectories=trajectories, flags=flags)
        self._take_over(after, regions=regions, paths=paths, has_links_changed=bool(links))
        # Not on the GUI thread, as in ``read_scene``.
        _ = after.segments
        return after

    def _take_over(
        self,
        after: StageScene,
        *,
        regions: ListChange[Region],
        paths: ListChange[Polyline],
        has_links_changed: bool,
    ) -> None:
        """Transfer cached results that are still valid to the scene after the change."""
        before = self._shown
        names = _names_still_valid(before, after, has_links_changed=has_links_changed)
        # A cached property reads its value from the instance dictionary first: a value stored there is not
        # recomputed.
        known = vars(after)
        known |= {name: vars(before)[name] for name in names if name in vars(before)}
        # Here, off the GUI thread: all regions of a scene are looked at.
        _ = after.proposals
        # Copied, because the GUI thread still displays the previous scene.
        known["by_frame"] = groups = dict(before.by_frame)
        changed: dict[MediumFrame, ListChange[Region]] = {}
        for location in _medium_frames(before.marks, regions, paths):
            group = before.by_frame.get(location, FrameMarks())
            changed[location] = self._group_splice(group.regions, location, regions, before.marks.regions)
            own_paths = self._group_splice(group.paths, location, paths, before.marks.paths)
            groups[location] = FrameMarks(
                regions=_group_after(group.regions, changed[location], whole=after.marks.regions),
                paths=_group_after(group.paths, own_paths, whole=after.marks.paths),
            )
            # ``marked_frames`` is derived from the entries, so empty groups must not remain.
            if not (groups[location].regions or groups[location].paths):
                del groups[location]
        if groups.keys() == before.by_frame.keys() and "marked_frames" in vars(before):
            known["marked_frames"] = before.marked_frames
        for location, arrays in before.kept_arrays().items():
            self._take_arrays(after, location, arrays, changed.get(location, ListChange()), has_links_changed)

    def _take_arrays(
        self,
        after: StageScene,
        location: MediumFrame,
        arrays: ViewAnnotations,
        regions: ListChange[Region],
        has_links_changed: bool,
    ) -> None:
        marks = after.marks_of(*location)
        is_same = not regions and not has_links_changed and marks.paths == arrays.marks.paths
        if is_same:
            after.keep_arrays(location, arrays)
        # Otherwise only links changed, and small arrays are recomputed when they are displayed.
        elif regions or len(marks.regions) >= LARGE or location[1] is None:
            made = update_annotations(arrays, marks=marks, regions=regions, link_colours=after.link_colours)
            after.keep_arrays(location, made)

    def _marks_splice(self, record: type[M], before: Sequence[M]) -> ListChange[M]:
        entity = record.table.entity
        old: list[M] = []
        new: list[M] = []
        for changed in sorted(self._changes.ids.get(entity) or ()):
            known = self._known(before, changed, kind=record)
            now = self._reader.get(record, changed)
            if now == known:
                continue
            old += [known] if known is not None else []
            # A record of another scene's medium is a removal for this scene, if it was there.
            new += [now] if now is not None and now.medium in self._media else []
        return list_change(before, old=old, new=new, key=self._order)

    def _known(self, before: Sequence[M], record_id: str, *, kind: type[M]) -> M | None:
        """Return an annotation of the scene by its id, or None if there was none."""
        number = self._number(kind, record_id)
        # The list is sorted by medium and number, but the medium of a deleted record is unknown.
        for medium in self._media.values():
            position = bisect_left(before, (medium, number), key=self._order)
            if position < len(before) and before[position].id == record_id:
                return before[position]
        return None

    def _group_splice(
        self, group: Sequence[M], location: MediumFrame, whole: ListChange[M], before: Sequence[M]
    ) -> ListChange[M]:
        """Return the change of one frame's annotations that corresponds to a change of the scene's."""
        old = [before[at] for at in whole.removed if _medium_frame(before[at]) == location]
        new = [mark for _, mark in whole.inserted if _medium_frame(mark) == location]
        return list_change(group, old=old, new=new, key=self._order)

    def _links_splice(self) -> ListChange[Link]:
        before = self._shown.marks.links
        old: list[Link] = []
        new: list[Link] = []
        # Links are sorted by arrival number, so each is found by bisection.
        for changed in sorted(self._changes.ids.get("link") or ()):
            at = bisect_left(before, self._number(Link, changed), key=self._link_order)
            known = before[at] if at < len(before) and before[at].id == changed else None
            now = self._reader.get(Link, changed)
            if now == known:
                continue
            old += [known] if known is not None else []
            # A link of another scene is not inserted.
            new += [now] if now is not None and now.scene == self._shown.scene.id else []
        return list_change(before, old=old, new=new, key=self._link_order)

    def _labels(self) -> tuple[EventLabel, ...]:
        known = {label.id for label in self._shown.labels}
        for now in self._read(EventLabel, known):
            if now is None or now.scene == self._shown.scene.id or now.medium in self._media:
                return read_labels(self._reader, self._shown.scene, person=self._shown.person)
        return self._shown.labels

    def _trajectories(self) -> tuple[Trajectory, ...]:
        known = {one.id for one in self._shown.trajectories}
        for now in self._read(Trajectory, known):
            if now is None or now.scene == self._shown.scene.id:
                found = self._reader.find(Trajectory, scene=self._shown.scene.id)
                return tuple(found)
        return self._shown.trajectories

    def _flags(
        self, labels: tuple[EventLabel, ...], trajectories: tuple[Trajectory, ...]
    ) -> tuple[Flag, ...]:
        targets = [self._shown.scene.id, *self._media]
        targets += [record.id for record in (*labels, *trajectories)]
        is_same = labels is self._shown.labels and trajectories is self._shown.trajectories
        known = {flag.id for flag in self._shown.flags}
        changed = self._read(Flag, known)
        if is_same and not any(now is None or now.target in targets for now in changed):
            return self._shown.flags
        return read_flags(self._reader, targets)

    def _read(self, record: type[R], known: Iterable[str]) -> list[R | None]:
        """Return the changed records of a type, None for each known one that was deleted."""
        ids = self._changes.ids.get(record.table.entity) or frozenset()
        found = {one: self._reader.get(record, one) for one in ids}
        kept: list[R | None] = [one for one in found.values() if one is not None]
        return kept + [None for one in ids & set(known) if found[one] is None]

    def _order(self, mark: Region | Polyline) -> tuple[int, int]:
        return self._media[mark.medium], self._number(type(mark), mark.id)

    def _link_order(self, link: Link) -> int:
        return self._number(Link, link.id)

    def _number(self, kind: type[Record], record_id: str) -> int:
        """Return the sort number of a record in its table; read once for each compared record."""
        if record_id not in self._numbers:
            self._numbers[record_id] = self._reader.order.arrival_number(kind, record_id) or 0
        return self._numbers[record_id]


def _after(before: tuple[R, ...], splice: ListChange[R]) -> tuple[R, ...]:
    return splice.apply(before) if splice else before


def _group_after(before: tuple[R, ...], splice: ListChange[R], *, whole: tuple[R, ...]) -> tuple[R, ...]:
    """Return the annotations of a frame after a change; of the only one, the same object as the scene's."""
    count = len(before) - len(splice.removed) + len(splice.inserted)
    return whole if count == len(whole) else _after(before, splice)


def _medium_frame(mark: Region | Polyline) -> MediumFrame:
    return mark.medium, mark.frame


def _medium_frames(
    before: Overlay, regions: ListChange[Region], paths: ListChange[Polyline]
) -> set[MediumFrame]:
    """Return the media and frames whose annotations change."""
    positions = {_medium_frame(before.regions[at]) for at in regions.removed}
    positions |= {_medium_frame(before.paths[at]) for at in paths.removed}
    positions |= {_medium_frame(mark) for _, mark in regions.inserted}
    return positions | {_medium_frame(mark) for _, mark in paths.inserted}
