"""Commands on links between regions of different views."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import msgspec

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.domain.event import CREATED, Edit
from annotator.domain.link import Link
from annotator.domain.record import new_id
from annotator.domain.region import Region
from annotator.domain.scene import Scene
from annotator.edits.link_flags import flag_links
from annotator.edits.links import (
    join_groups,
    join_regions,
    links_with,
    links_without,
    same_links,
    shorten_link,
)
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
        groups = _groups_by_link(self.groups, same_links(reader, scene.id))
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
        link = self._link(reader)
        left = tuple(one for one in link.regions if one not in wanted)
        if not left:
            raise UserError(
                "All regions of the link are selected.", hint="Select only those that show another object."
            )
        parts = [msgspec.structs.replace(link, regions=left)]
        yield from shorten_link(link, left)
        if len(wanted) > 1:
            taken = tuple(one for one in link.regions if one in wanted)
            parts.append(Link(id=new_id(), scene=scene.id, regions=taken))
            yield Edit(entity="link", entity_id=parts[1].id, field=CREATED, value=parts[1])
        yield from flag_links(reader, scene, parts)

    def _link(self, reader: Reader) -> Link:
        wanted = set(self.regions)
        links = (link for link in same_links(reader, self.scene) if wanted and wanted <= set(link.regions))
        if (found := next(links, None)) is None:
            raise UserError(
                "The selected regions are not in one link.",
                hint="Select regions that are linked with each other.",
            )
        return found


def _groups_by_link(groups: Iterable[tuple[str, ...]], links: Sequence[Link]) -> list[tuple[str, ...]]:
    """Return groups of regions, those that one existing link brings together as one."""
    # The reader shows the project before the command: of two plans for one link, the last would win.
    joined: list[tuple[set[str], tuple[str, ...]]] = []
    for group in groups:
        reach = set(group).union(*(link.regions for link in links_with(group, links)))
        meeting = [other for other in joined if not reach.isdisjoint(other[0])]
        joined = [other for other in joined if reach.isdisjoint(other[0])]
        regions = tuple(chain(*(one for _, one in meeting), group))
        joined.append((reach.union(*(other for other, _ in meeting)), regions))
    return [regions for _, regions in joined]
