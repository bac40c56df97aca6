"""The input of rules: a scene with its event labels and their open flags."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from annotator.domain.event_label import EventLabel
from annotator.domain.flag import Flag
from annotator.domain.scene import Scene
from annotator.domain.task_set import Task, TaskSet


@dataclass(frozen=True, kw_only=True)
class SceneLabels:
    """A scene and its labels.

    Attributes:
        scene: The scene.
        labels: Its event labels.
        open_flags: Open flags by the id of the record that they are on.
    """

    scene: Scene
    labels: tuple[EventLabel, ...] = ()
    open_flags: Mapping[str, tuple[Flag, ...]] = field(default_factory=dict)

    def flags_on(self, label: EventLabel) -> list[Flag]:
        """Return the open flags on a label, on its picture and on the scene."""
        # A flag on the image or on the scene concerns all of their labels.
        targets = (label.id, label.medium, self.scene.id)
        return [flag for target in targets if target for flag in self.open_flags.get(target, ())]


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
