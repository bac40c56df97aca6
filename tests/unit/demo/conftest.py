"""Pictures that were never drawn: the demo's moments with movers at known places, and no image."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from annotator.demo.moments import MOMENTS, Moment, Shot
from annotator.demo.movers import Mover
from annotator.demo.paint import CAR_COLOURS
from annotator.demo.pictures import Picture, Sight, to_jpeg

SMALL = np.full((36, 64, 3), 90, np.uint8)


def car(number: int, *, x_m: float = 0.0, y_m: float = 0.0) -> Mover:
    colour = CAR_COLOURS[number % len(CAR_COLOURS)]
    return Mover(number=number, kind="car", x_m=x_m, y_m=y_m, turn_deg=0, colour=colour)


def sight(number: int, *, at: tuple[int, int] = (100, 100), size: int = 60, shown: float = 0.9) -> Sight:
    x, y = at
    return Sight(mover=car(number), x1=x, y1=y, x2=x + size, y2=y + size, shown=shown)


def picture(moment: Moment, shot: Shot, sights: list[Sight]) -> Picture:
    image = SMALL + len(sights)
    name = f"{moment.name}-{shot.view}.jpg"
    return Picture(
        name=name, moment=moment, shot=shot, jpeg=to_jpeg(image), sights=tuple(sights), image=image
    )


@pytest.fixture
def pictures() -> list[Picture]:
    """Each view sees twelve cars in a row; the first is hidden in UAV1 and plain in the others."""
    return [
        picture(
            moment,
            shot,
            [
                sight(n, at=(20 + 70 * n, 300), shown=0.3 if n == 1 and shot.view == "UAV1" else 0.9)
                for n in range(1, 13)
            ],
        )
        for moment in MOMENTS
        for shot in moment.shots
    ]


@pytest.fixture
def draw() -> Callable[..., Picture]:
    """Return a picture of a moment with sights at known places."""
    return picture


@pytest.fixture
def see() -> Callable[..., Sight]:
    """Return a sight of a car by its number."""
    return sight
