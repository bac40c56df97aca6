"""The two kinds of list in the Library: what is asked of the project for each, and what is shown of a row.

The questions run on the session's reading thread; nothing here knows Qt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from annotator.domain.query import ItemQuery, SceneQuery
from annotator.domain.rows import FacetCount, ItemRow, SceneRow
from annotator.session import Reader
from widgets import words
from widgets.translation import mark as _

Row = ItemRow | SceneRow
Query = ItemQuery | SceneQuery
Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Found:
    """A selection as it was in one state of the project.

    Attributes:
        query: What was asked.
        numbers: Row numbers of the selection, int64 (n,), rising.
        total: Number of all records of the kind.
        facets: Counts per value of each facet, each under the other filters.
        sources: Names of imported files by their id.
    """

    query: Query
    numbers: Numbers
    total: int
    facets: dict[str, list[FacetCount]]
    sources: dict[str, str]


@dataclass(frozen=True, kw_only=True)
class Column:
    """One column of a list.

    Attributes:
        id: Name in the settings.
        title: English heading.
        width_px: Width until a person changes it; 0 takes what is left.
        text: What a row shows there, for copying, sorting aids and screen readers.
        look: How it is painted: ``name``, ``words``, ``number`` or ``flags``.
        hidden_below_px: Width of the list below which the column gives its place to the others.
    """

    id: str
    title: str
    width_px: int
    text: Callable[[Any], str]
    look: str = "words"
    hidden_below_px: int = 0


@dataclass(frozen=True, kw_only=True)
class Facet:
    """One group of filters.

    Attributes:
        id: Name of the facet in the reader's answer.
        title: English heading.
        field: Field of the query that holds the values chosen.
        word: Words for a value, given the names of sources.
    """

    id: str
    title: str
    field: str
    word: Callable[[str, dict[str, str]], str]


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A kind of list.

    Attributes:
        id: Kind of record: ``item`` or ``scene``.
        title: English heading.
        everything: The query that selects all.
        columns: Its columns, in order.
        facets: Its filters, in order.
        find: Asks for a selection.
        rows: Asks for rows by their numbers.
    """

    id: str
    title: str
    everything: Query
    columns: tuple[Column, ...]
    facets: tuple[Facet, ...]
    find: Callable[[Reader, Any], Found]
    rows: Callable[[Reader, Iterable[int]], list[Any]]


def find_items(reader: Reader, query: ItemQuery) -> Found:
    """Ask for a selection of items, all figures from one state of the project."""
    with reader.snapshot():
        facets = reader.item_facets(query)
        words.learn_sets(count.value for count in facets["task_set"])
        return Found(
            query=query,
            numbers=reader.item_numbers(query),
            total=reader.item_count(ItemQuery()),
            facets=facets,
            sources={source.id: getattr(source, "name", "") for source in reader.records("source")},
        )


def find_scenes(reader: Reader, query: SceneQuery) -> Found:
    """Ask for a selection of scenes, all figures from one state of the project."""
    with reader.snapshot():
        return Found(
            query=query,
            numbers=reader.scene_numbers(query),
            total=reader.scene_count(SceneQuery()),
            facets=reader.scene_facets(query),
            sources={},
        )


def item_rows(reader: Reader, numbers: Iterable[int]) -> list[ItemRow]:
    """Ask for rows of items."""
    return reader.item_rows(numbers)


def scene_rows(reader: Reader, numbers: Iterable[int]) -> list[SceneRow]:
    """Ask for rows of scenes."""
    return reader.scene_rows(numbers)


def toggled(query: Query, *, field: str, value: str) -> Query:
    """Return a query with one value of one facet taken in or out."""
    chosen = getattr(query, field)
    others = tuple(known for known in chosen if known != value)
    return msgspec.structs.replace(query, **{field: others if value in chosen else (*chosen, value)})


def chosen_values(query: Query, kind: Kind) -> int:
    """Return how many filters are set, the words of the search box included."""
    return sum(len(getattr(query, facet.field)) for facet in kind.facets) + bool(query.text)


def _flags(row: Row) -> str:
    return ", ".join(words.flag_word(kind) for kind in row.flags)


ITEMS = Kind(
    id="item",
    title=_("Items"),
    everything=ItemQuery(),
    columns=(
        Column(id="name", title=_("Name"), width_px=272, text=lambda row: row.name, look="name"),
        Column(
            id="task",
            title=_("Task"),
            width_px=160,
            text=lambda row: words.task_word(row.task, row.task_set),
            hidden_below_px=800,
        ),
        Column(id="question", title=_("Question"), width_px=0, text=lambda row: row.question),
        Column(id="flags", title=_("Open flags"), width_px=176, text=_flags, look="flags"),
    ),
    facets=(
        Facet(
            id="state", title=_("State"), field="states", word=lambda value, _names: words.state_word(value)
        ),
        Facet(
            id="task_set",
            title=_("Task set"),
            field="task_sets",
            word=lambda value, _names: words.task_set_word(value),
        ),
        Facet(id="task", title=_("Task"), field="tasks", word=lambda value, _names: words.task_word(value)),
        Facet(
            id="flag", title=_("Open flag"), field="flags", word=lambda value, _names: words.flag_word(value)
        ),
        Facet(
            id="source",
            title=_("Source"),
            field="sources",
            word=lambda value, names: names.get(value, "") or words.made_here(),
        ),
    ),
    find=find_items,
    rows=item_rows,
)

SCENES = Kind(
    id="scene",
    title=_("Scenes"),
    everything=SceneQuery(),
    columns=(
        Column(id="name", title=_("Name"), width_px=264, text=lambda row: row.name, look="name"),
        Column(
            id="dataset", title=_("Dataset"), width_px=160, text=lambda row: row.dataset, hidden_below_px=800
        ),
        Column(
            id="views",
            title=_("Views"),
            width_px=64,
            text=lambda row: f"{row.views:,}",
            look="number",
            hidden_below_px=560,
        ),
        Column(
            id="labels",
            title=_("Labels"),
            width_px=64,
            text=lambda row: f"{row.labels:,}",
            look="number",
            hidden_below_px=640,
        ),
        Column(id="items", title=_("Items"), width_px=64, text=lambda row: f"{row.items:,}", look="number"),
        Column(id="flags", title=_("Open flags"), width_px=0, text=_flags, look="flags"),
    ),
    facets=(
        Facet(
            id="dataset",
            title=_("Dataset"),
            field="datasets",
            word=lambda value, _names: value or words.no_dataset(),
        ),
        Facet(
            id="flag", title=_("Open flag"), field="flags", word=lambda value, _names: words.flag_word(value)
        ),
    ),
    find=find_scenes,
    rows=scene_rows,
)

KINDS = {kind.id: kind for kind in (ITEMS, SCENES)}
"""Both lists by the kind of their records."""
