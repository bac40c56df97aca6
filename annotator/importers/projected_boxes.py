"""3D boxes as cameras see them: the boxes around their outlines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from annotator.importers.box_geometry import Size
from annotator.importers.rigid_transform import RigidTransform, Vector

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NEAREST_M = 0.1
"""Edges are cut here before the camera; behind it a pinhole would show them upside down."""

# Corners by their sides along x, y and z, in the order of nuScenes' devkit: the front, then the back.
_SIDES = ((1, 1, 1), (1, -1, 1), (1, -1, -1), (1, 1, -1), (-1, 1, 1), (-1, -1, 1), (-1, -1, -1), (-1, 1, -1))
# The twelve edges: around the front, around the back, and between them.
_FROM = [0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3]
_TO = [1, 2, 3, 0, 5, 6, 7, 4, 4, 5, 6, 7]


class Box3D(msgspec.Struct, frozen=True):
    """A 3D box in the world.

    Attributes:
        pose: From its own axes, x ahead, y to the left, z up, to those of the world.
        size_m: Width, length, height: along y, x and z.
    """

    pose: RigidTransform
    size_m: Vector


class CameraPose(msgspec.Struct, frozen=True):
    """A camera in the world.

    Attributes:
        pose: From its axes, x to the right, y down, z ahead, to those of the world.
        matrix: fx, fy, cx, cy in pixels.
        size: Width and height of its picture in pixels.
    """

    pose: RigidTransform
    matrix: tuple[float, float, float, float]
    size: Size


def project(pairs: Sequence[tuple[Box3D, CameraPose]]) -> NDArray[np.float64]:
    """Project 3D boxes into the images of cameras.

    Args:
        pairs: n pairs of box and camera.

    Returns:
        float64 (n, 4): bounding box x1 y1 x2 y2 of each outline in image pixels, not clipped to the image;
        NaN for a box outside of the image.
    """
    import numpy as np

    if not pairs:
        return np.empty((0, 4))
    # A camera looks at many boxes, and a box is seen by several cameras.
    eyes = {id(eye): eye for _, eye in pairs}
    indices = {key: index for index, key in enumerate(eyes)}
    at = [indices[id(eye)] for _, eye in pairs]
    pixels = _outline(
        _in_camera_axes([solid for solid, _ in pairs], list(eyes.values()), at),
        np.array([eye.matrix for eye in eyes.values()])[at],
    )
    is_shown = np.isfinite(pixels)
    low = pixels.min(axis=1, initial=np.inf, where=is_shown)
    high = pixels.max(axis=1, initial=-np.inf, where=is_shown)
    sizes = np.array([eye.size for eye in eyes.values()])[at]
    is_seen = np.all((low < sizes) & (high > 0) & np.isfinite(low) & np.isfinite(high), axis=1)
    return np.where(is_seen[:, None], np.hstack([low, high]), np.nan)


def _in_camera_axes(solids: list[Box3D], eyes: list[CameraPose], at: list[int]) -> NDArray[np.float64]:
    """Return the corners of each box in the axes of the camera at its index, float64 (n, 8, 3), metres."""
    import numpy as np

    sizes = np.array([solid.size_m for solid in solids])
    # Sizes are width, length, height; corners need them along x (length), y (width) and z.
    corners = np.array(_SIDES) * sizes[:, None, [1, 0, 2]] / 2
    turns = _matrices([solid.pose for solid in solids])
    shifts = np.array([solid.pose.shift_m for solid in solids])
    world = corners @ turns.transpose(0, 2, 1) + shifts[:, None]
    positions = np.array([eye.pose.shift_m for eye in eyes])[at]
    seen: NDArray[np.float64] = (world - positions[:, None]) @ _matrices([eye.pose for eye in eyes])[at]
    return seen


def _matrices(poses: list[RigidTransform]) -> NDArray[np.float64]:
    """Return the rotations of poses, float64 (n, 3, 3)."""
    import numpy as np

    turns = [(pose.rotation.w, pose.rotation.x, pose.rotation.y, pose.rotation.z) for pose in poses]
    w, x, y, z = np.array(turns).T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.array(rows).transpose(2, 0, 1)


def _outline(corners: NDArray[np.float64], matrices: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the ends of the edges before the camera, float64 (n, 24, 2), image pixels, NaN for none."""
    import numpy as np

    ends = np.stack([corners[:, _FROM], corners[:, _TO]])
    others = ends[::-1]
    with np.errstate(divide="ignore", invalid="ignore"):
        share = (NEAREST_M - ends[..., 2]) / (others[..., 2] - ends[..., 2])
        # Where an edge passes the near plane; a share that is none is overwritten below.
        cut = ends + share[..., None] * (others - ends)
        is_behind = ends[..., 2] < NEAREST_M
        points = np.where(is_behind[..., None], cut, ends)
        points[is_behind & (others[..., 2] < NEAREST_M)] = np.nan
        flat = np.concatenate([points[0], points[1]], axis=1)
        pixels: NDArray[np.float64] = flat[..., :2] / flat[..., 2:] * matrices[:, None, :2]
    return pixels + matrices[:, None, 2:]
