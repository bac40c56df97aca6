"""The motion of a flight between its key frames as text, and the choice of key frames."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from annotator.domain.trajectory import Pose, Trajectory

TURN_DEG, CLIMB_M = 45.0, 1.0
"""Source: IndoorUAV (arXiv 2512.19024), key frames: a turn over 45 degrees, a climb over 1 m."""
STRAIGHT_M = 5.0
"""The paper says 'a long straight flight' without a number; this value is about the length of a room."""
LEAST_TURN_DEG, LEAST_MOVE_M = 3.0, 0.15
"""Source: IndoorUAV's smallest steps; smaller motions are not actions."""
_LEFT_IS_POSITIVE = {"east-north-up": True, "north-east-down": False}


def key_frames_of(flight: Trajectory) -> tuple[int, ...]:
    """Return the key frames of a flight, and its last frame, which is the goal of instructions.

    Without key frames in the source they are computed from the motion: the first frame, turns, climbs, long
    straight sections.
    """
    if not flight.poses:
        return flight.key_frames
    # Key frames of the source take precedence over computed ones.
    known = flight.key_frames or _frames_by_motion(flight)
    return tuple(dict.fromkeys((*known, len(flight.poses) - 1)))


def _frames_by_motion(flight: Trajectory) -> list[int]:
    found, turned, climbed, flown = [0], 0.0, 0.0, 0.0
    for number, (before, now) in enumerate(itertools.pairwise(flight.poses), start=1):
        turned += _turn_deg(before, now)
        climbed += now.z_m - before.z_m
        flown += math.hypot(now.x_m - before.x_m, now.y_m - before.y_m)
        # All three counters restart, whichever triggered: a key frame ends the whole segment.
        if abs(turned) > TURN_DEG or abs(climbed) > CLIMB_M or flown > STRAIGHT_M:
            found.append(number)
            turned = climbed = flown = 0.0
    return found


def moves_between(flight: Trajectory, frames: Sequence[int]) -> list[str]:
    """Return the motion before each key frame, "" for the first.

    Actions named in the source are used; otherwise the motion is computed from the poses. Left and right are
    known only if the axes are.
    """
    return ["", *(_moves(flight, first, last) for first, last in itertools.pairwise(frames))]


def _moves(flight: Trajectory, first: int, last: int) -> str:
    if named := flight.actions[first:last]:
        return ", ".join(name.replace("_", " ") for name, _ in itertools.groupby(named))
    poses = flight.poses[first : last + 1]
    turn = sum(itertools.starmap(_turn_deg, itertools.pairwise(poses)))
    climb = poses[-1].z_m - poses[0].z_m
    along = math.hypot(poses[-1].x_m - poses[0].x_m, poses[-1].y_m - poses[0].y_m)
    moves = [
        f"turn {_side(flight, turn)}by {abs(turn):.0f} degrees" if abs(turn) >= LEAST_TURN_DEG else "",
        f"fly {along:.1f} m" if along >= LEAST_MOVE_M else "",
        _climb_words(flight, climb) if abs(climb) >= LEAST_MOVE_M else "",
    ]
    return ", ".join(filter(None, moves)) or "stay"


def _side(flight: Trajectory, turn_deg: float) -> str:
    if flight.axes not in _LEFT_IS_POSITIVE:
        return ""
    return "left " if (turn_deg > 0) == _LEFT_IS_POSITIVE[flight.axes] else "right "


def _climb_words(flight: Trajectory, climb_m: float) -> str:
    is_up = (climb_m > 0) != (flight.axes == "north-east-down")
    return f"{'climb' if is_up else 'descend'} {abs(climb_m):.1f} m"


def _turn_deg(before: Pose, now: Pose) -> float:
    """Return the shorter turn between two headings, degrees, -180..180."""
    return (now.yaw_deg - before.yaw_deg + 180.0) % 360.0 - 180.0
