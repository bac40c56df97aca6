"""What the project knows of a video's frames, and the part of it that a clip of the video keeps."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeVar

import msgspec

from annotator.domain.event import CREATED, Edit
from annotator.domain.flight_labels import labels_within
from annotator.domain.medium import Medium
from annotator.domain.polyline import Polyline
from annotator.domain.pose_times import pose_times, whole_flight
from annotator.domain.record import new_id
from annotator.domain.region import Region
from annotator.domain.scene import Scene
from annotator.domain.trajectory import Trajectory
from annotator.queries.reader import Reader

CLIP_OF = "clip_of"
"""Field of the metadata of a clip's flight: id of the flight that it is a part of."""
LEAST_POSES = 2
"""One pose alone is no flight."""
# A pose belongs to the frame that begins with it; times of files are rounded to milliseconds.
POSE_TOLERANCE_S = 5e-4
M = TypeVar("M", Region, Polyline)


@dataclass(frozen=True, kw_only=True)
class FrameSpan:
    """The part of a video that a clip shows.

    Attributes:
        first: Number of the first frame.
        last: Number of the last frame, included.
        begin_s: Time of the first frame, seconds since that of the video.
        end_s: Time at which the last frame ends.
    """

    first: int
    last: int
    begin_s: float
    end_s: float

    @classmethod
    def of_times(cls, times_s: list[float], *, duration_s: float, first: int, last: int) -> FrameSpan:
        """Return the span of a range of frames of a video with these frame times and this duration."""
        end_s = times_s[last + 1] if last + 1 < len(times_s) else duration_s
        return cls(first=first, last=last, begin_s=times_s[first], end_s=end_s)


@dataclass(frozen=True, kw_only=True)
class ClipContent:
    """What a video's clips can keep.

    Attributes:
        region_frames: Frame of each region, rising.
        path_frames: Frame of each path, rising.
        pose_times_s: Time of each pose of the flight, seconds since the first frame; empty without a flight
            whose poses are known to belong to frames.
    """

    region_frames: tuple[int, ...] = ()
    path_frames: tuple[int, ...] = ()
    pose_times_s: tuple[float, ...] = field(default=(), repr=False)

    def counts(self, span: FrameSpan) -> tuple[int, int, int]:
        """Return how many regions, paths and poses the clip of a span keeps."""
        regions, paths = (
            bisect_right(frames, span.last) - bisect_left(frames, span.first)
            for frames in (self.region_frames, self.path_frames)
        )
        begin, end = pose_range(self.pose_times_s, span)
        return regions, paths, end - begin


def read_clip_content(reader: Reader, medium: Medium, *, scene: Scene | None) -> ClipContent:
    """Return what the project knows of a video's frames.

    Args:
        reader: The project.
        medium: The video.
        scene: Its scene, None for a video without one.
    """
    flight = _flight(reader, medium, scene=scene)
    return ClipContent(
        region_frames=_frames(reader.find(Region, medium=medium.id)),
        path_frames=_frames(reader.find(Polyline, medium=medium.id)),
        pose_times_s=pose_times(flight, medium=medium) if flight is not None else (),
    )


def clip_records(
    reader: Reader, medium: Medium, *, scene: Scene | None, span: FrameSpan, clip: Medium, clip_scene: Scene
) -> Iterator[Edit]:
    """Yield the regions, paths and the flight of a clip, copied from those of its video.

    Args:
        reader: The project.
        medium: The video.
        scene: Its scene, None for a video without one.
        span: The part that the clip shows.
        clip: The clip.
        clip_scene: The clip's scene.
    """
    for region in reader.find(Region, medium=medium.id):
        if region.frame is not None and span.first <= region.frame <= span.last:
            copy = msgspec.structs.replace(_moved(region, span=span, clip=clip), corrections=())
            yield Edit(entity="region", entity_id=copy.id, field=CREATED, value=copy)
    for path in reader.find(Polyline, medium=medium.id):
        if path.frame is not None and span.first <= path.frame <= span.last:
            moved = _moved(path, span=span, clip=clip)
            yield Edit(entity="path", entity_id=moved.id, field=CREATED, value=moved)
    flight = _flight(reader, medium, scene=scene)
    part = _part(flight, medium, span=span, scene=clip_scene) if flight is not None else None
    if part is not None:
        yield Edit(entity="trajectory", entity_id=part.id, field=CREATED, value=part)


def pose_range(times_s: tuple[float, ...], span: FrameSpan) -> tuple[int, int]:
    """Return the first pose of a span and the one after its last; equal where it has no flight."""
    begin = bisect_left(times_s, span.begin_s - POSE_TOLERANCE_S)
    end = bisect_left(times_s, span.end_s - POSE_TOLERANCE_S)
    return (begin, end) if end - begin >= LEAST_POSES else (begin, begin)


def _flight(reader: Reader, medium: Medium, *, scene: Scene | None) -> Trajectory | None:
    view = next((one.name for one in scene.views if one.medium == medium.id), None) if scene else None
    if scene is None or view is None:
        return None
    flights = tuple(reader.find(Trajectory, scene=scene.id))
    return whole_flight(flights, view=view, views=len(scene.views))


def _frames(records: Iterator[Region] | Iterator[Polyline]) -> tuple[int, ...]:
    return tuple(sorted(record.frame for record in records if record.frame is not None))


def _moved(record: M, *, span: FrameSpan, clip: Medium) -> M:
    """Return a copy on the clip's own frame; it is no record of the imported file any more."""
    return msgspec.structs.replace(
        record,
        id=new_id(),
        medium=clip.id,
        frame=(record.frame or 0) - span.first,
        source="",
        locator="",
        original=msgspec.Raw(b"null"),
        import_key="",
    )


def _part(flight: Trajectory, medium: Medium, *, span: FrameSpan, scene: Scene) -> Trajectory | None:
    times = pose_times(flight, medium=medium)
    begin, end = pose_range(times, span)
    if begin == end:
        return None
    return msgspec.structs.replace(
        flight,
        id=new_id(),
        scene=scene.id,
        name=scene.name,
        poses=flight.poses[begin:end],
        key_frames=tuple(frame - begin for frame in flight.key_frames if begin <= frame < end),
        key_frame_labels=labels_within(flight, begin, end - 1),
        # They are of the whole flight: its goal, its way, and the number of its actions.
        instruction_goal="",
        instruction_detailed="",
        difficulty="",
        orientations=flight.orientations[begin:end],
        # Without times of its own, pose n belongs to frame n: in the clip as well.
        # Adding 0.0 makes 0.0 of -0.0.
        times_s=tuple(round(time_s - span.begin_s, 6) + 0.0 for time_s in flight.times_s[begin:end]),
        # One fewer than poses: each leads from one pose to the next.
        actions=flight.actions[begin : end - 1],
        metadata={CLIP_OF: flight.id},
        source="",
        locator="",
        original=msgspec.Raw(b"null"),
        corrections=(),
        import_key="",
    )
