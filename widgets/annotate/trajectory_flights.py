"""The flights of a scene as arrays for plots, with their segments; computed on the reading thread."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

from annotator.commands.flights import REVERSED_FROM
from annotator.domain import task_set_files
from annotator.domain.flight_actions import ActionKind
from annotator.domain.flight_labels import LabelledSegment, labelled_segments, proposed_difficulty
from annotator.domain.flight_segments import KeyFrameLimits
from annotator.domain.pose_times import PART, pose_times, whole_flight
from annotator.domain.task_set import TaskSet
from annotator.domain.task_set_catalogue import TaskSetCatalogue
from annotator.domain.trajectory import Trajectory
from annotator.queries.reader import Reader
from widgets.medium_view import MediumView

Floats = npt.NDArray[np.float64]
Side = Literal["above", "front", "side"]
AXES: dict[Side, tuple[int, int]] = {"above": (0, 1), "front": (0, 2), "side": (1, 2)}
"""The axes of each view, to the right and upwards: of positions to the right, ahead on the map, and up."""
FLIGHT_SET = "indooruav"
"""Task set with the values of difficulty, and the limits of key frames where the project's own has none."""
_SWAPPED = ("y", "x", "−z")
NAMES: dict[str, tuple[str, str, str]] = {"north-east-down": _SWAPPED}
"""Names of the three axes by the convention of a flight; x, y, z in all others."""
NEAR_PX = 1.5
"""Poses whose distance from a point differs by less than this are equally near, pixels."""


@dataclass(frozen=True, kw_only=True, eq=False)
class PlottedFlight:
    """A flight as a plot shows it.

    Attributes:
        flight: The record.
        view: Name of the view whose video shows it, also that of the source of a reversed flight.
        source: The flight that it was reversed from, None for a recorded one.
        positions_m: float64 (n, 3), to the right, ahead on the map, and up, metres.
        headings: float64 (n, 3), unit vectors in the same axes.
        times_s: float64 (n,), seconds since the first frame of the view's video, falling for a reversed
            flight; (0,) if unknown.
        segments: The segments between its key frames.
        difficulty: The difficulty that follows from its actions, "" if they are unknown.
    """

    flight: Trajectory
    view: str
    source: Trajectory | None
    positions_m: Floats
    headings: Floats
    times_s: Floats
    segments: tuple[LabelledSegment, ...]
    difficulty: str

    @property
    def key_frames(self) -> tuple[int, ...]:
        """Numbers of the poses that are key frames, without those beyond the flight."""
        return tuple(frame for frame in self.flight.key_frames if 0 <= frame < len(self.positions_m))

    @property
    def axis_names(self) -> tuple[str, str, str]:
        """Names of the axes of the source."""
        return NAMES.get(self.flight.axes, ("x", "y", "z"))

    def pose_at(self, time_s: float) -> int | None:
        """Return the number of the pose nearest to a time of the video, None if the times are unknown."""
        return int(np.abs(self.times_s - time_s).argmin()) if len(self.times_s) else None

    def nearest(
        self, at: tuple[float, float], *, side: Side, pixel_m: float, beside: int
    ) -> tuple[int, float]:
        """Return the pose nearest to a point of a view, and its distance.

        Args:
            at: Coordinates of the point, metres.
            side: The view.
            pixel_m: Size of a pixel, metres.
            beside: Of poses at one place, as in a turn, the one whose number is nearest to this is taken.

        Returns:
            Number of the pose, and distance in pixels.
        """
        apart = np.hypot(*(self.positions_m[:, AXES[side]] - at).T) / pixel_m
        equal = np.flatnonzero(apart <= apart.min() + NEAR_PX)
        pose = int(equal[np.abs(equal - beside).argmin()])
        return pose, float(apart[pose])

    def segment_kinds(self) -> tuple[ActionKind, ...]:
        """Return the kinds of action of its segments, each once."""
        return tuple(dict.fromkeys(kind for segment in self.segments for kind in segment.kinds))


@dataclass(frozen=True, kw_only=True, eq=False)
class SceneFlights:
    """The flights of a scene.

    Attributes:
        flights: Those with several poses, in the order of the views, each reversed one after its source.
        limits: The motions after which the project's task set, or else IndoorUAV's, has a key frame.
        task_set: Title of that task set.
    """

    flights: tuple[PlottedFlight, ...] = ()
    limits: KeyFrameLimits = field(default_factory=KeyFrameLimits)
    task_set: str = ""

    def of_view(self, view: str) -> PlottedFlight | None:
        """Return the recorded flight of a view."""
        recorded = [one for one in self.flights if one.source is None]
        return next((one for one in recorded if one.view == view), None)

    def by_id(self, flight: str) -> PlottedFlight | None:
        """Return a flight by the id of its record."""
        return next((one for one in self.flights if one.flight.id == flight), None)


def has_flights(trajectories: Sequence[Trajectory]) -> bool:
    """Return whether a scene has a flight: a trajectory of several poses."""
    return any(len(flight.poses) > 1 for flight in trajectories)


def read_flights(
    reader: Reader, *, trajectories: tuple[Trajectory, ...], media: Sequence[MediumView], project: Path
) -> SceneFlights:
    """Return the flights of a scene, with the limits of the project's task set.

    Args:
        reader: The project.
        trajectories: The trajectories of the scene.
        media: Its views.
        project: The project file, beside which its own task sets are.
    """
    task_set = task_set_files.builtin(FLIGHT_SET)
    own = TaskSetCatalogue.of(project).find(reader.project.task_set)
    limiting = own if own is not None and _has_limits(own) else task_set
    found = []
    for shown in media:
        flight = whole_flight(trajectories, view=shown.view, views=len(media))
        if flight is not None and len(flight.poses) > 1:
            found += list(_with_reversed(flight, trajectories, shown=shown, task_set=task_set))
    limits = KeyFrameLimits(**limiting.drafting_settings)
    return SceneFlights(flights=tuple(found), limits=limits, task_set=limiting.title.en)


def _has_limits(task_set: TaskSet) -> bool:
    known = KeyFrameLimits.__dataclass_fields__.keys()
    return bool(task_set.drafting_settings) and task_set.drafting_settings.keys() <= known


def _with_reversed(
    flight: Trajectory, trajectories: Sequence[Trajectory], *, shown: MediumView, task_set: TaskSet
) -> Iterator[PlottedFlight]:
    times_s = np.array(pose_times(flight, medium=shown.medium), np.float64)
    yield _plotted(flight, view=shown.view, times_s=times_s, task_set=task_set)
    for back in trajectories:
        if back.metadata.get(REVERSED_FROM) == flight.id and PART not in back.metadata:
            # Its first pose is the last one of the video.
            yield _plotted(back, view=shown.view, times_s=times_s[::-1], task_set=task_set, source=flight)


def _plotted(
    flight: Trajectory, *, view: str, times_s: Floats, task_set: TaskSet, source: Trajectory | None = None
) -> PlottedFlight:
    positions = np.array([(pose.x_m, pose.y_m, pose.z_m) for pose in flight.poses], np.float64)
    yaws = np.radians([pose.yaw_deg for pose in flight.poses])
    headings = np.stack([np.cos(yaws), np.sin(yaws), np.zeros(len(yaws))], axis=1)
    if flight.axes in NAMES:
        # These axes are north, east and down: a map has east to the right.
        positions, headings = positions[:, (1, 0, 2)] * (1, 1, -1), headings[:, (1, 0, 2)]
    return PlottedFlight(
        flight=flight,
        view=view,
        source=source,
        positions_m=positions,
        headings=headings,
        times_s=times_s,
        segments=tuple(labelled_segments(flight)),
        difficulty=proposed_difficulty(flight, task_set),
    )
