"""Distances and directions between cameras and landmarks."""

from __future__ import annotations

import numpy as np

from annotator.demo.camera import PICTURE_SIZE_PX, Camera
from annotator.demo.landmarks import Landmark


def apart_m(one: Landmark, two: Landmark) -> float:
    """Return the distance of two landmarks."""
    return float(np.hypot(one.x_m - two.x_m, one.y_m - two.y_m))


def over_ground_m(camera: Camera, mark: Landmark) -> float:
    """Return the distance of a camera from a landmark, seen from above."""
    return float(np.hypot(camera.x_m - mark.x_m, camera.y_m - mark.y_m))


def distance_m(camera: Camera, mark: Landmark) -> float:
    """Return the distance of a camera from a landmark's ground."""
    return float(np.hypot(over_ground_m(camera, mark), camera.altitude_m))


def bearing_deg(camera: Camera, mark: Landmark) -> float:
    """Return the direction to a landmark, clockwise from the camera's heading, 0 to 360."""
    east, north = mark.x_m - camera.x_m, camera.y_m - mark.y_m
    return float((np.degrees(np.arctan2(east, north)) - camera.heading_deg) % 360)


def is_in_picture(camera: Camera, mark: Landmark) -> bool:
    """Return whether a clip's image has a landmark's middle in it, whatever stands before it."""
    x, y = camera.project(np.array(((mark.x_m, mark.y_m, 0.0),)))[0].tolist()
    return bool(0 <= x < PICTURE_SIZE_PX[0] and 0 <= y < PICTURE_SIZE_PX[1])
