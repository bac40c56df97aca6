"""The queue of scenes in Annotate: those of the current list of the Library, and its chips."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

import msgspec
import numpy as np

from annotator.domain.assignment import assignee
from annotator.domain.frame_sequence import frames_to_annotate
from annotator.domain.query import ItemQuery, MediumQuery, RelatedSceneQuery, SceneQuery, SortOrder
from annotator.domain.record_types import record_type
from annotator.domain.rows import FacetCount
from annotator.domain.scene_progress import Annotation
from annotator.queries.reader import Reader
from widgets.library.record_types import RECORD_TYPES, FoundRecords, RecordTypeView
from widgets.library.scene_follower import FollowedRecord

UNFINISHED: tuple[Annotation, ...] = ("to_do", "open")
"""States of the annotation of scenes that wait for a person."""
CHIPS = ("unfinished", "mine", "all")
"""Filters above the queue."""


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
    number, medium = reader.related.scene_of(record_type(followed.entity), followed.number)
    return LocatedScene(number=number, medium=medium)


def find_related_scenes(
    reader: Reader, query: RelatedSceneQuery, order: SortOrder, *, person: str
) -> FoundRecords:
    """Query the scenes of a selection, with all counts from one state of the project.

    Args:
        reader: The project.
        query: The selection, with the sort order of the list in the Library.
        order: Sort order of the list of scenes, passed through to the result; the query has its own.
        person: Id of the person whose scenes are counted for the chip ``mine``.
    """
    with reader.snapshot():
        return FoundRecords(
            query=query,
            order=order,
            numbers=reader.related.scene_numbers(query),
            total=reader.scenes.count(SceneQuery()),
            facets=_counts(reader, query, person=person),
            sources={},
        )


def _counts(reader: Reader, query: RelatedSceneQuery, *, person: str) -> dict[str, list[FacetCount]]:
    """Return the number of scenes of each chip as ``chip``, and of those of the chip in use as ``part``."""
    whole = reader.related.scene_numbers(with_chip(query, "all", person=person))
    selections = {chip: with_chip(RelatedSceneQuery(), chip, person=person) for chip in CHIPS}
    chosen = {chip: whole[np.isin(whole, reader.scenes.numbers(one))] for chip, one in selections.items()}
    part = chosen["mine" if query.assignees else "all"]
    finished = np.isin(part, reader.scenes.numbers(SceneQuery(annotations=("finished",))))
    return {
        "chip": [FacetCount(value=chip, count=len(numbers)) for chip, numbers in chosen.items()],
        "part": [
            FacetCount(value="all", count=len(part)),
            FacetCount(value="finished", count=int(finished.sum())),
        ],
    }


def with_chip(query: RelatedSceneQuery, chip: str, *, person: str) -> RelatedSceneQuery:
    """Return a query with the filter of a chip in place of that of another one.

    Args:
        query: The query.
        chip: One of ``CHIPS``.
        person: Id of the person whose scenes ``mine`` selects.
    """
    return msgspec.structs.replace(
        query,
        annotations=UNFINISHED if chip == "unfinished" else (),
        assignees=(assignee("annotate", person),) if chip == "mine" else (),
    )


def count_left(reader: Reader, *, query: RelatedSceneQuery, person: str) -> int:
    """Return how many scenes of a query are assigned to a person, who has not finished them."""
    own = with_chip(query, "mine", person=person)
    numbers = reader.related.scene_numbers(msgspec.structs.replace(own, annotations=UNFINISHED))
    return len(set(numbers.tolist()) - reader.workload.handed_in_scenes(person))


def next_unfinished(reader: Reader, *, numbers: list[int], person: str) -> int | None:
    """Return the first of some row numbers whose scene is not finished; called on the reading thread.

    With an annotation step, the frames to annotate come first, and those in between after all of them.
    Scenes that the person has handed in, and that wait for others, are left out.
    """
    waiting = set(reader.scenes.numbers(SceneQuery(annotations=UNFINISHED)).tolist())
    waiting -= reader.workload.handed_in_scenes(person)
    step = reader.project.annotation_step
    first = frames_to_annotate(reader.scenes.names(), step=step) & waiting if step > 1 else waiting
    chosen = first if not first.isdisjoint(numbers) else waiting
    return next((number for number in numbers if number in chosen), None)


def is_filtered(query: RelatedSceneQuery) -> bool:
    """Return whether filters of the Library exclude scenes; chips and search text are displayed."""
    plain = with_chip(
        msgspec.structs.replace(query, items=None, media=None, order=SortOrder()), "all", person=""
    )
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


def scenes_of_queue(person: str) -> RecordTypeView:
    """Return the list of scenes beside the stage, for one person; its filters are those of the Library."""
    return replace(
        RECORD_TYPES["scene"],
        everything=RelatedSceneQuery(),
        facets=(),
        find=partial(find_related_scenes, person=person),
        depends_on=_depends_on(),
    )
