"""The command that stores what a tracker found: proposals of the same objects on the following frames."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.commands.regions import clip_to_image, moved_outline
from annotator.domain.event import CREATED, REMOVED, Edit
from annotator.domain.medium import Medium
from annotator.domain.record import ANY, new_id
from annotator.domain.region import Box, Region
from annotator.errors import UserError
from annotator.progress import Progress
from annotator.queries.reader import Reader

TRACKER = "tracker"
"""Maker of regions that were tracked from frame to frame."""
Scored = tuple[Box, float]


@dataclass(frozen=True, kw_only=True)
class ProposeTrackedRegions(Command):
    """Propose regions on the frames after those on which they are marked.

    A frame on which the object is marked already keeps its region; a proposal there is replaced. Frames on
    which the tracker follows the object out of the image get none.

    Attributes:
        tracks: Box and confidence, 0..1, on each following frame, by the id of the region.
    """

    tracks: Mapping[str, tuple[Scored, ...]]

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("propose_tracked", count=len(self.tracks))

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the proposals, and the removal of those that they replace.

        Raises:
            UserError: There is no region to track, or one of them is gone or of a still image.
        """
        if not self.tracks:
            raise UserError(
                "There is no box on this frame to track.", hint="Draw a box, or go to a frame with one."
            )
        progress.begin(self.summary, total=len(self.tracks))
        for region_id, boxes in self.tracks.items():
            progress.step()
            yield from _propose(reader, reader.require(Region, region_id), boxes)


def _propose(reader: Reader, region: Region, boxes: tuple[Scored, ...]) -> Iterator[Edit]:
    if region.frame is None:
        raise UserError(f"Region {region.number} is in a still image, which has no other frames.")
    medium = reader.require(Medium, region.medium)
    known = reader.find(Region, medium=region.medium, number=region.number, is_proposed=ANY)
    marked = {one.frame: one for one in known}
    for frame, (box, confidence) in enumerate(boxes, start=region.frame + 1):
        before = marked.get(frame)
        if before is not None and not before.is_proposed:
            continue
        if before is not None:
            yield Edit(entity="region", entity_id=before.id, field=REMOVED, value=True)
        try:
            clipped = clip_to_image(box, medium=medium)
        except UserError:
            continue
        made = Region(
            id=new_id(),
            medium=region.medium,
            number=region.number,
            box=clipped,
            polygon=moved_outline(region.polygon, before=region.box, after=clipped),
            frame=frame,
            category=region.category,
            score=round(confidence, 3),
            made_by=TRACKER,
            track=region.track,
            is_proposed=True,
        )
        yield Edit(entity="region", entity_id=made.id, field=CREATED, value=made)
