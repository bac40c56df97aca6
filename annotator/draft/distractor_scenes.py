"""Scenes that provide distractors for another scene: they show another place."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

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
_LAST_NUMBER = re.compile(r"[\W_]*\d+$")


def scenes_elsewhere(facts: SceneFacts, *, draw: SeededRandom) -> Iterator[SceneFacts]:
    """Yield scenes of the same dataset that show another place, in random order.

    A scene shows another place if both name their places, or else if their names differ by more than the
    last number, which counts the moments of one recording. It must not share an image with this scene, nor
    ground that both see, where the cameras' positions are known.
    """
    others = list(facts.other_scenes)
    while others:
        place = draw.below(len(others))
        # The last one takes the place of the one drawn: nothing is moved.
        others[place], others[-1] = others[-1], others[place]
        other = others.pop()
        if _is_elsewhere(facts, other):
            yield other


def _is_elsewhere(facts: SceneFacts, other: SceneFacts) -> bool:
    here, there = facts.scene, other.scene
    if here.id == there.id or here.dataset != there.dataset:
        return False
    if not _are_places_different(here, there):
        return False
    media = {view.medium for view in here.views}
    return not any(view.medium in media for view in there.views) and not _is_ground_shared(facts, other)


def _are_places_different(here: Scene, there: Scene) -> bool:
    one, two = here.metadata.get("place"), there.metadata.get("place")
    if one and two:
        return bool(one != two)
    return _LAST_NUMBER.sub("", here.name) != _LAST_NUMBER.sub("", there.name)


def _is_ground_shared(facts: SceneFacts, other: SceneFacts) -> bool:
    ours, theirs = still_views(facts), still_views(other)
    return any(_sees_ground_of(a, b) or _sees_ground_of(b, a) for a in ours for b in theirs)


def _sees_ground_of(one: StillView, two: StillView) -> bool:
    """Return whether an image shows ground that another one shows; False where that is unknown."""
    # Without positions of the cameras, the planes of two scenes have nothing in common.
    if one.camera is None or two.camera is None:
        return False
    ground = _ground_points(two.view.to_ground, two.medium.width_px, two.medium.height_px)
    to_image = _image_of_ground(one.view.to_ground)
    if to_image is None or ground is None:
        return False
    near = ground[np.hypot(*(ground - two.camera.place_m[:2]).T) < NEAR_M]
    seen = to_image.points(near)
    size = np.array((one.medium.width_px, one.medium.height_px))
    inside = (seen >= -_EDGE * size) & (seen < (1 + _EDGE) * size)
    return bool(inside.all(1).any())


@functools.lru_cache(maxsize=4096)
def _ground_points(to_ground: tuple[float, ...], width_px: int, height_px: int) -> Points | None:
    """Return where a grid of an image's pixels lies on the ground, float64 (n, 2); None if unknown."""
    homography = homography_of(to_ground)
    if homography is None or not width_px or not height_px:
        return None
    x, y = np.meshgrid(np.linspace(0, width_px, _GRID), np.linspace(0, height_px, _GRID))
    points = homography.points(np.column_stack([x.ravel(), y.ravel()]))
    return points[np.isfinite(points).all(1)]


@functools.lru_cache(maxsize=4096)
def _image_of_ground(to_ground: tuple[float, ...]) -> Homography | None:
    homography = homography_of(to_ground)
    return None if homography is None else homography.inverse()
