"""What readers of boxes and polygons share: the region of a shape, and names that files give to things."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

from annotator.domain.record import FieldCorrection
from annotator.domain.region import Region
from annotator.domain.region_attributes import MEMBER, ImageAttributes, RegionAttributes
from annotator.importers.box_geometry import ImportedShape
from annotator.importers.imported_record import ImportedFlag, ImportedRecord
from annotator.importers.record_fields import RecordError, RecordFields, wrong_type

LAST_FRAME = 2**31 - 1
OCCLUDED = FieldCorrection(
    field="visible", original="occluded", value=None, reason="partly hidden, without the fraction"
)
PLAIN = frozenset({int, str})


def region_of(shape: ImportedShape, *, notes: tuple[FieldCorrection, ...] = (), **more: Any) -> Region:  # noqa: ANN401 - the region's own fields, which it checks
    """Return the region of a shape, which the importer gives its medium and number."""
    return Region(
        medium="",
        number=0,
        box=shape.box,
        polygon=shape.polygon,
        corrections=(*shape.corrections, *notes) if notes else shape.corrections,
        **more,
    )


A = TypeVar("A", ImageAttributes, RegionAttributes)


def own_attributes(value: object, kind: type[A]) -> A | None:
    """Return what a release of Vantage adds to a row of another format, None where it adds nothing.

    Raises:
        RecordError: It is not what a release adds.
    """
    if value is None:
        return None
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise RecordError(MEMBER, f"It is not what a release adds: {error}.") from error


def with_attributes(entry: ImportedRecord, own: RegionAttributes | None) -> ImportedRecord:
    """Return a region with what a release adds: its number, its links and its other fields."""
    if own is None or not isinstance(entry.record, Region):
        return entry
    record = own.applied(entry.record)
    return msgspec.structs.replace(entry, record=record, links=own.links, number=own.number)


def id_of(fields: RecordFields, name: str) -> int | str | None:
    """Return what a row calls itself or another row by, None where it does not.

    Raises:
        RecordError: It is neither a number nor a text.
    """
    value = fields.get(name)
    if value is not None and type(value) not in PLAIN:
        raise wrong_type(name, value, expected="a number or text")
    return value  # type: ignore[return-value]  # one of the two types above


def frame_number(value: object, *, field: str) -> int:
    """Return a frame number.

    Raises:
        RecordError: It is no whole number from 0 on.
    """
    # isascii: other scripts have digits that int() takes as well.
    if type(value) is str and value.isascii() and value.isdecimal() and len(value) <= 10:
        value = int(value)
    if type(value) is not int or not 0 <= value <= LAST_FRAME:
        raise RecordError(field, "It should be a frame number, 0 or more.")
    return value


def share(value: object, *, field: str) -> float | None:
    """Return a number from 0 to 1, None where it is not given.

    Raises:
        RecordError: It is another number, or none.
    """
    if value is None:
        return None
    if type(value) not in {int, float}:
        raise wrong_type(field, value, expected="a number")
    if not 0 <= value <= 1:  # type: ignore[operator]  # one of the two types above
        raise RecordError(field, "It should be between 0 and 1.")
    return float(value)  # type: ignore[arg-type]  # the same


def unknown_category(category: str) -> ImportedFlag:
    """Return the flag of a category that the file's own list does not have."""
    message = f"The file's list of categories has no '{category}'."
    return ImportedFlag(kind="category_unknown", field="category", message=message)


def raw(value: object) -> msgspec.Raw:
    """Return a value as the original of a record whose file is no JSON."""
    return msgspec.Raw(msgspec.json.encode(value))
