"""The settings of a draft by rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field

from annotator.domain.task_set import Task, TaskSet


@dataclass(frozen=True, kw_only=True)
class RuleSettings:
    """The settings of a draft by rule.

    Attributes:
        task_set: The task set.
        task: One of its tasks.
        seed: Seed of all draws.
        counts: How often the facts that the rule counts occur in the labels of each dataset.
    """

    task_set: TaskSet
    task: Task
    seed: int = 0
    counts: Mapping[str, Counter[Hashable]] = field(default_factory=dict)
