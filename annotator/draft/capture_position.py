"""Where an image from the ground was taken, in the plane of an aerial image."""

from __future__ import annotations

import math
from dataclasses import dataclass

from annotator.domain import answers
from annotator.domain.polyline import Polyline
from annotator.domain.region import Region
from annotator.draft.still_view import StillView
from annotator.media.ground_plane import Homography, homography_of


@dataclass(frozen=True, kw_only=True)
class CapturePosition:
    """Where an image from the ground was taken.

    Attributes:
        x: In metres east, or in pixels of the aerial image.
        y: In metres north, or in pixels.
        to_ground: From the aerial image to these metres, None for pixels.
        evidence: Ids of the records that say so.
    """

    x: float
    y: float
    to_ground: Homography | None
    evidence: tuple[str, ...]

    def offset_of(self, x: float, y: float) -> tuple[float, float] | None:
        """Return where a pixel of the aerial image lies from here; None beyond the horizon."""
        position = (x, y) if self.to_ground is None else self.to_ground.point(x, y)
        return None if position is None else (position[0] - self.x, position[1] - self.y)

    def distance_of(self, region: Region) -> float | None:
        """Return how far the middle of a region is from here; None beyond the horizon."""
        offset = self.offset_of(*middle_of(region))
        return None if offset is None else math.hypot(*offset)


def capture_position(aerial: StillView, ground: StillView) -> CapturePosition | None:
    """Return where an image from the ground was taken: by a drawn path, or by the cameras' positions.

    Returns:
        None where neither is known.
    """
    if marks := direction_paths(aerial):
        starts = {path.points[0] for path in marks}
        # Paths that begin at different places contradict each other about where the camera stood.
        if len(starts) == 1:
            ((x, y),) = starts
            return CapturePosition(x=x, y=y, to_ground=None, evidence=tuple(path.id for path in marks))
        return None
    return surveyed_position(aerial, ground)


def surveyed_position(aerial: StillView, ground: StillView) -> CapturePosition | None:
    """Return where an image from the ground was taken by the positions of both cameras, None if unknown."""
    if aerial.camera is None or ground.camera is None:
        return None
    to_ground = homography_of(aerial.view.to_ground)
    if to_ground is None:
        return None
    east, north, _ = ground.camera.position_m
    evidence = (ground.camera.trajectory, aerial.camera.trajectory)
    return CapturePosition(x=east, y=north, to_ground=to_ground, evidence=evidence)


def direction_paths(aerial: StillView) -> list[Polyline]:
    """Return the paths of an aerial image that are labelled with one of the six directions."""
    # Those of the style 'direction' are the arrows of a ground image, which lead nowhere on the map.
    paths = (path for path in aerial.paths if path.style != "direction" and len(path.points) > 1)
    return [path for path in paths if direction_of(path) is not None]


def direction_of(path: Polyline) -> int | None:
    """Return the direction that labels a path, 1 to 6, None for none."""
    number = answers.get("direction_label").parse(path.label).value if path.label.strip() else None
    return number if isinstance(number, int) and 1 <= number <= 6 else None


def middle_of(region: Region) -> tuple[float, float]:
    """Return the middle of a region's box."""
    return (region.box.x1 + region.box.x2) / 2, (region.box.y1 + region.box.y2) / 2
