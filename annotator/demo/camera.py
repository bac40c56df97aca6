"""A camera in the air or in a hand: from its pose to where each pixel looks.

Three sets of axes, the same everywhere in the demo:

* Town: x east, y south, z up, metres; the ground of the streets is at z = 0. All content has these.
* World: east, north, up, right-handed, metres; north is -y. Written poses (``rotation``,
  ``translation_m``) are in these.
* Camera: x right, y down, z forward along the optical axis.

Pixels: x runs right and y down from the image's upper left corner, so the pixel in column 0 and row
0 reaches from 0 to 1 and its centre is at (0.5, 0.5); the principal point is the image's middle,
(width / 2, height / 2). Boxes made of edges in these coordinates have exclusive ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotator.domain.trajectory import Intrinsics, Quaternion

Matrix = NDArray[Any]
Size = tuple[int, int]
"""Width and height in pixels."""

PICTURE_SIZE_PX: Size = (1280, 720)
"""Width and height of clips and images."""
STILL_SIZE_PX: Size = (4000, 2250)
"""Width and height of stills."""
_TOWN_TO_WORLD = np.diag((1.0, -1.0, 1.0))


@dataclass(frozen=True, kw_only=True)
class Camera:
    """A pinhole camera in any pose.

    Attributes:
        x_m: East coordinate.
        y_m: South coordinate.
        altitude_m: Height over the ground.
        heading_deg: Direction that the top of the image looks to, from north towards east.
        tilt_deg: Angle from straight down to the optical axis: 0 looks down, 90 level, more upwards.
        roll_deg: Turn of the camera about the optical axis, clockwise as it looks; the image's
            content turns the other way.
        focal_px: Focal length in pixels of an image 1280 wide; other widths scale it.
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
        """Return the camera that looks at a ground point from a distance; tilt below 90."""
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

    @property
    def axes(self) -> Matrix:
        """The camera's right, down and forward axes as columns, each east, south, up: float64 (3, 3)."""
        heading, tilt, roll = (np.radians(v) for v in (self.heading_deg, self.tilt_deg, self.roll_deg))
        ahead = np.array((np.sin(heading), -np.cos(heading), 0.0))
        up = np.array((0.0, 0.0, 1.0))
        forward = ahead * np.sin(tilt) - up * np.cos(tilt)
        right = np.array((np.cos(heading), np.sin(heading), 0.0))
        down = -(ahead * np.cos(tilt) + up * np.sin(tilt))
        turned = right * np.cos(roll) + down * np.sin(roll), down * np.cos(roll) - right * np.sin(roll)
        return np.stack([*turned, forward], axis=1)

    @property
    def position_m(self) -> Matrix:
        """Where the camera is, east, south, up: float64 (3,)."""
        return np.array((self.x_m, self.y_m, self.altitude_m))

    @property
    def rotation(self) -> Matrix:
        """The matrix from east-north-up directions to the camera's: float64 (3, 3), determinant 1."""
        return np.asarray(self.axes.T @ _TOWN_TO_WORLD)

    @property
    def translation_m(self) -> Matrix:
        """What ``rotation @ world + translation_m`` adds, so that the camera is the origin: float64 (3,)."""
        return np.asarray(-self.rotation @ (_TOWN_TO_WORLD @ self.position_m))

    @property
    def orientation(self) -> Quaternion:
        """The rotation from the camera's axes to east-north-up, w first and not negative."""
        m = self.rotation.T
        # Of four equal ways the one with the largest term keeps its digits.
        # Source: Shepperd, "Quaternion from rotation matrix", 1978.
        squares = np.array((m.trace(), m[0, 0], m[1, 1], m[2, 2]))
        k = int(np.argmax(squares))
        wx, wy, wz = m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]
        xy, xz, yz = m[0, 1] + m[1, 0], m[0, 2] + m[2, 0], m[1, 2] + m[2, 1]
        rows = ((1 + m.trace(), wx, wy, wz), (wx, 0.0, xy, xz), (wy, xy, 0.0, yz), (wz, xz, yz, 0.0))
        row = np.array(rows[k])
        if k:
            row[k] = 1 + 2 * m[k - 1, k - 1] - m.trace()
        w, x, y, z = (row / np.linalg.norm(row) * (-1.0 if row[0] < 0 else 1.0)).tolist()
        return Quaternion(w=w, x=x, y=y, z=z)

    def focal_at(self, size_px: Size) -> float:
        """Return the focal length in pixels of an image of a size."""
        return self.focal_px * size_px[0] / PICTURE_SIZE_PX[0]

    def intrinsics(self, size_px: Size = PICTURE_SIZE_PX) -> Intrinsics:
        """Return focal lengths and principal point of an image of a size."""
        focal, (width, height) = self.focal_at(size_px), size_px
        return Intrinsics(fx=focal, fy=focal, cx=width / 2, cy=height / 2, width_px=width, height_px=height)

    def rays(self, size_px: Size = PICTURE_SIZE_PX) -> Matrix:
        """Return the matrix from homogeneous pixels to viewing directions east, south, up.

        Directions are 1 long along the optical axis: times a metric depth they reach the point.
        """
        focal, (width, height) = self.focal_at(size_px), size_px
        inverse = np.array(
            ((1 / focal, 0, -width / 2 / focal), (0, 1 / focal, -height / 2 / focal), (0, 0, 1))
        )
        return np.asarray(self.axes @ inverse)

    def depths(self, points_m: Matrix) -> Matrix:
        """Return how far points lie along the optical axis, below 0 behind the camera: float64 (n,).

        Args:
            points_m: float64 (n, 3), east, south, up in metres.
        """
        return np.asarray((points_m - self.position_m) @ self.axes[:, 2])

    def project(self, points_m: Matrix, *, size_px: Size = PICTURE_SIZE_PX) -> Matrix:
        """Return the pixels at which points are seen.

        Args:
            points_m: float64 (n, 3), east, south, up in metres.
            size_px: Size of the image.

        Returns:
            float64 (n, 2), x y; NaN for points that are not in front of the camera.
        """
        seen = (points_m - self.position_m) @ self.axes
        depth = np.where(seen[:, 2] > 0, seen[:, 2], np.nan)
        middle = np.array(size_px) / 2
        return np.asarray(seen[:, :2] / depth[:, None] * self.focal_at(size_px) + middle)

    def unproject(self, pixels: Matrix, *, depth_m: Matrix, size_px: Size = PICTURE_SIZE_PX) -> Matrix:
        """Return the points that pixels show.

        Args:
            pixels: float64 (n, 2), x y; the centre of column c and row r is (c + 0.5, r + 0.5).
            depth_m: float64 (n,), depth along the optical axis.
            size_px: Size of the image.

        Returns:
            float64 (n, 3), east, south, up in metres.
        """
        rays = np.column_stack([pixels, np.ones(len(pixels))]) @ self.rays(size_px).T
        return np.asarray(self.position_m + rays * np.asarray(depth_m)[:, None])

    def footprint(self, height_m: float = 0.0, *, farthest_m: float = 1000.0) -> Matrix:
        """Return where the image's corners look on a level plane: float64 (4, 2), metres.

        A corner that looks above the horizon, or farther than a distance, counts as that far away.
        """
        width, height = PICTURE_SIZE_PX
        corners = np.array(((0, 0, 1), (width, 0, 1), (width, height, 1), (0, height, 1)), np.float64)
        rays = corners @ self.rays().T
        with np.errstate(divide="ignore"):
            # Corners that look at or above the horizon give no crossing, or one behind the camera.
            run = (height_m - self.altitude_m) / rays[:, 2]
        farthest = farthest_m / np.hypot(rays[:, 0], rays[:, 1])
        run = np.where((run > 0) & (run < farthest), run, farthest)
        return np.asarray(rays[:, :2] * run[:, None] + (self.x_m, self.y_m))
