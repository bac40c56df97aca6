"""Projection of regions."""

from __future__ import annotations

from annotator.domain.region import Region
from annotator.store.projection import Column, Projection

PROJECTION = Projection(
    entity="region",
    record=Region,
    columns=(
        Column(name="medium", type=str, value=lambda r: r.medium),
        Column(name="number", type=int, value=lambda r: r.number),
        Column(name="import_key", type=str, value=lambda r: r.import_key or None),
    ),
    indexes=(("medium", "n"), ("medium", "number"), ("import_key",)),
)
