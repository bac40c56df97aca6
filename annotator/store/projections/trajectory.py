"""Projection of trajectories."""

from __future__ import annotations

from annotator.domain.trajectory import Trajectory
from annotator.store.projection import Column, Projection

PROJECTION = Projection(
    entity="trajectory",
    record=Trajectory,
    columns=(
        Column(name="scene", type=str, value=lambda r: r.scene),
        Column(name="import_key", type=str, value=lambda r: r.import_key or None),
    ),
    indexes=(("scene", "n"), ("import_key",)),
)
