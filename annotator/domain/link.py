"""A link: the statement that regions of several views are the same thing."""

from __future__ import annotations

from annotator.domain.record import Column, Record, Table


class Link(Record, frozen=True, kw_only=True, omit_defaults=True):
    """Regions of different views that show one thing.

    Attributes:
        scene: Id of the scene.
        regions: Ids of two or more regions, each of another view.
        kind: ``same`` thing, or ``occludes`` (the first hides the others).
        source: Id of the imported file that states it, "" for one made here.
    """

    # One record for all views, not one a pair: of pairs it would have to be worked out what belongs together.
    scene: str
    regions: tuple[str, ...]
    kind: str = "same"
    source: str = ""

    table = Table(
        entity="link",
        columns=(Column(name="scene", value=lambda r: r.scene),),
        indexes=(("scene", "n"),),
    )
