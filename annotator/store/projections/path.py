"""Projection of drawn paths."""

from __future__ import annotations

from annotator.domain.path import Path
from annotator.store.projection import Column, Projection

PROJECTION = Projection(
    entity="path",
    record=Path,
    columns=(
        Column(name="medium", type=str, value=lambda r: r.medium),
        Column(name="import_key", type=str, value=lambda r: r.import_key or None),
    ),
    indexes=(("medium", "n"), ("import_key",)),
)
