"""Commands on values of regions: category, visibility, state, lock and abnormal events."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.domain.event import Edit
from annotator.domain.region import Region, RegionState
from annotator.edits.confirmation import confirm
from annotator.errors import UserError
from annotator.progress import Progress
from annotator.queries.reader import Reader


@dataclass(frozen=True, kw_only=True)
class SetCategory(Command):
    """Set the category of regions.

    Attributes:
        regions: Ids of the regions.
        category: The category, "" if unknown; never shown to models.
    """

    regions: tuple[str, ...]
    category: str

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        name, count = self.category.strip(), len(self.regions)
        if not name:
            return CommandSummary.of("clear_category", count=count)
        return CommandSummary.of("set_category", name=name, count=count)

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the category of each region whose category differs.

        Raises:
            UserError: There is no such region.
        """
        progress.begin(self.summary, total=len(self.regions))
        category = " ".join(self.category.split())
        for region_id in self.regions:
            progress.step()
            region = reader.require(Region, region_id)
            if region.category != category:
                yield from confirm(region)
                yield Edit(entity="region", entity_id=region_id, field="category", value=category)


@dataclass(frozen=True, kw_only=True)
class LockRegions(Command):
    """Lock regions against moving, reshaping and removal, or unlock them.

    Attributes:
        regions: Ids of the regions.
        is_locked: Whether they become locked.
    """

    regions: tuple[str, ...]
    is_locked: bool

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        code = "lock_regions" if self.is_locked else "unlock_regions"
        return CommandSummary.of(code, count=len(self.regions))

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the lock of each region whose lock differs.

        Raises:
            UserError: There is no such region.
        """
        yield from _set_switch(self, "is_locked", is_on=self.is_locked, reader=reader, progress=progress)


@dataclass(frozen=True, kw_only=True)
class MarkAbnormal(Command):
    """Mark regions in which something abnormal happens, or remove the mark.

    Attributes:
        regions: Ids of the regions.
        is_abnormal: Whether they become marked.
    """

    regions: tuple[str, ...]
    is_abnormal: bool

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        code = "mark_abnormal" if self.is_abnormal else "unmark_abnormal"
        return CommandSummary.of(code, count=len(self.regions))

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the mark of each region whose mark differs.

        Raises:
            UserError: There is no such region.
        """
        yield from _set_switch(self, "is_abnormal", is_on=self.is_abnormal, reader=reader, progress=progress)


def _set_switch(
    command: LockRegions | MarkAbnormal, field: str, *, is_on: bool, reader: Reader, progress: Progress
) -> Iterator[Edit]:
    """Yield the value of a switch of each region in which it differs."""
    progress.begin(command.summary, total=len(command.regions))
    for region_id in command.regions:
        progress.step()
        region = reader.require(Region, region_id)
        if getattr(region, field) != is_on:
            yield from confirm(region)
            yield Edit(entity="region", entity_id=region_id, field=field, value=is_on)


@dataclass(frozen=True, kw_only=True)
class SetVisible(Command):
    """Set the visible share of an object.

    Attributes:
        region: Id of the region.
        visible: Visible share, 0..1, None if unknown.
    """

    region: str
    visible: float | None

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("set_visible")

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the share, or nothing if it is unchanged.

        Raises:
            UserError: There is no such region, or the share is not between 0 and 1.
        """
        progress.begin(self.summary, total=1)
        if self.visible is not None and not 0 <= self.visible <= 1:
            raise UserError("The visible part is not between 0 and 100 percent.", hint="Enter 0 to 100.")
        region = reader.require(Region, self.region)
        if region.visible != self.visible:
            yield from confirm(region)
            yield Edit(entity="region", entity_id=self.region, field="visible", value=self.visible)


@dataclass(frozen=True, kw_only=True)
class SetRegionState(Command):
    """Set whether the views show the objects of regions.

    Attributes:
        regions: Ids of the regions.
        state: The state of all of them.
    """

    regions: tuple[str, ...]
    state: RegionState

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of(f"state_{self.state}", count=len(self.regions))

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the state of each region whose state differs.

        Raises:
            UserError: There is no such region.
        """
        progress.begin(self.summary, total=len(self.regions))
        for region_id in self.regions:
            progress.step()
            region = reader.require(Region, region_id)
            if region.state != self.state:
                yield from confirm(region)
                yield Edit(entity="region", entity_id=region_id, field="state", value=self.state)
