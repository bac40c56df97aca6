"""Scores flights by the measures of IndoorUAV: NE, SR, OSR and nDTW, with the parameters of the task set.

Source: arXiv 2512.19024 and the scripts vla_metric.py and vln_metric.py of IndoorUAV-Agent. Strict mode
computes the exact DTW, compares yaw as angles and gives every counted flight an nDTW. Compatible mode uses
the approximation of the scripts and leaves the nDTW out where they do.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from annotator.domain import task_set_files
from annotator.domain.answers import Mode, Score
from annotator.domain.answers.base import unreadable, unreadable_key
from annotator.domain.item import Item
from annotator.domain.task_set import Task
from annotator.domain.trajectory import Pose, Trajectory
from annotator.importers.poses import read_poses, read_segment
from annotator.importers.record_fields import RecordError
from annotator.scoring.prediction_form import Prediction
from annotator.scoring.time_warping import approximate_dtw, exact_dtw, turn

SHORTEST_M = 1e-5
"""Least length of the reference that a sum is divided by."""
FARTHEST = 1e6
"""Metres or radians from which on a coordinate is none: squares and sums of such numbers stay finite."""
MOST_POINTS = 10_000
"""Points of a flight that is compared; published flights have hundreds, and each is compared with each."""
ORACLE = "oracle_success_rate"
Floats = npt.NDArray[np.float64]


class FlightScore(msgspec.Struct, frozen=True, kw_only=True):
    """The measures of one flight.

    Attributes:
        ne_m: Distance of the ends in metres (NE); None for a flight that cannot be read.
        is_success: Whether it ended near the goal (SR).
        is_near: Whether it came near the goal (OSR); None where the task has no such measure.
        ndtw: Similarity to the reference, 0 to 1; None where it is not defined.
        is_counted: False for a flight that the task leaves out, by the reason why it ended.
        reason: Why it cannot be read or does not count, "" otherwise.
        is_key_parsed: Whether the recorded flight is known.
    """

    ne_m: float | None = None
    is_success: bool = False
    is_near: bool | None = None
    ndtw: float | None = None
    is_counted: bool = True
    reason: str = ""
    is_key_parsed: bool = True

    @property
    def as_score(self) -> Score:
        """The success as the score of an answer."""
        if not self.is_key_parsed:
            return unreadable_key(self.reason)
        if self.ne_m is None and self.is_counted:
            return unreadable(self.reason)
        return Score(
            score=float(self.is_success),
            is_correct=self.is_success,
            is_counted=self.is_counted,
            reason=self.reason,
        )


class FlightScorer:
    """Scores flights of models against recorded ones.

    Args:
        mode: Whether DTW is exact, or that of the published scripts.
        flights: Recorded flights by name, for answer keys that name one.
    """

    def __init__(self, mode: Mode, *, flights: Mapping[str, Trajectory]) -> None:
        self._is_exact = mode is Mode.STRICT
        self._flights = flights

    def score(self, prediction: Prediction, item: Item) -> FlightScore:
        """Return the measures of one flight."""
        task = task_set_files.builtin("indooruav").find(item.task)
        if item.task_set != "indooruav" or task is None:
            return FlightScore(is_key_parsed=False, reason="The task has no measures of flights.")
        try:
            reference = flight_points(recorded_poses(item, self._flights))
        except RecordError as fault:
            return FlightScore(is_key_parsed=False, reason=f"{fault.field}: {fault}")
        counted = task.scoring_settings.get("counted_termination")
        if counted and prediction.termination not in ("", counted):
            return FlightScore(is_counted=False, reason=f"The flight ended with {prediction.termination}.")
        try:
            flown = flight_points(poses_of(prediction.text, field="trajectory"))
        except RecordError as fault:
            return _failed(task, f"{fault.field}: {fault}")
        return self._measured(flown, reference, task)

    def _measured(self, flown: Floats, reference: Floats, task: Task) -> FlightScore:
        metrics = flight_metrics(task)
        flown, has_stopped = compared_points(flown, task.scoring_settings)
        if not len(flown):
            return _failed(task, "The flight has no points to compare.")
        ne_m = _distance_m(flown[-1], reference[-1])
        near = metrics.get(ORACLE)
        return FlightScore(
            ne_m=ne_m,
            is_success=has_stopped and _is_success(flown, reference, metrics["success_rate"]),
            is_near=_is_near(flown, reference[-1], within_m=_number(near, "within_m")) if near else None,
            ndtw=self._ndtw(flown, reference, metrics["ndtw"], has_stopped=has_stopped),
        )

    def _ndtw(
        self, flown: Floats, reference: Floats, parameters: Mapping[str, Any], *, has_stopped: bool
    ) -> float | None:
        factor = _number(parameters, "length_factor")
        length_m = _length(reference[:, :3])
        positions = self._similarity(flown[:, :3], reference[:, :3], length=factor * length_m)
        if not parameters.get("with_yaw"):
            return positions
        # The published script leaves a flight that never stops out of the mean.
        if not self._is_exact and not has_stopped:
            return None
        length_rad = _length(reference[:, 3:], is_circular=self._is_exact)
        yaw = self._similarity(
            flown[:, 3:], reference[:, 3:], length=factor * length_rad, is_circular=self._is_exact
        )
        weight_m = length_m / _number(parameters, "position_divisor")
        combined = (weight_m * positions + length_rad * yaw) / (weight_m + length_rad)
        # The published script takes 1 and more for a fault of the record.
        return None if not self._is_exact and combined >= 1 else combined

    def _similarity(
        self, flown: Floats, reference: Floats, *, length: float, is_circular: bool = False
    ) -> float:
        if not self._is_exact:
            return math.exp(-approximate_dtw(flown, reference) / length)
        return math.exp(-exact_dtw(flown, reference, is_circular=is_circular) / length)


def recorded_poses(item: Item, flights: Mapping[str, Trajectory]) -> tuple[Pose, ...]:
    """Return the poses of an answer key: its own rows, or those of the flight that it names.

    Raises:
        RecordError: There are none.
    """
    if item.answer_key.startswith("["):
        return poses_of(item.answer_key, field="answer_key")
    # A whole flight goes by its name, a part of one by the flight's name and that of its file.
    flight = flights.get(item.answer_key) or flights.get(item.answer_key.rpartition("/")[0])
    if flight is None or not flight.poses:
        raise RecordError("answer_key", "The release does not contain the recorded flight.")
    if "source" not in item.extras:
        return flight.poses
    first, last = read_segment(item.extras["source"], field="source", poses=len(flight.poses))
    return flight.poses[first - 1 : last]


def flight_metrics(task: Task) -> dict[str, Mapping[str, Any]]:
    """Return the parameters of the measures of a task."""
    return {metric.id: metric.parameters for metric in task.metrics}


def _failed(task: Task, reason: str) -> FlightScore:
    """Return the measures of a flight without points: it came near no goal."""
    return FlightScore(is_near=False if ORACLE in flight_metrics(task) else None, reason=reason)


def poses_of(text: str, *, field: str) -> tuple[Pose, ...]:
    """Return the poses of rows with yaw in radians.

    Raises:
        RecordError: It is no list of poses, or an empty one.
    """
    try:
        rows = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError) as error:
        raise RecordError(field, "It should be a list of poses.") from error
    if isinstance(rows, list) and len(rows) > MOST_POINTS:
        raise RecordError(field, f"It has more than {MOST_POINTS:,} poses.")
    poses = read_poses(rows, field=field, is_radians=True)
    if not poses:
        raise RecordError(field, "It has no poses.")
    for number, pose in enumerate(poses):
        if not all(
            abs(part) <= FARTHEST for part in (pose.x_m, pose.y_m, pose.z_m, math.radians(pose.yaw_deg))
        ):
            raise RecordError(
                f"{field}[{number}]",
                f"A coordinate is over {FARTHEST:,.0f} metres, or a yaw over as many radians.",
            )
    return poses


def flight_points(poses: tuple[Pose, ...]) -> Floats:
    """Return rows of x, y, z in metres and yaw in radians."""
    return np.array([(p.x_m, p.y_m, p.z_m, math.radians(p.yaw_deg)) for p in poses], dtype=float)


def compared_points(flown: Floats, settings: Mapping[str, Any]) -> tuple[Floats, bool]:
    """Return the points that count, and whether the flight has stopped; without a rule it always has."""
    if "most_points" not in settings:
        return flown, True
    skipped, most = int(settings["skipped_points"]), int(settings["most_points"])
    flown = flown[skipped : skipped + most]
    steps_m = np.sqrt(np.square(np.diff(flown[:, :3], axis=0)).sum(axis=1))
    turns_deg = np.degrees(np.abs(turn(np.diff(flown[:, 3]))))
    still = (steps_m < settings["stop_below_m"]) & (turns_deg < settings["stop_below_deg"])
    stops = np.flatnonzero(still)
    return (flown[: stops[0] + 1], True) if len(stops) else (flown, False)


def _is_success(flown: Floats, reference: Floats, parameters: Mapping[str, Any]) -> bool:
    # One of the two published scripts takes a flight that ends on the bound for a success.
    is_below = np.less if parameters["strict"] else np.less_equal
    near = bool(is_below(_distance_m(flown[-1], reference[-1]), _number(parameters, "within_m")))
    if "within_deg" not in parameters:
        return near
    error_deg = abs(math.degrees(float(turn(flown[-1:, 3] - reference[-1:, 3])[0])))
    return near and bool(is_below(error_deg, _number(parameters, "within_deg")))


def _is_near(flown: Floats, goal: Floats, *, within_m: float) -> bool:
    return bool((np.sqrt(np.square(flown[:, :3] - goal[:3]).sum(axis=1)) <= within_m).any())


def _distance_m(one: Floats, other: Floats) -> float:
    return math.sqrt(float(np.square(one[:3] - other[:3]).sum()))


def _length(points: Floats, *, is_circular: bool = False) -> float:
    """Return the length of a path, at least ``SHORTEST_M``."""
    steps = np.diff(points, axis=0)
    if is_circular:
        steps = turn(steps)
    return max(SHORTEST_M, float(np.sqrt(np.square(steps).sum(axis=1)).sum()))


def _number(parameters: Mapping[str, Any], name: str) -> float:
    return float(parameters[name])
