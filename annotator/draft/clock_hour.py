"""The hour of the clock in which a region lies as seen from the drone."""

from __future__ import annotations

from annotator.domain.region import Region
from annotator.draft.camera_position import CameraPosition

HOUR_DEG = 30.0
CLEAR_DEG = 10.0
"""A bearing this close to the middle of an hour belongs to it without doubt; the hour ends at 15 degrees."""


def clear_hour(region: Region, camera: CameraPosition) -> int | None:
    """Return the hour in which a whole region lies, None if it is not beyond doubt.

    A region near the point below the camera spans many hours, so all corners of its box are considered.
    """
    box = region.box
    bearing = camera.bearing_of((box.x1 + box.x2) / 2, (box.y1 + box.y2) / 2)
    if bearing is None:
        return None
    turn = round(bearing / HOUR_DEG)
    if _apart_deg(bearing, turn * HOUR_DEG) > CLEAR_DEG:
        return None
    corners = [camera.bearing_of(x, y) for x in (box.x1, box.x2) for y in (box.y1, box.y2)]
    if any(corner is None or _apart_deg(corner, turn * HOUR_DEG) > HOUR_DEG / 2 for corner in corners):
        return None
    return turn % 12 or 12


def _apart_deg(one: float, two: float) -> float:
    return abs((one - two + 180.0) % 360.0 - 180.0)
