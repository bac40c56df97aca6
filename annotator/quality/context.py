"""The context of an item for checks: its task, its media and their regions."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from annotator.domain.answers import AnswerContext
from annotator.domain.event_label import EventLabel
from annotator.domain.item import Item
from annotator.domain.medium import Medium
from annotator.domain.scene import Scene
from annotator.domain.task_set import Task
from annotator.domain.task_set_catalogue import TaskSetCatalogue
from annotator.quality.link_mismatch import link_mismatches
from annotator.queries.reader import Reader

REMEMBERED = 65_536
"""Media whose presence and regions are kept; bounds memory over projects of any size."""


class CheckContext:
    """The context of items in one state of a project; create a new one after changes."""

    def __init__(
        self,
        *,
        find_medium: Callable[[str], Medium | None],
        find_regions: Callable[[str], frozenset[int]],
        find_labels: Callable[[str], tuple[EventLabel, ...]] = lambda _: (),
        find_views: Callable[[str], Mapping[str, str]] = lambda _: {},
        find_item: Callable[[str], Item | None] = lambda _: None,
        find_link_mismatches: Callable[[], Iterator[tuple[str, str]]] = lambda: iter(()),
        project: Path | None = None,
    ) -> None:
        """Create a context from functions that query a project.

        Args:
            find_medium: Finds a medium by its id.
            find_regions: Finds the numbers of a medium's regions.
            find_labels: Finds the event labels of a medium.
            find_views: Finds the names of a scene's views by their media.
            find_item: Finds an item by its id.
            find_link_mismatches: Finds the links over the limit of their mismatch, with messages.
            project: The project file, whose own task sets and checks are stored beside it; None for none.
        """
        self.project = project
        task_sets = TaskSetCatalogue.of(project) if project else TaskSetCatalogue()
        # On the instance: a cache of the class would be shared between states and projects.
        self.medium = functools.lru_cache(REMEMBERED)(find_medium)
        self.regions = functools.lru_cache(REMEMBERED)(find_regions)
        self.labels = functools.lru_cache(REMEMBERED)(find_labels)
        self.item = find_item
        self.link_mismatches = find_link_mismatches
        self._views = functools.lru_cache(REMEMBERED)(find_views)
        self.task_set = functools.cache(task_sets.find)
        self._task = functools.cache(self._find_task)

    @classmethod
    def of(cls, reader: Reader) -> CheckContext:
        """Return the context for a project."""

        def find_medium(medium: str) -> Medium | None:
            return reader.get(Medium, medium)

        def find_labels(medium: str) -> tuple[EventLabel, ...]:
            return tuple(reader.find(EventLabel, medium=medium))

        def find_views(scene: str) -> dict[str, str]:
            found = reader.get(Scene, scene)
            return {view.medium: view.name for view in found.views} if found is not None else {}

        return cls(
            find_medium=find_medium,
            find_regions=reader.regions.numbers,
            find_labels=find_labels,
            find_views=find_views,
            find_item=functools.partial(reader.get, Item),
            find_link_mismatches=functools.partial(link_mismatches, reader),
            project=reader.path,
        )

    def views(self, item: Item) -> tuple[str, ...]:
        """Return the names of the views that an item shows, in the order of its media; "" for none."""
        names = self._views(item.scene) if item.scene else {}
        return tuple(names.get(medium, "") for medium in item.media)

    def task(self, item: Item) -> Task | None:
        """Return the item's task, None if the task set or the task is unknown."""
        return self._task(item.task_set, item.task)

    def setting(self, item: Item, check: str, name: str, *, default: float) -> float:
        """Return a threshold of a check: that of the task set if it defines one."""
        task_set = self.task_set(item.task_set)
        own = task_set.check_settings.get(check, {}) if task_set else {}
        return own.get(name, default)

    def _find_task(self, task_set: str, task: str) -> Task | None:
        known = self.task_set(task_set)
        return known.find(task) if known and task else None


def answer_context(item: Item, context: CheckContext) -> AnswerContext:
    """Return what an item's answers can refer to, as far as the project contains it."""
    media = [context.medium(medium) for medium in item.media]
    shown = media[-1] if media else None
    has_size = shown is not None and shown.width_px and shown.height_px
    return AnswerContext(
        options=item.options,
        region_ids=tuple(context.regions(medium) for medium in item.media),
        # For a pair of images, boxes refer to the second one. Source: SpatialUAV, object matching.
        image_size_px=(shown.width_px, shown.height_px) if shown is not None and has_size else None,
    )
