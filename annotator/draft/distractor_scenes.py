"""Scenes that provide distractors for another scene: they show another place."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from annotator.domain.scene import Scene
from annotator.draft.scene_facts import SceneFacts
from annotator.draft.seeded_random import SeededRandom
from annotator.draft.still_view import StillView, still_views
from annotator.media.ground_plane import Homography, Points, homography_of

NEAR_M = 150.0
"""Ground that is farther from the camera is too small in the image to be recognised."""
_GRID = 9
_EDGE = 0.05
"""Share of an image beyond its edges that counts as seen: what stands on the ground rises into the image."""
_MORE_M, _FAR_M = 10.0, 1000.0
_LAST_NUMBER = re.compile(r"[\W_]*\d+$")


def scenes_elsewhere(facts: SceneFacts, *, draw: SeededRandom) -> Iterator[SceneFacts]:
    """Yield scenes of the same dataset that show another place, in random order.

    A scene shows another place if both name their places, or else if their names differ by more than the
    last number, which counts the moments of one recording. It must not share an image with this scene, nor
    ground that both see, where the cameras' positions are known.
    """
    others = list(facts.other_scenes)
    while others:
        index = draw.below(len(others))
        # The last one takes the place of the one drawn: nothing is moved.
        others[index], others[-1] = others[-1], others[index]
        other = others.pop()
        if _is_elsewhere(facts, other):
            yield other


def _is_elsewhere(facts: SceneFacts, other: SceneFacts) -> bool:
    here, there = facts.scene, other.scene
    if here.id == there.id or here.dataset != there.dataset:
        return False
    # By names first: the ground that two scenes see is computed only where these leave it open.
    if not _are_scenes_apart(here, there):
        return False
    media = {view.medium for view in here.views}
    return not any(view.medium in media for view in there.views) and not _is_ground_shared(facts, other)


def _are_scenes_apart(here: Scene, there: Scene) -> bool:
    one, two = here.metadata.get("place"), there.metadata.get("place")
    if one and two:
        return bool(one != two)
    return _LAST_NUMBER.sub("", here.original_name) != _LAST_NUMBER.sub("", there.original_name)


def _is_ground_shared(facts: SceneFacts, other: SceneFacts) -> bool:
    ours, theirs = still_views(facts), still_views(other)
    return any(_sees_ground_of(a, b) or _sees_ground_of(b, a) for a in ours for b in theirs)


def _sees_ground_of(one: StillView, two: StillView) -> bool:
    """Return whether an image shows ground that another one shows; False where that is unknown."""
    ours, theirs = _near_ground(one), _near_ground(two)
    to_image = _image_of_ground(one.view.to_ground)
    if ours is None or theirs is None or to_image is None or not _overlap(ours.bounds, theirs.bounds):
        return False
    seen = to_image.points(theirs.points)
    size = np.array((one.medium.width_px, one.medium.height_px))
    inside = (seen >= -_EDGE * size) & (seen < (1 + _EDGE) * size)
    return bool(inside.all(1).any())


@dataclass(frozen=True, kw_only=True, eq=False)
class _Ground:
    """The ground that an image shows.

    Attributes:
        points: float64 (n, 2), east and north of a grid of pixels, metres; those near the camera.
        bounds: West, south, east, north of all that it shows, and some more on each side.
    """

    points: Points
    bounds: tuple[float, float, float, float]


def _near_ground(view: StillView) -> _Ground | None:
    """Return the ground that an image shows, None where it is unknown."""
    # Without positions of the cameras, the planes of two scenes have nothing in common.
    if view.camera is None:
        return None
    east, north, _ = view.camera.position_m
    size = (view.medium.width_px, view.medium.height_px)
    return _ground_of(view.view.to_ground, size, (east, north))


@functools.lru_cache(maxsize=4096)
def _ground_of(
    to_ground: tuple[float, ...], size_px: tuple[int, int], camera_m: tuple[float, float]
) -> _Ground | None:
    homography = homography_of(to_ground)
    if homography is None or not all(size_px):
        return None
    x, y = np.meshgrid(np.linspace(0, size_px[0], _GRID), np.linspace(0, size_px[1], _GRID))
    points = homography.points(np.column_stack([x.ravel(), y.ravel()]))
    # Beyond the horizon nothing is near: a comparison with NaN is false.
    distances = np.hypot(*(points - camera_m).T)
    # For an image with the horizon, whose ground has no end.
    west, south = np.array(camera_m) - _FAR_M
    east, north = np.array(camera_m) + _FAR_M
    if (distances < _FAR_M).all():
        west, south = points.min(0) - _MORE_M
        east, north = points.max(0) + _MORE_M
    bounds = float(west), float(south), float(east), float(north)
    return _Ground(points=points[distances < NEAR_M], bounds=bounds)


def _overlap(one: tuple[float, ...], two: tuple[float, ...]) -> bool:
    return one[0] < two[2] and two[0] < one[2] and one[1] < two[3] and two[1] < one[3]


@functools.lru_cache(maxsize=4096)
def _image_of_ground(to_ground: tuple[float, ...]) -> Homography | None:
    homography = homography_of(to_ground)
    return None if homography is None else homography.inverse()
