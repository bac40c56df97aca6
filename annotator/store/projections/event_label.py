"""Projection of event labels."""

from __future__ import annotations

from annotator.domain.event_label import EventLabel
from annotator.store.projection import Column, Projection

PROJECTION = Projection(
    entity="event_label",
    record=EventLabel,
    columns=(
        Column(name="scene", type=str, value=lambda r: r.scene),
        Column(name="medium", type=str, value=lambda r: r.medium),
        Column(name="source", type=str, value=lambda r: r.source),
        Column(name="import_key", type=str, value=lambda r: r.import_key or None),
    ),
    indexes=(("scene", "n"), ("medium", "n"), ("import_key",)),
)
