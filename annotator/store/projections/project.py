"""Projection of the project's own record."""

from __future__ import annotations

from annotator.domain.project import Project
from annotator.store.projection import Projection

PROJECTION = Projection(
    entity="project",
    record=Project,
)
