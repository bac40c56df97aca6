"""The records of a new run: selected by filters, counted and resolved to ids on the reading thread."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from annotator.domain.eval_settings import EXCLUSION_TEXTS
from annotator.domain.query import ItemQuery, MediumQuery, SceneQuery
from annotator.domain.rows import FacetCount
from annotator.queries.reader import Reader
from widgets import display_text

Which = Literal["all", "list", "selected", "some"]
EVERYTHING = ItemQuery()
FACETS = ("task_set", "task", "state")


@dataclass(frozen=True, kw_only=True)
class ItemScope:
    """The items of a run.

    Attributes:
        which: All open items, the filtered list, its selection, or a filter by facets.
        query: The filters of the list.
        numbers: Row numbers of the selection.
        task_set: Id of a task set, "" for all.
        task: A task as ``set/task``, "" for all.
        state: An item state, "" for all except rejected and filtered.
    """

    which: Which = "all"
    query: ItemQuery = EVERYTHING
    numbers: tuple[int, ...] = ()
    task_set: str = ""
    task: str = ""
    state: str = ""


@dataclass(frozen=True, kw_only=True)
class ScopeChoices:
    """Available choices with their counts.

    Attributes:
        facets: Number of items by value, for each facet.
        items: Number of items.
        listed: Number of items in the filtered list.
        datasets: Number of media by dataset.
        media: Number of media.
        scenes: Number of scenes.
        shared_tasks: Tasks as ``set/task`` whose title occurs in several task sets.
    """

    facets: dict[str, list[FacetCount]]
    items: int
    listed: int
    datasets: list[FacetCount]
    media: int
    scenes: int
    shared_tasks: frozenset[str] = frozenset()

    @property
    def open_items(self) -> int:
        """Number of items that are neither rejected nor filtered."""
        return sum(count.count for count in self.facets["state"] if count.value not in EXCLUSION_TEXTS)


def read_choices(reader: Reader, *, query: ItemQuery) -> ScopeChoices:
    """Return the available choices with their counts."""
    with reader.snapshot():
        facets = reader.items.facets(ItemQuery())
        display_text.load_task_set_titles((count.value for count in facets["task_set"]), project=reader.path)
        return ScopeChoices(
            facets={name: facets[name] for name in FACETS},
            items=reader.items.count(ItemQuery()),
            listed=reader.items.count(query),
            datasets=reader.media.facets(MediumQuery())["dataset"],
            media=reader.media.count(MediumQuery()),
            scenes=reader.scenes.count(SceneQuery()),
            shared_tasks=display_text.tasks_of_same_title(count.value for count in facets["task"]),
        )


def item_settings(reader: Reader, *, scope: ItemScope) -> dict[str, Any]:
    """Return the settings that define the items of a run."""
    if scope.which == "some":
        values = {"task_sets": scope.task_set, "tasks": scope.task, "states": scope.state}
        return {name: (value,) for name, value in values.items() if value}
    # No list of ids: 'all' is expressed by the settings, so that the record of a run over 100,000 items
    # stays short.
    if scope.which == "all":
        return {}
    # Resolved to ids when the run is planned: a retry uses the same items, even if the filters have
    # changed.
    numbers = scope.numbers if scope.which == "selected" else reader.items.numbers(scope.query).tolist()
    return {"items": tuple(row.id for row in reader.items.rows(numbers))}
