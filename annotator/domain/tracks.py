"""Regions of one object through the frames of a video: its track."""

from __future__ import annotations

from collections.abc import Iterable

from annotator.domain.region import Region


def track_of(region: Region, regions: Iterable[Region]) -> list[Region]:
    """Return the regions that show the same object in the same video, in order of their frames.

    Regions of one object have one number on all frames of a video; a region of a still is alone.

    Args:
        region: A region of the track.
        regions: Regions to search, of any media.
    """
    if region.frame is None:
        return [region]
    medium, number = region.medium, region.number
    # The number first: it excludes most regions.
    found = [one for one in regions if one.number == number and one.medium == medium]
    return sorted((one for one in found if one.frame is not None), key=_frame)


def _frame(region: Region) -> int:
    return region.frame or 0
