"""What is true about an image: which things it shows, where, how much of each, and what hides the rest.

How the share of a thing that is seen is found: the thing is drawn alone, as the solid body that its cells
of the land make, and its pixels in the finished image are counted against those of that outline.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from annotator.demo.camera import PICTURE_SIZE_PX, Camera, Size
from annotator.demo.landmarks import Landmark
from annotator.demo.movers import Mover, place
from annotator.demo.terrain import CELLS_PER_M, Terrain
from annotator.demo.view import RenderedImage

Array = NDArray[Any]

OTHER = 0
"""Number that stands for what hides a thing and has no number of its own: trees, hedges, street furniture."""
_AROUND_M = 1.0
# A level of a thing's height, the step between two on its flanks, and what float32 loses of a height.
_LEVEL_M, _FLANK_M, _SLACK_M = 0.1, 0.3, 0.005
_FINER = 4
"""Outlines are drawn on a grid this much finer than cells and pixels."""
_FAR_PX = 30_000.0
_SUBPIXEL_BITS = 4
# Of its hull that an outline fills to count as convex; a cut leaves no part narrower than so many fine cells.
_CONVEX_SHARE, _LEAST_CUT = 0.93, 6
# Of what is hidden, and in pixels: less is noise at edges, and nobody would name it.
_HIDER_SHARE, _HIDER_PX = 0.2, 16
_NEARER_M = 0.4
_DEPTH_SHARE, _LEAST_BODY_PX = 0.12, 400


@dataclass(frozen=True, kw_only=True)
class VisibleObject:
    """One vehicle or person in one image.

    Attributes:
        mover: What it is.
        x1: Left edge in pixels.
        y1: Top edge.
        x2: Right edge, exclusive.
        y2: Bottom edge, exclusive.
        shown: Share of it inside the image that is seen, 0..1; low where something hides it.
        pixels: Number of its pixels that are seen.
        depth_m: Median depth of those along the optical axis.
        hidden_by: Numbers of what hides it, the one that hides most first; 0 for what has no number.
        is_cut: Whether part of it lies outside of the image.
    """

    mover: Mover
    x1: int
    y1: int
    x2: int
    y2: int
    shown: float
    pixels: int = 0
    depth_m: float = 0.0
    hidden_by: tuple[int, ...] = ()
    is_cut: bool = False


@dataclass(frozen=True, kw_only=True)
class Outline:
    """A thing drawn alone.

    Attributes:
        x: Column of the mask's left edge.
        y: Row of its top edge.
        mask: uint8 (rows, columns), 255 where the thing would be seen; cut to the image.
        is_cut: Whether part of it lies outside of the image.
    """

    x: int
    y: int
    mask: Array
    is_cut: bool


def visible_objects_of(
    seen: RenderedImage, movers: Iterable[Mover], *, camera: Camera, least_px: int = 12
) -> tuple[VisibleObject, ...]:
    """Return what an image shows of vehicles and people, by their numbers.

    Args:
        seen: The image.
        movers: All that may be in it.
        camera: Where it was taken from.
        least_px: Things with fewer pixels than this count as not seen.
    """
    known = {mover.number: mover for mover in movers}
    rows, columns = seen.bodies.shape
    found = []
    for number, (x1, y1, x2, y2) in boxes_of(seen.bodies, known):
        own = seen.bodies[y1:y2, x1:x2] == number
        pixels = int(np.count_nonzero(own))
        outline = outline_of(known[number], camera=camera, size_px=(columns, rows))
        if pixels < least_px or outline is None:
            continue
        hidden_by = tuple(_hiders(seen, known[number], outline, camera=camera))
        # Drawn alone at another rounding it may have a pixel less than is seen: no share is above 1.
        alone = max(pixels, int(np.count_nonzero(outline.mask)))
        found.append(
            VisibleObject(
                mover=known[number],
                x1=x1,
                y1=y1,
                x2=x2,
                y2=y2,
                shown=round(pixels / alone, 3),
                pixels=pixels,
                depth_m=round(float(np.median(seen.depth_m[y1:y2, x1:x2][own])), 3),
                hidden_by=hidden_by,
                is_cut=outline.is_cut,
            )
        )
    return tuple(found)


def boxes_of(bodies: Array, numbers: Iterable[int]) -> Iterator[tuple[int, tuple[int, int, int, int]]]:
    """Yield the box of each of some numbers that an image shows, x1 y1 x2 y2, ends exclusive.

    Args:
        bodies: uint16 (rows, columns), numbers.
        numbers: Those to look for.
    """
    wanted = np.zeros(int(bodies.max()) + 1, bool)
    wanted[[n for n in numbers if n < len(wanted)]] = True
    wanted[OTHER] = False
    y, x = np.nonzero(wanted[bodies])
    found = bodies[y, x]
    order = np.argsort(found, kind="stable")
    present, starts = np.unique(found[order], return_index=True)
    for number, indices in zip(present.tolist(), np.split(order, starts[1:]), strict=True):
        px, py = x[indices], y[indices]
        yield number, (int(px.min()), int(py.min()), int(px.max()) + 1, int(py.max()) + 1)


def outline_of(mover: Mover, *, camera: Camera, size_px: Size = PICTURE_SIZE_PX) -> Outline | None:
    """Return a mover as if it were alone, None where it reaches behind the camera or out of view.

    Args:
        mover: What to draw.
        camera: Where from.
        size_px: Width and height of the image.
    """
    hulls = _hulls(mover, camera=camera, size_px=size_px)
    if not hulls:
        return None
    corners = np.concatenate(hulls)
    low, high = np.floor(corners.min(0)).astype(int), np.ceil(corners.max(0)).astype(int) + 1
    first, last = np.maximum(low, 0), np.minimum(high, size_px)
    if (last <= first).any():
        return None
    width, height = ((last - first) * _FINER).tolist()
    fine = np.zeros((height, width), np.uint8)
    for hull in hulls:
        # cv2 counts from the middles of pixels, cameras from their edges.
        points = np.rint(((hull - first) * _FINER - 0.5) * (1 << _SUBPIXEL_BITS)).astype(np.int32)
        cv2.fillConvexPoly(fine, points, 255, cv2.LINE_8, _SUBPIXEL_BITS)
    # A pixel shows what lies at its middle; cv2 fills all pixels that an outline touches.
    mask = np.ascontiguousarray(fine[_FINER // 2 :: _FINER, _FINER // 2 :: _FINER])
    is_cut = bool((low < 0).any() or (high > size_px).any())
    return Outline(x=int(first[0]), y=int(first[1]), mask=mask, is_cut=is_cut)


def _hulls(mover: Mover, *, camera: Camera, size_px: Size) -> list[Array]:
    """Return the outlines of a mover's upright solids, one a level of its height, in pixels."""
    middle = np.array(((mover.x_m, mover.y_m, mover.ground_m + mover.height_m / 2),))
    reach_m = mover.plan.length_m + _AROUND_M
    if camera.depths(middle)[0] < reach_m / 2 or _is_far_off(
        camera.project(middle, size_px=size_px), size_px
    ):
        return []
    tile = _alone(mover)
    # Between cells the land runs straight from height to height, for the camera as here.
    height_m = cv2.resize(tile.height_m, None, fx=_FINER, fy=_FINER, interpolation=cv2.INTER_LINEAR)
    hulls = []
    for level_m in _levels(tile.height_m):
        mask = (height_m >= level_m - _SLACK_M).astype(np.uint8)
        solid_m = (mover.ground_m, mover.ground_m + float(level_m))
        hulls += [_hull(part, solid_m, tile, camera, size_px) for part in _convex_parts(mask)]
    return [hull for hull in hulls if not np.isnan(hull).any() and np.abs(hull).max() < _FAR_PX]


def _is_far_off(position: Array, size_px: Size) -> bool:
    width, height = size_px
    x, y = position[0]
    return bool(math.isnan(x) or not (-width < x < 2 * width and -height < y < 2 * height))


def _alone(mover: Mover) -> Terrain:
    """Return a piece of empty land with a mover on it, on the same grid of cells as the town."""
    reach_m = math.ceil(mover.plan.length_m / 2 + _AROUND_M)
    west_m, north_m = math.floor(mover.x_m) - reach_m, math.floor(mover.y_m) - reach_m
    side_m = 2 * reach_m + 1
    tile = replace(
        Terrain.empty(width_m=side_m, depth_m=side_m, colour=(0, 0, 0)), west_m=west_m, north_m=north_m
    )
    place(tile, mover=replace(mover, ground_m=0.0))
    return tile


def _levels(height_m: Array) -> Array:
    """Return the heights that a thing's cells have, and some between: its flanks are not quite upright."""
    heights = np.floor(height_m[height_m > 0] / _LEVEL_M) * _LEVEL_M
    if not len(heights):
        return heights
    return np.unique(np.concatenate([heights, np.arange(_LEVEL_M, heights.max(), _FLANK_M)]).round(3))


def _convex_parts(mask: Array, *, corner: tuple[int, int] = (0, 0)) -> Iterator[Array]:
    """Yield the outlines of parts of a mask that have no bays: what has one is cut in two.

    Args:
        mask: uint8 (rows, columns).
        corner: Column and row of its upper left corner.
    """
    for line in cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)[0]:
        x, y, width, height = cv2.boundingRect(line)
        full = cv2.contourArea(cv2.convexHull(line))
        if min(width, height) <= _LEAST_CUT or cv2.contourArea(line) > _CONVEX_SHARE * full:
            yield line[:, 0] + corner
            continue
        middle = max(width, height) // 2
        halves = (
            ((x, y, middle + 1, height), (x + middle, y, width - middle, height))
            if width >= height
            else ((x, y, width, middle + 1), (x, y + middle, width, height - middle))
        )
        for left, top, across, down in halves:
            part = np.ascontiguousarray(mask[top : top + down, left : left + across])
            yield from _convex_parts(part, corner=(corner[0] + left, corner[1] + top))


def _hull(line: Array, solid_m: tuple[float, float], tile: Terrain, camera: Camera, size_px: Size) -> Array:
    corners = cv2.convexHull(line.astype(np.float32))[:, 0].astype(np.float64) + 0.5
    ground = corners / (CELLS_PER_M * _FINER) + (tile.west_m, tile.north_m)
    points = np.concatenate([np.column_stack([ground, np.full(len(ground), h)]) for h in solid_m])
    pixels = camera.project(points, size_px=size_px).astype(np.float32)
    return np.asarray(cv2.convexHull(pixels)[:, 0]) if not np.isnan(pixels).any() else pixels


def _hiders(seen: RenderedImage, mover: Mover, outline: Outline, *, camera: Camera) -> Iterator[int]:
    """Yield the numbers of what stands in front of a mover, the one that hides most first."""
    rows, columns = outline.mask.shape
    here = (slice(outline.y, outline.y + rows), slice(outline.x, outline.x + columns))
    bodies, depth = seen.bodies[here], seen.depth_m[here]
    middle = np.array(((mover.x_m, mover.y_m, mover.ground_m + mover.height_m / 2),))
    nearest_m = float(camera.depths(middle)[0]) - mover.plan.length_m / 2 - _NEARER_M
    is_other = (outline.mask > 0) & (bodies != mover.number)
    # Bodies may stand beside it at the same depth; the ground in front of it hides nothing.
    in_front = is_other & (depth < np.where(bodies > 0, nearest_m + mover.plan.length_m / 2, nearest_m))
    counts = np.bincount(bodies[in_front])
    least = max(_HIDER_PX, _HIDER_SHARE * np.count_nonzero(is_other))
    yield from (int(n) for n in np.argsort(-counts, kind="stable") if counts[n] >= least)


def landmarks_in(
    seen: RenderedImage, landmarks: Iterable[Landmark], *, camera: Camera
) -> dict[str, tuple[float, float]]:
    """Return the landmarks that an image shows, with the pixel of each one's middle.

    One of buildings is seen where enough of their pixels are, its middle is the mean of these; one of
    open ground where its middle is in the image and nothing stands before it.
    """
    counts = np.bincount(seen.bodies.ravel())
    found = {}
    for landmark in landmarks:
        position = (
            _of_bodies(seen, landmark, counts) if landmark.bodies else _of_ground(seen, landmark, camera)
        )
        if position is not None:
            found[landmark.name] = position
    return found


def _of_bodies(seen: RenderedImage, landmark: Landmark, counts: NDArray[Any]) -> tuple[float, float] | None:
    if sum(int(counts[n]) for n in landmark.bodies if n < len(counts)) < _LEAST_BODY_PX:
        return None
    y, x = np.nonzero(np.isin(seen.bodies, landmark.bodies))
    return round(float(x.mean()) + 0.5, 1), round(float(y.mean()) + 0.5, 1)


def _of_ground(seen: RenderedImage, landmark: Landmark, camera: Camera) -> tuple[float, float] | None:
    rows, columns = seen.bodies.shape
    point = np.array(((landmark.x_m, landmark.y_m, 0.0),))
    depth = float(camera.depths(point)[0])
    if depth <= 0:
        return None
    x, y = camera.project(point, size_px=(columns, rows))[0].tolist()
    if not (0 <= x < columns and 0 <= y < rows):
        return None
    is_clear = abs(float(seen.depth_m[int(y), int(x)]) - depth) < _DEPTH_SHARE * depth
    return (round(x, 1), round(y, 1)) if is_clear else None
