"""Everything about one record that the inspector shows, read in one go on the reading thread."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from annotator.domain.comment import Comment
from annotator.domain.event_label import EventLabel
from annotator.domain.flag import Flag
from annotator.domain.item import Item
from annotator.domain.medium import Medium
from annotator.domain.record import Record
from annotator.domain.rows import HistoryEntry
from annotator.domain.scene import Scene
from annotator.domain.source import Source
from annotator.session import Reader
from widgets import words

HISTORY_SHOWN = 200
ITEMS_SHOWN = 100
"""Items of one scene that are listed; more are found through the list of items."""
LABEL_SET = "aircop"
"""The task set whose value lists the event labels use."""
R = TypeVar("R", bound=Record)


@dataclass(frozen=True, kw_only=True)
class ShownMedium:
    """A medium as a view of something.

    Attributes:
        view: Name of the view, "" where there is none.
        medium: The medium.
        file: Where it should lie; None where its path leads out of the media root.
    """

    view: str
    medium: Medium
    file: Path | None


@dataclass(frozen=True, kw_only=True)
class Remark:
    """A comment with who wrote it, and when.

    Attributes:
        comment: The comment.
        person: Name of who wrote it.
        written_at: ISO 8601 UTC.
    """

    comment: Comment
    person: str
    written_at: str


@dataclass(frozen=True, kw_only=True)
class Detail:
    """What both kinds of records have beside themselves.

    Attributes:
        entity: ``item`` or ``scene``.
        id: Id of the record.
        name: Name that people know it by.
        media: Its media in order.
        flags: Flags on it and on what belongs to it, open ones first.
        history: What happened to it, newest first.
        remarks: Comments, newest first.
    """

    entity: str
    id: str
    name: str
    media: tuple[ShownMedium, ...]
    flags: tuple[Flag, ...]
    history: tuple[HistoryEntry, ...]
    remarks: tuple[Remark, ...]


@dataclass(frozen=True, kw_only=True)
class ItemDetail(Detail):
    """An item with its surroundings."""

    item: Item
    scene: Scene | None
    source: Source | None


@dataclass(frozen=True, kw_only=True)
class SceneDetail(Detail):
    """A scene with its labels and items; ``item_count`` counts those that are not listed too."""

    scene: Scene
    labels: tuple[EventLabel, ...]
    items: tuple[Item, ...]
    item_count: int


def read_detail(reader: Reader, *, entity: str, record_id: str, media_root: Path) -> Detail | None:
    """Read a record with all that is shown about it, None where it is gone."""
    with reader.snapshot():
        record = reader.get(entity, record_id)
        if isinstance(record, Item):
            return _item_detail(reader, record, media_root=media_root)
        return _scene_detail(reader, record, media_root=media_root) if isinstance(record, Scene) else None


def inside(root: Path, relative: str) -> Path | None:
    """Return a path below a root, None where it would lead out of it."""
    if not relative:
        return None
    found = (root / relative).resolve()
    return found if found.is_relative_to(root.resolve()) else None


def _item_detail(reader: Reader, item: Item, *, media_root: Path) -> ItemDetail:
    words.learn_sets((item.task_set,))
    scene = _one(reader, Scene, "scene", item.scene)
    views = {view.medium: view.name for view in scene.views} if scene else {}
    media = [(views.get(medium.id, ""), medium) for medium in _media(reader, item.media)]
    return ItemDetail(
        entity="item",
        id=item.id,
        name=item.name,
        media=_shown(media, media_root),
        flags=tuple(reader.flags_of(item.id)),
        history=tuple(reader.history(item.id, limit=HISTORY_SHOWN)),
        remarks=_remarks(reader, item.id),
        item=item,
        scene=scene,
        source=_one(reader, Source, "source", item.provenance.source),
    )


def _scene_detail(reader: Reader, scene: Scene, *, media_root: Path) -> SceneDetail:
    names = {view.medium: view.name for view in scene.views}
    media = [(names.get(medium.id, ""), medium) for medium in _media(reader, names)]
    labels = tuple(sorted(reader.labels_of(scene.id), key=lambda label: label.view))
    items = reader.items_of(scene.id)
    targets = dict.fromkeys([scene.id, *names, *(label.id for label in labels), *(item.id for item in items)])
    flags = [flag for target in targets for flag in reader.flags_of(target)]
    words.learn_sets((LABEL_SET, *(item.task_set for item in items)))
    return SceneDetail(
        entity="scene",
        id=scene.id,
        name=scene.name,
        media=_shown(media, media_root),
        flags=tuple(sorted(flags, key=lambda flag: flag.state != "open")),
        history=tuple(reader.history(scene.id, limit=HISTORY_SHOWN)),
        remarks=_remarks(reader, scene.id),
        scene=scene,
        labels=labels,
        items=tuple(items[:ITEMS_SHOWN]),
        item_count=len(items),
    )


def _shown(media: Iterable[tuple[str, Medium]], root: Path) -> tuple[ShownMedium, ...]:
    return tuple(ShownMedium(view=view, medium=m, file=inside(root, m.path or m.name)) for view, m in media)


def _media(reader: Reader, ids: Iterable[str]) -> list[Medium]:
    found = reader.records("medium", ids=list(ids))
    return [medium for medium in found if isinstance(medium, Medium)]


def _one(reader: Reader, record: type[R], entity: str, record_id: str) -> R | None:
    found = reader.get(entity, record_id) if record_id else None
    return found if isinstance(found, record) else None


def _remarks(reader: Reader, target: str) -> tuple[Remark, ...]:
    comments = [comment for comment in reader.find("comment", target=target) if isinstance(comment, Comment)]
    return tuple(_remark(reader, comment) for comment in reversed(comments))


def _remark(reader: Reader, comment: Comment) -> Remark:
    # The log knows who and when; the comment itself is only words.
    birth = reader.history(comment.id)[-1]
    return Remark(comment=comment, person=birth.actor, written_at=birth.wall_time)
