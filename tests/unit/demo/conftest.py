"""Captures that were never drawn, with things at known places; and the small demo, drawn once."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

from annotator.demo.camera import PICTURE_SIZE_PX
from annotator.demo.captures import Captures, Clip, Frame, Interior, Marked, Picture
from annotator.demo.flights import Flight, all_flights
from annotator.demo.interiors.floor_plan import make_plan
from annotator.demo.interiors.routes import find_route
from annotator.demo.landmarks import Landmark
from annotator.demo.marks import mark
from annotator.demo.moments import Moment, Shot, moments_of
from annotator.demo.movers import Mover
from annotator.demo.paint import CAR_COLOURS
from annotator.demo.shoot import Order, shoot
from annotator.demo.truth import VisibleObject
from annotator.progress import Progress

SEED = 7
SMALL = np.full((36, 64, 3), 90, np.uint8)
_PLACES = (
    ("market", 152, 62), ("car park", 158, 91), ("pond", 279, 87), ("court", 51, 159), ("church", 164, 156),
    ("school", 233, 155), ("pitch", 285, 157), ("square", 142, 156), ("farm", 46, 302),
    ("stadium", 368, 157), ("hospital", 358, 209), ("gardens", 46, 60), ("pavilion", 243, 62),
    ("wood", 272, 304),
)  # fmt: skip
LANDMARKS = tuple(
    Landmark(name=f"the {name}", kind="green", x_m=x, y_m=y, radius_m=8.0) for name, x, y in _PLACES
)


def car(number: int, *, x_m: float = 0.0, y_m: float = 0.0) -> Mover:
    colour = CAR_COLOURS[number % len(CAR_COLOURS)]
    return Mover(number=1000 + number, kind="car", x_m=x_m, y_m=y_m, turn_deg=0, colour=colour)


def visible_object(
    number: int,
    *,
    at: tuple[int, int] = (100, 100),
    size: int = 60,
    shown: float = 0.9,
    hidden_by: tuple[int, ...] = (),
    position: tuple[float, float] = (0.0, 0.0),
) -> VisibleObject:
    x, y = at
    mover = car(number, x_m=position[0], y_m=position[1])
    return VisibleObject(
        mover=mover, x1=x, y1=y, x2=x + size, y2=y + size, shown=shown, pixels=int(size * size * shown),
        depth_m=40.0, hidden_by=hidden_by,
    )  # fmt: skip


def picture(moment: Moment, shot: Shot, visible_objects: list[VisibleObject]) -> Picture:
    return Picture(
        name=f"{moment.name}-{shot.view}.jpg",
        moment=moment,
        shot=shot,
        visible_objects=tuple(visible_objects),
        landmarks={mark.name: (300.0, 200.0) for mark in LANDMARKS[:2]},
    )


def _row_of_cars(shot: Shot) -> list[VisibleObject]:
    is_first = shot.view == "UAV1"
    # Cars 1 and 2 are hidden in the first view, by car 3 and a tree.
    hiders = {1: (1003,), 2: (0,)}
    return [
        visible_object(
            n,
            at=(20 + 90 * n, 300),
            shown=0.3 if n < 3 and is_first else 0.9,
            hidden_by=hiders.get(n, ()) if is_first else (),
            position=(100.0 + 5 * n, 100.0),
        )
        for n in range(1, 13)
    ]


@pytest.fixture
def pictures() -> list[Picture]:
    """Each view of the small demo sees twelve cars in a row."""
    return [picture(m, shot, _row_of_cars(shot)) for m in moments_of("small") for shot in m.shots]


@pytest.fixture
def marked(pictures: list[Picture]) -> list[Marked]:
    found = []
    for one in pictures:
        if one.shot.view in one.moment.marked:
            partners = [p for p in pictures if p.moment is one.moment and p.shot.view in one.moment.marked]
            found.append(mark(one, SMALL, partners=partners)[0])
    return found


@pytest.fixture
def undrawn(pictures: list[Picture], marked: list[Marked]) -> Captures:
    """Return captures of pictures, clips and a floor plan, of which nothing was drawn."""
    plan = make_plan("flat-1", rooms=5, seed=SEED)
    route = find_route(plan, start=0, end=4, seed=SEED)
    assert route is not None
    return Captures(
        pictures=tuple(pictures),
        marked=tuple(marked),
        clips=tuple(flown(flight) for flight in all_flights()),
        interiors=(Interior(plan=plan, routes={"route-1": route}, rooms_alone=(0,)),),
        landmarks=LANDMARKS,
    )


def flown(flight: Flight) -> Clip:
    """Return a flight's clip as it would be over empty land, where nothing hides a landmark."""
    frames = [
        Frame(
            time_s=t,
            boxes={1001: (10, 20, 70, 80)},
            landmarks=_in_view(flight, t),
            visible_objects=(visible_object(1),),
        )
        for t in flight.times_s()
    ]
    return Clip(name=flight.name, flight=flight, frames=tuple(frames))


def _in_view(flight: Flight, time_s: float) -> dict[str, tuple[float, float]]:
    camera = flight.camera_at(time_s)
    positions = camera.project(np.array([(m.x_m, m.y_m, 0.0) for m in LANDMARKS]))
    inside = [bool(0 <= x < PICTURE_SIZE_PX[0] and 0 <= y < PICTURE_SIZE_PX[1]) for x, y in positions]
    return {
        m.name: (float(x), float(y))
        for m, (x, y), is_in in zip(LANDMARKS, positions, inside, strict=True)
        if is_in
    }


@pytest.fixture
def write_undrawn() -> Callable[[Captures, Path], None]:
    """Return a function that writes a grey file for every picture and map of some captures."""

    def write(captures: Captures, folder: Path) -> None:
        names = [p.name for p in captures.pictures] + [m.name for m in captures.marked]
        for interior in captures.interiors:
            parts = ["", *interior.routes, *(f"room-{n}" for n in interior.rooms_alone)]
            names += [interior.map_name(kind, part) for kind in ("realistic", "semantic") for part in parts]
        for clip in captures.clips:
            names += [clip.flight.frame_name(n) for n in clip.flight.key_frames]
        for number, name in enumerate(names):
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            # Media are known by their content: no two may be alike.
            image = SMALL.copy()
            image[0, :2] = ((number % 256, number // 256, 0),) * 2
            cv2.imwrite(str(path.with_suffix(".png")), image)
            path.with_suffix(".png").rename(path)

    return write


@pytest.fixture
def see() -> Callable[..., VisibleObject]:
    """Return a visible car by its number."""
    return visible_object


@pytest.fixture
def draw() -> Callable[..., Picture]:
    """Return a picture of a moment with objects at known places."""
    return picture


@pytest.fixture(scope="session")
def small_demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Captures, Path]:
    """Return the captures of two really drawn scenes of the small demo, and the folder of their files."""
    folder = tmp_path_factory.mktemp("small")
    two = moments_of("small")[:2]
    shortened = dataclasses.replace(two[1], shots=two[1].shots[1:])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("annotator.demo.shoot.moments_of", lambda _: (two[0], shortened))
        return shoot(Order(folder=folder, size="small", seed=SEED), progress=Progress(), workers=0), folder
