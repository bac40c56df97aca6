"""Links: statements that regions of several views show the same object."""

from __future__ import annotations

from annotator.domain.record import Column, Record, Table

MISMATCH_LIMIT = 0.03
"""Largest mismatch of a link that is not flagged, as a share of the longer side of an image.

Measured: the largest of the true links of the demo city is 0.015; of links between random objects of the same
views, six of seven are above 0.03.
"""


class Link(Record, frozen=True, kw_only=True, omit_defaults=True):
    """Regions of different views that show one object.

    Attributes:
        scene: Id of the scene.
        regions: Ids of two or more regions, each of another view.
        kind: ``same`` object, or ``occludes`` (the first occludes the others).
        source: Id of the imported file, "" for a link created here.
    """

    # One record for all views instead of pairs: with pairs the groups would have to be computed.
    scene: str
    regions: tuple[str, ...]
    kind: str = "same"
    source: str = ""

    table = Table(
        entity="link",
        columns=(Column(name="scene", value=lambda r: r.scene),),
        indexes=(("scene", "n"),),
    )
