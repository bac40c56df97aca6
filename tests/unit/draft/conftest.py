from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from annotator.domain import task_set_files
from annotator.domain.event_label import EventLabel, ObjectCount
from annotator.domain.scene import Scene, SceneView
from annotator.draft.rule_result import RuleResult
from annotator.draft.rule_settings import RuleSettings
from annotator.draft.rules import RULES
from annotator.draft.scene_facts import SceneFacts


@pytest.fixture
def make_scene() -> Callable[..., Scene]:
    """Give a maker of scenes with views UAV1, UAV2 … whose media are m1, m2 …"""

    def make(*, views: int = 3, name: str = "scene_004 frame_005", dataset: str = "Sim_3_UAVs") -> Scene:
        shown = tuple(SceneView(name=f"UAV{n}", medium=f"m{n}") for n in range(1, views + 1))
        return Scene(id="scene", name=name, dataset=dataset, views=shown)

    return make


@pytest.fixture
def make_label() -> Callable[..., EventLabel]:
    """Give a maker of labels of UAV1 without any contradiction."""

    def make(**fields: object) -> EventLabel:
        sound: dict[str, object] = {
            "id": "label",
            "scene": "scene",
            "view": "UAV1",
            "medium": "m1",
            "quality": 4,
            "usable": True,
            "count": ObjectCount(value=7),
            "degradations": ("occlusion",),
            "when": True,
            "who": ("UAV2",),
            "why": ("occlusion",),
        }
        return EventLabel(**(sound | fields))  # type: ignore[arg-type]

    return make


@pytest.fixture
def draft_one(make_scene: Callable[..., Scene]) -> Callable[..., RuleResult]:
    """Give a way to draft one item of a rule from one label."""

    def draft(rule: str, label: EventLabel, **fields: object) -> RuleResult:
        scene = fields.pop("scene", None) or make_scene()
        assert isinstance(scene, Scene)
        seed, counts = fields.pop("seed", 0), fields.pop("counts", Counter())
        task_set = task_set_files.builtin("aircop")
        task = next(task for task in task_set.tasks if task.drafted_by == rule)
        facts = SceneFacts(scene=scene, labels=(label,), **fields)  # type: ignore[arg-type]
        order = RuleSettings(
            project="p",
            task_set=task_set,
            task=task,
            seed=seed,  # type: ignore[arg-type]
            counts={scene.dataset: counts},  # type: ignore[dict-item]
        )
        [outcome] = RULES[rule].draft(facts, order=order)
        return outcome

    return draft
