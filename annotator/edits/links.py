"""Edits that join, shorten and remove the links of a scene."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

import msgspec

from annotator.domain.event import CREATED, REMOVED, Edit, edit_differences
from annotator.domain.link import Link
from annotator.domain.record import new_id
from annotator.domain.region import Region
from annotator.domain.scene import Scene
from annotator.edits.confirmation import confirm
from annotator.edits.link_flags import flag_links
from annotator.errors import UserError
from annotator.progress import Progress
from annotator.queries.reader import Reader


def same_links(reader: Reader, scene: str) -> list[Link]:
    """Return the links of a scene that say which regions show the same object."""
    return [link for link in reader.find(Link, scene=scene) if link.kind == "same"]


def links_with(regions: Iterable[str], links: Iterable[Link]) -> list[Link]:
    """Return the links that have one or more of some regions."""
    wanted = set(regions)
    return [link for link in links if not wanted.isdisjoint(link.regions)]


def join_regions(reader: Reader, scene: Scene, regions: Sequence[Region]) -> Iterator[Edit]:
    """Yield the one link of regions, merged with the links that share one of them, and its flag.

    Args:
        reader: The project before the command.
        scene: The scene.
        regions: The regions; the project need not have them yet.

    Raises:
        UserError: Fewer than two regions, a region outside the scene's views, or two regions of one view.
    """
    known = {region.id: region for region in regions}
    if len(known) < 2:
        raise UserError("A link needs two regions.", hint="Choose a region in another view as well.")
    touched = links_with(known, same_links(reader, scene.id))
    wanted = tuple(dict.fromkeys(chain(*(link.regions for link in touched), known)))
    members = [known.get(one) or reader.require(Region, one) for one in wanted]
    _require_one_a_view(members, scene=scene)
    for region in members:
        yield from confirm(region)
    if touched:
        # The oldest link is kept: references to its id, for instance in answer keys and drafts, stay valid.
        merged = msgspec.structs.replace(touched[0], regions=wanted)
        yield from edit_differences(touched[0], merged)
    else:
        merged = Link(id=new_id(), scene=scene.id, regions=wanted)
        yield Edit(entity="link", entity_id=merged.id, field=CREATED, value=merged)
    gone = [msgspec.structs.replace(link, regions=()) for link in touched[1:]]
    for link in gone:
        yield Edit(entity="link", entity_id=link.id, field=REMOVED, value=True)
    yield from flag_links(reader, scene, [merged, *gone], regions=known)


def join_groups(
    reader: Reader, scene: Scene, groups: Iterable[tuple[str, ...]], *, progress: Progress
) -> Iterator[Edit]:
    """Yield the link of each group of regions, as ``join_regions`` does; no link meets two of the groups.

    Args:
        reader: The project before the command.
        scene: The scene.
        groups: Ids of the regions of each link.
        progress: Counts the groups.
    """
    for group in groups:
        progress.step()
        edits = list(join_regions(reader, scene, [reader.require(Region, one) for one in group]))
        yield from edits
        if any(edit.entity == "scene" for edit in edits):
            # Reopened by this link: the others need not do it again.
            scene = msgspec.structs.replace(scene, state="open")


def links_without(reader: Reader, scene: Scene, regions: set[str]) -> Iterator[Edit]:
    """Yield the links of a scene without some regions, or their removal, and the changes of their flags."""
    changed: list[Link] = []
    for link in same_links(reader, scene.id):
        left = tuple(region for region in link.regions if region not in regions)
        if left != link.regions:
            changed.append(msgspec.structs.replace(link, regions=left))
            yield from shorten_link(link, left)
    yield from flag_links(reader, scene, changed)


def shorten_link(link: Link, left: tuple[str, ...]) -> Iterator[Edit]:
    """Yield the regions that a link keeps, or its removal where fewer than two are left."""
    if len(left) < 2:
        yield Edit(entity="link", entity_id=link.id, field=REMOVED, value=True)
    else:
        yield Edit(entity="link", entity_id=link.id, field="regions", value=left)


def _require_one_a_view(regions: Iterable[Region], *, scene: Scene) -> None:
    names = {view.medium: view.name for view in scene.views}
    seen: dict[tuple[str, int | None], int] = {}
    for region in regions:
        if region.medium not in names:
            raise UserError(f"Region {region.number} is in none of the views of {scene.name}.")
        # In a video an object has one region per frame, and one link may contain all of them.
        location = region.medium, region.frame
        if location in seen:
            raise UserError(
                f"Regions {seen[location]} and {region.number} are both in {names[region.medium]}.",
                hint="A link has one region of each view; unlink one of them first.",
            )
        seen[location] = region.number
