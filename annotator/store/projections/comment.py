"""Projection of comments."""

from __future__ import annotations

from annotator.domain.comment import Comment
from annotator.store.projection import Column, Projection

PROJECTION = Projection(
    entity="comment",
    record=Comment,
    columns=(Column(name="target", type=str, value=lambda r: r.target),),
    indexes=(("target", "n"),),
)
