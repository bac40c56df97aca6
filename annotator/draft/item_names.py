"""Public ids of drafted items, and how questions call a view."""

from __future__ import annotations

import re

from annotator.domain.scene import Scene
from annotator.domain.task_set import Task

_NO_NAME_CHARACTER = re.compile(r"[\s/\\:]+")


def item_name(scene: Scene, *, task: Task, view: str) -> str:
    """Return a public id that tells what an item is about: ``Real2_OC_23-00000001_UAV1``.

    Dataset, task, scene and view are all in it, so that ids of different sets do not meet, as the
    published ``MDMT_OC_UAV1_1`` does in three of them; and it is the same at each drafting.
    """
    # As the published ids call the task, so that people find it.
    part = task.id_parts[0] if task.id_parts else task.id
    words = (scene.dataset, part, scene.name, view)
    return "_".join(_NO_NAME_CHARACTER.sub("-", word.strip()) for word in words if word.strip())


def view_text(view: str) -> str:
    """Return a view's name for a question, neutral words where nobody knows it."""
    return view or "this UAV"
