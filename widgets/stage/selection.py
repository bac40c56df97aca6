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
    media, chosen = {canvas.medium for canvas in stage.canvases}, set(stage.selected)
    found: dict[str, Region] = {}
    for canvas in stage.canvases:
        # Most that are selected are on the screen, where they are looked up.
        found |= {one: region for one in chosen if (region := canvas.marks.region(one)) is not None}
    if chosen - found.keys() - {path.id for path in stage.shown.marks.paths}:
        regions = stage.shown.marks.regions
        found |= {one.id: one for one in regions if one.id in chosen and one.medium in media}
    return [found[one] for one in stage.selected if one in found]
