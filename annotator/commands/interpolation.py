"""The command that stores the interpolated boxes of tracks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.domain.event import CREATED, Edit
from annotator.domain.record import new_id
from annotator.domain.region import Region
from annotator.domain.tracks import frames_between, gaps_of, interpolate_gap, track_of
from annotator.edits.confirmation import replaced_proposals
from annotator.errors import UserError
from annotator.progress import Progress
from annotator.queries.reader import Reader

MOST_BOXES = 20_000
"""Upper limit of boxes per command: a longer gap is more likely a mistake than a track."""


@dataclass(frozen=True, kw_only=True)
class InterpolateTracks(Command):
    """Mark objects on the frames between those on which they are marked; proposals there are replaced.

    Attributes:
        regions: Id of one region of each track.
    """

    regions: tuple[str, ...]

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("interpolate_tracks", count=len(self.regions))

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield a region for each frame between two regions of a track, and the removal of proposals there.

        Raises:
            UserError: There is no such region, no frame lies between two of them, or too many do.
        """
        tracks: dict[tuple[str, int], list[tuple[Region, Region]]] = {}
        for region_id in self.regions:
            region = reader.require(Region, region_id)
            known = reader.find(Region, medium=region.medium, number=region.number)
            tracks[region.medium, region.number] = gaps_of(track_of(region, known))
        count = sum(frames_between(gaps) for gaps in tracks.values())
        if not count:
            raise UserError(
                "No frame lies between two boxes of the track.",
                hint="Copy the region to a later frame and move it there first.",
            )
        if count > MOST_BOXES:
            raise UserError(
                f"{count:,} frames lie between the boxes of the track; the limit is {MOST_BOXES:,}.",
                hint="Mark the object on more frames, or interpolate fewer tracks at a time.",
            )
        progress.begin(self.summary, total=count)
        made: list[Region] = []
        for before, after in (gap for gaps in tracks.values() for gap in gaps):
            for between in interpolate_gap(before, after):
                progress.step()
                made.append(msgspec.structs.replace(between, id=new_id()))
                yield Edit(entity="region", entity_id=made[-1].id, field=CREATED, value=made[-1])
        yield from replaced_proposals(reader, made)
