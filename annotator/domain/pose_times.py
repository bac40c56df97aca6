"""Which flight belongs to a view, and when each of its poses is shown in the view's video."""

from __future__ import annotations

from annotator.domain.medium import Medium
from annotator.domain.trajectory import Trajectory

PART = "source"
"""Attribute of a trajectory that is part of another one: its first and last pose there, counted from 1."""


def whole_flight(trajectories: tuple[Trajectory, ...], *, view: str, views: int) -> Trajectory | None:
    """Return the trajectory of a view's camera, or None.

    Args:
        trajectories: Trajectories of a scene.
        view: Name of the view.
        views: Number of views of the scene; if there is one, its trajectory may have no view name.
    """
    whole = [flight for flight in trajectories if PART not in flight.metadata and flight.poses]
    own = [flight for flight in whole if flight.view == view]
    if not own and views == 1:
        own = [flight for flight in whole if not flight.view]
    return max(own, key=lambda flight: len(flight.poses), default=None)


def pose_times(flight: Trajectory, *, medium: Medium) -> tuple[float, ...]:
    """Return the time of each pose since the first frame, seconds; empty if it is unknown.

    If the source has no times, pose n belongs to frame n.
    """
    if flight.times_s:
        return flight.times_s if len(flight.times_s) == len(flight.poses) else ()
    if medium.frames and len(flight.poses) == medium.frames and medium.duration_s > 0:
        return tuple(index * medium.duration_s / medium.frames for index in range(medium.frames))
    return ()
