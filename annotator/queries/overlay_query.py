"""Reads the regions, paths and links of a medium for the renderers."""

from __future__ import annotations

from annotator.domain.link import Link
from annotator.domain.medium import Medium
from annotator.domain.polyline import Polyline
from annotator.domain.region import Region
from annotator.media.render import Overlay
from annotator.queries.reader import Reader


def read_overlay(reader: Reader, *, medium: str) -> Overlay:
    """Return the regions and paths of a medium in all its frames, with all links of the scenes that show it.

    Proposals are no regions yet, and no renderer gets them.

    All links, not only those of its own regions: the colour of a link is the same in every view of a scene.

    Args:
        reader: The project.
        medium: Id of the medium.
    """
    known = reader.get(Medium, medium)
    scenes = reader.scenes.showing(medium)
    links = (one for scene in scenes for one in reader.find(Link, scene=scene))
    return Overlay(
        regions=tuple(reader.find(Region, medium=medium)),
        paths=tuple(reader.find(Polyline, medium=medium)),
        links=tuple(links),
        is_map=known is not None and known.media_type == "map",
    )
