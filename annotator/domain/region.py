"""A region: a box or polygon in one view under a neutral id."""

from __future__ import annotations

from annotator.domain.record import Part, Record


class Box(Part, frozen=True, kw_only=True, omit_defaults=True):
    """An axis-aligned box in image pixels; x2 and y2 exclusive."""

    x1: float
    y1: float
    x2: float
    y2: float


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
        made_by: Detector name and revision, or "hand".
    """

    medium: str
    number: int
    box: Box
    polygon: tuple[tuple[float, float], ...] = ()
    frame: int | None = None
    category: str = ""
    score: float = 1.0
    made_by: str = "hand"
