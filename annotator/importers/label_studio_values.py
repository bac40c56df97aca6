"""What Label Studio's results mark: boxes, polygons, ellipses and tracks in percent, as image pixels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from annotator.domain.record import FieldCorrection
from annotator.domain.region import Box
from annotator.domain.rotated_box import rotate_box
from annotator.importers.box_geometry import (
    Corners,
    ImportedShape,
    Size,
    box_from_corner,
    clip_shape,
    ellipse_box,
    enclosing_box,
    pixel,
)
from annotator.importers.imported_record import ImportedFlag
from annotator.importers.label_studio_tasks import LabelStudioResult
from annotator.importers.record_fields import RecordError
from annotator.importers.region_parts import frame_number

_LABELS = (
    "rectanglelabels", "polygonlabels", "ellipselabels", "brushlabels", "keypointlabels",
    "videolabels", "labels",
)  # fmt: skip
_FACTS = frozenset({"choices", "text", "number", "rating", "taxonomy", "datetime", "ranker"})
_UNTAKEN = {
    "rle": "Brush masks are not supported. Export polygons or boxes as well.",
    "keypointlabels": "A key point has no area.",
}


@dataclass(frozen=True, slots=True)
class LabelStudioMark:
    """One place.

    Attributes:
        shape: Box and polygon in image pixels.
        category: Its label; several are joined with ", ".
        frame: Frame number, None for a still.
        track: Name of the thing through a video, "" for a still.
        notes: What was changed.
        flags: What is odd.
    """

    shape: ImportedShape
    category: str
    frame: int | None = None
    track: str = ""
    notes: tuple[FieldCorrection, ...] = ()
    flags: tuple[ImportedFlag, ...] = ()


def facts_of(result: LabelStudioResult) -> dict[str, Any]:
    """Return a result's metadata of the whole image, and the frames in which a track's box is drawn."""
    if result.is_track:
        spans = _spans(result)
        return {"lifespans": {result.id or result.locator: spans}} if spans else {}
    facts = {name: result.value[name] for name in sorted(_FACTS & result.value.keys())}
    # Choices about one region have its place beside them.
    if not facts or "x" in result.value or "points" in result.value:
        return {}
    name = result.name or "label_studio"
    return {name: next(iter(facts.values())) if len(facts) == 1 else facts}


def marks_of(result: LabelStudioResult, *, size: Size | None) -> Iterator[LabelStudioMark]:
    """Yield the regions of a result; none for a result about the whole image.

    Args:
        result: The result.
        size: Width and height of the image in pixels, None if unknown.

    Raises:
        RecordError: The result is invalid.
    """
    value = result.value
    for name, message in _UNTAKEN.items():
        if name in value:
            raise RecordError(name, message)
    if result.is_track:
        yield from _track(result, size)
        return
    if not {"x", "points"} & value.keys():
        if not facts_of(result):
            raise RecordError(
                "value", f"This type of result is not supported: {result.kind[:40] or 'unknown'}."
            )
        return
    category, flags = _category(value)
    shape, notes = _shape(value, _known(size))
    yield LabelStudioMark(shape, category, notes=notes, flags=flags)


def _known(size: Size | None) -> Size:
    if size is None:
        hint = "the size of the image is unknown: add the image to the project first"
        raise RecordError("original_width", f"Coordinates are given in percent, and {hint}.")
    return size


def _category(value: dict[str, Any]) -> tuple[str, tuple[ImportedFlag, ...]]:
    for name in _LABELS:
        labels = value.get(name)
        if isinstance(labels, list) and labels and all(isinstance(label, str) for label in labels):
            return ", ".join(labels), ()
    return "", (ImportedFlag(kind="rect_unlabelled", field="category", message="The region has no label."),)


def _shape(value: dict[str, Any], size: Size) -> tuple[ImportedShape, tuple[FieldCorrection, ...]]:
    if "points" in value:
        corners = _corners(value["points"], size)
        return clip_shape(enclosing_box(corners, field="points"), polygon=corners, size=size), ()
    if "radiusX" in value:
        cx, cy, rx, ry = _scaled(value, ("x", "y", "radiusX", "radiusY"), size)
        box = ellipse_box(cx, cy, rx, ry, degrees=_degrees(value))
        note = FieldCorrection(
            field="box", original="ellipse", value="box", reason="the box around the ellipse"
        )
        return clip_shape(box, size=size), (note,)
    box = box_from_corner(*_scaled(value, ("x", "y", "width", "height"), size), field="value")
    degrees = _degrees(value)
    if not degrees:
        return clip_shape(box, size=size), ()
    # Percent of each side are no equal units: the turn is made in pixels.
    return _turned(box, degrees, size)


def _turned(box: Box, degrees: float, size: Size) -> tuple[ImportedShape, tuple[FieldCorrection, ...]]:
    corners = rotate_box(box, degrees=degrees, about=(box.x1, box.y1))
    reason = "rotated about its top left corner: the box around its corners"
    note = FieldCorrection(
        field="box", original=[box.x1, box.y1, box.x2, box.y2, degrees], value="polygon", reason=reason
    )
    return clip_shape(enclosing_box(corners, field="value"), polygon=corners, size=size), (note,)


def _scaled(value: dict[str, Any], names: tuple[str, str, str, str], size: Size) -> list[float]:
    sides = (*size, *size)
    return [pixel(value.get(name), field=name) / 100 * side for name, side in zip(names, sides, strict=True)]


def _degrees(value: dict[str, Any]) -> float:
    turn = value.get("rotation")
    # Any number of whole turns is none.
    return 0.0 if turn is None else pixel(turn, field="rotation") % 360


def _corners(points: object, size: Size) -> Corners:
    if not isinstance(points, list) or not all(isinstance(pt, list) and len(pt) == 2 for pt in points):
        raise RecordError("points", "They should be a list of pairs of numbers.")
    width, height = size
    return tuple(
        (pixel(x, field="points") / 100 * width, pixel(y, field="points") / 100 * height) for x, y in points
    )


def _track(result: LabelStudioResult, size: Size | None) -> Iterator[LabelStudioMark]:
    category, flags = _category(result.value)
    known = _known(size)
    for key, frame in _key_frames(result):
        shape, notes = _shape(key, known)
        note = FieldCorrection(
            field="frame", original=frame + 1, value=frame, reason="frames are counted from 0"
        )
        yield LabelStudioMark(shape, category, frame, result.id or result.locator, (*notes, note), flags)


def _key_frames(result: LabelStudioResult) -> list[tuple[dict[str, Any], int]]:
    sequence = result.value["sequence"]
    if not isinstance(sequence, list) or not all(isinstance(key, dict) for key in sequence):
        raise RecordError("sequence", "It should be a list of objects.")
    # Frame 0 stands in files of older versions for the first.
    return [(key, max(frame_number(key.get("frame"), field="sequence.frame"), 1) - 1) for key in sequence]


def _spans(result: LabelStudioResult) -> list[list[int | None]]:
    """Return first and last frame of each span in which the box is drawn; the last may be open.

    Between key frames the tool moves the box evenly; a key frame that is not enabled ends the span.
    """
    spans: list[list[int | None]] = []
    is_open = False
    for key, frame in sorted(_key_frames(result), key=lambda entry: entry[1]):
        is_on = key.get("enabled") is not False
        if not is_open:
            spans.append([frame, None if is_on else frame])
        elif not is_on:
            spans[-1][1] = frame
        is_open = is_on
    return spans
