"""A region: a box or polygon in one view under a neutral id."""

from __future__ import annotations

from typing import Literal

import msgspec

from annotator.domain.record import Column, FieldCorrection, Record, Table, ValueObject

RegionState = Literal["visible", "occluded", "out_of_view"]
"""Whether its view shows an object: yes; it is hidden by something; it has left the image at this place."""


class Box(ValueObject, frozen=True, kw_only=True, omit_defaults=True):
    """An axis-aligned box in image pixels; x2 and y2 exclusive."""

    x1: float
    y1: float
    x2: float
    y2: float


class RegionDepth(ValueObject, frozen=True, kw_only=True, omit_defaults=True):
    """Distance of a region from the camera, according to a depth model or depth map.

    Attributes:
        median: Median over its pixels; larger is farther.
        p10: Tenth percentile.
        p90: Ninetieth percentile.
        valid: Fraction of its pixels that have a depth, 0..1.
        is_metric: Whether values are metres; otherwise only their order is meaningful.
        box: The measured box; after the region is moved it differs from the region's box.
        made_by: Name and revision of the model.
    """

    median: float
    p10: float
    p90: float
    valid: float
    is_metric: bool
    box: Box
    made_by: str


HAND = "hand"
"""Origin of a region that a person drew."""


class Region(Record, frozen=True, kw_only=True, omit_defaults=True):
    """A marked part of one medium.

    Attributes:
        medium: Id of the medium.
        number: Neutral number shown to people and models, ``Region 3``; 0 or more.
        box: In image pixels, after EXIF orientation and rotation metadata.
        polygon: Corner points x, y in image pixels, empty for a plain box.
        frame: Frame number in presentation order for videos, None for stills.
        category: Category of the object; never shown to models.
        score: Confidence of the detector, 0..1; 1.0 for a person's box.
        made_by: Detector name and revision, "hand", "interpolation", or the format id of its file.
        track: Name of the object within its video or scene; equal for regions of the same object.
        visible: Visible fraction of the object, 0..1, None if unknown.
        state: Whether the view shows the object; of an object that it does not show, the region is the place.
        is_abnormal: Whether something abnormal happens in it, such as an accident or a fire.
        is_locked: Whether it cannot be moved, reshaped or removed.
        is_proposed: Whether a detector, a tracker or a segmenter proposes it and nobody has confirmed it:
            searches leave it out unless they ask for it.
        mapped_from: Id of the region of another view from which it was mapped over the ground, "" for none.
        depth: Distance, None if unknown; valid for the present box only if returned by ``known_depth``.
        is_room: On a top-view map, whether it is a room, whose kind is the category, instead of an object.
        height_m: On a top-view map, height of the object's top above the floor in metres, None if unknown.
        source: Id of the imported file, "" for a record created here.
        locator: Position in that file: "annotation 17".
        original: The original record as unchanged JSON; null for a record created here.
        corrections: Changes made by the importer.
        import_key: Digest of the original record, by which a second import recognises it.
    """

    medium: str
    number: int
    box: Box
    polygon: tuple[tuple[float, float], ...] = ()
    frame: int | None = None
    category: str = ""
    score: float = 1.0
    made_by: str = HAND
    track: str = ""
    visible: float | None = None
    state: RegionState = "visible"
    is_abnormal: bool = False
    is_locked: bool = False
    is_proposed: bool = False
    mapped_from: str = ""
    depth: RegionDepth | None = None
    is_room: bool = False
    height_m: float | None = None
    source: str = ""
    locator: str = ""
    original: msgspec.Raw = msgspec.Raw(b"null")
    corrections: tuple[FieldCorrection, ...] = ()
    import_key: str = ""

    table = Table(
        entity="region",
        columns=(
            Column(name="medium", value=lambda r: r.medium),
            Column(name="number", value=lambda r: r.number, type=int),
            Column(name="import_key", value=lambda r: r.import_key or None),
            Column(name="category", value=lambda r: r.category or None),
            Column(name="is_proposed", value=lambda r: int(r.is_proposed), type=int),
            Column(name="by_hand", value=lambda r: int(r.made_by == HAND), type=int),
        ),
        indexes=(
            ("medium", "n"),
            ("medium", "number"),
            ("import_key",),
            ("category", "removed", "is_proposed"),
        ),
        usual={"is_proposed": 0},
        is_in_log=True,
    )

    @property
    def known_depth(self) -> RegionDepth | None:
        """How far away it is, None where that was measured before it was moved, or not at all."""
        # Checked here instead of cleared by each command that moves a region: an undo of the move makes it
        # valid again.
        return self.depth if self.depth is not None and self.depth.box == self.box else None

    @property
    def is_unseen(self) -> bool:
        """Whether its view does not show the object: only its place is marked, with a dashed line."""
        return self.state != "visible"

    @property
    def is_point(self) -> bool:
        """Whether it marks a point: a region without any extent, such as the corner of a roof."""
        return not self.polygon and self.box.x1 == self.box.x2 and self.box.y1 == self.box.y2
