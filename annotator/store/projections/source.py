"""Projection of imported files."""

from __future__ import annotations

from annotator.domain.source import Source
from annotator.store.projection import Column, Projection

PROJECTION = Projection(
    entity="source",
    record=Source,
    columns=(
        Column(name="name", type=str, value=lambda r: r.name),
        Column(name="sha256", type=str, value=lambda r: r.sha256),
        Column(name="format", type=str, value=lambda r: r.format),
    ),
    indexes=(("sha256",),),
)
