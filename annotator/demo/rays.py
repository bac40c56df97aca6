"""Rays of a camera, and where they end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotator.demo.camera import Camera, Size
from annotator.demo.terrain import CELLS_PER_M

Array = NDArray[Any]


@dataclass(frozen=True, kw_only=True)
class Rays:
    """Rays of one camera, one entry each.

    Attributes:
        ahead: float32 (n), part along the heading, level; directions are 1 long along the optical axis.
        right: float32 (n), part to the right of the heading, level.
        up: float32 (n), part upwards.
    """

    ahead: Array
    right: Array
    up: Array

    @classmethod
    def through(cls, camera: Camera, *, x: Array, y: Array, size_px: Size) -> Rays:
        """Return the rays through points of an image.

        Args:
            camera: Whose rays.
            x: float32, columns; broadcast against y.
            y: float32, rows.
            size_px: Size of the image.
        """
        m = (_to_heading(camera) @ camera.rays(size_px)).astype(np.float32)
        ahead, right, up = ((m[k, 0] * x + m[k, 1] * y + m[k, 2]).ravel() for k in range(3))
        return cls(ahead=ahead, right=right, up=up)

    def of(self, here: Array) -> Rays:
        """Return some of the rays."""
        return Rays(ahead=self.ahead[here], right=self.right[here], up=self.up[here])

    def lengths(self) -> Array:
        """Return how long the directions are: float32 (n)."""
        return np.asarray(np.sqrt(self.ahead**2 + self.right**2 + self.up**2))

    def directions(self, camera: Camera) -> Array:
        """Return the directions as east, south, up: float32 (n, 3)."""
        (east, south), (right_east, right_south) = (axis.astype(np.float32) for axis in axes_of(camera, 0))
        found = np.empty((len(self.up), 3), np.float32)
        found[:, 0] = self.ahead * east + self.right * right_east
        found[:, 1] = self.ahead * south + self.right * right_south
        found[:, 2] = self.up
        return found


@dataclass(frozen=True, kw_only=True)
class Hits:
    """Where rays end, one entry a ray.

    Attributes:
        column: float32 (n), column of the land's cells; centres of cells have whole numbers.
        row: float32 (n), row of the land's cells.
        height_m: float32 (n), height over the ground.
        depth_m: float32 (n), depth along the optical axis, infinite where a ray meets nothing.
        is_crown: bool (n), True where a ray ends in what hangs over the ground: leaves, a bridge.
        is_side: bool (n), True where it ends at an upright side or an underside.
    """

    column: Array
    row: Array
    height_m: Array
    depth_m: Array
    is_crown: Array
    is_side: Array

    @classmethod
    def empty(cls, count: int) -> Hits:
        """Return hits to be filled in."""
        column, row, height_m, depth_m = (np.empty(count, np.float32) for _ in range(4))
        is_crown, is_side = np.empty(count, bool), np.empty(count, bool)
        return cls(
            column=column, row=row, height_m=height_m, depth_m=depth_m, is_crown=is_crown, is_side=is_side
        )

    def fill(self, here: Array, hits: Hits) -> None:
        """Take over the hits of some of the rays."""
        self.column[here], self.row[here] = hits.column, hits.row
        self.height_m[here], self.depth_m[here] = hits.height_m, hits.depth_m
        self.is_crown[here], self.is_side[here] = hits.is_crown, hits.is_side

    def move(self, here: Array, depth_m: Array, rays: Array) -> None:
        """Let some rays end elsewhere.

        Args:
            here: int (n), which of them.
            depth_m: float32 (n), where they end now.
            rays: float32 (n, 3), their directions, east south up.
        """
        # Directions are 1 long along the optical axis, so that a difference of depths is a difference of
        # runs.
        by = depth_m - self.depth_m[here]
        self.column[here] += by * rays[:, 0] * np.float32(CELLS_PER_M)
        self.row[here] += by * rays[:, 1] * np.float32(CELLS_PER_M)
        self.height_m[here] += by * rays[:, 2]
        self.depth_m[here] = depth_m


def _to_heading(camera: Camera) -> Array:
    """Return the matrix from east, south, up to ahead, right, up."""
    along, across = axes_of(camera, 0)
    return np.array(((*along, 0.0), (*across, 0.0), (0.0, 0.0, 1.0)))


def axes_of(camera: Camera, turn: int) -> tuple[Array, Array]:
    """Return two level axes, east and south: some quarter turns right of the heading, and right of it."""
    heading = np.radians(camera.heading_deg + 90.0 * turn)
    return np.array((np.sin(heading), -np.cos(heading))), np.array((np.cos(heading), np.sin(heading)))
