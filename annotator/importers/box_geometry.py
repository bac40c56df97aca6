"""Boxes and polygons of other people's files as image pixels, with what is odd about them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec

from annotator.domain.flag import Severity
from annotator.domain.record import FieldCorrection
from annotator.domain.region import Box
from annotator.importers.imported_record import ImportedFlag
from annotator.importers.record_fields import RecordError, wrong_type

LARGEST_PX = 1_000_000
"""The largest pictures that are stitched from drone images have sides of some 100,000 pixels."""
MOST_CORNERS = 10_000
ROUNDING_PX = 1.0
"""Boxes that were rounded to whole pixels reach this far out of their picture."""

Size = tuple[int, int]
"""Width and height in pixels."""
Corners = tuple[tuple[float, float], ...]


class ImportedShape(msgspec.Struct, frozen=True):
    """What a record marks.

    Attributes:
        box: Image pixels.
        polygon: Corners in image pixels, empty for a plain box.
        corrections: What was changed.
        flags: What is odd.
    """

    box: Box
    polygon: Corners = ()
    corrections: tuple[FieldCorrection, ...] = ()
    flags: tuple[ImportedFlag, ...] = ()


def pixel(value: object, *, field: str) -> float:
    """Return a coordinate or length in pixels.

    Raises:
        RecordError: It is no number, or none that a picture can have.
    """
    if type(value) not in _NUMBERS:
        raise wrong_type(field, value, expected="a number")
    # Compared first: whole numbers of any length come here, and not all of them are floats.
    if not -LARGEST_PX <= value <= LARGEST_PX:  # type: ignore[operator]  # one of the two types above
        raise RecordError(field, f"{str(value)[:20]} is not a number of pixels.")
    return float(value)  # type: ignore[arg-type]  # the same


def image_size(sides: Sequence[object], *, field: str) -> Size | None:
    """Return width and height of an image as stated, in whole pixels; None unless both are, above 0.

    Raises:
        RecordError: One is stated that is no number, or none that a picture can have.
    """
    numbers = [round(pixel(side, field=field)) for side in sides if side is not None]
    return (numbers[0], numbers[1]) if len(numbers) == 2 and min(numbers) > 0 else None


_NUMBERS = frozenset({int, float})


def pixels(values: object, *, count: int, field: str) -> list[float]:
    """Return a list of so many coordinates.

    Raises:
        RecordError: It is no list of so many numbers.
    """
    if not isinstance(values, list) or len(values) != count:
        raise RecordError(field, f"It should be a list of {count} numbers.")
    return [pixel(value, field=field) for value in values]


def corners_of(flat: Sequence[object], *, field: str) -> Corners:
    """Return the corners that a list x, y, x, y, … gives.

    Raises:
        RecordError: It is of an odd length, or holds what is not a number of pixels.
    """
    if len(flat) % 2:
        raise RecordError(field, "It has an odd number of coordinates.")
    numbers = [pixel(value, field=field) for value in flat]
    return tuple(zip(numbers[::2], numbers[1::2], strict=True))


def enclosing_box(corners: Corners, *, field: str) -> Box:
    """Return the smallest box around points.

    Raises:
        RecordError: There are none.
    """
    if not corners:
        raise RecordError(field, "It has no points.")
    xs, ys = [x for x, _ in corners], [y for _, y in corners]
    return Box(x1=min(xs), y1=min(ys), x2=max(xs), y2=max(ys))


def ellipse_box(cx: float, cy: float, rx: float, ry: float, *, degrees: float) -> Box:
    """Return the box around an ellipse of two radii, turned about its middle."""
    # The extent of a turned ellipse along an axis is the root of the squares of its two radii's shares.
    angle = math.radians(degrees)
    half_w = math.hypot(rx * math.cos(angle), ry * math.sin(angle))
    half_h = math.hypot(rx * math.sin(angle), ry * math.cos(angle))
    return Box(x1=cx - half_w, y1=cy - half_h, x2=cx + half_w, y2=cy + half_h)


def box_from_corner(x: float, y: float, width: float, height: float, *, field: str) -> Box:
    """Return the box of a corner and a size.

    Raises:
        RecordError: The size is negative.
    """
    if width < 0 or height < 0:
        raise RecordError(field, f"The box has a negative size, {width:g} x {height:g}.")
    return Box(x1=x, y1=y, x2=x + width, y2=y + height)


def clip_shape(box: Box, *, polygon: Corners = (), size: Size | None = None) -> ImportedShape:
    """Return a box clipped to its image; a box completely outside, or without area, is kept and flagged.

    Args:
        box: The box in the file.
        polygon: Its corners; those after ``MOST_CORNERS`` are kept in the original only.
        size: Width and height of the image, None if unknown.
    """
    notes: list[FieldCorrection] = []
    if len(polygon) > MOST_CORNERS:
        reason = f"more than {MOST_CORNERS:,} corners: the box is kept, the corners remain in the original"
        notes.append(FieldCorrection(field="polygon", original=len(polygon), value=0, reason=reason))
        polygon = ()
    if box.x2 <= box.x1 or box.y2 <= box.y1:
        flag = ImportedFlag(kind="box_empty", field="box", message=f"The box {_text(box)} has no area.")
        return ImportedShape(box, polygon, tuple(notes), (flag,))
    # Nearly all boxes lie inside; this is all that is asked of them.
    if size is None or (box.x1 >= 0 and box.y1 >= 0 and box.x2 <= size[0] and box.y2 <= size[1]):
        return ImportedShape(box, polygon, tuple(notes))
    return _cut(box, polygon, size, notes)


def _cut(box: Box, polygon: Corners, size: Size, notes: list[FieldCorrection]) -> ImportedShape:
    width, height = size
    inside = Box(x1=max(box.x1, 0), y1=max(box.y1, 0), x2=min(box.x2, width), y2=min(box.y2, height))
    if inside.x2 <= inside.x1 or inside.y2 <= inside.y1:
        return ImportedShape(box, polygon, tuple(notes), (_outside(box, size, severity="error"),))
    # How far it reached out on the side where it is worst.
    overshoot = max(inside.x1 - box.x1, inside.y1 - box.y1, box.x2 - inside.x2, box.y2 - inside.y2)
    reason = f"clipped to the image,  {width} x {height}"
    notes.append(FieldCorrection(field="box", original=_list(box), value=_list(inside), reason=reason))
    flags = () if overshoot <= ROUNDING_PX else (_outside(box, size, severity="warning"),)
    # Only the box is cut: a polygon cut by hand would get corners that nobody drew.
    return ImportedShape(inside, polygon, tuple(notes), flags)


def _outside(box: Box, size: Size, *, severity: Severity) -> ImportedFlag:
    message = f"The box {_text(box)} extends outside its image of {size[0]} x {size[1]}."
    evidence = {"box": _list(box), "size": list(size)}
    return ImportedFlag(
        kind="box_outside", field="box", message=message, severity=severity, evidence=evidence
    )


def _list(box: Box) -> list[float]:
    return [box.x1, box.y1, box.x2, box.y2]


def _text(box: Box) -> str:
    return ", ".join(f"{value:g}" for value in _list(box))
