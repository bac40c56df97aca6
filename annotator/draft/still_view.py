"""The still images of a scene as rules see them: a view with its regions and its camera."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from weakref import WeakKeyDictionary

from annotator.domain.link import Link
from annotator.domain.medium import Medium
from annotator.domain.polyline import Polyline
from annotator.domain.region import Region
from annotator.domain.scene import SceneView
from annotator.draft.camera_position import CameraPosition, camera_position
from annotator.draft.scene_facts import SceneFacts

_STILL_VIEWS: WeakKeyDictionary[SceneFacts, list[StillView]] = WeakKeyDictionary()
_GROUND = re.compile(r"^(?:ground|street)", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class StillView:
    """A view of a scene that is one image.

    Attributes:
        view: The view.
        medium: Its image.
        regions: The regions of objects that it shows, in order of their numbers.
        hidden: The regions that are places of hidden objects.
        paths: The paths drawn on it.
        camera: Position and direction of its camera, None if unknown.
    """

    view: SceneView
    medium: Medium
    regions: tuple[Region, ...] = ()
    hidden: tuple[Region, ...] = ()
    paths: tuple[Polyline, ...] = ()
    camera: CameraPosition | None = field(default=None)

    @property
    def name(self) -> str:
        """Name of the view."""
        return self.view.name

    @property
    def is_ground(self) -> bool:
        """Whether the image was taken from the ground."""
        return _GROUND.match(self.view.name) is not None

    @cached_property
    def has_unique_numbers(self) -> bool:
        """Whether each number stands for one region."""
        return len({region.number for region in self.regions}) == len(self.regions)


def still_views(facts: SceneFacts) -> list[StillView]:
    """Return the views of a scene that are images, in order."""
    found = _STILL_VIEWS.get(facts)
    if found is None:
        # All rules ask for them, and a scene with distractors is asked by very many others.
        found = _STILL_VIEWS[facts] = _read_views(facts)
    return found


def _read_views(facts: SceneFacts) -> list[StillView]:
    found = []
    for view in facts.scene.views:
        medium, marked = facts.media.get(view.medium), facts.regions_of(view)
        # An image with rooms is a top-view map.
        is_map = any(region.is_room for region in marked)
        if medium is not None and medium.media_type == "image" and not is_map:
            found.append(
                StillView(
                    view=view,
                    medium=medium,
                    regions=tuple(region for region in marked if not region.is_unseen),
                    hidden=tuple(region for region in marked if region.state == "occluded"),
                    paths=facts.polylines_of(view),
                    camera=camera_position(facts.trajectories_of(view)),
                )
            )
    return found


def aerial_views(facts: SceneFacts) -> list[StillView]:
    """Return the images of a scene that were taken from the air."""
    return [view for view in still_views(facts) if not view.is_ground]


def aerial_pairs(facts: SceneFacts) -> Iterator[tuple[StillView, StillView]]:
    """Yield each two aerial images of a scene once, in order of the views."""
    yield from itertools.combinations(aerial_views(facts), 2)


def aerial_ground_pairs(facts: SceneFacts) -> Iterator[tuple[StillView, StillView]]:
    """Yield each aerial image of a scene with each image from the ground."""
    views = still_views(facts)
    for aerial in views:
        if not aerial.is_ground:
            yield from ((aerial, ground) for ground in views if ground.is_ground)


@dataclass(frozen=True, kw_only=True)
class RegionMatch:
    """A region of one image and the region of another that shows the same object.

    Attributes:
        first: The region of the first image.
        second: The region of the second image.
        links: The links that connect them.
    """

    first: Region
    second: Region
    links: tuple[str, ...]


def matches_between(one: StillView, two: StillView, *, links: tuple[Link, ...]) -> list[RegionMatch] | None:
    """Return the regions of two images that are linked as the same object, by the first one's numbers.

    Returns:
        None where a region is linked with two regions of the other image: the links contradict each other.
    """
    here = {region.id: region for region in one.regions}
    there = {region.id: region for region in two.regions}
    found: dict[tuple[str, str], list[str]] = {}
    for pair, link in _linked_pairs(here, there, links):
        found.setdefault(pair, []).append(link)
    firsts, seconds = {first for first, _ in found}, {second for _, second in found}
    if len(firsts) < len(found) or len(seconds) < len(found):
        return None
    matches = [
        RegionMatch(first=here[first], second=there[second], links=tuple(ids))
        for (first, second), ids in found.items()
    ]
    return sorted(matches, key=lambda match: match.first.number)


def _linked_pairs(
    here: Collection[str], there: Collection[str], links: Iterable[Link]
) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield a region of each of two images that are linked as the same object, with the id of the link."""
    for link in links:
        if link.kind == "same":
            first, second = ([region for region in link.regions if region in side] for side in (here, there))
            yield from ((pair, link.id) for pair in itertools.product(first, second))
