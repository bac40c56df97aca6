"""A path: a line of points drawn on one view or map."""

from __future__ import annotations

from annotator.domain.record import Record


class Path(Record, frozen=True, kw_only=True, omit_defaults=True):
    """A drawn way through a picture.

    Attributes:
        medium: Id of the medium that it is drawn on.
        points: x, y in image pixels, in walking order, two or more.
        label: ``Direction 3`` and the like, "" for a plain path.
    """

    medium: str
    points: tuple[tuple[float, float], ...]
    label: str = ""
