"""Camera trajectories, projected into the image of a view or, without orientations, as a top-view plan."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from annotator.domain.medium import Medium
from annotator.domain.pose_times import pose_times
from annotator.domain.trajectory import Intrinsics, Trajectory

Floats = npt.NDArray[np.float64]
RECENT_S, AHEAD_S = 12.0, 12.0
"""Seconds of a trajectory drawn before and after the displayed time."""
MOST_POINTS = 160
"""Maximum number of points of a line: more are indistinguishable, and cost time in every frame."""
NEAREST_M = 0.5
"""Near plane: points closer to the camera, or behind it, are not projected."""
DOWNWARDS = frozenset({"north-east-down"})
"""Axis conventions whose third axis points down."""


@dataclass(frozen=True, kw_only=True, eq=False)
class CameraTrajectory:
    """The trajectory of a camera as arrays.

    Attributes:
        view: Name of the camera's view.
        positions_m: float64 (n, 3), positions in the axes of the trajectory, metres.
        yaws_deg: float64 (n,), from the first axis towards the second, degrees.
        turns: float64 (n, 4), quaternions w x y z from camera axes to world axes; shape (0, 4) if only
            positions are known.
        times_s: float64 (n,), seconds on the scene's clock; shape (0,) if unknown.
        key_frames: Indices of the key frames in the list of poses.
        intrinsics: Camera intrinsics, or None if unknown.
        axes: Name of the axis convention.
    """

    view: str
    positions_m: Floats
    yaws_deg: Floats
    turns: Floats
    times_s: Floats
    key_frames: tuple[int, ...]
    intrinsics: Intrinsics | None
    axes: str

    def can_project(self, time_s: float | None) -> bool:
        """Return whether world points can be projected into the image at a time."""
        is_complete = self.intrinsics is not None and len(self.turns) == len(self.positions_m)
        return is_complete and self.is_known_at(time_s)

    def is_known_at(self, time_s: float | None) -> bool:
        """Return whether the camera's position at a time is known; None is the time of a still."""
        return len(self.positions_m) == 1 or (time_s is not None and len(self.times_s) > 0)

    @cached_property
    def ground_m(self) -> Floats:
        """Camera positions projected onto the ground plane (height 0), float64 (n, 3), metres."""
        return self.positions_m * (1.0, 1.0, 0.0)

    def index_at(self, time_s: float | None) -> float:
        """Return the fractional index into the list of poses at a time.

        Args:
            time_s: Seconds on the scene's clock. None, or any time if no times are known, is the last pose.
        """
        last = len(self.positions_m) - 1.0
        if time_s is None or not len(self.times_s):
            return last
        return float(np.interp(time_s, self.times_s, np.arange(len(self.times_s))))

    def point_at(self, position: float, *, is_ground: bool = False) -> Floats:
        """Return the interpolated position at a fractional index, float64 (3,), metres."""
        points = self.ground_m if is_ground else self.positions_m
        low = int(position)
        high = min(low + 1, len(points) - 1)
        return np.asarray(points[low] + (points[high] - points[low]) * (position - low))

    def axes_at(self, position: float) -> Floats:
        """Return the right, down and forward axes of the camera as columns, float64 (3, 3), at a pose."""
        low = int(position)
        one, other = self.turns[low], self.turns[min(low + 1, len(self.turns) - 1)]
        # q and -q are the same rotation. The nearer one is interpolated linearly, which is accurate enough
        # between two poses.
        other = other if float(one @ other) >= 0 else -other
        return _matrix(one + (other - one) * (position - low))

    def stretch(self, position: float, *, is_ahead: bool) -> Floats:
        """Return the ascending indices of the part drawn before or after a fractional index."""
        last = len(self.positions_m) - 1
        begin, end = (position, float(last)) if is_ahead else (0.0, position)
        if len(self.times_s):
            now = float(np.interp(position, np.arange(last + 1), self.times_s))
            reach = self.index_at(now + AHEAD_S if is_ahead else now - RECENT_S)
            begin, end = (begin, min(end, reach)) if is_ahead else (max(begin, reach), end)
        # At least one point per pose, so that corners of the trajectory are kept.
        count = min(MOST_POINTS, max(2, int(end - begin) + 2))
        return np.linspace(begin, end, count)


@dataclass(frozen=True, kw_only=True, eq=False)
class TrajectoryLine:
    """A trajectory line in an image.

    Attributes:
        view: Name of the camera's view.
        points: float64 (k, 2), x y, image pixels, in flight direction.
        is_ahead: Whether the part is flown after the displayed time.
    """

    view: str
    points: Floats
    is_ahead: bool


@dataclass(frozen=True, kw_only=True)
class TrajectoryMarker:
    """Position of a camera at the displayed time.

    Attributes:
        view: Name of the camera's view.
        x: Image pixels.
        y: Image pixels.
        is_below: Whether it is the ground point below the view's own camera.
    """

    view: str
    x: float
    y: float
    is_below: bool


@dataclass(frozen=True, kw_only=True, eq=False)
class ProjectedTrajectory:
    """The visible parts of trajectories in one image.

    Attributes:
        lines: Trajectory lines.
        markers: Camera positions.
    """

    lines: tuple[TrajectoryLine, ...] = ()
    markers: tuple[TrajectoryMarker, ...] = ()


@dataclass(frozen=True, kw_only=True, eq=False)
class TopViewPlan:
    """A trajectory seen from above, in a square from 0 to 1 with y downwards.

    Attributes:
        done: float64 (k, 2), x y, the part before the displayed time.
        ahead: float64 (k, 2), x y, the part after it.
        key_frames: float64 (k, 2), x y.
        heading: float64 (2,), unit vector of the direction at the displayed time.
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
        trajectory: A trajectory with at least one pose.
        medium: The medium recorded by the camera.
        view: Name of its view.
        offset_s: Time on the scene's clock at which its video begins, seconds.
    """
    turns = [(turn.w, turn.x, turn.y, turn.z) for turn in trajectory.orientations]
    return CameraTrajectory(
        view=view,
        positions_m=np.array([(pose.x_m, pose.y_m, pose.z_m) for pose in trajectory.poses], np.float64),
        yaws_deg=np.array([pose.yaw_deg for pose in trajectory.poses], np.float64),
        turns=np.array(turns, np.float64).reshape(-1, 4),
        times_s=np.array(pose_times(trajectory, medium=medium), np.float64) + offset_s,
        key_frames=tuple(index for index in trajectory.key_frames if 0 <= index < len(trajectory.poses)),
        intrinsics=trajectory.intrinsics,
        axes=trajectory.axes,
    )


def projected_trajectory(
    own: CameraTrajectory, *, others: Sequence[CameraTrajectory], time_s: float | None, size: tuple[int, int]
) -> ProjectedTrajectory:
    """Return the trajectories visible in a view: its own on the ground, those of other cameras in the air.

    Args:
        own: The view's own trajectory, for which ``can_project`` is true.
        others: Trajectories of other views in the same axes.
        time_s: Displayed time on the scene's clock, seconds; None for stills.
        size: Width and height of the image, pixels.
    """
    transform = _CameraProjection(own, position=own.index_at(time_s), size=size)
    lines: list[TrajectoryLine] = []
    markers: list[TrajectoryMarker] = []
    # Positions in other axes cannot be compared without an alignment.
    known = (one for one in others if one.axes == own.axes and one.is_known_at(time_s))
    for flight in (own, *known):
        is_own, position = flight is own, flight.index_at(time_s)
        for is_ahead in (False, True):
            points = _points(flight, flight.stretch(position, is_ahead=is_ahead), is_ground=is_own)
            lines += (
                TrajectoryLine(view=flight.view, points=run, is_ahead=is_ahead)
                for run in transform.lines(points)
                # A camera that hovers gives a line without length.
                if np.ptp(run, axis=0).max() > 0
            )
        ((x, y),) = transform.points(flight.point_at(position, is_ground=is_own)[None])
        if 0 <= x < size[0] and 0 <= y < size[1]:
            markers.append(TrajectoryMarker(view=flight.view, x=float(x), y=float(y), is_below=is_own))
    return ProjectedTrajectory(lines=tuple(lines), markers=tuple(markers))


def top_view_plan(flight: CameraTrajectory, *, time_s: float | None) -> TopViewPlan:
    """Return a trajectory seen from above; north is up if the axes define north.

    Args:
        flight: A trajectory with at least two poses.
        time_s: Displayed time on the scene's clock, seconds; None for the end.
    """
    position = flight.index_at(time_s)
    whole = _from_above(flight.positions_m, axes=flight.axes)
    now = _from_above(flight.point_at(position)[None], axes=flight.axes)
    low = whole.min(axis=0)
    # One scale for both axes keeps the shape; a camera that stands still must not divide by zero.
    extent = float((whole.max(axis=0) - low).max()) or 1.0
    middle = low + (whole.max(axis=0) - low) / 2
    # The y axis is flipped: positions have north up, the plan has y downwards.
    square = (np.concatenate([whole, now]) - middle) / extent * (1.0, -1.0) + 0.5
    whole, now = square[:-1], square[-1:]
    split = int(position) + 1
    # Unwrapped, so that a turn from 359 to 1 degree does not pass through 180.
    yaw = np.radians(np.interp(position, np.arange(len(whole)), np.unwrap(flight.yaws_deg, period=360)))
    heading = _from_above(np.array([[np.cos(yaw), np.sin(yaw), 0.0]]), axes=flight.axes)[0]
    return TopViewPlan(
        done=np.concatenate([whole[:split], now]),
        ahead=np.concatenate([now, whole[split:]]),
        key_frames=whole[list(flight.key_frames)],
        heading=heading * (1.0, -1.0),
    )


def arrows_along(points: Floats, *, every_px: float) -> Iterator[tuple[Floats, Floats]]:
    """Yield positions along a line with the unit vector of the direction at each; the last is the line's end.

    Args:
        points: float64 (k, 2), x y, pixels.
        every_px: Distance between two positions, pixels.
    """
    along = np.diff(points, axis=0)
    lengths = np.hypot(*along.T)
    ends = np.cumsum(lengths)
    if not len(ends) or ends[-1] == 0:
        return
    # From the end, so that the last arrow is at the end; none close to the start.
    for distance in np.arange(ends[-1], every_px / 2, -every_px):
        # Rounding can place the last position one segment past the end of the line.
        index = min(int(np.searchsorted(ends, distance)), len(lengths) - 1)
        direction = along[index] / lengths[index]
        yield points[index + 1] - direction * (ends[index] - distance), direction


class _CameraProjection:
    """Projects world points into an image from an interpolated pose."""

    def __init__(self, flight: CameraTrajectory, *, position: float, size: tuple[int, int]) -> None:
        camera = flight.intrinsics
        assert camera is not None  # noqa: S101 - asked for flights that can project alone
        self._from_m, self._axes = flight.point_at(position), flight.axes_at(position)
        # The intrinsics apply to an image of their own size; the shown image may be scaled.
        scale = np.array(size) / (camera.width_px or size[0], camera.height_px or size[1])
        self._focal = np.array((camera.fx, camera.fy)) * scale
        self._middle = np.array((camera.cx, camera.cy)) * scale

    def points(self, points_m: Floats) -> Floats:
        """Return projected points, float64 (n, 2), x y, pixels; NaN for points behind the camera."""
        seen = self._seen(points_m)
        depths = np.where(seen[:, 2] >= NEAREST_M, seen[:, 2], np.nan)
        return np.asarray(seen[:, :2] / depths[:, None] * self._focal + self._middle)

    def lines(self, points_m: Floats) -> Iterator[Floats]:
        """Yield the parts of a line in front of the camera, cut at the near plane."""
        seen = self._seen(points_m)
        is_before = seen[:, 2] >= NEAREST_M
        run: list[Floats] = []
        for index in range(len(seen)):
            # The segment crosses the near plane: the cut ends or begins a part.
            if index and is_before[index] != is_before[index - 1]:
                run.append(_cut(seen[index - 1], seen[index]))
            if is_before[index]:
                run.append(seen[index])
            elif run:
                yield self._flat(run)
                run = []
        # A part that ends within the line has its cut as second point; only here it can be a single point.
        if len(run) > 1:
            yield self._flat(run)

    def _seen(self, points_m: Floats) -> Floats:
        return np.asarray((points_m - self._from_m) @ self._axes)

    def _flat(self, run: list[Floats]) -> Floats:
        seen = np.array(run)
        return np.asarray(seen[:, :2] / seen[:, 2:] * self._focal + self._middle)


def _cut(one: Floats, other: Floats) -> Floats:
    """Return the intersection of a line with the near plane."""
    return np.asarray(one + (other - one) * (NEAREST_M - one[2]) / (other[2] - one[2]))


def _points(flight: CameraTrajectory, positions: Floats, *, is_ground: bool) -> Floats:
    points = flight.ground_m if is_ground else flight.positions_m
    at = np.arange(len(points))
    return np.stack([np.interp(positions, at, points[:, axis]) for axis in range(3)], axis=1)


def _from_above(points: Floats, *, axes: str) -> Floats:
    """Return points on a map, float64 (n, 2): x to the right, y up."""
    # These axes are (north, east): swap them for (x, y).
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
