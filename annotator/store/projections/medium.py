"""Projection of media."""

from __future__ import annotations

from annotator.domain.medium import Medium
from annotator.store.projection import Column, Projection

PROJECTION = Projection(
    entity="medium",
    record=Medium,
    columns=(
        Column(name="name", type=str, value=lambda r: r.name),
        Column(name="dataset", type=str, value=lambda r: r.dataset),
        Column(name="kind", type=str, value=lambda r: r.kind),
        Column(name="sha256", type=str, value=lambda r: r.sha256),
    ),
    indexes=(("name", "dataset"), ("sha256",)),
)
