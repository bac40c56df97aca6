"""Projection of releases."""

from __future__ import annotations

from annotator.domain.release import Release
from annotator.store.projection import Column, Projection

PROJECTION = Projection(
    entity="release",
    record=Release,
    columns=(
        Column(name="name", type=str, value=lambda r: r.name),
        Column(name="sha256", type=str, value=lambda r: r.sha256),
    ),
    indexes=(("sha256",),),
)
