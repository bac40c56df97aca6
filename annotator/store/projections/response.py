"""Projection of people's independent answers."""

from __future__ import annotations

from annotator.domain.response import Response
from annotator.store.projection import Column, Projection

PROJECTION = Projection(
    entity="response",
    record=Response,
    columns=(
        Column(name="item", type=str, value=lambda r: r.item),
        Column(name="person", type=str, value=lambda r: r.person),
    ),
    indexes=(("item", "n"),),
)
