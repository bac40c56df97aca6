"""Commands on links between regions of different views."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import msgspec

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.domain.event import CREATED, REMOVED, Edit
from annotator.domain.link import Link
from annotator.domain.record import new_id
from annotator.domain.region import Region
from annotator.domain.scene import Scene
from annotator.edits.confirmation import confirm
from annotator.edits.link_flags import flag_links
from annotator.errors import UserError
from annotator.progress import Progress
from annotator.queries.reader import Reader


@dataclass(frozen=True, kw_only=True)
class LinkRegions(Command):
    """Link regions of different views that show one object; links that share a region are merged.

    Attributes:
        scene: Id of the scene.
        regions: Ids of two or more regions.
    """

    scene: str
    regions: tuple[str, ...]

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("link_regions", count=len(self.regions))

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the one link of all of them, the removal of merged links, and the flag of a mismatch.

        Raises:
            UserError: Fewer than two regions, an unknown region, a region outside the scene's views, or two
                regions of one view, including those already linked.
        """
        progress.begin(self.summary, total=1)
        scene = reader.require(Scene, self.scene)
        yield from join_regions(reader, scene, [reader.require(Region, one) for one in self.regions])


@dataclass(frozen=True, kw_only=True)
class MakeLinks(Command):
    """Make several links at once, as from typed numbers; links that share a region are merged.

    Attributes:
        scene: Id of the scene.
        groups: Ids of the regions of each link.
    """

    scene: str
    groups: tuple[tuple[str, ...], ...]

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("make_links", count=len(self.groups))

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the links.

        Raises:
            UserError: As for ``LinkRegions``; or a region is in two of the groups.
        """
        progress.begin(self.summary, total=len(self.groups))
        scene = reader.require(Scene, self.scene)
        named = [region for group in self.groups for region in group]
        if len(set(named)) < len(named):
            raise UserError("A region is in two of the links.", hint="Type each region once.")
        groups = _groups_by_link(self.groups, same_links(reader, scene))
        yield from join_groups(reader, scene, groups, progress=progress)


@dataclass(frozen=True, kw_only=True)
class UnlinkRegions(Command):
    """Remove regions from their links.

    Attributes:
        scene: Id of the scene.
        regions: Ids of the regions to remove from their links.
    """

    scene: str
    regions: tuple[str, ...]

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("unlink_regions", count=len(self.regions))

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the remaining links; a link with one remaining region is removed.

        Raises:
            UserError: There is no such scene, or none of the regions is linked.
        """
        progress.begin(self.summary, total=1)
        scene = reader.require(Scene, self.scene)
        edits = list(links_without(reader, scene, set(self.regions)))
        if not edits:
            raise UserError("None of these regions is linked.", hint="Choose a linked region.")
        yield from edits


@dataclass(frozen=True, kw_only=True)
class SplitLink(Command):
    """Divide a link of several views: some of its regions become a link of their own.

    Attributes:
        scene: Id of the scene.
        regions: Ids of the regions that leave the link together.
    """

    scene: str
    regions: tuple[str, ...]

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("split_link")

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield both parts; a part with one region is no link.

        Raises:
            UserError: The regions are not in one link, or they are all of its regions.
        """
        progress.begin(self.summary, total=1)
        scene, wanted = reader.require(Scene, self.scene), set(self.regions)
        link = next((one for one in same_links(reader, scene) if wanted and wanted <= set(one.regions)), None)
        if link is None:
            raise UserError(
                "The selected regions are not in one link.",
                hint="Select regions that are linked with each other.",
            )
        left = tuple(one for one in link.regions if one not in wanted)
        if not left:
            raise UserError(
                "All regions of the link are selected.", hint="Select only those that show another object."
            )
        parts = [msgspec.structs.replace(link, regions=left)]
        yield from _shortened(link, left)
        if len(wanted) > 1:
            taken = tuple(one for one in link.regions if one in wanted)
            parts.append(Link(id=new_id(), scene=scene.id, regions=taken))
            yield Edit(entity="link", entity_id=parts[1].id, field=CREATED, value=parts[1])
        yield from flag_links(reader, scene, parts)


def same_links(reader: Reader, scene: Scene) -> list[Link]:
    """Return the links of a scene that say which regions show the same object."""
    return [link for link in reader.find(Link, scene=scene.id) if link.kind == "same"]


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
    touched = [link for link in same_links(reader, scene) if known.keys() & set(link.regions)]
    linked = (region for link in touched for region in link.regions)
    wanted = tuple(dict.fromkeys((*linked, *known)))
    members = [known.get(one) or reader.require(Region, one) for one in wanted]
    _require_one_a_view(members, scene=scene)
    for region in members:
        yield from confirm(region)
    if not touched:
        link = Link(id=new_id(), scene=scene.id, regions=wanted)
        yield Edit(entity="link", entity_id=link.id, field=CREATED, value=link)
        yield from flag_links(reader, scene, [link], regions=known)
        return
    # The oldest link is kept: references to its id, for instance in answer keys and drafts, stay valid.
    first, *others = touched
    if first.regions != wanted:
        yield Edit(entity="link", entity_id=first.id, field="regions", value=wanted)
    for link in others:
        yield Edit(entity="link", entity_id=link.id, field=REMOVED, value=True)
    gone = [msgspec.structs.replace(link, regions=()) for link in others]
    merged = msgspec.structs.replace(first, regions=wanted)
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
    for link in same_links(reader, scene):
        left = tuple(region for region in link.regions if region not in regions)
        if left != link.regions:
            changed.append(msgspec.structs.replace(link, regions=left))
            yield from _shortened(link, left)
    yield from flag_links(reader, scene, changed)


def _groups_by_link(groups: Iterable[tuple[str, ...]], links: Sequence[Link]) -> list[tuple[str, ...]]:
    """Return groups of regions, those that one existing link brings together as one."""
    # The reader shows the project before the command: of two plans for one link, the last would win.
    joined: list[tuple[set[str], tuple[str, ...]]] = []
    for group in groups:
        reach = set(group).union(*(link.regions for link in links if not set(group).isdisjoint(link.regions)))
        meeting = [other for other in joined if not reach.isdisjoint(other[0])]
        joined = [other for other in joined if reach.isdisjoint(other[0])]
        regions = tuple(region for _, one in meeting for region in one) + group
        joined.append((reach.union(*(other for other, _ in meeting)), regions))
    return [regions for _, regions in joined]


def _shortened(link: Link, left: tuple[str, ...]) -> Iterator[Edit]:
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
