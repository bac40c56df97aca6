"""The settings of a draft by rule."""

from __future__ import annotations

from dataclasses import dataclass

from annotator.domain.task_set import Task, TaskSet


@dataclass(frozen=True, kw_only=True)
class RuleSettings:
    """The settings of a draft by rule.

    Attributes:
        task_set: The task set.
        task: One of its tasks.
        seed: Seed of all draws.
    """

    task_set: TaskSet
    task: Task
    seed: int = 0
