"""A drone's camera: from its pose to where each pixel looks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[Any]

PICTURE_SIZE_PX = (1280, 720)
"""Width and height of the pictures."""


@dataclass(frozen=True, kw_only=True)
class Camera:
    """A pinhole camera in the air.

    Attributes:
        x_m: East coordinate.
        y_m: South coordinate.
        altitude_m: Height over the ground.
        heading_deg: Direction that the top of the picture looks to, from north towards east.
        tilt_deg: Angle from straight down to the optical axis.
        roll_deg: Turn of the picture about the optical axis.
        focal_px: Focal length in pixels of a picture 1280 wide.
    """

    x_m: float
    y_m: float
    altitude_m: float
    heading_deg: float
    tilt_deg: float
    roll_deg: float = 0.0
    focal_px: float = 980.0

    @classmethod
    def over(
        cls,
        *,
        at: tuple[float, float],
        distance_m: float,
        heading_deg: float,
        tilt_deg: float,
        roll_deg: float = 0.0,
    ) -> Camera:
        """Return the camera that looks at a ground point from a distance."""
        heading, tilt = np.radians(heading_deg), np.radians(tilt_deg)
        back_m = distance_m * np.sin(tilt)
        return cls(
            x_m=float(at[0] - back_m * np.sin(heading)),
            y_m=float(at[1] + back_m * np.cos(heading)),
            altitude_m=float(distance_m * np.cos(tilt)),
            heading_deg=heading_deg,
            tilt_deg=tilt_deg,
            roll_deg=roll_deg,
        )

    def rays(self, *, scale: float = 1.0) -> Matrix:
        """Return the matrix from homogeneous pixels to viewing directions east, south, up.

        Args:
            scale: Pixels per pixel of the 1280 wide picture.
        """
        focal = self.focal_px * scale
        width, height = PICTURE_SIZE_PX[0] * scale, PICTURE_SIZE_PX[1] * scale
        inverse = np.array(
            ((1 / focal, 0, -width / 2 / focal), (0, 1 / focal, -height / 2 / focal), (0, 0, 1))
        )
        return np.asarray(self._axes() @ inverse)

    def to_plane(self, height_m: float, *, scale: float = 1.0) -> Matrix:
        """Return the homography from pixels to east and south metres on a level plane."""
        rays = self.rays(scale=scale)
        drop = height_m - self.altitude_m
        return np.stack([self.x_m * rays[2] + drop * rays[0], self.y_m * rays[2] + drop * rays[1], rays[2]])

    def project(self, points_m: Matrix) -> Matrix:
        """Return the pixels at which points are seen.

        Args:
            points_m: float64 (n, 3), east, south, up in metres.

        Returns:
            float64 (n, 2), x y in pixels of the 1280 wide picture.
        """
        seen = (points_m - (self.x_m, self.y_m, self.altitude_m)) @ np.linalg.inv(self.rays()).T
        return np.asarray(seen[:, :2] / seen[:, 2:])

    def footprint(self, height_m: float = 0.0) -> Matrix:
        """Return where the picture's corners look on a level plane: float64 (4, 2), metres."""
        width, height = PICTURE_SIZE_PX
        corners = np.array(((0, 0, 1), (width, 0, 1), (width, height, 1), (0, height, 1)), np.float64)
        ground = corners @ self.to_plane(height_m).T
        return np.asarray(ground[:, :2] / ground[:, 2:])

    def _axes(self) -> Matrix:
        """Return the picture's right, down and forward axes as columns, each east, south, up."""
        heading, tilt, roll = (np.radians(v) for v in (self.heading_deg, self.tilt_deg, self.roll_deg))
        ahead = np.array((np.sin(heading), -np.cos(heading), 0.0))
        up = np.array((0.0, 0.0, 1.0))
        forward = ahead * np.sin(tilt) - up * np.cos(tilt)
        right = np.array((np.cos(heading), np.sin(heading), 0.0))
        down = -(ahead * np.cos(tilt) + up * np.sin(tilt))
        turned = right * np.cos(roll) + down * np.sin(roll), down * np.cos(roll) - right * np.sin(roll)
        return np.stack([*turned, forward], axis=1)
