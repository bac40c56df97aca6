"""The settings of a draft by rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Protocol, TypeVar

from annotator.domain.task_set import Task, TaskSet
from annotator.draft.seeded_random import keyed_seed
from annotator.errors import UserError


class _Limits(Protocol):
    """Any dataclass."""

    __dataclass_fields__: ClassVar[dict[str, Any]]


L = TypeVar("L", bound=_Limits)


@dataclass(frozen=True, kw_only=True)
class RuleSettings:
    """The settings of a draft by rule.

    Attributes:
        task_set: The task set.
        task: One of its tasks.
        project: Id of the project, which keys all draws.
        seed: The seed that a person chose.
        counts: How often the facts that the rule counts occur in the labels of each dataset.
    """

    task_set: TaskSet
    task: Task
    project: str
    seed: int = 0
    counts: Mapping[str, Counter[Hashable]] = field(default_factory=dict)

    @property
    def draw_seed(self) -> str:
        """Seed of all draws, which cannot be computed without the project."""
        return keyed_seed(self.seed, project=self.project)


def read_limits(kind: type[L], task_set: TaskSet) -> L:
    """Return the thresholds of a rule: those of the task set, and the rule's own where it has none.

    Args:
        kind: A dataclass of numbers with defaults.
        task_set: Gives them under ``drafting_settings``.

    Raises:
        UserError: The task set gives a threshold that the rule does not have.
    """
    known = {limit.name for limit in fields(kind)}
    unknown = [name for name in task_set.drafting_settings if name not in known]
    if unknown:
        raise UserError(
            f"The task set {task_set.id} has the drafting setting {unknown[0]}, which its rules do not use.",
            hint=f"Available: {', '.join(sorted(known))}.",
        )
    return kind(**task_set.drafting_settings)
