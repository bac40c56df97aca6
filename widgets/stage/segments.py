"""Video segments from trajectories: actions between key frames, and parts that are separate tasks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby

from annotator.domain.flight_labels import labelled_segments
from annotator.domain.medium import Medium
from annotator.domain.pose_times import PART, pose_times, whole_flight
from annotator.domain.trajectory import Trajectory
from widgets.translation import mark

KIND_TITLES: dict[str, str] = {
    "forward": mark("Forward"),
    "right_left": mark("Sideways"),
    "up_down": mark("Up or down"),
    "turn": mark("Turn"),
}
"""English names of the kinds of action, in the order of their digits."""


@dataclass(frozen=True, kw_only=True)
class SceneSegment:
    """A segment of one view's video.

    Attributes:
        view: Name of the view.
        first_s: Start, seconds since the first frame of the video.
        last_s: End, seconds since the first frame of the video.
        actions: Actions flown in the segment, in the source's words, without consecutive repeats.
        kinds: Kinds of action that people gave the segment, or that the poses show if the source names none.
        name: Name of a part that is a separate task; "" for a segment between two key frames.
    """

    view: str
    first_s: float
    last_s: float
    actions: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    name: str = ""


def segments_of(
    trajectories: tuple[Trajectory, ...], *, media: tuple[tuple[str, Medium], ...]
) -> tuple[SceneSegment, ...]:
    """Return the segments of all videos, in order of view and time.

    Args:
        trajectories: Trajectories of a scene.
        media: Names of its views with their media.
    """
    flights = {view: whole_flight(trajectories, view=view, views=len(media)) for view, _ in media}
    found = []
    for view, medium in media:
        flight = flights[view]
        if flight is not None and (times := pose_times(flight, medium=medium)):
            found += [*_stretches(flight, view=view, times=times)]
            found += [*_parts(trajectories, flight=flight, view=view, times=times)]
    return tuple(sorted(found, key=lambda one: (one.view, one.first_s, -one.last_s)))


def _stretches(flight: Trajectory, *, view: str, times: tuple[float, ...]) -> Iterator[SceneSegment]:
    for found in labelled_segments(flight):
        segment = _segment(flight, found.first, found.last, view=view, times=times)
        # The source's own words are more exact than kinds of action, but not than what people say.
        has_kinds = found.is_by_hand or not segment.actions
        yield replace(segment, kinds=found.kinds) if has_kinds else segment


def _parts(
    trajectories: tuple[Trajectory, ...], *, flight: Trajectory, view: str, times: tuple[float, ...]
) -> Iterator[SceneSegment]:
    for part in trajectories:
        ends = part.metadata.get(PART)
        # Parts of a trajectory are named below it: ``/hm3d_14/1Rg1/traj_-3/vla_ins_1.json``.
        if not isinstance(ends, list) or len(ends) != 2 or not part.name.startswith(flight.name):
            continue
        begin, end = int(ends[0]) - 1, int(ends[1]) - 1
        if 0 <= begin <= end < len(times):
            name = part.name.rpartition("/")[2]
            yield _segment(flight, begin, end, view=view, times=times, name=name)


def _segment(
    flight: Trajectory, begin: int, end: int, *, view: str, times: tuple[float, ...], name: str = ""
) -> SceneSegment:
    return SceneSegment(
        view=view,
        first_s=times[begin],
        last_s=times[end],
        actions=tuple(action for action, _ in groupby(flight.actions[begin:end])),
        name=name,
    )
