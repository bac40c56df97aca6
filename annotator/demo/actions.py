"""What a drone did: legs in words, and poses cut into IndoorUAV's discrete actions."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Literal

import numpy as np

from annotator.demo.flights import Flight, Leg, Motion
from annotator.domain.trajectory import Pose

Kind = Literal["forward", "turn", "up_down", "right_left"]

STEP_M = {"small": 0.15, "large": 0.9}
STEP_DEG = {"small": 3.0, "large": 15.0}
"""Source: IndoorUAV, action space: fly 0.15 m or 0.9 m, turn 3 or 15 degrees."""
_KINDS: dict[Motion, tuple[Kind, ...]] = {
    "forward": ("forward",),
    "backward": ("forward",),
    "rise": ("up_down",),
    "descend": ("up_down",),
    "turn_left": ("turn",),
    "turn_right": ("turn",),
    "move_left": ("right_left",),
    "move_right": ("right_left",),
    "orbit_left": ("right_left", "turn"),
    "orbit_right": ("right_left", "turn"),
}
_WORDS: dict[Motion, str] = {
    "forward": "fly forward",
    "backward": "fly backward",
    "rise": "rise",
    "descend": "descend",
    "turn_left": "turn left",
    "turn_right": "turn right",
    "move_left": "move sideways to the left",
    "move_right": "move sideways to the right",
    "tilt_up": "tilt the camera up",
    "tilt_down": "tilt the camera down",
    "orbit_left": "circle to the left around what lies ahead",
    "orbit_right": "circle to the right around what lies ahead",
    "hover": "hover",
}
_INGS = {"fly": "flying", "rise": "rising", "descend": "descending", "turn": "turning", "move": "moving",
         "tilt": "tilting", "circle": "circling", "hover": "hovering"}  # fmt: skip


def motion_words(do: Motion) -> str:
    """Return what a drone does, in words: ``turn left``."""
    return _WORDS[do]


def doing_words(do: Motion) -> str:
    """Return what a drone is doing: ``turning left``."""
    verb, _, rest = _WORDS[do].partition(" ")
    return f"{_INGS[verb]} {rest}".strip()


def amount_words(leg: Leg) -> str:
    """Return a leg with its amount: ``turn left by 60 degrees``."""
    if not leg.amount:
        return f"{motion_words(leg.do)} for {leg.seconds:g} seconds"
    is_angle = leg.do.startswith(("turn", "tilt", "orbit"))
    return f"{motion_words(leg.do)} by {leg.amount:g} {'degrees' if is_angle else 'metres'}"


def kinds_of(flight: Flight) -> list[Kind]:
    """Return the kinds of a flight's actions in order, each once, in IndoorUAV's words.

    The gimbal is no part of a four-dimensional pose: tilts have no kind.
    """
    return list(dict.fromkeys(kind for leg in flight.legs for kind in _KINDS.get(leg.do, ())))


def pose_at(flight: Flight, time_s: float) -> Pose:
    """Return the pose at a time since the first frame, east-north-up, yaw anticlockwise from east.

    Source: yaw as AirSim's and Habitat's right-handed worlds with z up have it; IndoorUAV's posture files
    hold x, y, z and yaw in degrees.
    """
    camera = flight.camera_at(time_s)
    return Pose(
        x_m=round(camera.x_m, 4),
        # The town's y grows to the south, poses' to the north.
        y_m=round(-camera.y_m, 4),
        z_m=round(camera.altitude_m, 4),
        # Headings turn clockwise from north, yaw anticlockwise from east.
        yaw_deg=round(float((90.0 - camera.heading_deg + 180) % 360 - 180), 4),
    )


def steps_between(poses: Sequence[Pose]) -> Iterator[tuple[Kind, float]]:
    """Yield the actions that lead from pose to pose, with signed amounts in metres and degrees.

    Forward, to the right, up and to the right round are positive. What is smaller than half of
    IndoorUAV's small step is left for the next pose, so that nothing is lost by rounding.
    """
    # What one pose leaves over goes on to the next, or a slow flight would be no action at all.
    rest = np.zeros(4)
    for one, two in itertools.pairwise(poses):
        rest += _change(one, two)
        for place, kind in enumerate(_AXES):
            least = STEP_DEG["small"] if kind == "turn" else STEP_M["small"]
            count = round(rest[place] / least)
            if count:
                rest[place] -= count * least
                yield kind, round(count * least, 4)


def discretised(poses: Sequence[Pose]) -> list[str]:
    """Return the poses' actions as unit steps: ``forward 0.9``, ``turn right 15`` ..., large steps first."""
    found = []
    # A change of direction ends a group: there and back is two actions, not none.
    for kind, group in itertools.groupby(steps_between(poses), key=lambda step: (step[0], step[1] > 0)):
        total = abs(sum(amount for _, amount in group))
        steps = STEP_DEG if kind[0] == "turn" else STEP_M
        # What floating point took from a whole number of steps.
        large = int(total / steps["large"] + 1e-6)
        small = round((total - large * steps["large"]) / steps["small"])
        name = _UNIT_WORDS[kind]
        found += [f"{name} {steps['large']:g}"] * large + [f"{name} {steps['small']:g}"] * small
    return found


_AXES: tuple[Kind, ...] = ("forward", "right_left", "up_down", "turn")
_UNIT_WORDS: dict[tuple[str, bool], str] = {
    ("forward", True): "forward",
    ("forward", False): "backward",
    ("right_left", True): "right",
    ("right_left", False): "left",
    ("up_down", True): "up",
    ("up_down", False): "down",
    ("turn", True): "turn right",
    ("turn", False): "turn left",
}


def _change(one: Pose, two: Pose) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return how far a pose moved ahead, right and up, and turned right, as the drone sees it."""
    # Halfway through the turn: over one step a drone flies an arc, whose chord points so.
    yaw = np.radians(one.yaw_deg + _turn(one.yaw_deg, two.yaw_deg) / 2)
    east, north = two.x_m - one.x_m, two.y_m - one.y_m
    ahead = east * np.cos(yaw) + north * np.sin(yaw)
    right = east * np.sin(yaw) - north * np.cos(yaw)
    return np.array((ahead, right, two.z_m - one.z_m, -_turn(one.yaw_deg, two.yaw_deg)))


def _turn(from_deg: float, to_deg: float) -> float:
    return (to_deg - from_deg + 180) % 360 - 180
