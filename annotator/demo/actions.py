"""What a drone of the demo did: its legs in words, and its pose at a time."""

from __future__ import annotations

from annotator.demo.flights import Flight, Leg, Motion
from annotator.domain.flight_actions import ActionKind
from annotator.domain.trajectory import Pose

_KINDS: dict[Motion, tuple[ActionKind, ...]] = {
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


def motion_text(do: Motion) -> str:
    """Return what a drone does, in words: ``turn left``."""
    return _WORDS[do]


def doing_text(do: Motion) -> str:
    """Return what a drone is doing: ``turning left``."""
    verb, _, rest = _WORDS[do].partition(" ")
    return f"{_INGS[verb]} {rest}".strip()


def amount_text(leg: Leg) -> str:
    """Return a leg with its amount: ``turn left by 60 degrees``."""
    if not leg.amount:
        return f"{motion_text(leg.do)} for {leg.seconds:g} seconds"
    is_angle = leg.do.startswith(("turn", "tilt", "orbit"))
    return f"{motion_text(leg.do)} by {leg.amount:g} {'degrees' if is_angle else 'metres'}"


def kinds_of(flight: Flight) -> list[ActionKind]:
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
