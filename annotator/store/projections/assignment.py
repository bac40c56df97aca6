"""Projection of assignments."""

from __future__ import annotations

from annotator.domain.assignment import Assignment
from annotator.store.projection import Column, Projection

PROJECTION = Projection(
    entity="assignment",
    record=Assignment,
    columns=(
        Column(name="target", type=str, value=lambda r: r.target),
        Column(name="person", type=str, value=lambda r: r.person),
    ),
    indexes=(("person", "n"), ("target", "n")),
)
