"""Commands on paths: the fan of directions, and labels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.domain.event import CREATED, Edit
from annotator.domain.medium import Medium
from annotator.domain.polyline import Polyline
from annotator.domain.record import new_id
from annotator.errors import UserError
from annotator.media.path_drawing import DIRECTIONS_DEG, direction_points
from annotator.progress import Progress
from annotator.queries.reader import Reader


@dataclass(frozen=True, kw_only=True)
class AddDirectionArrows(Command):
    """Draw the six numbered direction arrows of SpatialUAV's path planning into an image.

    Attributes:
        medium: Id of the medium.
        frame: Frame number in presentation order for videos, None for stills.
        ids: Ids of the arrows, in order of their numbers.
    """

    medium: str
    frame: int | None = None
    ids: tuple[str, ...] = field(default_factory=lambda: tuple(new_id() for _ in DIRECTIONS_DEG))

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("add_direction_arrows")

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the six arrows.

        Raises:
            UserError: There is no such medium, its size is unknown, or it has direction arrows already.
        """
        progress.begin(self.summary, total=1)
        medium = reader.require(Medium, self.medium)
        if not (medium.width_px and medium.height_px):
            raise UserError(f"The size of {medium.name} is unknown.", hint="Import the image first.")
        known = reader.find(Polyline, medium=self.medium)
        if any(path.style == "direction" and path.frame == self.frame for path in known):
            raise UserError("The image already has direction arrows.", hint="Delete them to draw them again.")
        arrows = zip(self.ids, direction_points(medium.width_px, medium.height_px), strict=True)
        for number, (path_id, points) in enumerate(arrows, start=1):
            arrow = Polyline(
                id=path_id,
                medium=self.medium,
                points=points,
                label=f"Direction {number}",
                style="direction",
                frame=self.frame,
            )
            yield Edit(entity="path", entity_id=arrow.id, field=CREATED, value=arrow)


@dataclass(frozen=True, kw_only=True)
class LabelPath(Command):
    """Give a path a label.

    Attributes:
        path: Id of the path.
        label_text: ``Direction 3`` and the like, "" for none.
    """

    path: str
    label_text: str

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("label_path")

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the label, or nothing if it is unchanged.

        Raises:
            UserError: There is no such path, or it is a direction arrow.
        """
        progress.begin(self.summary, total=1)
        path, text = reader.require(Polyline, self.path), " ".join(self.label_text.split())
        if path.style == "direction":
            raise UserError(
                "The number of a direction arrow follows from its angle.", hint="Label a path instead."
            )
        if path.label != text:
            yield Edit(entity="path", entity_id=path.id, field="label", value=text)
