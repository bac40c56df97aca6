"""What is selected on a stage, as records."""

from __future__ import annotations

from typing import TYPE_CHECKING

from annotator.domain.region import Region

if TYPE_CHECKING:
    from widgets.stage.stage import Stage


def selected_regions(stage: Stage) -> list[Region]:
    """Return the regions that are selected, on whichever frame of a view they are."""
    if stage.shown is None or not stage.selected:
        return []
    media = {canvas.medium for canvas in stage.canvases}
    return [one for one in stage.shown.regions_by_id(stage.selected).values() if one.medium in media]
