"""The motion of a flight between its key frames as text, and the choice of key frames."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from annotator.domain.flight_actions import KIND_PHRASES, KINDS, STEP_DEG, STEP_M, turn_deg
from annotator.domain.flight_labels import label_at
from annotator.domain.flight_segments import key_frames
from annotator.domain.trajectory import Trajectory

LEAST_TURN_DEG, LEAST_MOVE_M = STEP_DEG["small"], STEP_M["small"]
"""Smaller motions are no actions."""
STAY = "stay"
_LEFT_IS_POSITIVE = {"east-north-up": True, "north-east-down": False}


def key_frames_of(flight: Trajectory) -> tuple[int, ...]:
    """Return the key frames of a flight, and its last frame, which is the goal of instructions.

    Without key frames in the source they are computed from the motion: the first frame, turns, climbs, long
    straight sections.
    """
    if not flight.poses:
        return flight.key_frames
    # Key frames of the source take precedence over computed ones.
    known = flight.key_frames or key_frames(flight)
    return tuple(dict.fromkeys((*known, len(flight.poses) - 1)))


def moves_between(flight: Trajectory, frames: Sequence[int]) -> list[str]:
    """Return the motion before each key frame, "" for the first.

    Actions that people gave are used, else those named in the source; otherwise the motion is computed from
    the poses. Left and right are known only if the axes are.
    """
    return ["", *(_moves(flight, first, last) for first, last in itertools.pairwise(frames))]


def moves_up_to(flight: Trajectory, chosen: Sequence[int], *, among: Sequence[int]) -> list[str]:
    """Return the motions before each of some chosen key frames, "" for the first.

    Args:
        flight: The flight.
        chosen: The key frames; the first and the last of all are among them.
        among: All key frames: the motions between them follow each other.
    """
    found, passed = list[str](), list[str]()
    for frame, moves in zip(among, moves_between(flight, among), strict=True):
        passed.append(moves)
        if frame in chosen:
            moving = [move for move in passed if move != STAY]
            found.append(", then ".join(moving) or STAY)
            passed = []
    return ["", *found[1:]]


def evenly_chosen(frames: Sequence[int], *, most: int) -> tuple[int, ...]:
    """Return at most so many of some frames, two or more, evenly: always the first and the last."""
    if len(frames) <= most:
        return tuple(frames)
    step = (len(frames) - 1) / (most - 1)
    return tuple(frames[round(number * step)] for number in range(most))


def _moves(flight: Trajectory, first: int, last: int) -> str:
    if given := label_at(flight, last).actions:
        return ", ".join(KIND_PHRASES[kind] for kind in KINDS if kind in given)
    if named := flight.actions[first:last]:
        return ", ".join(name.replace("_", " ") for name, _ in itertools.groupby(named))
    poses = flight.poses[first : last + 1]
    turn = sum(itertools.starmap(turn_deg, itertools.pairwise(poses)))
    climb = poses[-1].z_m - poses[0].z_m
    along = math.hypot(poses[-1].x_m - poses[0].x_m, poses[-1].y_m - poses[0].y_m)
    moves = [
        f"turn {_side(flight, turn)}by {abs(turn):.0f} degrees" if abs(turn) >= LEAST_TURN_DEG else "",
        f"fly {along:.1f} m" if along >= LEAST_MOVE_M else "",
        _climb_text(flight, climb) if abs(climb) >= LEAST_MOVE_M else "",
    ]
    return ", ".join(filter(None, moves)) or STAY


def _side(flight: Trajectory, turn_deg: float) -> str:
    if flight.axes not in _LEFT_IS_POSITIVE:
        return ""
    return "left " if (turn_deg > 0) == _LEFT_IS_POSITIVE[flight.axes] else "right "


def _climb_text(flight: Trajectory, climb_m: float) -> str:
    is_up = (climb_m > 0) != (flight.axes == "north-east-down")
    return f"{'climb' if is_up else 'descend'} {abs(climb_m):.1f} m"
