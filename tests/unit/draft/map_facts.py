"""The facts of top-view maps: of floor plans of the demo, and of maps marked by hand."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import msgspec

from annotator.demo.captures import Interior
from annotator.demo.entries import interior_records
from annotator.demo.interiors.drawing import Scale
from annotator.demo.interiors.floor_plan import FloorPlan, make_plan
from annotator.demo.interiors.routes import find_route
from annotator.domain import task_set_files
from annotator.domain.medium import Medium
from annotator.domain.polyline import Polyline
from annotator.domain.region import Box, Region
from annotator.domain.scene import Scene, SceneView
from annotator.draft.rule_result import DraftedItem, RuleResult, SkippedItem
from annotator.draft.rule_settings import RuleSettings
from annotator.draft.rules import RULES
from annotator.draft.scene_facts import SceneFacts

TOPVIEWRS = task_set_files.builtin("topviewrs")


def interior_of(name: str, *, rooms: int, seed: int = 7) -> Interior:
    """Return a floor plan of the demo with its ways, of which nothing is drawn."""
    plan = make_plan(name, rooms=rooms, seed=seed)
    ends = [(0, rooms - 1), (rooms // 2, 0), (rooms - 1, max(1, rooms // 2))]
    found = [find_route(plan, start=a, end=b, seed=seed) for a, b in ends if a != b]
    routes = {f"route-{n}": route for n, route in enumerate(filter(None, found[:2]), 1)}
    return Interior(plan=plan, routes=routes, rooms_alone=tuple(range(rooms)))


def facts_of(interior: Interior) -> list[SceneFacts]:
    """Return the facts of a floor plan's scenes: the floor, and each room alone."""
    records = list(interior_records(interior, dataset="Demo"))
    sizes = dict(_sizes(interior))
    media = {
        one.id: msgspec.structs.replace(one, width_px=sizes[one.name][0], height_px=sizes[one.name][1])
        for one in records
        if isinstance(one, Medium)
    }
    regions, paths = defaultdict(list), defaultdict(list)
    for one in records:
        if isinstance(one, Region):
            regions[one.medium].append(one)
        elif isinstance(one, Polyline):
            paths[one.medium].append(one)
    scenes = [one for one in records if isinstance(one, Scene)]
    return [_of_scene(scene, media, regions, paths) for scene in scenes]


def _of_scene(
    scene: Scene,
    media: dict[str, Medium],
    regions: dict[str, list[Region]],
    paths: dict[str, list[Polyline]],
) -> SceneFacts:
    own = [view.medium for view in scene.views]
    return SceneFacts(
        scene=scene,
        media={medium: media[medium] for medium in own},
        regions={medium: tuple(regions[medium]) for medium in own if medium in regions},
        polylines={medium: tuple(paths[medium]) for medium in own if medium in paths},
    )


def _sizes(interior: Interior) -> Iterator[tuple[str, tuple[int, int]]]:
    scale = Scale(interior.plan)
    for kind in ("realistic", "semantic"):
        for part in ("", *interior.routes):
            yield interior.map_name(kind, part), (scale.size[0], scale.size[1])
        for number in interior.rooms_alone:
            x1, y1, x2, y2 = scale.box(interior.plan.rooms[number].area)
            yield interior.map_name(kind, f"room-{number}"), (x2 - x1, y2 - y1)


def draft(rule: str, facts: SceneFacts, *, seed: int = 0) -> list[RuleResult]:
    """Return the results of a TopViewRS rule for a scene."""
    task = next(task for task in TOPVIEWRS.tasks if task.drafted_by == f"topviewrs.{rule}")
    order = RuleSettings(project="p", task_set=TOPVIEWRS, task=task, seed=seed)
    return list(RULES[task.drafted_by].draft(facts, order=order))


def items_of(results: list[RuleResult]) -> list[DraftedItem]:
    """Return the items among results."""
    return [result for result in results if isinstance(result, DraftedItem)]


def reasons_of(results: list[RuleResult]) -> list[str]:
    """Return the reasons among results."""
    return [result.reason for result in results if isinstance(result, SkippedItem)]


def thing(number: int, category: str, box: tuple[float, float, float, float], **fields: object) -> Region:
    """Return the region of an object; with ``is_room`` that of a room."""
    x1, y1, x2, y2 = box
    return Region(
        id=f"r{number}", medium="m", number=number, box=Box(x1=x1, y1=y1, x2=x2, y2=y2), category=category,
        **fields,  # type: ignore[arg-type]
    )  # fmt: skip


def room(number: int, kind: str, box: tuple[float, float, float, float]) -> Region:
    """Return the region of a room."""
    return thing(number, kind, box, is_room=True)


def marked_map(
    *regions: Region, size: tuple[int, int] = (900, 600), view: str = "realistic", **fields: object
) -> SceneFacts:
    """Return the facts of a scene of one map.

    Args:
        *regions: What is marked on it.
        size: Width and height.
        view: Name of the view.
        **fields: ``path``: corners of a path on it; ``metadata`` of the scene.
    """
    points = fields.get("path")
    path = Polyline(id="p", medium="m", points=points) if points else None  # type: ignore[arg-type]
    return SceneFacts(
        scene=Scene(
            id="s", name="flat", dataset="D", views=(SceneView(name=view, medium="m"),),
            metadata=fields.get("metadata", {}),  # type: ignore[arg-type]
        ),
        media={"m": Medium(id="m", name="m.png", media_type="map", width_px=size[0], height_px=size[1])},
        regions={"m": regions} if regions else {},
        polylines={"m": (path,)} if path else {},
    )  # fmt: skip


__all__ = [
    "FloorPlan",
    "draft",
    "facts_of",
    "interior_of",
    "items_of",
    "marked_map",
    "reasons_of",
    "room",
    "thing",
]
