"""All data of one record that the inspector shows, read in one snapshot on the reading thread."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

from annotator.domain.changes import Changes
from annotator.domain.comment import Comment
from annotator.domain.event import CREATED
from annotator.domain.event_label import EventLabel
from annotator.domain.flag import Flag
from annotator.domain.item import Item
from annotator.domain.link import Link
from annotator.domain.medium import Medium
from annotator.domain.record import Record
from annotator.domain.record_types import record_type
from annotator.domain.region import Region
from annotator.domain.rows import HistoryEntry
from annotator.domain.scene import Scene
from annotator.domain.source import Source
from annotator.domain.trajectory import Trajectory
from annotator.media.media_roots import MediaRoots
from annotator.queries.own_labels import own_labels
from annotator.queries.reader import Reader
from widgets import display_text
from widgets.library.predictions import PredictionEvidence, read_evidence
from widgets.medium_view import MediumView

HISTORY_SHOWN = 200
FLAGS_TRACED = 200
"""Maximum number of flags whose history is read."""
ITEMS_SHOWN = 100
"""Maximum number of items that are listed for a scene; the list of items shows all."""
DERIVED_SHOWN = 24
"""Maximum number of derived media that are listed by name."""
IN_SCENES = ("item", "event_label", "region", "link", "trajectory", "source")
"""Kinds of records that belong to a scene but are stored in records of their own."""
LABEL_SET = "aircop"
"""Task set whose value lists the event labels use."""
R = TypeVar("R", bound=Record)


@dataclass(frozen=True, kw_only=True)
class CommentDetail:
    """A comment with its author and time.

    Attributes:
        comment: The comment.
        person: Name of the author.
        written_at: ISO 8601 UTC.
    """

    comment: Comment
    person: str
    written_at: str


@dataclass(frozen=True, kw_only=True)
class RecordDetail:
    """Data that all kinds of records share.

    Attributes:
        entity: ``item``, ``scene`` or ``medium``.
        id: Id of the record.
        name: Display name of the record.
        media: Its media in order.
        flags: Flags on the record and on its dependent records, open ones first.
        history: Its history, newest first.
        remarks: Comments, newest first.
        flag_events: History of each flag, newest first, by flag id.
        healths: Current health of its media, in the same order.
    """

    entity: str
    id: str
    name: str
    media: tuple[MediumView, ...]
    flags: tuple[Flag, ...]
    history: tuple[HistoryEntry, ...]
    remarks: tuple[CommentDetail, ...]
    flag_events: dict[str, tuple[HistoryEntry, ...]]
    healths: tuple[str, ...] = ()

    @property
    def missing(self) -> int:
        """Number of media whose files are missing."""
        return sum(health in {"missing", "unseen"} for health in self.healths)


@dataclass(frozen=True, kw_only=True)
class ItemDetail(RecordDetail):
    """An item with related records.

    Attributes:
        item: The item.
        scene: Its scene.
        source: The import source of the item.
        evidence: Predictions of models for the item, the newest run last.
        variant_source: The item that it is a variant of, None for none.
        variants: Its variants.
    """

    item: Item
    scene: Scene | None
    source: Source | None
    evidence: tuple[PredictionEvidence, ...] = ()
    variant_source: Item | None = None
    variants: tuple[Item, ...] = ()


@dataclass(frozen=True, kw_only=True)
class SceneDetail(RecordDetail):
    """A scene with all related records.

    Attributes:
        scene: The scene.
        labels: Its event labels, in the order of its views.
        items: Its first items, up to a limit.
        item_count: Number of all its items.
        states: Number of its items by state.
        regions: Regions of all its media.
        links: Links between them.
        trajectories: Its trajectories.
        sources: Names of the import sources of its media, by id.
    """

    scene: Scene
    labels: tuple[EventLabel, ...]
    items: tuple[Item, ...]
    item_count: int
    states: dict[str, int]
    regions: tuple[Region, ...]
    links: tuple[Link, ...]
    trajectories: tuple[Trajectory, ...]
    sources: dict[str, str]


@dataclass(frozen=True, kw_only=True)
class MediumDetail(RecordDetail):
    """A medium with related records.

    Attributes:
        medium: The medium.
        health: The health of its file.
        scenes: Names of its scenes.
        source: Name of its import source, "" for none.
        original: Name of the medium that it was made from, "" for none.
        derived: Names of the media that were made from it, up to a limit.
        derived_count: Number of all of them.
    """

    medium: Medium
    health: str
    scenes: tuple[str, ...]
    source: str
    original: str = ""
    derived: tuple[str, ...] = ()
    derived_count: int = 0


def is_concerned(detail: RecordDetail, changes: Changes) -> bool:
    """Return whether a change can affect the data that ``read_detail`` reads for a record."""
    if changes.concerns(detail.entity, detail.id) or changes.concerns("flag") or changes.concerns("comment"):
        return True
    if any(changes.concerns("medium", shown.medium.id) for shown in detail.media):
        return True
    if isinstance(detail, SceneDetail):
        return any(changes.concerns(entity) for entity in IN_SCENES)
    if isinstance(detail, ItemDetail):
        return _concerns_item(detail, changes)
    # Media that are made from this one belong to it, and its own source may be removed by an undo.
    return changes.concerns("scene") or changes.concerns("medium")


def _concerns_item(detail: ItemDetail, changes: Changes) -> bool:
    """Return whether a change affects what is shown beside an item: its family, or its scene."""
    if CREATED in changes.fields.get("item", frozenset()) or _concerns_family(detail, changes):
        return True
    return detail.scene is not None and changes.concerns("scene", detail.scene.id)


def _concerns_family(detail: ItemDetail, changes: Changes) -> bool:
    """Return whether a change affects a variant of an item, or its source."""
    family = (*detail.variants, *filter(None, (detail.variant_source,)))
    return any(changes.concerns("item", one.id) for one in family)


def read_detail(
    reader: Reader, *, entity: str, record_id: str, roots: MediaRoots, person: str = ""
) -> RecordDetail | None:
    """Read a record with all related data, None if it is deleted.

    Args:
        reader: The project.
        entity: Kind of the record.
        record_id: Id of the record.
        roots: Media folders.
        person: Id of the person who must not see independent labels of others, "" for nobody.
    """
    # One snapshot for all queries: otherwise a count and its list could differ.
    with reader.snapshot():
        record = reader.get(record_type(entity), record_id)
        if isinstance(record, Item):
            return _item_detail(reader, record, roots=roots)
        if isinstance(record, Medium):
            return _medium_detail(reader, record, roots=roots)
        return (
            _scene_detail(reader, record, roots=roots, person=person) if isinstance(record, Scene) else None
        )


def _item_detail(reader: Reader, item: Item, *, roots: MediaRoots) -> ItemDetail:
    display_text.load_task_set_titles((item.task_set,), project=reader.path)
    scene = _one(reader, Scene, item.scene)
    views = {view.medium: view.name for view in scene.views} if scene else {}
    flags = tuple(reader.flags_of(item.id))
    media = [(views.get(medium.id, ""), medium) for medium in _media(reader, item.media)]
    return ItemDetail(
        entity="item",
        id=item.id,
        name=item.name,
        media=_shown(media, roots),
        flags=flags,
        flag_events=_flag_events(reader, flags),
        history=tuple(reader.history.of(item.id, limit=HISTORY_SHOWN)),
        remarks=_remarks(reader, item.id),
        healths=_healths(reader, item.media),
        item=item,
        scene=scene,
        source=_one(reader, Source, item.provenance.source),
        evidence=read_evidence(reader, item),
        variant_source=_one(reader, Item, item.variant.source) if item.variant else None,
        variants=tuple(reader.find(Item, variant_of=item.id)),
    )


def _scene_detail(reader: Reader, scene: Scene, *, roots: MediaRoots, person: str) -> SceneDetail:
    names = {view.medium: view.name for view in scene.views}
    media = [(names.get(medium.id, ""), medium) for medium in _media(reader, names)]
    known = own_labels(reader, scene=scene.id, person=person)
    labels = tuple(sorted(known, key=lambda label: label.view))
    items, links = list(reader.find(Item, scene=scene.id)), tuple(_all(reader, Link, "scene", (scene.id,)))
    # An ordered set: the sort by state below is stable, and keeps this order.
    targets = dict.fromkeys([scene.id, *names, *(record.id for record in (*labels, *links, *items))])
    flags = [flag for target in targets for flag in reader.flags_of(target)]
    display_text.load_task_set_titles((LABEL_SET, *(item.task_set for item in items)), project=reader.path)
    return SceneDetail(
        entity="scene",
        id=scene.id,
        name=scene.name,
        media=_shown(media, roots),
        flags=tuple(sorted(flags, key=lambda flag: flag.state != "open")),
        flag_events=_flag_events(reader, flags),
        history=tuple(reader.history.of(scene.id, limit=HISTORY_SHOWN)),
        remarks=_remarks(reader, scene.id),
        healths=_healths(reader, names),
        scene=scene,
        labels=labels,
        items=tuple(items[:ITEMS_SHOWN]),
        item_count=len(items),
        states=reader.progress.scene_states(scene.id),
        regions=tuple(_all(reader, Region, "medium", names)),
        links=links,
        trajectories=tuple(_all(reader, Trajectory, "scene", (scene.id,))),
        sources=_source_names(reader, media),
    )


def _medium_detail(reader: Reader, medium: Medium, *, roots: MediaRoots) -> MediumDetail:
    scenes = [_one(reader, Scene, scene) for scene in reader.scenes.showing(medium.id)]
    flags = tuple(reader.flags_of(medium.id))
    source = _one(reader, Source, medium.source)
    original = _one(reader, Medium, medium.derived_from)
    derived = [one.name for one in reader.find(Medium, derived_from=medium.id)]
    return MediumDetail(
        entity="medium",
        id=medium.id,
        name=medium.name,
        media=_shown([("", medium)], roots),
        flags=flags,
        flag_events=_flag_events(reader, flags),
        history=tuple(reader.history.of(medium.id, limit=HISTORY_SHOWN)),
        remarks=_remarks(reader, medium.id),
        healths=_healths(reader, (medium.id,)),
        medium=medium,
        health=_healths(reader, (medium.id,))[0],
        scenes=tuple(scene.name for scene in scenes if scene is not None),
        source=source.name if source else "",
        original=original.name if original else "",
        derived=tuple(derived[:DERIVED_SHOWN]),
        derived_count=len(derived),
    )


def _flag_events(reader: Reader, flags: Iterable[Flag]) -> dict[str, tuple[HistoryEntry, ...]]:
    return reader.history.histories([flag.id for flag in islice(flags, FLAGS_TRACED)])


def _shown(media: Iterable[tuple[str, Medium]], roots: MediaRoots) -> tuple[MediumView, ...]:
    return tuple(MediumView(view=view, medium=m, file=roots.file_of(m.path or m.name)) for view, m in media)


def _media(reader: Reader, ids: Iterable[str]) -> list[Medium]:
    found = reader.records(Medium, ids=list(ids))
    return list(found)


def _one(reader: Reader, record: type[R], record_id: str) -> R | None:
    return reader.get(record, record_id) if record_id else None


def _healths(reader: Reader, media: Iterable[str]) -> tuple[str, ...]:
    wanted = list(media)
    found = reader.media.healths(wanted)
    return tuple(found[medium] for medium in wanted if medium in found)


def _all(reader: Reader, record: type[R], column: str, values: Iterable[str]) -> Iterable[R]:
    for value in values:
        yield from reader.find(record, **{column: value})


def _source_names(reader: Reader, media: list[tuple[str, Medium]]) -> dict[str, str]:
    ids = dict.fromkeys(medium.source for _, medium in media if medium.source)
    return {record.id: record.name for record in reader.records(Source, ids=list(ids))}


def _remarks(reader: Reader, target: str) -> tuple[CommentDetail, ...]:
    comments = list(reader.find(Comment, target=target))
    return tuple(_remark(reader, comment) for comment in reversed(comments))


def _remark(reader: Reader, comment: Comment) -> CommentDetail:
    # The log has the user and the time; the comment record has only the text.
    birth = reader.history.of(comment.id)[-1]
    return CommentDetail(comment=comment, person=birth.actor, written_at=birth.wall_time)
