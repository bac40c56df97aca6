"""Projection of trajectories."""

from __future__ import annotations

from annotator.domain.trajectory import Trajectory
from annotator.store.projection import Column, Projection

PROJECTION = Projection(
    entity="trajectory",
    record=Trajectory,
    columns=(Column(name="scene", type=str, value=lambda r: r.scene),),
    indexes=(("scene", "n"),),
)
