"""Single poses of AirSim, from a row of a recording, from its API's JSON, from its settings."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotator.domain.record import FieldCorrection
from annotator.domain.trajectory import Quaternion
from annotator.importers.record_fields import RecordError, RecordFields, wrong_type

FURTHEST_M = 1e8
"""Twice around the earth."""
NANOSECONDS_FROM = 10**16
"""Milliseconds since 1970 have 13 digits, nanoseconds 19."""
_UNIT_TOLERANCE = 1e-3
_MOST_TIME = 2**63
_NEEDED = ("POS_X", "POS_Y", "POS_Z", "Q_W", "Q_X", "Q_Y", "Q_Z")


@dataclass(frozen=True, slots=True)
class FlightPose:
    """One pose of one vehicle.

    Attributes:
        x_m: Metres north.
        y_m: Metres east.
        z_m: Metres down.
        orientation: Rotation from the body's axes to north, east, down.
        vehicle: Name of the vehicle, "" for the only one.
        time: Unconverted time, None if missing.
        image: Name of the first image taken at the pose, "" for none.
        notes: Corrections.
    """

    x_m: float
    y_m: float
    z_m: float
    orientation: Quaternion
    vehicle: str = ""
    time: float | None = None
    image: str = ""
    notes: tuple[FieldCorrection, ...] = ()

    @property
    def yaw_deg(self) -> float:
        """Heading, degrees clockwise from north."""
        q = self.orientation
        return math.degrees(math.atan2(2 * (q.w * q.z + q.x * q.y), 1 - 2 * (q.y * q.y + q.z * q.z)))


def times_of(poses: Sequence[FlightPose]) -> tuple[float, ...]:
    """Return seconds since the first pose, empty where a time is missing."""
    times = [pose.time for pose in poses if pose.time is not None]
    if len(times) < len(poses) or not times:
        return ()
    unit = 1e9 if times[0] >= NANOSECONDS_FROM else 1e3
    return tuple((time - times[0]) / unit for time in times)


def pose_of_row(cells: list[str], indices: Mapping[str, int]) -> FlightPose:
    """Return the pose of a recording's row.

    Args:
        cells: The row.
        indices: Which cell is which, by the names of AirSim's header.

    Raises:
        RecordError: A number is missing or none.
    """
    for name in _NEEDED:
        if indices.get(name, len(cells)) >= len(cells):
            raise RecordError(name, "It is missing.")
    x, y, z, *turn = [_number(cells[indices[name]], field=name) for name in _NEEDED]
    stamp = _cell(cells, indices, "TimeStamp")
    time = _number(stamp, field="TimeStamp", most=_MOST_TIME) if stamp else None
    # Several cameras stand in one cell: "img_0.png;img_1.png"; the row stays whole in the original.
    image = _cell(cells, indices, "ImageFile").partition(";")[0]
    orientation, notes = _unit(turn)
    return FlightPose(x, y, z, orientation, _cell(cells, indices, "VehicleName"), time, image, notes)


def _cell(cells: list[str], indices: Mapping[str, int], name: str) -> str:
    index = indices.get(name, len(cells))
    return cells[index].strip() if index < len(cells) else ""


def pose_of_json(value: object) -> FlightPose:
    """Return a pose as AirSim's API prints it: position and orientation of ``x_val`` and so on.

    Raises:
        RecordError: A number is missing or none.
    """
    fields = RecordFields(value)
    outer = _first_given(fields, "pose", "kinematics_estimated")
    inner = RecordFields(fields.get(outer), where=outer) if outer else fields
    location = RecordFields(inner.get("position"), where="position")
    turn = RecordFields(inner.get("orientation"), where="orientation")
    x, y, z = _numbers(location, "x_val", "y_val", "z_val", where="position")
    four = _numbers(turn, "w_val", "x_val", "y_val", "z_val", where="orientation")
    time = fields.get(_first_given(fields, "time_stamp", "timestamp", "TimeStamp"))
    orientation, notes = _unit(four)
    return FlightPose(
        x, y, z, orientation,
        vehicle=fields.text("vehicle_name") or fields.text("vehicle") or "",
        time=None if time is None else _number(time, field="time_stamp", most=_MOST_TIME),
        image=fields.text("image") or fields.text("ImageFile") or "",
        notes=notes,
    )  # fmt: skip


def _first_given(fields: RecordFields, *names: str) -> str:
    """Return the first name under which a record has a value, "" if it has none."""
    return next((name for name in names if fields.get(name) is not None), "")


def _numbers(fields: RecordFields, *names: str, where: str) -> list[float]:
    return [_number(fields.get(name), field=f"{where}.{name}") for name in names]


def pose_of_vehicle(name: str, value: object) -> FlightPose:
    """Return where the settings put a vehicle at the start.

    Raises:
        RecordError: A number is none.
    """
    fields = RecordFields(value, where=name)
    x, y, z = (_setting(fields, key) for key in ("X", "Y", "Z"))
    roll, pitch, yaw = (math.radians(_setting(fields, key)) / 2 for key in ("Roll", "Pitch", "Yaw"))
    cr, sr, cp, sp, cy, sy = (f(angle) for angle in (roll, pitch, yaw) for f in (math.cos, math.sin))
    # The order of aviation: yaw, then pitch, then roll.
    orientation = Quaternion(
        w=cr * cp * cy + sr * sp * sy,
        x=sr * cp * cy - cr * sp * sy,
        y=cr * sp * cy + sr * cp * sy,
        z=cr * cp * sy - sr * sp * cy,
    )
    return FlightPose(x, y, z, orientation, vehicle=name)


def _setting(fields: RecordFields, name: str) -> float:
    value = fields.get(name)
    return 0.0 if value is None else _number(value, field=name)


def _number(value: Any, *, field: str, most: float = FURTHEST_M) -> float:  # noqa: ANN401 - a cell or JSON
    if isinstance(value, str):
        try:
            number = float(value)
        except ValueError:
            raise RecordError(field, f"'{value[:40]}' is not a number.") from None
    elif isinstance(value, bool) or not isinstance(value, int | float):
        raise wrong_type(field, value, expected="a number")
    else:
        number = float(value)
    if not -most <= number <= most:
        raise RecordError(field, f"{number:g} is out of range.")
    return number


def _unit(four: list[float]) -> tuple[Quaternion, tuple[FieldCorrection, ...]]:
    """Return a rotation of length 1, noted where it was of another.

    Raises:
        RecordError: It has no length.
    """
    length = math.hypot(*four)
    if length < _UNIT_TOLERANCE:
        raise RecordError("Q_W", "The orientation has no length.")
    w, x, y, z = [part / length for part in four]
    notes: tuple[FieldCorrection, ...] = ()
    if abs(length - 1) > _UNIT_TOLERANCE:
        notes = (
            FieldCorrection(
                field="orientations", original=four, value=[w, x, y, z], reason="made of length 1"
            ),
        )
    return Quaternion(w=w, x=x, y=y, z=z), notes
