"""Poses and actions of IndoorUAV's flights: ``posture.json``, ``real_action.json``, ``key_frames.json``.

Source: the scripts vla_metric.py and vln_controller.py, which read postures as rows of x, y, z in metres and
yaw in degrees, and result files with yaw in radians.
"""

from __future__ import annotations

import math

from annotator.domain.trajectory import Pose
from annotator.importers.record_fields import RecordError, wrong_type

MOST_POSES = 1_000_000
_NUMBERS = frozenset({int, float})


def read_poses(value: object, *, field: str, is_radians: bool = False) -> tuple[Pose, ...]:
    """Return rows of x, y, z (metres) and yaw as poses, with numbers unrounded.

    Args:
        value: The rows.
        field: Name of the field in the file.
        is_radians: Whether yaw is in radians and has to be converted to degrees.

    Raises:
        RecordError: A row is not a pose.
    """
    if not isinstance(value, list):
        raise wrong_type(field, value, expected="a list of poses")
    if len(value) > MOST_POSES:
        raise RecordError(field, f"It has more than {MOST_POSES:,} poses.")
    poses = []
    for number, row in enumerate(value):
        # Exact types: true is an int to isinstance, and there are millions of these numbers.
        if type(row) is not list or len(row) != 4 or not {type(part) for part in row} <= _NUMBERS:
            raise RecordError(f"{field}[{number}]", "It should be a row of the numbers x, y, z and yaw.")
        try:
            x_m, y_m, z_m, yaw = map(float, row)
        except OverflowError as error:
            raise RecordError(f"{field}[{number}]", "A number is too large.") from error
        poses.append(Pose(x_m=x_m, y_m=y_m, z_m=z_m, yaw_deg=math.degrees(yaw) if is_radians else yaw))
    if not all(math.isfinite(pose.yaw_deg) for pose in poses):
        raise RecordError(field, "A yaw is too large to be an angle.")
    return tuple(poses)


def read_segment(value: object, *, field: str, poses: int | None) -> tuple[int, int]:
    """Return the first and last pose of a segment, counted from 1, both included.

    Args:
        value: A list of two numbers.
        field: Name of the field in the file.
        poses: Number of poses of the flight, None if unknown.

    Raises:
        RecordError: It is not a segment, or exceeds the flight.
    """
    # A set with int alone: true is an int to isinstance.
    if not isinstance(value, list) or len(value) != 2 or {type(part) for part in value} != {int}:
        raise RecordError(field, "It should be two whole numbers, the first and last frame.")
    first, last = value
    if not 1 <= first <= last:
        raise RecordError(field, f"Frames {first} to {last} are not part of a flight.")
    if poses is not None and last > poses:
        raise RecordError(field, f"It ends with frame {last}; the flight has {poses}.")
    return first, last


def read_key_frames(value: object, *, poses: int) -> tuple[int, ...]:
    """Return key frames, which files count from 1, as indices into the poses.

    Raises:
        RecordError: They are not numbers of poses in rising order.
    """
    if not isinstance(value, list) or not all(type(frame) is int for frame in value):
        raise RecordError("key_frames", "It should be a list of frame numbers.")
    if value != sorted(set(value)) or (value and not 1 <= value[0] <= value[-1] <= poses):
        raise RecordError("key_frames", f"The numbers should be increasing and between 1 and {poses}.")
    return tuple(frame - 1 for frame in value)


def read_actions(value: object, *, poses: int) -> tuple[str, ...]:
    """Return the actions between poses, several at once joined with ``+``.

    The files have one row for each pose. What the last row says leads to no pose any more.

    Raises:
        RecordError: It is no list of actions, or not as long as the flight.
    """
    rows = value.get("frame") if isinstance(value, dict) else None
    if not isinstance(rows, list):
        raise wrong_type("frame", rows, expected="a list of frames")
    # The last pose may have a row of its own, which is about no way.
    if len(rows) not in {poses, poses - 1}:
        raise RecordError("frame", f"It has {len(rows)} frames; the flight has {poses} poses.")
    return tuple(_action(row, f"frame[{number}]") for number, row in enumerate(rows[: max(poses - 1, 0)]))


def _action(row: object, where: str) -> str:
    actions = row.get("actions") if isinstance(row, dict) else None
    if not isinstance(actions, dict):
        raise wrong_type(f"{where}.actions", actions, expected="an object of actions")
    return "+".join(name for name, amount in actions.items() if amount)
