"""Regions of one object through the frames of a video: its track, and the frames between them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import msgspec

from annotator.domain.region import Box, Region
from annotator.domain.rotated_box import Point, RotatedBox, rotated_box_of

INTERPOLATION = "interpolation"
"""Maker of regions that were computed between two frames."""
HALF_TURN_DEG = 180.0
"""A rectangle that is turned by as much is the same."""


def track_of(region: Region, regions: Iterable[Region]) -> list[Region]:
    """Return the regions that show the same object in the same video, in order of their frames.

    Regions of one object have one number on all frames of a video; a region of a still is alone. Proposals
    are left out: they may show something else.

    Args:
        region: A region of the track.
        regions: Regions to search, of any media.
    """
    if region.frame is None:
        return [region]
    medium, number = region.medium, region.number
    # The number first: it excludes most regions.
    found = [one for one in regions if one.number == number and one.medium == medium and not one.is_proposed]
    return sorted((one for one in found if one.frame is not None), key=frame_of)


def frame_of(region: Region) -> int:
    """Return the frame of a region, 0 for one of a still."""
    return region.frame or 0


def gaps_of(track: Sequence[Region]) -> list[tuple[Region, Region]]:
    """Return the pairs of consecutive regions of a track with frames between them."""
    return [pair for pair in pairwise(track) if frame_of(pair[1]) - frame_of(pair[0]) > 1]


def frames_between(gaps: Iterable[tuple[Region, Region]]) -> int:
    """Return the number of frames in gaps."""
    return sum(frame_of(after) - frame_of(before) - 1 for before, after in gaps)


def interpolate_gap(before: Region, after: Region) -> Iterator[Region]:
    """Yield a region without an id for each frame between two regions."""
    for frame in range(frame_of(before) + 1, frame_of(after)):
        yield interpolate(before, after, frame=frame)


def interpolate(before: Region, after: Region, *, frame: int) -> Region:
    """Return the region of an object on a frame between two others, without an id.

    Place, size and angle change evenly. Of polygons with as many corners each corner moves evenly; of other
    shapes the boxes around them do.

    Args:
        before: The region on the last frame before.
        after: The region on the next frame after.
        frame: A frame between them.
    """
    share = (frame - frame_of(before)) / (frame_of(after) - frame_of(before))
    box, polygon = _shape(before, after, share=share)
    return Region(
        medium=before.medium,
        number=before.number,
        box=box,
        polygon=polygon,
        frame=frame,
        category=before.category,
        made_by=INTERPOLATION,
        track=before.track,
        # An object that is hidden at one end only appears or vanishes between: the earlier state lasts.
        state=before.state,
    )


def _shape(before: Region, after: Region, *, share: float) -> tuple[Box, tuple[Point, ...]]:
    first, last = rotated_box_of(before), rotated_box_of(after)
    if first is not None and last is not None and not (first.is_upright and last.is_upright):
        corners = _between(first, last, share=share).corners()
        return _around(corners), corners
    if before.polygon and len(before.polygon) == len(after.polygon):
        corners = tuple(
            (_mix(x, to_x, share), _mix(y, to_y, share))
            for (x, y), (to_x, to_y) in zip(before.polygon, after.polygon, strict=True)
        )
        return _around(corners), corners
    names = Box.__struct_fields__
    sides = {name: _mix(getattr(before.box, name), getattr(after.box, name), share) for name in names}
    return Box(**sides), ()


def _between(first: RotatedBox, last: RotatedBox, *, share: float) -> RotatedBox:
    turn = (last.angle_deg - first.angle_deg) % HALF_TURN_DEG
    # The shorter way round.
    turn -= HALF_TURN_DEG if turn > HALF_TURN_DEG / 2 else 0
    sides = {
        name: _mix(getattr(first, name), getattr(last, name), share) for name in ("x", "y", "width", "height")
    }
    return msgspec.structs.replace(first, **sides, angle_deg=(first.angle_deg + turn * share) % 360)


def _mix(one: float, other: float, share: float) -> float:
    return one + (other - one) * share


def _around(corners: Sequence[Point]) -> Box:
    xs, ys = zip(*corners, strict=True)
    return Box(x1=min(xs), y1=min(ys), x2=max(xs), y2=max(ys))
