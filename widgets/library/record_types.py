"""The kinds of lists in the Library: their queries, columns and filters.

The queries run on the session's reading thread. This module does not depend on Qt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from annotator.domain.item import Item
from annotator.domain.medium import Medium
from annotator.domain.query import ItemQuery, MediumQuery, SceneQuery, SortOrder
from annotator.domain.rows import FacetCount, ItemRow, MediumRow, SceneRow
from annotator.domain.scene import Scene
from annotator.domain.source import Source
from annotator.queries.reader import Reader
from widgets import display_text
from widgets.translation import join_texts, tr
from widgets.translation import mark as _

Row = ItemRow | SceneRow | MediumRow
Query = ItemQuery | SceneQuery | MediumQuery
Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class FoundRecords:
    """Result of a query, from one snapshot of the project.

    Attributes:
        query: The query.
        order: The sort order.
        numbers: Row numbers of the result, int64 (n,), in sort order.
        total: Number of all records of the kind.
        facets: Counts per value of each facet, with all other facets applied.
        sources: Names of import sources by id.
        shared_tasks: Tasks as ``set/task`` whose title occurs in several task sets.
        person: Id of the person at the window, "" where it does not matter.
    """

    query: Query
    order: SortOrder
    numbers: Numbers
    total: int
    facets: dict[str, list[FacetCount]]
    sources: dict[str, str]
    shared_tasks: frozenset[str] = frozenset()
    person: str = ""


@dataclass(frozen=True, kw_only=True)
class RecordColumn:
    """One column of a list.

    Attributes:
        id: Name in the settings.
        title: English heading.
        width_px: Default width; 0 takes the remaining width.
        text: Text of a cell, also for copying and for screen readers.
        look: Cell style: ``name``, ``words``, ``number``, ``share`` or ``flags``.
        hidden_below_px: Width of the list below which the column is hidden.
        is_sortable: Whether the list can be sorted by it (``store.sort_order``, by the id of the column).
        is_optional: Whether it is hidden until the user shows it.
    """

    id: str
    title: str
    width_px: int
    text: Callable[[Any], str]
    style: str = "words"
    hidden_below_px: int = 0
    is_sortable: bool = True
    is_optional: bool = False


@dataclass(frozen=True, kw_only=True)
class RecordFacet:
    """One group of filters.

    Attributes:
        id: Name of the facet in the reader's answer.
        title: English heading.
        field: Field of the query that has the selected values.
        title_of: Returns the title of a value, for the result that it was counted in.
        order: Values in their display order; all others follow by descending count.
        any_title: English title of the row that selects any value, "" for no such row.
    """

    id: str
    title: str
    field: str
    title_of: Callable[[str, FoundRecords], str]
    order: tuple[str, ...] = ()
    any_title: str = ""


@dataclass(frozen=True, kw_only=True)
class RecordTypeView:
    """A kind of list.

    Attributes:
        id: Kind of record: ``item``, ``scene`` or ``medium``.
        title: English heading.
        everything: Query that selects all records.
        columns: Its columns, in order.
        facets: Its filters, in order.
        find: Runs a query with a sort order.
        rows: Reads rows by their numbers.
        depends_on: Fields that rows, counts or the order of the list depend on, by kind of record; None for
            all.
        has_pictures: Whether it can be shown as a grid.
    """

    id: str
    title: str
    everything: Query
    columns: tuple[RecordColumn, ...]
    facets: tuple[RecordFacet, ...]
    find: Callable[[Reader, Any, SortOrder], FoundRecords]
    rows: Callable[[Reader, Iterable[int]], list[Any]]
    depends_on: Mapping[str, tuple[str, ...] | None]
    has_pictures: bool = False


def find_items(reader: Reader, query: ItemQuery, order: SortOrder, *, person: str = "") -> FoundRecords:
    """Query items, with all figures from one snapshot; ``person`` is at the window."""
    with reader.snapshot():
        facets = reader.items.facets(query)
        mentioning = reader.items.count(msgspec.structs.replace(query, mentions=(person,)))
        return FoundRecords(
            query=query,
            order=order,
            numbers=reader.order.sorted_numbers(Item, reader.items.numbers(query), order=order),
            total=reader.items.count(ItemQuery()),
            facets=facets | _mention_facet(person, mentioning),
            sources={source.id: getattr(source, "name", "") for source in reader.records(Source)},
            shared_tasks=_shared_tasks(reader),
            person=person,
        )


def _shared_tasks(reader: Reader) -> frozenset[str]:
    # Over the whole project: a title must not change with the filters.
    everything = reader.items.facets(ItemQuery())
    display_text.load_task_set_titles((count.value for count in everything["task_set"]), project=reader.path)
    return display_text.tasks_of_same_title(count.value for count in everything["task"])


def find_scenes(reader: Reader, query: SceneQuery, order: SortOrder, *, person: str = "") -> FoundRecords:
    """Query scenes, with all figures from one snapshot; ``person`` is at the window."""
    with reader.snapshot():
        mentioning = reader.scenes.count(msgspec.structs.replace(query, mentions=(person,)))
        return FoundRecords(
            query=query,
            order=order,
            numbers=reader.order.sorted_numbers(Scene, reader.scenes.numbers(query), order=order),
            total=reader.scenes.count(SceneQuery()),
            facets=reader.scenes.facets(query) | _mention_facet(person, mentioning),
            sources={},
            person=person,
        )


def _mention_facet(person: str, count: int) -> dict[str, list[FacetCount]]:
    return {"mention": [FacetCount(value=person, count=count)] if person and count else []}


def find_media(reader: Reader, query: MediumQuery, order: SortOrder) -> FoundRecords:
    """Query media, with all figures from one snapshot."""
    with reader.snapshot():
        return FoundRecords(
            query=query,
            order=order,
            numbers=reader.order.sorted_numbers(Medium, reader.media.numbers(query), order=order),
            total=reader.media.count(MediumQuery()),
            facets=reader.media.facets(query),
            sources={},
        )


def item_rows(reader: Reader, numbers: Iterable[int]) -> list[ItemRow]:
    """Read rows of items."""
    return reader.items.rows(numbers)


def scene_rows(reader: Reader, numbers: Iterable[int]) -> list[SceneRow]:
    """Read rows of scenes."""
    return reader.scenes.rows(numbers)


def medium_rows(reader: Reader, numbers: Iterable[int]) -> list[MediumRow]:
    """Read rows of media."""
    return reader.media.rows(numbers)


def toggled(query: Query, *, field: str, value: str) -> Query:
    """Return a query with one value of a facet added or removed."""
    chosen = getattr(query, field)
    others = tuple(known for known in chosen if known != value)
    return msgspec.structs.replace(query, **{field: others if value in chosen else (*chosen, value)})


def chosen_values(query: Query, kind: RecordTypeView) -> int:
    """Return the number of active filters, including the search text."""
    # A list of ids and a scene are filters without a facet: they are counted, so that they are visible and
    # can be cleared.
    others = int(bool(query.text))
    if isinstance(query, ItemQuery):
        others += bool(query.scene) + bool(query.ids)
    return sum(len(getattr(query, facet.field)) for facet in kind.facets) + others


def _flags(row: Row) -> str:
    return join_texts(display_text.flag_kind_title(kind) for kind in row.flags)


def _share(part: int, whole: int) -> str:
    return f"{part:,} / {whole:,}" if whole else ""


FLAG_FIELDS = ("target", "kind", "state")
FLAG_FACET = RecordFacet(
    id="flag",
    title=_("Open flag"),
    field="flags",
    title_of=lambda value, _found: display_text.flag_kind_title(value),
    any_title=_("Any open flag"),
)
MENTION_FACET = RecordFacet(
    id="mention",
    title=_("Comments"),
    field="mentions",
    title_of=lambda value, found: (
        tr("Mentions me") if value == found.person else tr("Mentions another person")
    ),
)
DATASET_FACET = RecordFacet(
    id="dataset",
    title=_("Dataset"),
    field="datasets",
    title_of=lambda value, _found: value or display_text.no_dataset(),
)
HEALTH_FACET = RecordFacet(
    id="health",
    title=_("Media files"),
    field="healths",
    title_of=lambda value, _found: display_text.health_title(value),
    order=tuple(display_text.HEALTHS),
)

CHANGED_COLUMN = RecordColumn(
    id="changed",
    title=_("Last change"),
    width_px=128,
    text=lambda row: display_text.local_time(row.changed_at),
    is_optional=True,
)

ITEMS = RecordTypeView(
    id="item",
    title=_("Items"),
    everything=ItemQuery(),
    columns=(
        RecordColumn(id="name", title=_("Name"), width_px=272, text=lambda row: row.name, style="name"),
        RecordColumn(
            id="state",
            title=_("State"),
            width_px=104,
            text=lambda row: display_text.item_state_title(row.state),
            hidden_below_px=960,
        ),
        RecordColumn(
            id="task",
            title=_("Task"),
            width_px=160,
            text=lambda row: display_text.task_title(row.task, row.task_set),
            hidden_below_px=800,
        ),
        RecordColumn(
            id="task_set",
            title=_("Task set"),
            width_px=128,
            text=lambda row: display_text.task_set_title(row.task_set),
            is_optional=True,
        ),
        RecordColumn(
            id="question",
            title=_("Question"),
            width_px=0,
            text=lambda row: row.question,
            is_sortable=False,
        ),
        RecordColumn(id="flags", title=_("Open flags"), width_px=176, text=_flags, style="flags"),
        CHANGED_COLUMN,
    ),
    facets=(
        RecordFacet(
            id="state",
            title=_("State"),
            field="states",
            title_of=lambda value, _found: display_text.item_state_title(value),
            order=tuple(display_text.STATES),
        ),
        RecordFacet(
            id="task_set",
            title=_("Task set"),
            field="task_sets",
            title_of=lambda value, _found: display_text.task_set_title(value),
        ),
        RecordFacet(
            id="task",
            title=_("Task"),
            field="tasks",
            title_of=lambda value, found: display_text.task_label(value, shared=found.shared_tasks),
        ),
        FLAG_FACET,
        RecordFacet(
            id="source",
            title=_("Source"),
            field="sources",
            title_of=lambda value, found: found.sources.get(value, "") or display_text.made_here(),
        ),
        MENTION_FACET,
    ),
    find=find_items,
    rows=item_rows,
    depends_on={
        "item": ("name", "task_set", "task", "state", "question", "options", "scene", "provenance"),
        "flag": FLAG_FIELDS,
        "source": ("name",),
        "assignment": None,
        "comment": ("mentions",),
    },
)

SCENES = RecordTypeView(
    id="scene",
    title=_("Scenes"),
    everything=SceneQuery(),
    columns=(
        RecordColumn(id="name", title=_("Name"), width_px=264, text=lambda row: row.name, style="name"),
        RecordColumn(
            id="dataset", title=_("Dataset"), width_px=160, text=lambda row: row.dataset, hidden_below_px=800
        ),
        RecordColumn(
            id="views",
            title=_("Views"),
            width_px=64,
            text=lambda row: f"{row.views:,}",
            style="number",
            hidden_below_px=560,
        ),
        RecordColumn(
            id="labels",
            title=_("Labelled"),
            width_px=80,
            text=lambda row: _share(row.labelled, row.views),
            style="share",
            hidden_below_px=640,
        ),
        RecordColumn(
            id="items",
            title=_("Items decided"),
            width_px=104,
            text=lambda row: _share(row.settled, row.items),
            style="share",
        ),
        RecordColumn(
            id="tags",
            title=_("Tags"),
            width_px=112,
            text=lambda row: join_texts(row.tags),
            hidden_below_px=900,
        ),
        RecordColumn(id="flags", title=_("Open flags"), width_px=0, text=_flags, style="flags"),
        CHANGED_COLUMN,
    ),
    facets=(
        RecordFacet(
            id="stage",
            title=_("Progress"),
            field="stages",
            title_of=lambda value, _found: display_text.stage_title(value),
            order=tuple(display_text.STAGES),
        ),
        RecordFacet(
            id="annotation",
            title=_("Annotation"),
            field="annotations",
            title_of=lambda value, _found: display_text.annotation_state_title(value),
            order=tuple(display_text.ANNOTATIONS),
        ),
        DATASET_FACET,
        RecordFacet(
            id="tag",
            title=_("Tags"),
            field="tags",
            title_of=lambda value, _found: value,
            any_title=_("Any tag"),
        ),
        HEALTH_FACET,
        FLAG_FACET,
        MENTION_FACET,
    ),
    find=find_scenes,
    rows=scene_rows,
    depends_on={
        "scene": ("name", "dataset", "views", "tags", "state"),
        "item": ("state", "scene"),
        "event_label": ("scene", "view", "medium"),
        "link": ("scene",),
        "region": ("medium", "made_by"),
        "assignment": None,
        "comment": ("mentions",),
        "flag": FLAG_FIELDS,
        "medium": None,
    },
    has_pictures=True,
)

MEDIA = RecordTypeView(
    id="medium",
    title=_("Media"),
    everything=MediumQuery(),
    columns=(
        RecordColumn(id="name", title=_("Name"), width_px=264, text=lambda row: row.name, style="name"),
        RecordColumn(
            id="dataset", title=_("Dataset"), width_px=160, text=lambda row: row.dataset, hidden_below_px=800
        ),
        RecordColumn(
            id="media_type",
            title=_("Kind"),
            width_px=96,
            text=lambda row: display_text.media_kind_title(row.media_type),
        ),
        RecordColumn(
            id="health", title=_("File"), width_px=112, text=lambda row: display_text.health_title(row.health)
        ),
        RecordColumn(
            id="size",
            title=_("Size"),
            width_px=80,
            text=lambda row: display_text.size_text(row.size_bytes) if row.size_bytes else "",
            style="number",
            hidden_below_px=640,
        ),
        RecordColumn(
            id="scene",
            title=_("Scene"),
            width_px=160,
            text=lambda row: row.scene,
            hidden_below_px=900,
            is_sortable=False,
        ),
        RecordColumn(id="licence", title=_("Licence"), width_px=0, text=lambda row: row.licence),
        CHANGED_COLUMN,
    ),
    facets=(
        HEALTH_FACET,
        DATASET_FACET,
        RecordFacet(
            id="media_type",
            title=_("Kind"),
            field="media_types",
            title_of=lambda value, _found: display_text.media_kind_title(value),
        ),
        RecordFacet(
            id="licence",
            title=_("Licence"),
            field="licences",
            title_of=lambda value, _found: value or display_text.no_licence(),
        ),
    ),
    find=find_media,
    rows=medium_rows,
    depends_on={"medium": None, "scene": ("name", "views"), "flag": FLAG_FIELDS},
    has_pictures=True,
)

RECORD_TYPES = {kind.id: kind for kind in (ITEMS, SCENES, MEDIA)}
"""All lists by kind of record."""


def types_for(person: str) -> dict[str, RecordTypeView]:
    """Return all lists, with what concerns one person in their filters."""
    finds: dict[str, Callable[[Reader, Any, SortOrder], FoundRecords]] = {
        "item": partial(find_items, person=person),
        "scene": partial(find_scenes, person=person),
    }
    return {name: replace(kind, find=finds.get(name, kind.find)) for name, kind in RECORD_TYPES.items()}
