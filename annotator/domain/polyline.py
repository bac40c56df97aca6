"""A path: a line of points drawn on one view or map."""

from __future__ import annotations

from typing import Literal

import msgspec

from annotator.domain.record import Column, Record, Table

PathStyle = Literal["", "direction"]
"""How a path is drawn: as a path of an image; as a numbered arrow of a fan of directions."""


class Polyline(Record, frozen=True, kw_only=True, omit_defaults=True):
    """A polyline drawn on an image.

    Attributes:
        medium: Id of the medium.
        points: x, y in image pixels, in order, two or more.
        label: ``Direction 3`` and the like, "" for a plain path.
        style: ``direction`` for one of the six numbered arrows of a ground image, "" for any other path.
        frame: Frame number in presentation order for videos, None for stills.
        is_in_image: Whether the image itself shows the path; renderers then do not draw it again.
        source: Id of the imported file, "" for a record created here.
        locator: Position in that file: "annotation 17".
        original: The original record as unchanged JSON; null for a record created here.
        import_key: Digest of the original record, by which a second import recognises it.
    """

    medium: str
    points: tuple[tuple[float, float], ...]
    label: str = ""
    style: PathStyle = ""
    frame: int | None = None
    is_in_image: bool = False
    source: str = ""
    locator: str = ""
    original: msgspec.Raw = msgspec.Raw(b"null")
    import_key: str = ""

    table = Table(
        entity="path",
        columns=(
            Column(name="medium", value=lambda r: r.medium),
            Column(name="import_key", value=lambda r: r.import_key or None),
        ),
        indexes=(("medium", "n"), ("import_key",)),
        is_in_log=True,
    )
