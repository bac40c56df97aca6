"""Event labels as single values: one row per value, as tidy tables have them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

import msgspec

from annotator.domain.event_label import EventLabel, ObjectCount, PercentBox
from annotator.errors import UserError

NUMBERS = ("quality", "source_task", "source_annotation")
ANSWERS = ("usable", "when")
LISTS = ("object_types", "degradations", "who", "why")
BOXES = ("issue_boxes", "what_boxes")
TEXTS = ("annotator", "created_at", "updated_at", "state")
"""Texts that are empty where they are not known."""
TIMES = ("lead_time_s", "active_time_s")
FIELDS = (*NUMBERS, *ANSWERS, *LISTS, "count", "other_degradation", *BOXES, *TEXTS, *TIMES)
"""Fields of a label that have values, in the order of the rows."""
GEOMETRY = ("x", "y", "width", "height", "rotation", "image_width_px", "image_height_px")
SEPARATOR = "|"
"""What stands between the labels of one box."""


class LabelValue(msgspec.Struct, frozen=True, kw_only=True):
    """One value of a label.

    Attributes:
        field: Name of the field.
        value: The value as text; "" for 'answered: none' and for a count that is no number.
        box: The box that it labels, None for values without one.
    """

    field: str
    value: str = ""
    box: PercentBox | None = None


def values_of(label: EventLabel) -> Iterator[LabelValue]:
    """Yield the values of a label; a field that was not answered has none."""
    for field in FIELDS:
        answer = getattr(label, field)
        if answer is None or (field in TEXTS and not answer) or (field == "active_time_s" and not answer):
            continue
        if field in LISTS or field in BOXES:
            yield from _listed(field, answer)
        else:
            yield LabelValue(field=field, value=_text(answer))


def add_value(fields: dict[str, Any], entry: LabelValue) -> None:
    """Add a value to the fields of a label.

    Raises:
        UserError: It is no value of its field, or a second one; the message says why.
    """
    if entry.field in LISTS or entry.field in BOXES:
        known, added = fields.setdefault(entry.field, []), _part(entry)
        known += [] if added is None else [added]
    elif entry.field in fields:
        raise UserError(f"The field {entry.field} occurs twice.")
    else:
        fields[entry.field] = _answer(entry)


def _listed(field: str, answer: tuple[object, ...]) -> Iterator[LabelValue]:
    if not answer:
        yield LabelValue(field=field)
    for part in answer:
        if isinstance(part, PercentBox):
            yield LabelValue(field=field, value=SEPARATOR.join(part.labels), box=part)
        else:
            yield LabelValue(field=field, value=str(part))


def _text(answer: object) -> str:
    if isinstance(answer, ObjectCount):
        number = "" if answer.value is None else str(answer.value)
        return f"around {number}" if answer.approximate else number
    if isinstance(answer, bool):
        return "true" if answer else "false"
    return str(answer)


def _part(entry: LabelValue) -> PercentBox | str | None:
    if entry.box is not None:
        labels = tuple(entry.value.split(SEPARATOR)) if entry.value else ()
        return msgspec.structs.replace(entry.box, labels=labels)
    return entry.value or None


def _answer(entry: LabelValue) -> object:
    text = entry.value
    if entry.field == "count":
        number = text.removeprefix("around ")
        return ObjectCount(value=_whole(number) if number else None, approximate=number != text)
    if entry.field in ANSWERS:
        if text not in {"true", "false"}:
            raise UserError(f"{text[:80]!r} is neither true nor false.")
        return text == "true"
    if entry.field in NUMBERS:
        return _whole(text)
    return finite(text) if entry.field in TIMES else text


def _whole(text: str) -> int:
    # 18 digits fit 64 bits for sure.
    if not re.fullmatch(r"-?[0-9]{1,18}", text):
        raise UserError(f"{text[:80]!r} is not a whole number.")
    return int(text)


def finite(text: str) -> float:
    """Return a number.

    Raises:
        UserError: The text is none, or is infinite.
    """
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise UserError(f"{text[:80]!r} is not a number.")
    return number
