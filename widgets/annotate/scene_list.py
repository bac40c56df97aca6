"""The list of scenes in Annotate: those of the current list of the Library."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace

import msgspec

from annotator.domain.query import ItemQuery, MediumQuery, RelatedSceneQuery, SceneQuery, SortOrder
from annotator.session import Reader
from widgets.library.record_types import RECORD_TYPES, FoundRecords, RecordTypeView
from widgets.library.scene_follower import FollowedRecord


@dataclass(frozen=True, kw_only=True)
class LocatedScene:
    """The scene of a record that Annotate follows.

    Attributes:
        number: Row number of the scene, 0 if the record has none, None without a record.
        medium: Id of the medium of the record, or "".
    """

    number: int | None
    medium: str = ""


def locate_scene(reader: Reader, *, followed: FollowedRecord) -> LocatedScene:
    """Return the scene of a record."""
    if followed.number is None:
        return LocatedScene(number=None)
    number, medium = reader.scene_of(followed.entity, followed.number)
    return LocatedScene(number=number, medium=medium)


def find_related_scenes(reader: Reader, query: RelatedSceneQuery, order: SortOrder) -> FoundRecords:
    """Query the scenes of a selection, with all counts from one state of the project.

    Args:
        reader: The project.
        query: The selection, with the sort order of the list in the Library.
        order: Sort order of the list of scenes, passed through to the result; the query has its own.
    """
    with reader.snapshot():
        return FoundRecords(
            query=query,
            order=order,
            numbers=reader.related_scene_numbers(query),
            total=reader.scene_count(SceneQuery()),
            facets={},
            sources={},
        )


def is_filtered(query: RelatedSceneQuery) -> bool:
    """Return whether filters of the Library exclude scenes; the search text is displayed beside the list."""
    plain = msgspec.structs.replace(query, items=None, media=None, order=SortOrder())
    has_records = query.items not in {None, ItemQuery()} or query.media not in {None, MediumQuery()}
    return has_records or plain != RelatedSceneQuery(text=query.text)


def _depends_on() -> Mapping[str, tuple[str, ...] | None]:
    """Return the fields that the list depends on: new items and media can add scenes."""
    fields: dict[str, set[str]] = defaultdict(set)
    whole: set[str] = set()
    for kind in RECORD_TYPES.values():
        for entity, names in kind.depends_on.items():
            fields[entity].update(names or ())
            whole |= {entity} if names is None else set()
    return {entity: None if entity in whole else tuple(names) for entity, names in fields.items()}


RELATED_SCENES: RecordTypeView = replace(
    RECORD_TYPES["scene"],
    everything=RelatedSceneQuery(),
    facets=(),
    find=find_related_scenes,
    depends_on=_depends_on(),
)
"""The list of scenes beside the stage; its filters are those of the Library."""
