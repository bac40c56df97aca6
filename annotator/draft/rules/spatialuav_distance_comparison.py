"""SpatialUAV, Distance Comparison: which region of a category is closest to the drone, or farthest."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from annotator.domain import answers
from annotator.domain.region import Region, RegionDepth
from annotator.draft.region_categories import regions_by_category, unfit_regions
from annotator.draft.rule import RuleDocs
from annotator.draft.rule_result import SkippedItem
from annotator.draft.rule_settings import RuleSettings
from annotator.draft.scene_facts import SceneFacts
from annotator.draft.scene_rule import SceneQuestion, SceneRule
from annotator.draft.still_view import StillView, aerial_views

ANYTHING = "object"
"""What a question about all regions of an image asks for."""
LEAST_REGIONS = 3
"""Of two regions one would be right by tossing a coin."""
MARGIN = 1.05
"""The winner's distance must differ from the next one's by this factor: people cannot see less."""
LEAST_VALID = 0.5
"""Share of a region's pixels that must have a depth."""
WIDEST_FOCAL = 0.6
"""Focal length over image width of a lens of 80 degrees, assumed where the lens is unknown."""


@dataclass(frozen=True, kw_only=True)
class _Distance:
    """The distance of a region: along the optical axis, and along the ray to its middle."""

    region: Region
    depth: RegionDepth
    along_ray: float


class SpatialDistanceComparison(SceneRule):
    """Drafts two items for each category of an aerial image and for all its regions: closest and farthest."""

    id = "spatialuav.distance_comparison"
    version = 1
    docs = RuleDocs(
        task="Distance Comparison",
        right="the region with the smallest or largest median depth, of a category or of all",
        wrong="none: the answer is a region",
        no_item="fewer than three regions; a depth unknown, or known for less than half of a "
        "region; distances of the first two less than 5 % apart, measured along the optical axis or along "
        "the ray; depths that are not metric: the ranges from the 10th to the 90th percentile overlap",
    )
    loads = frozenset({"media", "regions", "trajectories"})

    def questions(
        self, facts: SceneFacts, _settings: RuleSettings, /
    ) -> Iterator[SceneQuestion | SkippedItem]:
        """Yield the questions of each aerial image."""
        for view in aerial_views(facts):
            if reason := unfit_regions(view):
                yield SkippedItem(reason)
                continue
            groups = _compared_groups(view)
            if not groups:
                yield SkippedItem("the image has too few regions")
            for category, regions in groups.items():
                yield from _questions(category, regions, view)


def _compared_groups(view: StillView) -> Mapping[str, Sequence[Region]]:
    """Return the regions of each category with enough of them, and all regions as those of anything."""
    groups = {ANYTHING: list(view.regions), **regions_by_category(view.regions)}
    large = {name: group for name, group in groups.items() if len(group) >= LEAST_REGIONS}
    # Where all regions have one category, the question about any object would be the same.
    return {n: g for n, g in large.items() if n != ANYTHING and len(g) == len(view.regions)} or large


def _questions(
    category: str, regions: Sequence[Region], view: StillView
) -> Iterator[SceneQuestion | SkippedItem]:
    distances = [_distance(region, view) for region in regions]
    known = [distance for distance in distances if distance is not None]
    if len(known) < len(regions):
        yield SkippedItem("the depth of a region is unknown")
        return
    # Depths of two models are not comparable: relative ones have no common scale.
    if len({(d.depth.is_metric, d.depth.made_by) for d in known}) > 1:
        yield SkippedItem("the depths of the regions come from different models")
        return
    for template, is_nearest in (("closest", True), ("farthest", False)):
        winner = clear_winner(known, is_nearest=is_nearest)
        if winner is None:
            yield SkippedItem("two regions are about equally far away")
            continue
        yield SceneQuestion(
            subject=f"{template} {category.casefold()}",
            view=view.name,
            template=template,
            slots={"label": category},
            answer_key=answers.get("region_label").render((winner.number,)),
            media=(view.medium.id,),
            evidence=tuple(region.id for region in regions),
        )


def _distance(region: Region, view: StillView) -> _Distance | None:
    depth = region.known_depth
    if depth is None or depth.valid < LEAST_VALID or depth.median <= 0:
        return None
    return _Distance(region=region, depth=depth, along_ray=depth.median * _ray_length(region, view))


def _ray_length(region: Region, view: StillView) -> float:
    """Return the length of the ray to the middle of a region that is 1 long along the optical axis."""
    lens = view.camera.intrinsics if view.camera else None
    width, height = view.medium.width_px, view.medium.height_px
    focal = lens.fx if lens else WIDEST_FOCAL * width
    cx, cy = (lens.cx, lens.cy) if lens else (width / 2, height / 2)
    if not focal:
        return 1.0
    x, y = (region.box.x1 + region.box.x2) / 2 - cx, (region.box.y1 + region.box.y2) / 2 - cy
    return math.hypot(1.0, x / focal, y / focal)


def clear_winner(distances: Sequence[_Distance], *, is_nearest: bool) -> Region | None:
    """Return the region that is nearest or farthest beyond doubt, None if there is none.

    Some depth maps measure along the optical axis, others along the ray; the region must win in both.
    """
    order = sorted(distances, key=lambda d: d.depth.median, reverse=not is_nearest)
    first, second = order[0], order[1]
    nearer, farther = (first, second) if is_nearest else (second, first)
    # Relative depths have no zero, so that a factor between two of them says nothing.
    if not first.depth.is_metric:
        return first.region if nearer.depth.p90 < farther.depth.p10 else None
    if farther.depth.median < MARGIN * nearer.depth.median:
        return None
    others = [d.along_ray for d in distances if d is not first]
    is_clear = (
        first.along_ray * MARGIN <= min(others) if is_nearest else first.along_ray >= MARGIN * max(others)
    )
    return first.region if is_clear else None
