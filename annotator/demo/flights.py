"""The demo's flights: a start and legs, read from ``resources/demo/flights.toml``; the pose at any time."""

from __future__ import annotations

import functools
from collections.abc import Callable
from fractions import Fraction
from typing import Literal

import msgspec
import numpy as np

import resources
from annotator.demo.camera import Camera

Motion = Literal[
    "forward", "backward", "rise", "descend", "turn_left", "turn_right", "move_left", "move_right",
    "tilt_up", "tilt_down", "orbit_left", "orbit_right", "hover",
]  # fmt: skip

KEY_FRAMES = 8


class Start(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where a flight begins; what the numbers mean stands at ``Camera``."""

    x_m: float
    y_m: float
    altitude_m: float
    heading_deg: float
    tilt_deg: float


class Leg(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One thing that a drone does.

    Attributes:
        do: What.
        seconds: How long.
        amount: Metres, or degrees for turns, tilts and orbits; 0 for hovering.
        radius_m: Distance of an orbit's middle, which lies ahead of the drone.
    """

    do: Motion
    seconds: float
    amount: float = 0.0
    radius_m: float = 0.0


class Flight(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One clip's flight.

    Attributes:
        scene: Name of the scene; flights of one scene are in step.
        view: Name of the view.
        fps: Frames per second.
        start_s: World time of the first frame.
        start: Where it begins.
        legs: What the drone does, one after the other.
    """

    scene: str
    view: str
    fps: float
    start_s: float
    start: Start
    legs: tuple[Leg, ...]

    @property
    def name(self) -> str:
        """File name of the clip."""
        return f"{self.scene}-{self.view}.mp4"

    @property
    def seconds(self) -> float:
        """Length of the flight."""
        return sum(leg.seconds for leg in self.legs)

    @property
    def rate(self) -> Fraction:
        """Frames per second as the container keeps it."""
        return Fraction(self.fps).limit_denominator(1000)

    @property
    def frames(self) -> int:
        """Number of frames."""
        return round(self.seconds * self.fps)

    def times_s(self) -> list[float]:
        """Return the time of each frame since the first."""
        return [number / self.fps for number in range(self.frames)]

    def spans_s(self) -> list[tuple[float, float]]:
        """Return when each leg begins and ends, seconds since the first frame."""
        ends = np.cumsum([leg.seconds for leg in self.legs]).tolist()
        return list(zip([0.0, *ends[:-1]], ends, strict=True))

    @property
    def key_frames(self) -> list[int]:
        """Numbers of frames kept as images: evenly over the flight, the first and the last among them."""
        return [round(n) for n in np.linspace(0, self.frames - 1, KEY_FRAMES).tolist()]

    def frame_name(self, number: int) -> str:
        """Return the file name of a key frame."""
        return f"frames/{self.name.removesuffix('.mp4')}-{number:04d}.jpg"

    def leg_at(self, time_s: float) -> int:
        """Return the number of the leg at a time since the first frame."""
        # The end of a leg is the beginning of the next; the end of the last belongs to nothing else.
        return next((n for n, (_, end) in enumerate(self.spans_s()) if time_s < end), len(self.legs) - 1)

    def camera_at(self, time_s: float) -> Camera:
        """Return the camera at a time since the first frame."""
        camera = Camera(**msgspec.structs.asdict(self.start))
        # All legs, also those that have not begun, whose share is 0: the pose depends on the time alone, so
        # frames may be taken in any order and by several processes.
        for leg, (begin, end) in zip(self.legs, self.spans_s(), strict=True):
            camera = moved(camera, leg, share=_eased((time_s - begin) / (end - begin)))
        return camera


class _File(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    flights: tuple[Flight, ...]


@functools.cache
def all_flights() -> tuple[Flight, ...]:
    """Return the flights in the order of the file."""
    return msgspec.toml.decode(resources.path("demo/flights.toml").read_bytes(), type=_File).flights


def moved(camera: Camera, leg: Leg, *, share: float) -> Camera:
    """Return a camera after a share of a leg.

    Args:
        camera: Before the leg.
        leg: What is done.
        share: How much of it, 0 to 1.
    """
    amount = leg.amount * share
    if leg.do in _AROUND:
        return _around(camera, turn_deg=_AROUND[leg.do] * amount, radius_m=leg.radius_m)
    ahead, right, up, turn, tilt = _STEPS[leg.do](amount)
    cos, sin = np.cos(np.radians(camera.heading_deg)), np.sin(np.radians(camera.heading_deg))
    return Camera(
        x_m=float(camera.x_m + ahead * sin + right * cos),
        y_m=float(camera.y_m - ahead * cos + right * sin),
        altitude_m=camera.altitude_m + up,
        heading_deg=camera.heading_deg + turn,
        tilt_deg=camera.tilt_deg + tilt,
    )


_Step = tuple[float, float, float, float, float]
"""Ahead, right and up in metres; turn to the right and tilt up in degrees."""
_STEPS: dict[str, Callable[[float], _Step]] = {
    "forward": lambda a: (a, 0, 0, 0, 0),
    "backward": lambda a: (-a, 0, 0, 0, 0),
    "move_right": lambda a: (0, a, 0, 0, 0),
    "move_left": lambda a: (0, -a, 0, 0, 0),
    "rise": lambda a: (0, 0, a, 0, 0),
    "descend": lambda a: (0, 0, -a, 0, 0),
    "turn_right": lambda a: (0, 0, 0, a, 0),
    "turn_left": lambda a: (0, 0, 0, -a, 0),
    "tilt_up": lambda a: (0, 0, 0, 0, a),
    "tilt_down": lambda a: (0, 0, 0, 0, -a),
    "hover": lambda _: (0, 0, 0, 0, 0),
}
_AROUND = {"orbit_left": 1.0, "orbit_right": -1.0}
"""Who moves to the right around a point turns left to keep it in view; the sign is that of the drone's turn
for an orbit in which it moves to its left."""


def _around(camera: Camera, *, turn_deg: float, radius_m: float) -> Camera:
    before = np.radians(camera.heading_deg)
    after = np.radians(camera.heading_deg + turn_deg)
    # The middle stays ahead at the same distance; only where the camera stands on the circle changes.
    middle = camera.x_m + radius_m * np.sin(before), camera.y_m - radius_m * np.cos(before)
    return Camera(
        x_m=float(middle[0] - radius_m * np.sin(after)),
        y_m=float(middle[1] + radius_m * np.cos(after)),
        altitude_m=camera.altitude_m,
        heading_deg=camera.heading_deg + turn_deg,
        tilt_deg=camera.tilt_deg,
    )


def _eased(share: float) -> float:
    """Return how far a leg is after a share of its time: drones gather speed and lose it again."""
    share = min(1.0, max(0.0, share))
    # Smoothstep: the speed is 0 at both ends, so that legs join without a jerk.
    return share * share * (3 - 2 * share)
