"""Position and direction of the camera of a still image, and the directions of its pixels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from annotator.domain.answers.angle_distance import CameraMove
from annotator.domain.trajectory import Intrinsics, Quaternion, Trajectory

Vector = tuple[float, float, float]
"""East, north and up."""


@dataclass(frozen=True, kw_only=True)
class CameraPosition:
    """Where a camera is, and where it looks.

    Attributes:
        trajectory: Id of the trajectory that says so.
        position_m: East, north and up.
        heading_deg: Direction of the top of the image, clockwise from north, 0 to 360.
        orientation: From the camera's axes to those of the trajectory, None if only the heading is known.
        is_east_north_up: Whether the trajectory's axes are east, north, up; otherwise north, east, down.
        intrinsics: The camera, None if unknown.
    """

    trajectory: str
    position_m: Vector
    heading_deg: float
    orientation: Quaternion | None
    is_east_north_up: bool
    intrinsics: Intrinsics | None

    def direction_of(self, x: float, y: float) -> Vector | None:
        """Return the direction of a pixel as east, north, up; None if orientation or lens are unknown."""
        lens = self.intrinsics
        if self.orientation is None or lens is None:
            return None
        ray = rotate(self.orientation, ((x - lens.cx) / lens.fx, (y - lens.cy) / lens.fy, 1.0))
        return ray if self.is_east_north_up else (ray[1], ray[0], -ray[2])

    def bearing_of(self, x: float, y: float) -> float | None:
        """Return the bearing of a pixel, clockwise from the heading, 0 to 360; None if unknown."""
        ray = self.direction_of(x, y)
        return None if ray is None else self.relative_bearing(ray[0], ray[1])

    def relative_bearing(self, east: float, north: float) -> float:
        """Return a direction over ground clockwise from the heading, 0 to 360."""
        return (math.degrees(math.atan2(east, north)) - self.heading_deg) % 360


def camera_position(trajectories: Sequence[Trajectory]) -> CameraPosition | None:
    """Return the position of the camera of a still image.

    Returns:
        None where it is unknown: no trajectory or several, several poses, or axes of unknown meaning.
    """
    if len(trajectories) != 1 or len(trajectories[0].poses) != 1:
        return None
    flight, pose = trajectories[0], trajectories[0].poses[0]
    if flight.axes not in ("east-north-up", "north-east-down"):
        return None
    is_up = flight.axes == "east-north-up"
    position = (pose.x_m, pose.y_m, pose.z_m) if is_up else (pose.y_m, pose.x_m, -pose.z_m)
    # Yaw turns about the third axis: anticlockwise from east about up, clockwise from north about down.
    heading = 90.0 - pose.yaw_deg if is_up else pose.yaw_deg
    return CameraPosition(
        trajectory=flight.id,
        position_m=position,
        heading_deg=heading % 360,
        orientation=flight.orientations[0] if flight.orientations else None,
        is_east_north_up=is_up,
        intrinsics=flight.intrinsics,
    )


def camera_move(first: CameraPosition, second: CameraPosition) -> CameraMove | None:
    """Return the clockwise angle between two headings and the distance of the cameras, one decimal each.

    Returns:
        None where the positions have different axes.
    """
    if first.is_east_north_up != second.is_east_north_up:
        return None
    # Rounded before it is reduced, or 359.97 degrees would become 360.0; the rest of a division has more
    # decimals again.
    angle = round(round(second.heading_deg - first.heading_deg, 1) % 360, 1)
    return CameraMove(angle_deg=angle, distance_m=round(math.dist(first.position_m, second.position_m), 1))


def rotate(rotation: Quaternion, vector: Vector) -> Vector:
    """Return a vector turned by a unit quaternion."""
    w, axis = rotation.w, (rotation.x, rotation.y, rotation.z)
    # Source: v + 2 w (q x v) + 2 q x (q x v), the product q v q* written out.
    once = _cross(axis, vector)
    twice = _cross(axis, once)
    x, y, z = (v + 2 * (w * a + b) for v, a, b in zip(vector, once, twice, strict=True))
    return x, y, z


def _cross(a: Vector, b: Vector) -> Vector:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
