"""Commands on proposed regions: they become regions when a person accepts or changes them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.commands.confirmation import confirm
from annotator.domain.event import REMOVED, Edit
from annotator.domain.region import Region
from annotator.errors import UserError
from annotator.progress import Progress
from annotator.store.reader import Reader


@dataclass(frozen=True, kw_only=True)
class AcceptProposals(Command):
    """Make proposals regions: from then on they are counted, released and drawn into images for models.

    Attributes:
        regions: Ids of the proposals; regions that are confirmed already stay as they are, and so do
            proposals of an object that is marked on their frame.
    """

    regions: tuple[str, ...]

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
        for region in accepted:
            progress.step()
            yield from confirm(region)


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
