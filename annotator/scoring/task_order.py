"""Titles of tasks for tables and plots, and their order: that of the papers."""

from __future__ import annotations

from collections.abc import Iterable

from annotator.domain.query import qualified_task
from annotator.domain.task_set_files import builtin, builtin_ids


def task_title(task: str) -> str:
    """Return the title of a task, given as ``set/task``; its id for one that no task set knows."""
    task_set, _, name = task.partition("/")
    found = builtin(task_set).find(name) if task_set in builtin_ids() else None
    return found.title.en if found is not None else name or task


def in_paper_order(tasks: Iterable[str]) -> list[str]:
    """Return tasks, given as ``set/task``, set by set in the order of the papers; unknown ones last."""
    order = {
        qualified_task(task_set, task.id): index
        for task_set in builtin_ids()
        for index, task in enumerate(builtin(task_set).tasks)
    }
    return sorted(tasks, key=lambda task: (task.partition("/")[0], order.get(task, len(order)), task))
