"""Pictures of several cameras to moments, by the times at which they were taken."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import pairwise

from annotator.domain.record import ValueObject
from annotator.media.listing import kind_by_name, natural_order
from annotator.media.scene_grouping import Grouping, MediaMatch, build_scenes, file_name

NEIGHBOURS = 8
"""Moments before and after a picture that it is compared with: bounds the work of a wide tolerance."""


class Shot(ValueObject, frozen=True, kw_only=True):
    """One image or video of a camera.

    Attributes:
        name: Listed name of the file.
        camera: Identifies the camera and names the view, usually the folder.
        time_s: Capture time, seconds since 1970 on the cameras' clock.
    """

    name: str
    camera: str
    time_s: float


def group_by_time(shots: Iterable[Shot], *, tolerance_s: float, undated: Iterable[str] = ()) -> Grouping:
    """Group images that were taken at about the same time into scenes, at most one image per camera.

    The camera with most images defines the moments. Images of other cameras are assigned to the nearest
    moment within the tolerance, nearest pairs first. The remaining images are grouped in the same way.

    Args:
        shots: The images.
        tolerance_s: Maximum time difference within a scene in seconds, at least 0.
        undated: Files without a time, which remain unmatched.
    """
    known = list(shots)
    claims = [
        MediaMatch(name=shot.name, scene=scene, view=shot.camera, kind=kind_by_name(shot.name) or "image")
        for scene, moment in named_moments(known, tolerance_s=tolerance_s)
        for shot in moment
    ]
    return build_scenes(claims, unmatched=undated, remarks=_order_problems(known))


def named_moments(shots: Sequence[Shot], *, tolerance_s: float) -> list[tuple[str, list[Shot]]]:
    """Return the moments in order of time, each with its name, "2016-06-23 16:34:03", and its shots."""
    moments = sorted(_moments(shots, tolerance_s=tolerance_s), key=_began_at)
    named: list[tuple[str, list[Shot]]] = []
    taken: Counter[str] = Counter()
    for moment in moments:
        name = _time_name(_began_at(moment))
        taken[name] += 1
        named.append((f"{name} ({taken[name]})" if taken[name] > 1 else name, moment))
    return named


def _began_at(moment: Sequence[Shot]) -> float:
    return min(shot.time_s for shot in moment)


def _moments(shots: Sequence[Shot], *, tolerance_s: float) -> list[list[Shot]]:
    cameras: dict[str, list[Shot]] = defaultdict(list)
    for shot in sorted(shots, key=lambda shot: (shot.time_s, natural_order(shot.name))):
        cameras[shot.camera].append(shot)
    moments: list[list[Shot]] = []
    while cameras:
        # Sorted first: of two cameras with as many pictures the same one begins on every machine.
        first = max(sorted(cameras), key=lambda camera: len(cameras[camera]))
        begun = [[shot] for shot in cameras.pop(first)]
        for camera in sorted(cameras):
            left = _join(begun, cameras[camera], tolerance_s=tolerance_s)
            cameras[camera] = left
        cameras = {camera: left for camera, left in cameras.items() if left}
        moments += begun
    return moments


def _near_pairs(
    moments: list[list[Shot]], shots: list[Shot], *, tolerance_s: float
) -> Iterator[tuple[float, int, int]]:
    """Yield the distance in seconds, the index of the moment and that of the shot of each near pair."""
    times = [moment[0].time_s for moment in moments]
    for at, shot in enumerate(shots):
        middle = bisect_left(times, shot.time_s)
        for index in range(max(0, middle - NEIGHBOURS), min(len(times), middle + NEIGHBOURS)):
            distance_s = abs(times[index] - shot.time_s)
            if distance_s <= tolerance_s:
                yield distance_s, index, at


def _join(moments: list[list[Shot]], shots: list[Shot], *, tolerance_s: float) -> list[Shot]:
    """Put each shot of a camera to its nearest moment, at most one to each; return those left over."""
    used: set[int] = set()
    # Nearest pairs first, whichever camera's picture asks: a greedy walk in time would push each one on to
    # the next moment.
    for _, index, at in sorted(_near_pairs(moments, shots, tolerance_s=tolerance_s)):
        # A moment holds one image per camera; that of this camera is always the last one added.
        if at not in used and moments[index][-1].camera != shots[at].camera:
            moments[index].append(shots[at])
            used.add(at)
    return [shot for at, shot in enumerate(shots) if at not in used]


def _time_name(time_s: float) -> str:
    moment = datetime.fromtimestamp(time_s, tz=UTC)
    text = moment.strftime("%Y-%m-%d %H:%M:%S")
    return f"{text}.{moment.microsecond // 1000:03d}" if moment.microsecond else text


def _order_problems(shots: Sequence[Shot]) -> list[str]:
    """Say of which cameras names and times disagree: a card that counted on, a clock that was set."""
    cameras: dict[str, list[Shot]] = defaultdict(list)
    for shot in shots:
        cameras[shot.camera].append(shot)
    remarks = []
    for camera, taken in sorted(cameras.items()):
        by_name = sorted(taken, key=lambda shot: natural_order(file_name(shot.name)))
        steps = [(a, b) for a, b in pairwise(by_name) if b.time_s < a.time_s]
        if steps:
            first, second = (file_name(shot.name) for shot in steps[0])
            remarks.append(
                f"In {camera or 'this folder'} names and times are in a different order: {second} follows "
                f"{first} by name but was taken earlier ({len(steps):,} cases). The times are used."
            )
    return remarks
