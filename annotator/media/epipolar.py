"""Epipolar geometry: on which line of one image a point of another must lie, by the poses of both cameras.

Source: Hartley and Zisserman, "Multiple View Geometry", 2nd edition, sections 9.2 and 11.4.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotator.domain.trajectory import Intrinsics, Pose, Quaternion
from annotator.media.camera_homography import rotation_matrix

Matrix = NDArray[Any]
LEAST_BASELINE_M = 0.05
"""Of cameras closer together the baseline has no certain direction, and so the lines have none."""


@dataclass(frozen=True, kw_only=True)
class Camera:
    """A pinhole camera with its pose.

    Attributes:
        pose: Position, metres, z upwards.
        orientation: From the camera's axes (x right, y down, z forward) to those of the pose.
        intrinsics: Focal lengths and principal point, pixels.
    """

    pose: Pose
    orientation: Quaternion
    intrinsics: Intrinsics

    @property
    def position_m(self) -> Matrix:
        """Position, float64 (3,), metres."""
        return np.array((self.pose.x_m, self.pose.y_m, self.pose.z_m), np.float64)

    @property
    def matrix(self) -> Matrix:
        """Calibration matrix, float64 (3, 3)."""
        camera = self.intrinsics
        return np.array(((camera.fx, 0.0, camera.cx), (0.0, camera.fy, camera.cy), (0.0, 0.0, 1.0)))


@dataclass(frozen=True, kw_only=True, eq=False)
class EpipolarTransform:
    """Leads points of one image to lines of another.

    Attributes:
        matrix: Fundamental matrix, float64 (3, 3): there . matrix . here = 0 for corresponding points.
    """

    matrix: Matrix

    def line(self, x: float, y: float) -> tuple[float, float, float]:
        """Return the line of a point, a x + b y + c = 0 with a² + b² = 1; zeros if the point has none."""
        a, b, c = (float(value) for value in self.matrix @ (x, y, 1.0))
        length = float(np.hypot(a, b))
        # The epipole itself is the image of the other camera: every line passes through it.
        return (a / length, b / length, c / length) if length > 1e-12 else (0.0, 0.0, 0.0)

    def distance(self, here: tuple[float, float], there: tuple[float, float]) -> float:
        """Return the distance of a point of the other image from the line of a point of the one, pixels."""
        a, b, c = self.line(*here)
        return abs(a * there[0] + b * there[1] + c)

    def inverse(self) -> EpipolarTransform:
        """Return the transform from the other image to the one."""
        return EpipolarTransform(matrix=self.matrix.T)


def epipolar_transform(here: Camera, there: Camera) -> EpipolarTransform | None:
    """Return the transform between the images of two cameras, None if they are at one place."""
    offset = here.position_m - there.position_m
    if float(np.linalg.norm(offset)) < LEAST_BASELINE_M:
        return None
    to_there = rotation_matrix(there.orientation).T
    x, y, z = to_there @ offset
    cross = np.array(((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)))
    essential = cross @ to_there @ rotation_matrix(here.orientation)
    matrix = np.linalg.inv(there.matrix).T @ essential @ np.linalg.inv(here.matrix)
    return EpipolarTransform(matrix=matrix / np.linalg.norm(matrix))


def segment_in_image(
    line: tuple[float, float, float], *, size: tuple[int, int]
) -> tuple[tuple[float, float], tuple[float, float]] | None:
    """Return the ends of the part of a line that lies in an image, None if it does not cross the image.

    Args:
        line: a, b, c of a x + b y + c = 0, image pixels.
        size: Width and height of the image, pixels.
    """
    a, b, c = line
    width, height = float(size[0]), float(size[1])
    ends: list[tuple[float, float]] = []
    if abs(b) > 1e-12:
        ends += [(x, -(a * x + c) / b) for x in (0.0, width)]
    if abs(a) > 1e-12:
        ends += [(-(b * y + c) / a, y) for y in (0.0, height)]
    inside = [(x, y) for x, y in ends if -1e-6 <= x <= width + 1e-6 and -1e-6 <= y <= height + 1e-6]
    if len(inside) < 2:
        return None
    first, last = min(inside), max(inside)
    return (first, last) if first != last else None
