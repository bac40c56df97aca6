"""The demo's pictures, and what can truly be said about each of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from annotator.demo.film import Image, add_noise, develop, lose_packets
from annotator.demo.light import light_on
from annotator.demo.moments import MOMENTS, Moment, Shot
from annotator.demo.movers import Kind, Mover, place
from annotator.demo.terrain import Terrain
from annotator.demo.town import Town, build_town
from annotator.demo.traffic import FIRST_MOVER, Traffic
from annotator.demo.view import look
from annotator.progress import Progress

JPEG_QUALITY = 90
_MARGIN_M = 30.0
_FILLED: dict[Kind, float] = {"car": 0.80, "van": 0.78, "bus": 0.92, "person": 0.62}
"""Share of its box that a mover fills, since bonnets are lower than roofs: medians over this town's
pictures of movers that nothing hides."""


@dataclass(frozen=True, kw_only=True)
class Sight:
    """One vehicle or person in one picture.

    Attributes:
        mover: What it is.
        x1: Left edge in pixels.
        y1: Top edge.
        x2: Right edge, exclusive.
        y2: Bottom edge, exclusive.
        shown: Share of it that is seen, 0..1; low where something hides it.
    """

    mover: Mover
    x1: int
    y1: int
    x2: int
    y2: int
    shown: float


@dataclass(frozen=True, kw_only=True)
class Picture:
    """One finished picture.

    Attributes:
        name: File name.
        moment: When and where.
        shot: By whom.
        jpeg: Its bytes.
        sights: Vehicles and people in it, by their number.
        image: uint8 (720, 1280, 3), blue green red, before it was encoded.
    """

    name: str
    moment: Moment
    shot: Shot
    jpeg: bytes
    sights: tuple[Sight, ...]
    image: Image = field(repr=False, compare=False)


@dataclass(frozen=True, kw_only=True)
class _Scene:
    town: Town
    terrain: Terrain
    lit: NDArray[Any]
    movers: Mapping[int, Mover]
    moment: Moment
    seed: int


def take_pictures(*, seed: int, progress: Progress) -> list[Picture]:
    """Draw all pictures; the same seed gives the same bytes.

    Args:
        seed: Seed of everything that chance decides.
        progress: Counts pictures.

    Raises:
        Cancelled: The user asked to stop.
    """
    progress.begin("Building the town", total=None)
    town = build_town(seed=seed)
    progress.begin("Taking pictures", total=sum(len(m.shots) for m in MOMENTS))
    pictures = []
    for moment in MOMENTS:
        pictures += _take_moment(town, moment, seed=seed)
        progress.step(len(moment.shots))
    progress.end()
    return pictures


def _take_moment(town: Town, moment: Moment, *, seed: int) -> list[Picture]:
    terrain = _surroundings(town.terrain, moment.shots)
    movers = {m.number: m for m in Traffic(town, seed=seed, time_s=moment.time_s).movers()}
    for mover in movers.values():
        if terrain.holds(mover.x_m, mover.y_m):
            place(terrain, mover=mover)
    lit = cv2.multiply(terrain.colour, light_on(terrain.height_m), dtype=cv2.CV_32F)
    scene = _Scene(town=town, terrain=terrain, lit=lit, movers=movers, moment=moment, seed=seed)
    # cv2 and numpy let go of the interpreter in their long loops, so two threads keep two cores busy.
    with ThreadPoolExecutor(max_workers=2) as pool:
        return list(pool.map(lambda shot: _take(scene, shot), moment.shots))


def _surroundings(terrain: Terrain, shots: Sequence[Shot]) -> Terrain:
    """Return a copy of the land that the shots see, and of what throws shadows into it."""
    corners = np.concatenate([shot.camera.footprint() for shot in shots])
    (west, north), (east, south) = corners.min(0) - _MARGIN_M, corners.max(0) + _MARGIN_M
    return terrain.tile(west_m=west, north_m=north, east_m=east, south_m=south)


def _take(scene: _Scene, shot: Shot) -> Picture:
    moment = scene.moment
    seen = look(scene.terrain, lit=scene.lit, camera=shot.camera, buildings=scene.town.buildings)
    # A generator per picture: the order in which threads finish must not matter.
    rng = np.random.default_rng((scene.seed, *f"{moment.name}-{shot.view}".encode()))
    image = develop(seen.image, distance_m=seen.distance_m, look=shot.look, rng=rng)
    if shot.fault == "noise":
        image = add_noise(image, rng=rng)
    elif shot.fault == "loss":
        image = lose_packets(image, rng=rng)
    return Picture(
        name=f"{moment.name}-{shot.view}.jpg",
        moment=moment,
        shot=shot,
        jpeg=to_jpeg(image),
        image=image,
        sights=tuple(_sights(seen.bodies, scene.movers, shot)),
    )


def to_jpeg(image: Image) -> bytes:
    """Return a picture as the bytes of a JPEG file."""
    return cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])[1].tobytes()


def _sights(bodies: NDArray[Any], movers: Mapping[int, Mover], shot: Shot) -> Iterator[Sight]:
    y, x = np.nonzero(bodies >= FIRST_MOVER)
    numbers = bodies[y, x]
    order = np.argsort(numbers, kind="stable")
    found, starts = np.unique(numbers[order], return_index=True)
    for number, places in zip(found.tolist(), np.split(order, starts[1:]), strict=True):
        px, py, mover = x[places], y[places], movers[number]
        yield Sight(
            mover=mover,
            x1=int(px.min()),
            y1=int(py.min()),
            x2=int(px.max()) + 1,
            y2=int(py.max()) + 1,
            shown=min(1.0, len(places) / _outline_px(mover, shot)),
        )


def _outline_px(mover: Mover, shot: Shot) -> float:
    """Return the pixels that a mover covers where nothing hides it."""
    corners = np.array([(x, y, h) for x, y in mover.plan.corners() for h in (0.0, mover.height_m)])
    hull = cv2.convexHull(shot.camera.project(corners).astype(np.float32))
    return max(1.0, cv2.contourArea(hull) * _FILLED[mover.kind])
