"""The boxes of AirCopBench's annotation records, as Label Studio writes them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

import msgspec

from annotator.domain.event_label import PercentBox
from annotator.importers.record_fields import RecordError, wrong_type


def choice_texts(value: object, name: str) -> list[str] | None:
    """Return the texts of one choice, of several, or None where nothing was chosen.

    Args:
        value: The value of a field.
        name: The field's name, for the error.

    Raises:
        RecordError: The value is no text, no list of texts and no object with one.
    """
    if isinstance(value, dict):
        value, name = value.get("choices"), f"{name}.choices"
    if value is None:
        return None
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list):
        raise wrong_type(name, value, expected="text or a list of choices")
    for number, text in enumerate(texts):
        if not isinstance(text, str):
            raise wrong_type(f"{name}[{number}]", text, expected="text")
    return texts


class PlainRect(msgspec.Struct, gc=False):
    """A box of Label Studio as nearly all of them are; what fits no such box is read field by field."""

    x: float
    y: float
    width: float
    height: float
    rectanglelabels: list[str]
    rotation: float = 0.0
    original_width: Annotated[int, msgspec.Meta(ge=0)] = 0
    original_height: Annotated[int, msgspec.Meta(ge=0)] = 0


def plain_rects(rects: list[Any]) -> list[PlainRect]:
    """Return boxes all of whose fields have the usual types; none where one of them has another."""
    try:
        return msgspec.convert(rects, list[PlainRect])
    except msgspec.ValidationError:
        return []


def plain_box(rect: PlainRect, labels: Iterable[str]) -> PercentBox:
    """Return a box with the ids of its labels."""
    return PercentBox(
        x=rect.x,
        y=rect.y,
        width=rect.width,
        height=rect.height,
        rotation=rect.rotation,
        labels=tuple(labels),
        image_width_px=rect.original_width,
        image_height_px=rect.original_height,
    )


def box_labels(rect: object, where: str) -> list[str]:
    """Return the labels of a box as they are written.

    Args:
        rect: The box.
        where: Name and place of the field, for the error.

    Raises:
        RecordError: The box is no object, or its labels are no texts.
    """
    if not isinstance(rect, dict):
        raise wrong_type(where, rect, expected="an object")
    return choice_texts(rect.get("rectanglelabels"), f"{where}.rectanglelabels") or []


def read_box(rect: dict[str, Any], where: str, labels: tuple[str, ...]) -> PercentBox:
    """Return a box that is read field by field.

    Args:
        rect: The box.
        where: Name and place of the field, for the error.
        labels: Ids of its labels.

    Raises:
        RecordError: A side is no number, or a size no number of pixels.
    """
    return PercentBox(
        x=_percent(rect, "x", where),
        y=_percent(rect, "y", where),
        width=_percent(rect, "width", where),
        height=_percent(rect, "height", where),
        rotation=_percent(rect, "rotation", where) if "rotation" in rect else 0.0,
        labels=labels,
        image_width_px=_size(rect, "original_width", where),
        image_height_px=_size(rect, "original_height", where),
    )


def _percent(rect: dict[str, Any], name: str, where: str) -> float:
    value = rect.get(name)
    # Exact types: true is an int to isinstance, and there are ten thousands of these.
    if type(value) is float or type(value) is int:
        return float(value)
    raise wrong_type(f"{where}.{name}", value, expected="a number")


def _size(rect: dict[str, Any], name: str, where: str) -> int:
    value = rect.get(name, 0)
    if type(value) is int and value >= 0:
        return value
    if type(value) is float and value >= 0 and value.is_integer():
        return int(value)
    raise RecordError(f"{where}.{name}", "It should be a number of pixels.")
