"""The command that marks where an object of one view is hidden in another view."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.commands.regions import clip_to_image
from annotator.domain.event import CREATED, Edit
from annotator.domain.medium import Medium
from annotator.domain.record import new_id
from annotator.domain.region import Box, Region
from annotator.domain.scene import Scene
from annotator.edits.links import join_regions
from annotator.errors import UserError
from annotator.progress import Progress
from annotator.queries.reader import Reader
from annotator.queries.region_numbers import RegionNumbers


@dataclass(frozen=True, kw_only=True)
class MarkHiddenPlace(Command):
    """Mark the place where an object that one view shows is hidden in another view.

    The place becomes a region in the state ``occluded``, linked with the visible one.

    Attributes:
        scene: Id of the scene.
        region: Id of the region that shows the object.
        medium: Id of the medium in which it is hidden.
        box: The place, image pixels; clipped to the image if its size is known.
        frame: Frame number in presentation order for videos, None for stills.
        id: Id of the new region.
    """

    scene: str
    region: str
    medium: str
    box: Box
    frame: int | None = None
    id: str = field(default_factory=new_id)

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("mark_hidden_place")

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the region of the place, and its link.

        Raises:
            UserError: A record is unknown, the place is outside the image or in the same view, or the view
                has a linked region of the object already.
        """
        progress.begin(self.summary, total=1)
        scene, shown = reader.require(Scene, self.scene), reader.require(Region, self.region)
        if shown.medium == self.medium:
            raise UserError(
                "The hidden place is in the view that shows the object.",
                hint="Draw the place in another view.",
            )
        region = Region(
            id=self.id,
            medium=self.medium,
            number=RegionNumbers(reader).number_of(self.medium, track=""),
            box=clip_to_image(self.box, medium=reader.require(Medium, self.medium)),
            frame=self.frame,
            category=shown.category,
            state="occluded",
        )
        yield Edit(entity="region", entity_id=region.id, field=CREATED, value=region)
        yield from join_regions(reader, scene, [shown, region])
