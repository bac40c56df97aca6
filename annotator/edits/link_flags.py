"""Raises and clears the flags of links that do not agree with the geometry of their views."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import msgspec

from annotator.domain.event import Edit, edit_fields
from annotator.domain.flag import Flag
from annotator.domain.link import Link
from annotator.domain.region import Box, Region
from annotator.domain.scene import Scene
from annotator.edits.check_flags import RAISED_BY, made_flag
from annotator.edits.scene_reopening import reopened
from annotator.quality.check import CheckHit
from annotator.quality.checks.links import LinkMismatch
from annotator.quality.link_mismatch import KIND, mismatch_message, scene_geometry
from annotator.queries.reader import Reader

GONE = "The link matches the geometry of its views, or was removed."


def flag_links(
    reader: Reader, scene: Scene, links: Iterable[Link], *, regions: Mapping[str, Region] | None = None
) -> Iterator[Edit]:
    """Yield the flags that links get, and the resolution of those that no longer apply.

    A finished scene is reopened if its links change or one of them gets a flag.

    Args:
        reader: The project before the command.
        scene: The scene of the links as the command leaves it.
        links: The links as the command leaves them; one with fewer than two regions is removed.
        regions: Regions that the command makes or changes, by their ids, as it leaves them.
    """
    geometry, limit = scene_geometry(reader, scene), reader.project.link_limit
    has_news = False
    for link in links:
        has_news |= reader.get(Link, link.id) != link
        # Without a known geometry there is no mismatch, and an earlier flag no longer applies.
        message = ""
        if geometry is not None and link.kind == "same":
            shown = _regions_of(link, reader, known=regions or {})
            message = mismatch_message(shown, geometry, limit=limit, scene=scene)
        for edit in _flagged(reader, link.id, message):
            has_news |= bool(message)
            yield edit
    if has_news:
        yield from reopened(scene)


def flag_moved_links(reader: Reader, boxes: Mapping[str, Box]) -> Iterator[Edit]:
    """Yield the changes of the flags on the links of regions that get other boxes.

    Args:
        reader: The project before the command.
        boxes: The new box by the id of the region.
    """
    found = (reader.get(Region, region) for region in boxes)
    regions = {one.id: msgspec.structs.replace(one, box=boxes[one.id]) for one in found if one is not None}
    for scene in _scenes_of(reader, regions.values()):
        links = [link for link in reader.find(Link, scene=scene.id) if regions.keys() & set(link.regions)]
        yield from flag_links(reader, scene, links, regions=regions)


def _regions_of(link: Link, reader: Reader, *, known: Mapping[str, Region]) -> list[Region]:
    found = (known.get(one) or reader.get(Region, one) for one in link.regions)
    return [region for region in found if region is not None]


def _scenes_of(reader: Reader, regions: Iterable[Region]) -> Iterator[Scene]:
    for scene in reader.scenes.showing_any(region.medium for region in regions):
        found = reader.get(Scene, scene)
        # Scenes of one view have no links, and are the most.
        if found is not None and len(found.views) > 1:
            yield found


def _flagged(reader: Reader, link: str, message: str) -> Iterator[Edit]:
    """Yield the edits after which a link has an open flag with a message, or none for ""."""
    flag = next(
        (one for one in reader.flags_of(link) if (one.kind, one.raised_by) == (KIND, RAISED_BY)), None
    )
    if not message:
        if flag is not None and flag.state == "open":
            yield from edit_fields(flag, state="resolved", resolution=GONE)
    elif flag is None:
        hit = CheckHit(message=message, field="regions")
        yield made_flag(LinkMismatch().finding(hit, entity="link", target=link))
    elif _is_news(flag, message):
        yield from edit_fields(flag, message=message, state="open", resolution="")


def _is_news(flag: Flag, message: str) -> bool:
    """Return whether a message is not what the flag says already, or what somebody dismissed."""
    return flag.message != message or flag.state == "resolved"
