"""Projection of links between regions of several views."""

from __future__ import annotations

from annotator.domain.link import Link
from annotator.store.projection import Column, Projection

PROJECTION = Projection(
    entity="link",
    record=Link,
    columns=(Column(name="scene", type=str, value=lambda r: r.scene),),
    indexes=(("scene", "n"),),
)
