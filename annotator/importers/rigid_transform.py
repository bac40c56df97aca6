"""Rotations and shifts between the axes of cameras, vehicles and the world."""

from __future__ import annotations

import math

import msgspec

from annotator.domain.trajectory import Quaternion
from annotator.importers.record_fields import RecordError, RecordFields

FURTHEST_M = 1e8
"""Twice around the earth."""
# Shorter ones have lost so many digits that no direction is left.
_SHORTEST = 1e-3
_NUMBERS = frozenset({int, float})


Vector = tuple[float, float, float]


class RigidTransform(msgspec.Struct, frozen=True):
    """A rotation, then a shift in metres: from one set of axes to another."""

    rotation: Quaternion
    shift_m: Vector

    @property
    def matrix(self) -> tuple[Vector, Vector, Vector]:
        """The rotation, row by row."""
        q = self.rotation
        w, x, y, z = q.w, q.x, q.y, q.z
        return (
            (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
            (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
            (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
        )

    @property
    def yaw_deg(self) -> float:
        """Heading of the x axis, degrees from the other x axis towards its y axis."""
        ahead, aside, _ = self.matrix
        return math.degrees(math.atan2(aside[0], ahead[0]))

    def after(self, first: RigidTransform) -> RigidTransform:
        """Return what this one does after another."""
        a, b = self.rotation, first.rotation
        # Hamilton's product: a after b.
        rotation = Quaternion(
            w=a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
            x=a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
            y=a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
            z=a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
        )
        rows, (p, q, r), (u, v, w) = self.matrix, first.shift_m, self.shift_m
        x, y, z = (row[0] * p + row[1] * q + row[2] * r for row in rows)
        return RigidTransform(rotation, (x + u, y + v, z + w))


def transform_of(fields: RecordFields) -> RigidTransform:
    """Return the pose of a row: ``rotation`` w x y z, made of length 1, and ``translation`` in metres.

    Raises:
        RecordError: A number is missing or none.
    """
    four = numbers_of(fields, "rotation", count=4)
    length = math.hypot(*four)
    if length < _SHORTEST:
        raise RecordError("rotation", "It has no length.")
    w, x, y, z = [part / length for part in four]
    a, b, c = numbers_of(fields, "translation", count=3)
    return RigidTransform(Quaternion(w=w, x=x, y=y, z=z), (a, b, c))


def numbers_of(fields: RecordFields, name: str, *, count: int) -> list[float]:
    """Return a list of so many numbers.

    Raises:
        RecordError: It is none.
    """
    value = fields.listing(name)
    if value is None or len(value) != count or not _NUMBERS.issuperset(map(type, value)):
        raise RecordError(name, f"It should be a list of {count} numbers.")
    # JSON has no NaN, so that the least and the largest tell about all.
    if min(value) < -FURTHEST_M or max(value) > FURTHEST_M:
        raise RecordError(name, "A number in it is out of range.")
    return list(map(float, value))
