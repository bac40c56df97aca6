"""A region: a box or polygon in one view under a neutral id."""

from __future__ import annotations

import msgspec

from annotator.domain.record import Column, FieldCorrection, Record, Table, ValueObject


class Box(ValueObject, frozen=True, kw_only=True, omit_defaults=True):
    """An axis-aligned box in image pixels; x2 and y2 exclusive."""

    x1: float
    y1: float
    x2: float
    y2: float


class RegionDepth(ValueObject, frozen=True, kw_only=True, omit_defaults=True):
    """How far away from the camera a region is, as a depth model or depth map tells.

    Attributes:
        median: Of its pixels; larger is farther.
        p10: Tenth percentile.
        p90: Ninetieth percentile.
        valid: Share of its pixels that have a depth, 0..1.
        is_metric: Whether the figures are metres; else they only tell which of two is nearer.
        box: The box that was measured: of a region that was moved since, it is another one.
        made_by: Name and revision of the model.
    """

    median: float
    p10: float
    p90: float
    valid: float
    is_metric: bool
    box: Box
    made_by: str


class Region(Record, frozen=True, kw_only=True, omit_defaults=True):
    """A marked part of one medium.

    Attributes:
        medium: Id of the medium.
        number: The neutral id that people and models see: ``Region 3``; 0 or more.
        box: Image pixels of the medium at rest (EXIF and rotation metadata applied).
        polygon: Corner points x, y in image pixels, empty for a plain box.
        frame: Frame number in presentation order for videos, None for stills.
        category: What it is; never shown to models.
        score: Confidence of the detector 0..1, 1.0 for a person's box.
        made_by: Detector name and revision, "hand", "interpolation", or the format id of its file.
        track: Name of the thing within its video or scene: the same thing has the same track.
        visible: Share of the thing that can be seen, 0..1, None where nobody said.
        is_locked: Whether it stays as it is: it is neither moved, reshaped nor removed.
        depth: How far away it is, None where nobody said; of its present box only ``known_depth``.
        source: Id of the imported file, "" for one made here.
        locator: Where in that file: "annotation 17".
        original: The record as it came, untouched JSON; null for one made here.
        corrections: What the importer changed.
        import_key: Digest of the record as it came, so that the same record is never taken twice.
    """

    medium: str
    number: int
    box: Box
    polygon: tuple[tuple[float, float], ...] = ()
    frame: int | None = None
    category: str = ""
    score: float = 1.0
    made_by: str = "hand"
    track: str = ""
    visible: float | None = None
    is_locked: bool = False
    depth: RegionDepth | None = None
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
        ),
        indexes=(("medium", "n"), ("medium", "number"), ("import_key",), ("category", "removed")),
        is_in_log=True,
    )

    @property
    def known_depth(self) -> RegionDepth | None:
        """How far away it is, None where that was measured before it was moved, or not at all."""
        # Asked here and not cleared by each command that moves: undo of a move brings the depth back as well.
        return self.depth if self.depth is not None and self.depth.box == self.box else None

    @property
    def is_point(self) -> bool:
        """Whether it marks a point: a region without any extent, such as the corner of a roof."""
        return not self.polygon and self.box.x1 == self.box.x2 and self.box.y1 == self.box.y2
