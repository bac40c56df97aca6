"""The homography of a view to the ground plane, from the pose of its camera."""

from __future__ import annotations

import numpy as np

from annotator.domain.trajectory import Intrinsics, Pose, Quaternion
from annotator.media.ground_plane import Homography, Matrix


def camera_homography(
    pose: Pose, *, orientation: Quaternion, intrinsics: Intrinsics, height_m: float = 0.0
) -> Homography | None:
    """Return the map from a camera's pixels to a level plane, metres of the pose's x and y.

    Args:
        pose: Where the camera is; z upwards.
        orientation: From the camera's axes (x right, y down, z forward) to those of the pose.
        intrinsics: The camera.
        height_m: Height of the plane.

    Returns:
        None where the camera is not above the plane.
    """
    above_m = pose.z_m - height_m
    if above_m <= 0:
        # From below or within it, a plane shows no ground.
        return None
    inverse = np.array(
        (
            (1 / intrinsics.fx, 0.0, -intrinsics.cx / intrinsics.fx),
            (0.0, 1 / intrinsics.fy, -intrinsics.cy / intrinsics.fy),
            (0.0, 0.0, 1.0),
        )
    )
    rays = rotation_matrix(orientation) @ inverse
    # A ray meets the plane where it has come down by the height; depth is positive for those that look down.
    east, north = above_m * rays[0] - pose.x_m * rays[2], above_m * rays[1] - pose.y_m * rays[2]
    return Homography(matrix=np.stack([east, north, -rays[2]]))


def rotation_matrix(turn: Quaternion) -> Matrix:
    """Return a rotation as a matrix, float64 (3, 3)."""
    w, x, y, z = np.array((turn.w, turn.x, turn.y, turn.z)) / np.linalg.norm((turn.w, turn.x, turn.y, turn.z))
    return np.array(
        (
            (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
            (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
            (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
        )
    )
