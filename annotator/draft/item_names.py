"""Public ids of drafted items, and names of views in questions."""

from __future__ import annotations

import re

from annotator.domain.scene import Scene
from annotator.domain.task_set import Task, TaskSet

_NO_NAME_CHARACTER = re.compile(r"[\s/\\:]+")


def item_name(scene: Scene, *, task: Task, view: str) -> str:
    """Return a public id built from the item's subject: ``Real2_OC_23-00000001_UAV1``.

    It contains dataset, task, scene and view, so that ids of different sets do not collide, as the published
    ``MDMT_OC_UAV1_1`` does in three of them; repeated drafting gives the same id.
    """
    # The task's number of the published ids, so that items can be matched with them.
    part = task.id_parts[0] if task.id_parts else task.id
    words = (scene.dataset, part, scene.name, view)
    return "_".join(_NO_NAME_CHARACTER.sub("-", word.strip()) for word in words if word.strip())


def numbered_name(prefix: str, number: int) -> str:
    """Return a numbered public id as SpatialUAV's files have it: ``Region_Recognition_00001``."""
    return f"{prefix}_{number:05d}"


def name_prefix(task: Task, *, task_set: TaskSet) -> str:
    """Return the beginning of a task's numbered public ids."""
    return task.id_parts[0] if task.id_parts else f"{task_set.id}_{task.id}"


def view_text(view: str) -> str:
    """Return a view's name for a question, a neutral phrase if the name is unknown."""
    return view or "this UAV"
