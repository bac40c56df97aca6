"""The demo's moments: places, times, and the drones that look on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from annotator.demo.camera import Camera
from annotator.demo.film import Look

Fault = Literal["", "noise", "loss"]
_LOOKS = (Look(), Look(gain=1.05, warmth=0.025), Look(gain=0.95, warmth=-0.02, grain=3.0))
_ROLLS_DEG = (0.0, 1.2, -0.8)
"""Each drone keeps its own hand through all scenes."""


@dataclass(frozen=True, kw_only=True)
class Shot:
    """One drone's look at a moment.

    Attributes:
        view: Name of the view.
        camera: Where from.
        look: The camera's hand.
        fault: What is wrong with the picture.
    """

    view: str
    camera: Camera
    look: Look
    fault: Fault = ""


@dataclass(frozen=True, kw_only=True)
class Moment:
    """A place at a time, seen by several drones at once.

    Attributes:
        place: Name of the place.
        number: Number of the moment there, 1 and up.
        time_s: Seconds since the first moment of the place.
        shots: What each drone sees.
    """

    place: str
    number: int
    time_s: float
    shots: tuple[Shot, ...]

    @property
    def name(self) -> str:
        """Name of the scene."""
        return f"{self.place}-{self.number}"


def _shot(
    view: int, at: tuple[float, float], *, distance: float, heading: float, tilt: float, fault: Fault = ""
) -> Shot:
    roll = _ROLLS_DEG[view - 1]
    camera = Camera.over(at=at, distance_m=distance, heading_deg=heading, tilt_deg=tilt, roll_deg=roll)
    return Shot(view=f"UAV{view}", camera=camera, look=_LOOKS[view - 1], fault=fault)


MOMENTS = (
    Moment(place="crossroads", number=1, time_s=0, shots=(
        _shot(1, (104, 119), distance=78, heading=24, tilt=33),
        _shot(2, (98, 116), distance=88, heading=-68, tilt=27),
        _shot(3, (106, 124), distance=84, heading=152, tilt=12),
    )),
    Moment(place="crossroads", number=2, time_s=4, shots=(
        _shot(1, (104, 119), distance=78, heading=27, tilt=33),
        _shot(2, (98, 116), distance=88, heading=-65, tilt=27, fault="loss"),
    )),
    Moment(place="market", number=1, time_s=0, shots=(
        _shot(1, (158, 84), distance=92, heading=-14, tilt=24),
        _shot(2, (166, 88), distance=80, heading=70, tilt=38),
    )),
    Moment(place="gardens", number=1, time_s=0, shots=(
        _shot(1, (59, 54), distance=72, heading=8, tilt=36),
        _shot(2, (57, 53), distance=80, heading=-110, tilt=20),
    )),
    Moment(place="park", number=1, time_s=0, shots=(
        _shot(1, (264, 88), distance=84, heading=-30, tilt=30),
        _shot(2, (262, 90), distance=80, heading=60, tilt=14, fault="noise"),
    )),
    Moment(place="school", number=1, time_s=0, shots=(
        _shot(1, (255, 152), distance=92, heading=-12, tilt=28),
        _shot(2, (256, 148), distance=84, heading=100, tilt=32),
    )),
)  # fmt: skip
