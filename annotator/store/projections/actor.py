"""Projection of actors: people and workers."""

from __future__ import annotations

from annotator.domain.actor import Actor
from annotator.store.projection import Projection

PROJECTION = Projection(
    entity="actor",
    record=Actor,
)
