"""One item as Refine shows it: the item, its draft and its visual input, read in one query."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from annotator.domain.changes import Changes
from annotator.domain.item import Item
from annotator.domain.scene import Scene, SceneView
from annotator.domain.task_set import Task
from annotator.domain.task_set_catalogue import TaskSetCatalogue
from annotator.media.media_roots import MediaRoots
from annotator.media.render import RENDERINGS, Rendering
from annotator.queries.reader import Reader
from widgets import display_text
from widgets.record_loader import StageRecord
from widgets.stage.scene import read_views

ON_STAGE = ("region", "link", "path", "scene", "medium")
"""Kinds of records that the visual input of an item depends on."""


@dataclass(frozen=True, kw_only=True)
class ItemView(StageRecord):
    """An item with what is shown beside it.

    Attributes:
        item: The item.
        draft: The item as it was first stored.
        rendering: What is drawn into its images for a model.
        task: Its task, None if it is unknown.
    """

    item: Item
    draft: Item
    rendering: Rendering
    task: Task | None

    @property
    def key(self) -> str:
        """Id of the item."""
        return self.item.id


def read_item_view(reader: Reader, *, item_id: str, roots: MediaRoots) -> ItemView | None:
    """Read an item with its draft and its visual input; None if it was removed."""
    with reader.snapshot():
        item = reader.get(Item, item_id)
        if item is None:
            return None
        shown = read_views(reader, _scene_of(reader, item), roots=roots)
        first = reader.history.first_version(item_id)
    display_text.load_task_set_titles((item.task_set,), project=reader.path)
    task_set = TaskSetCatalogue.of(reader.path).find(item.task_set)
    task = task_set.find(item.task) if task_set is not None and item.task else None
    shown.prepare()
    return ItemView(
        item=item,
        draft=msgspec.json.decode(first, type=Item) if first else item,
        shown=shown,
        rendering=RENDERINGS.get(task.visual_input, "clean") if task is not None else "clean",
        task=task,
    )


def is_item_concerned(view: ItemView, changes: Changes) -> bool:
    """Return whether a change can affect what is shown of an item."""
    return changes.concerns("item", view.item.id) or any(changes.concerns(entity) for entity in ON_STAGE)


def _scene_of(reader: Reader, item: Item) -> Scene:
    """Return the media of an item as a scene: in the item's order, with the views of the item's own scene."""
    scene = reader.get(Scene, item.scene) if item.scene else None
    views = tuple(_views_of(scene, item))
    if scene is None:
        # Not "", which stands for an empty stage.
        return Scene(id=item.id, name=item.name, views=views)
    return msgspec.structs.replace(scene, views=views)


def _views_of(scene: Scene | None, item: Item) -> Iterator[SceneView]:
    known = {view.medium: view for view in scene.views} if scene is not None else {}
    # A medium that an item shows twice is one view.
    for medium in dict.fromkeys(item.media):
        yield known.get(medium) or SceneView(name="", medium=medium)
