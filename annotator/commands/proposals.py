"""Commands on proposed regions: they become regions when a person accepts or changes them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.domain.event import REMOVED, Edit
from annotator.domain.region import Region
from annotator.domain.scene import Scene
from annotator.edits.confirmation import confirm
from annotator.edits.links import join_groups, same_links
from annotator.errors import UserError
from annotator.progress import Progress
from annotator.queries.reader import Reader


@dataclass(frozen=True, kw_only=True)
class AcceptProposals(Command):
    """Make proposals regions: from then on they are counted, released and drawn into images for models.

    Attributes:
        regions: Ids of the proposals; regions that are confirmed already stay as they are, and so do
            proposals of an object that is marked on their frame.
        scene: Id of the scene in which they are accepted: there, proposals that were mapped from a region of
            another view are linked with it. "" links none.
    """

    regions: tuple[str, ...]
    scene: str = ""

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("accept_proposals", count=len(self.regions))

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the confirmation of each proposal.

        Raises:
            UserError: There is no such region, none of them is a proposal, or the objects of all of them are
                marked on their frames.
        """
        progress.begin(self.summary, total=len(self.regions))
        proposed = _proposals(reader, self.regions)
        accepted = list(_unmarked(reader, proposed))
        if not accepted:
            raise UserError(
                f"Region {proposed[0].number} is marked on this frame already.",
                hint="Refuse the proposal, or remove the region first.",
            )
        groups = self._groups(reader, accepted)
        linked = {region for group in groups for region in group}
        for region in accepted:
            progress.step()
            # A link confirms its regions itself.
            if region.id not in linked:
                yield from confirm(region)
        if groups:
            yield from join_groups(reader, reader.require(Scene, self.scene), groups, progress=progress)

    def _groups(self, reader: Reader, accepted: Sequence[Region]) -> list[tuple[str, ...]]:
        """Return the regions that show one object: each source with what was mapped from it and its link."""
        scene = reader.get(Scene, self.scene) if self.scene else None
        if scene is None:
            return []
        groups: dict[tuple[str, ...], list[Region]] = {}
        for region, known in _with_sources(reader, accepted, scene=scene):
            group = groups.setdefault(known, [reader.require(Region, one) for one in known])
            # A link has one region of each view and frame: of two, the first is linked.
            if all((one.medium, one.frame) != (region.medium, region.frame) for one in group):
                group.append(region)
        return [tuple(one.id for one in group) for known, group in groups.items() if len(group) > len(known)]


@dataclass(frozen=True, kw_only=True)
class RefuseProposals(Command):
    """Remove proposals. A run that makes the same proposal again does not bring it back.

    Attributes:
        regions: Ids of the proposals; confirmed regions stay as they are.
    """

    regions: tuple[str, ...]

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("refuse_proposals", count=len(self.regions))

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the removal of each proposal.

        Raises:
            UserError: There is no such region, or none of them is a proposal.
        """
        progress.begin(self.summary, total=len(self.regions))
        for region in _proposals(reader, self.regions):
            progress.step()
            yield Edit(entity="region", entity_id=region.id, field=REMOVED, value=True)


def _proposals(reader: Reader, ids: tuple[str, ...]) -> list[Region]:
    """Return the regions of some ids that are proposals.

    Raises:
        UserError: There is no such region, or none of them is a proposal.
    """
    if not ids:
        raise UserError(
            "There are no proposals in view.",
            hint="Proposals come from a detection run, a tracker or a segmenter.",
        )
    found = [reader.require(Region, region_id) for region_id in ids]
    proposed = [region for region in found if region.is_proposed]
    if not proposed:
        raise UserError(
            "None of these regions is a proposal.",
            hint="Select a dashed region: it is proposed until it is accepted.",
        )
    return proposed


def _with_sources(
    reader: Reader, regions: Iterable[Region], *, scene: Scene
) -> Iterator[tuple[Region, tuple[str, ...]]]:
    """Yield the regions that were mapped from another, each with that one and all that are linked with it."""
    links = {region: link.regions for link in same_links(reader, scene.id) for region in link.regions}
    for region in regions:
        source = _source(reader, region, scene=scene)
        if source is not None:
            yield region, links.get(source.id, (source.id,))


def _source(reader: Reader, region: Region, *, scene: Scene) -> Region | None:
    """Return the confirmed region from which one was mapped, None unless both are in views of the scene."""
    source = reader.get(Region, region.mapped_from) if region.mapped_from else None
    views = {view.medium for view in scene.views}
    is_known = source is not None and not source.is_proposed and {source.medium, region.medium} <= views
    return source if is_known else None


def _unmarked(reader: Reader, proposals: Iterable[Region]) -> Iterator[Region]:
    """Yield the proposals whose object is not marked on their frame, the first of several alike."""
    taken: dict[tuple[str, int], set[int | None]] = {}
    for region in proposals:
        track = region.medium, region.number
        if track not in taken:
            known = reader.find(Region, medium=region.medium, number=region.number)
            taken[track] = {one.frame for one in known}
        if region.frame not in taken[track]:
            taken[track].add(region.frame)
            yield region
