"""The selected records of a stage."""

from __future__ import annotations

from typing import TYPE_CHECKING

from annotator.domain.region import Region

if TYPE_CHECKING:
    from widgets.stage.stage import Stage


def selected_regions(stage: Stage) -> list[Region]:
    """Return the selected regions, on any frame."""
    if stage.shown is None or not stage.selected:
        return []
    media = {canvas.medium for canvas in stage.canvases}
    return [one for one in stage.shown.regions_by_id(stage.selected).values() if one.medium in media]
