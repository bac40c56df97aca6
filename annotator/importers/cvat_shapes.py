"""The shapes in a CVAT file: where they stand, and what they mark."""

from __future__ import annotations

from dataclasses import dataclass, field

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
from annotator.importers.record_fields import RecordError

SHAPES = frozenset({"box", "polygon", "polyline", "points", "ellipse", "mask", "cuboid", "skeleton", "tag"})
_NO_AREA = {
    "tag": "A tag has no geometry.",
    "skeleton": "Skeletons are not supported.",
    "cuboid": "Cuboids are not supported.",
}
_KEPT_TEXT = frozenset({"name", "source", "width", "height", "start_frame", "frame_filter", "id"})
LONGEST_TEXT = 16_384


@dataclass(slots=True)
class CvatShape:
    """One shape of the file.

    Attributes:
        kind: Name of its element.
        holder: Attributes of the enclosing image or track.
        attributes: Attributes of the element.
        extras: Values of its ``attribute`` elements by name.
        line: First line, from 1.
        number: Index in the file, from 1.
        in_track: Whether it is part of a track.
    """

    kind: str
    holder: dict[str, str]
    attributes: dict[str, str]
    line: int
    number: int
    in_track: bool
    extras: dict[str, str] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """What it is: a track's shapes are told with the track."""
        return self.attributes.get("label") or self.holder.get("label", "")

    @property
    def track(self) -> str:
        """Name of its track, "" for a shape of a picture."""
        return self.holder.get("id", "") if self.in_track else ""

    @property
    def locator(self) -> str:
        """Which shape it is: "track 3, frame 17", "image 4, box"."""
        if self.in_track:
            return f"track {self.track[:80] or '?'}, frame {self.attributes.get('frame', '?')[:20]}"
        return f"image {self.holder.get('id', '?')[:80]}, {self.kind}"

    def original(self) -> dict[str, object]:
        """Return it as JSON, attributes as they stand."""
        shape: dict[str, object] = {
            "track" if self.in_track else "image": self.holder,
            self.kind: self.attributes,
        }
        return {**shape, "attributes": self.extras} if self.extras else shape


class CvatVisitor:
    """Collects shapes from the events of the XML parser.

    Attributes:
        drawn: Shapes that were not fetched yet.
        meta: Texts of the file's header by element path, ``task/original_size/width``.
        records: Number of finished shapes, images and tracks.
    """

    def __init__(self) -> None:
        self.drawn: list[CvatShape] = []
        self.meta: dict[str, str] = {}
        self.records = 0
        self._holder: dict[str, str] = {}
        self._in_track = False
        self._shape: CvatShape | None = None
        self._path: list[str] = []
        self._attribute = ""
        self._number = 0

    def take(self) -> list[CvatShape]:
        """Return the shapes collected, each once."""
        drawn, self.drawn = self.drawn, []
        return drawn

    def begin(self, name: str, attributes: dict[str, str], line: int) -> None:
        """Take the beginning of an element."""
        # Inside of meta every element is text for the head; no shape is there.
        if self._path:
            self._path.append(name)
        elif name in SHAPES:
            # The parts of a skeleton are shapes inside it; they go on their own.
            self._number += 1
            self._shape = CvatShape(name, self._holder, attributes, line, self._number, self._in_track)
        elif name == "attribute" and self._shape is not None:
            self._attribute = attributes.get("name", "?")
        elif name in {"image", "track"}:
            self._holder, self._in_track = attributes, name == "track"
        elif name == "meta":
            self._path = [""]

    def end(self, name: str) -> None:
        """Take the end of an element."""
        if self._path:
            self._path.pop()
        elif name in SHAPES:
            if self._shape is not None:
                self.drawn.append(self._shape)
                self.records += 1
            self._shape = None
        elif name == "attribute":
            self._attribute = ""
        elif name in {"image", "track"}:
            self._holder, self._in_track = {}, False
            self.records += 1

    def text(self, part: str) -> None:
        """Take a part of a text: a shape's attribute, or one of the file's head."""
        if self._attribute and self._shape is not None:
            extras = self._shape.extras
            extras[self._attribute] = (extras.get(self._attribute, "") + part)[:LONGEST_TEXT]
        # Four levels are deep enough for task/original_size/width.
        elif self._path and self._path[-1] in _KEPT_TEXT and len(self._path) <= 4:
            path = "/".join(self._path[1:])
            self.meta[path] = (self.meta.get(path, "") + part.strip())[:LONGEST_TEXT]


def shape_of(drawn: CvatShape, *, size: Size | None) -> tuple[ImportedShape, list[FieldCorrection]]:
    """Return what a shape marks, and what was changed.

    Raises:
        RecordError: It marks no area, or its numbers are none.
    """
    kind = drawn.kind
    if kind in _NO_AREA:
        raise RecordError(kind, _NO_AREA[kind])
    if kind == "box":
        return _box(drawn, size)
    if kind == "ellipse":
        return _ellipse(drawn, size)
    if kind == "mask":
        left, top, width, height = (_number(drawn, name) for name in ("left", "top", "width", "height"))
        return clip_shape(box_from_corner(left, top, width, height, field=kind), size=size), []
    return _points(drawn, size)


def _box(drawn: CvatShape, size: Size | None) -> tuple[ImportedShape, list[FieldCorrection]]:
    x1, y1, x2, y2 = (_number(drawn, name) for name in ("xtl", "ytl", "xbr", "ybr"))
    box = box_from_corner(x1, y1, x2 - x1, y2 - y1, field="box")
    degrees = _number(drawn, "rotation") if "rotation" in drawn.attributes else 0.0
    if not degrees:
        return clip_shape(Box(x1=x1, y1=y1, x2=x2, y2=y2), size=size), []
    # The box around the corners is not what was drawn, so the corners are kept as polygon.
    corners = rotate_box(box, degrees=degrees, about=((x1 + x2) / 2, (y1 + y2) / 2))
    note = FieldCorrection(
        field="box",
        original=[x1, y1, x2, y2, degrees],
        value="polygon",
        reason="rotated: the box around its corners",
    )
    return clip_shape(enclosing_box(corners, field="box"), polygon=corners, size=size), [note]


def _ellipse(drawn: CvatShape, size: Size | None) -> tuple[ImportedShape, list[FieldCorrection]]:
    cx, cy, rx, ry = (_number(drawn, name) for name in ("cx", "cy", "rx", "ry"))
    degrees = _number(drawn, "rotation") if "rotation" in drawn.attributes else 0.0
    note = _as_box("ellipse", "the box around the ellipse")
    return clip_shape(ellipse_box(cx, cy, rx, ry, degrees=degrees), size=size), [note]


def _points(drawn: CvatShape, size: Size | None) -> tuple[ImportedShape, list[FieldCorrection]]:
    corners = _corners(drawn.attributes.get("points", ""))
    if drawn.kind == "polygon":
        return clip_shape(enclosing_box(corners, field="points"), polygon=corners, size=size), []
    note = _as_box(drawn.kind, "the box around the points, which remain in the original")
    return clip_shape(enclosing_box(corners, field="points"), size=size), [note]


def _as_box(kind: str, reason: str) -> FieldCorrection:
    return FieldCorrection(field="box", original=kind, value="box", reason=reason)


def _corners(text: str) -> Corners:
    pairs = [pair.split(",") for pair in text.split(";") if pair.strip()]
    if any(len(pair) != 2 for pair in pairs):
        raise RecordError("points", "They should be written x,y;x,y;…")
    return tuple((_coordinate(x, field="points"), _coordinate(y, field="points")) for x, y in pairs)


def _number(drawn: CvatShape, name: str) -> float:
    text = drawn.attributes.get(name)
    if text is None:
        raise RecordError(name, "It is missing.")
    return _coordinate(text, field=name)


def _coordinate(text: str, *, field: str) -> float:
    try:
        number = float(text)
    except ValueError:
        raise RecordError(field, f"'{text[:40]}' is not a number.") from None
    return pixel(number, field=field)
