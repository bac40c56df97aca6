"""Commands on the regions of top-view maps: which are rooms, and how high objects are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.domain.event import Edit
from annotator.domain.region import Region
from annotator.errors import UserError
from annotator.progress import Progress
from annotator.queries.reader import Reader

HIGHEST_M = 1000.0
"""No object on a map is higher."""


@dataclass(frozen=True, kw_only=True)
class MarkRooms(Command):
    """Mark regions of a map as rooms, whose category is their kind, or as objects.

    Attributes:
        regions: Ids of the regions.
        is_room: Whether they become rooms.
    """

    regions: tuple[str, ...]
    is_room: bool

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("mark_rooms" if self.is_room else "mark_objects", count=len(self.regions))

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the change of each region that is not marked so; a room has no height.

        Raises:
            UserError: There is no such region.
        """
        progress.begin(self.summary, total=len(self.regions))
        for region_id in self.regions:
            progress.step()
            region = reader.require(Region, region_id)
            if region.is_room != self.is_room:
                yield Edit(entity="region", entity_id=region_id, field="is_room", value=self.is_room)
                if self.is_room and region.height_m is not None:
                    yield Edit(entity="region", entity_id=region_id, field="height_m", value=None)


@dataclass(frozen=True, kw_only=True)
class SetHeight(Command):
    """Set the height of an object on a map.

    Attributes:
        region: Id of the region.
        height_m: Height of its top above the floor in metres, None if unknown.
    """

    region: str
    height_m: float | None

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("set_height")

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the height, or nothing if it is unchanged.

        Raises:
            UserError: There is no such region, it is a room, or the height is not possible.
        """
        progress.begin(self.summary, total=1)
        region = reader.require(Region, self.region)
        # Not a number is not between them either.
        if self.height_m is not None and not 0 <= self.height_m <= HIGHEST_M:
            raise UserError(
                f"A height must be between 0 and {HIGHEST_M:,.0f} metres.",
                hint="Enter it in metres, for example 0.75.",
            )
        if region.is_room and self.height_m is not None:
            raise UserError("A room has no height.", hint="Mark the region as an object first.")
        if region.height_m != self.height_m:
            yield Edit(entity="region", entity_id=self.region, field="height_m", value=self.height_m)
