"""A flight of a model beside the recorded one, for a plot: places, goal and measures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from annotator.domain import task_set_files
from annotator.domain.item import Item
from annotator.domain.task_set_rules import TRAJECTORY
from annotator.domain.trajectory import Trajectory
from annotator.importers.record_fields import RecordError
from annotator.scoring.navigation import (
    FlightScore,
    compared_points,
    flight_metrics,
    flight_points,
    poses_of,
    recorded_poses,
)

Position = tuple[float, float, float]
"""x, y and z in metres."""


class ShownFlight(msgspec.Struct, frozen=True, kw_only=True):
    """A flight of a model and the recorded one.

    Attributes:
        recorded: Places of the recorded flight, from its start to the goal.
        flown: All places of the flight of the model; () for a reply that is no flight.
        first: Position of the first place that is compared.
        compared: Number of places that are compared; the task leaves out the rest.
        radius_m: Distance from the goal within which a flight is a success.
        score: Its measures.
    """

    recorded: tuple[Position, ...]
    flown: tuple[Position, ...]
    first: int
    compared: int
    radius_m: float
    score: FlightScore

    @property
    def compared_positions(self) -> tuple[Position, ...]:
        """The places that are compared with the recorded flight."""
        return self.flown[self.first : self.first + self.compared]


def recorded_positions(item: Item, flights: Mapping[str, Trajectory]) -> tuple[Position, ...]:
    """Return the places of the recorded flight of an item, () for an item without one."""
    if item.answer_format != TRAJECTORY:
        return ()
    try:
        return tuple((pose.x_m, pose.y_m, pose.z_m) for pose in recorded_poses(item, flights))
    except RecordError:
        return ()


def shown_flight(
    text: str, item: Item, *, recorded: Sequence[Position], score: FlightScore
) -> ShownFlight | None:
    """Return what a plot shows of a reply, None for an item without a recorded flight.

    Args:
        text: The reply.
        item: Its item.
        recorded: Places of the recorded flight.
        score: The measures of the reply.
    """
    task = task_set_files.builtin("indooruav").find(item.task)
    if task is None or not recorded:
        return None
    try:
        points = flight_points(poses_of(text, field="trajectory"))
    except RecordError:
        points = flight_points(())
    settings: Mapping[str, Any] = task.scoring_settings
    used, _has_stopped = compared_points(points, settings) if len(points) else (points, False)
    return ShownFlight(
        recorded=tuple(recorded),
        flown=tuple((x, y, z) for x, y, z, _yaw in points.tolist()),
        first=int(settings.get("skipped_points", 0)) if len(used) else 0,
        compared=len(used),
        radius_m=float(flight_metrics(task)["success_rate"]["within_m"]),
        score=score,
    )
