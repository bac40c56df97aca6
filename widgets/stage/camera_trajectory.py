"""The way of cameras as a view sees it: projected into its picture, or a plan where only places are known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from annotator.domain.medium import Medium
from annotator.domain.trajectory import Intrinsics, Trajectory
from widgets.stage.segments import pose_times

Floats = npt.NDArray[np.float64]
RECENT_S, AHEAD_S = 12.0, 12.0
"""How much of a way is drawn, behind and ahead of the moment that is shown."""
MOST_POINTS = 160
"""Of a line: more are no longer told apart, and cost at every frame."""
NEAREST_M = 0.5
"""What is nearer to the lens, or behind it, is not projected."""
DOWNWARDS = frozenset({"north-east-down"})
"""Axes whose third one points down."""


@dataclass(frozen=True, kw_only=True, eq=False)
class CameraTrajectory:
    """A camera's way as arrays.

    Attributes:
        view: Name of the view whose camera it is.
        places_m: float64 (n, 3), in the axes of the trajectory.
        yaws_deg: float64 (n,), from the first axis towards the second.
        turns: float64 (n, 4), quaternions w x y z from the camera's axes to those of the world; (0, 4) where
            only places are known.
        times_s: float64 (n,), on the scene's clock; (0,) where nobody knows.
        key_frames: Places of key frames in the list of poses.
        intrinsics: The camera, None where nobody knows.
        axes: What the axes mean.
    """

    view: str
    places_m: Floats
    yaws_deg: Floats
    turns: Floats
    times_s: Floats
    key_frames: tuple[int, ...]
    intrinsics: Intrinsics | None
    axes: str

    def can_project(self, time_s: float | None) -> bool:
        """Return whether it is known where each pixel looks at a moment."""
        is_complete = self.intrinsics is not None and len(self.turns) == len(self.places_m)
        return is_complete and self.is_known_at(time_s)

    def is_known_at(self, time_s: float | None) -> bool:
        """Return whether it is known where the camera is at a moment, None for that of a still."""
        return len(self.places_m) == 1 or (time_s is not None and len(self.times_s) > 0)

    @cached_property
    def ground_m(self) -> Floats:
        """The points of the ground below the camera, float64 (n, 3): the plane in which the heights begin."""
        return self.places_m * (1.0, 1.0, 0.0)

    def place_at(self, time_s: float | None) -> float:
        """Return the place in the list of poses at a moment, a fraction between two of them.

        Args:
            time_s: On the scene's clock; None, or where no times are known, is the last pose.
        """
        last = len(self.places_m) - 1.0
        if time_s is None or not len(self.times_s):
            return last
        return float(np.interp(time_s, self.times_s, np.arange(len(self.times_s))))

    def point_at(self, place: float, *, is_ground: bool = False) -> Floats:
        """Return a point of the way between two poses, float64 (3,)."""
        points = self.ground_m if is_ground else self.places_m
        low = int(place)
        high = min(low + 1, len(points) - 1)
        return np.asarray(points[low] + (points[high] - points[low]) * (place - low))

    def axes_at(self, place: float) -> Floats:
        """Return the camera's axes right, down and forward as columns, float64 (3, 3), between two poses."""
        low = int(place)
        one, other = self.turns[low], self.turns[min(low + 1, len(self.turns) - 1)]
        # Both signs are the same turn: the nearer one, and the straight way is near enough between two poses.
        other = other if float(one @ other) >= 0 else -other
        return _matrix(one + (other - one) * (place - low))

    def stretch(self, place: float, *, is_ahead: bool) -> Floats:
        """Return the places in the list of poses that are drawn behind or ahead of one, rising."""
        last = len(self.places_m) - 1
        begin, end = (place, float(last)) if is_ahead else (0.0, place)
        if len(self.times_s):
            now = float(np.interp(place, np.arange(last + 1), self.times_s))
            reach = self.place_at(now + AHEAD_S if is_ahead else now - RECENT_S)
            begin, end = (begin, min(end, reach)) if is_ahead else (max(begin, reach), end)
        count = min(MOST_POINTS, max(2, int(end - begin) + 2))
        return np.linspace(begin, end, count)


@dataclass(frozen=True, kw_only=True, eq=False)
class TrajectoryLine:
    """A line of a way in a picture.

    Attributes:
        view: Whose way.
        points: float64 (k, 2), x y, image pixels, in the direction of flight.
        is_ahead: Whether it is flown after the moment that is shown.
    """

    view: str
    points: Floats
    is_ahead: bool


@dataclass(frozen=True, kw_only=True)
class TrajectoryMarker:
    """Where a camera is at the moment that is shown.

    Attributes:
        view: Whose camera.
        x: Image pixels.
        y: Image pixels.
        is_below: Whether it is the ground below the view's own camera.
    """

    view: str
    x: float
    y: float
    is_below: bool


@dataclass(frozen=True, kw_only=True, eq=False)
class ProjectedTrajectory:
    """What is seen of ways in one picture.

    Attributes:
        lines: The lines.
        markers: Where cameras are.
    """

    lines: tuple[TrajectoryLine, ...] = ()
    markers: tuple[TrajectoryMarker, ...] = ()


@dataclass(frozen=True, kw_only=True, eq=False)
class TopViewPlan:
    """A way from above, in a square from 0 to 1 with y downwards.

    Attributes:
        done: float64 (k, 2), what has been flown.
        ahead: float64 (k, 2), what will be flown.
        key_frames: float64 (k, 2).
        heading: float64 (2,), direction at the moment that is shown, of length 1.
    """

    done: Floats
    ahead: Floats
    key_frames: Floats
    heading: Floats


def camera_trajectory(
    trajectory: Trajectory, *, medium: Medium, view: str, offset_s: float = 0.0
) -> CameraTrajectory:
    """Return a trajectory as arrays.

    Args:
        trajectory: One pose or more.
        medium: What the camera took.
        view: Name of its view.
        offset_s: Time of the scene's clock at which its film begins.
    """
    turns = [(turn.w, turn.x, turn.y, turn.z) for turn in trajectory.orientations]
    return CameraTrajectory(
        view=view,
        places_m=np.array([(pose.x_m, pose.y_m, pose.z_m) for pose in trajectory.poses], np.float64),
        yaws_deg=np.array([pose.yaw_deg for pose in trajectory.poses], np.float64),
        turns=np.array(turns, np.float64).reshape(-1, 4),
        times_s=np.array(pose_times(trajectory, medium=medium), np.float64) + offset_s,
        key_frames=tuple(place for place in trajectory.key_frames if 0 <= place < len(trajectory.poses)),
        intrinsics=trajectory.intrinsics,
        axes=trajectory.axes,
    )


def projected_trajectory(
    own: CameraTrajectory, *, others: Sequence[CameraTrajectory], time_s: float | None, size: tuple[int, int]
) -> ProjectedTrajectory:
    """Return the ways that a view sees: its own over the ground, and those of the other cameras in the air.

    Args:
        own: The view's own flight; it can project.
        others: Flights of other views in the same axes.
        time_s: The moment that is shown, on the scene's clock; None for stills.
        size: Width and height of the picture, pixels.
    """
    lens = _CameraProjection(own, place=own.place_at(time_s), size=size)
    lines: list[TrajectoryLine] = []
    markers: list[TrajectoryMarker] = []
    known = (one for one in others if one.axes == own.axes and one.is_known_at(time_s))
    for flight in (own, *known):
        is_own, place = flight is own, flight.place_at(time_s)
        for is_ahead in (False, True):
            points = _points(flight, flight.stretch(place, is_ahead=is_ahead), is_ground=is_own)
            lines += (
                TrajectoryLine(view=flight.view, points=run, is_ahead=is_ahead)
                for run in lens.lines(points)
                if np.ptp(run, axis=0).max() > 0
            )
        ((x, y),) = lens.points(flight.point_at(place, is_ground=is_own)[None])
        if 0 <= x < size[0] and 0 <= y < size[1]:
            markers.append(TrajectoryMarker(view=flight.view, x=float(x), y=float(y), is_below=is_own))
    return ProjectedTrajectory(lines=tuple(lines), markers=tuple(markers))


def top_view_plan(flight: CameraTrajectory, *, time_s: float | None) -> TopViewPlan:
    """Return a flight from above; north is up where the axes say what north is.

    Args:
        flight: Two poses or more.
        time_s: The moment that is shown, on the scene's clock; None for the end.
    """
    place = flight.place_at(time_s)
    whole = _from_above(flight.places_m, axes=flight.axes)
    now = _from_above(flight.point_at(place)[None], axes=flight.axes)
    low = whole.min(axis=0)
    extent = float((whole.max(axis=0) - low).max()) or 1.0
    middle = low + (whole.max(axis=0) - low) / 2
    square = (np.concatenate([whole, now]) - middle) / extent * (1.0, -1.0) + 0.5
    whole, now = square[:-1], square[-1:]
    split = int(place) + 1
    yaw = np.radians(np.interp(place, np.arange(len(whole)), np.unwrap(flight.yaws_deg, period=360)))
    heading = _from_above(np.array([[np.cos(yaw), np.sin(yaw), 0.0]]), axes=flight.axes)[0]
    return TopViewPlan(
        done=np.concatenate([whole[:split], now]),
        ahead=np.concatenate([now, whole[split:]]),
        key_frames=whole[list(flight.key_frames)],
        heading=heading * (1.0, -1.0),
    )


def arrows_along(points: Floats, *, every_px: float) -> Iterator[tuple[Floats, Floats]]:
    """Yield places along a line, and the direction of length 1 at each, the last one at its end.

    Args:
        points: float64 (k, 2), x y, pixels.
        every_px: Distance between two.
    """
    along = np.diff(points, axis=0)
    lengths = np.hypot(*along.T)
    ends = np.cumsum(lengths)
    if not len(ends) or ends[-1] == 0:
        return
    for distance in np.arange(ends[-1], every_px / 2, -every_px):
        # At the end of the line rounding may lead one too far.
        place = min(int(np.searchsorted(ends, distance)), len(lengths) - 1)
        direction = along[place] / lengths[place]
        yield points[place + 1] - direction * (ends[place] - distance), direction


class _CameraProjection:
    """Projects into a picture from between two poses."""

    def __init__(self, flight: CameraTrajectory, *, place: float, size: tuple[int, int]) -> None:
        camera = flight.intrinsics
        assert camera is not None  # noqa: S101 - asked for flights that can project alone
        self._from_m, self._axes = flight.point_at(place), flight.axes_at(place)
        # The intrinsics are those of a picture of their own size.
        scale = np.array(size) / (camera.width_px or size[0], camera.height_px or size[1])
        self._focal = np.array((camera.fx, camera.fy)) * scale
        self._middle = np.array((camera.cx, camera.cy)) * scale

    def points(self, points_m: Floats) -> Floats:
        """Return pixels, float64 (n, 2), NaN behind the lens."""
        seen = self._seen(points_m)
        depths = np.where(seen[:, 2] >= NEAREST_M, seen[:, 2], np.nan)
        return np.asarray(seen[:, :2] / depths[:, None] * self._focal + self._middle)

    def lines(self, points_m: Floats) -> Iterator[Floats]:
        """Yield the runs of a line that lie before the lens, cut where it passes the lens."""
        seen = self._seen(points_m)
        is_before = seen[:, 2] >= NEAREST_M
        run: list[Floats] = []
        for place in range(len(seen)):
            if place and is_before[place] != is_before[place - 1]:
                run.append(_cut(seen[place - 1], seen[place]))
            if is_before[place]:
                run.append(seen[place])
            elif run:
                yield self._flat(run)
                run = []
        if len(run) > 1:
            yield self._flat(run)

    def _seen(self, points_m: Floats) -> Floats:
        return np.asarray((points_m - self._from_m) @ self._axes)

    def _flat(self, run: list[Floats]) -> Floats:
        seen = np.array(run)
        return np.asarray(seen[:, :2] / seen[:, 2:] * self._focal + self._middle)


def _cut(one: Floats, other: Floats) -> Floats:
    """Return where a line passes the nearest plane that is projected."""
    return np.asarray(one + (other - one) * (NEAREST_M - one[2]) / (other[2] - one[2]))


def _points(flight: CameraTrajectory, places: Floats, *, is_ground: bool) -> Floats:
    points = flight.ground_m if is_ground else flight.places_m
    at = np.arange(len(points))
    return np.stack([np.interp(places, at, points[:, axis]) for axis in range(3)], axis=1)


def _from_above(points: Floats, *, axes: str) -> Floats:
    """Return points on a map, float64 (n, 2): to the right, and up."""
    # North and east change places.
    return np.asarray(points[:, 1::-1] if axes in DOWNWARDS else points[:, :2])


def _matrix(turn: Floats) -> Floats:
    """Return the rotation matrix of a quaternion of any length."""
    w, x, y, z = turn / np.linalg.norm(turn)
    return np.array(
        (
            (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
            (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
            (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
        )
    )
