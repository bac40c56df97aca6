"""Commands on paths: drawing them, the fan of directions, and labels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.commands.regions import Point
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


@dataclass(frozen=True, kw_only=True)
class AddPath(Command):
    """Draw a path in an image.

    Attributes:
        medium: Id of the medium.
        points: x, y in image pixels, in walking order, two or more.
        label_text: ``Direction 3`` and the like, "" for a plain path.
        frame: Frame number in presentation order for videos, None for stills.
        id: Id of the new path.
    """

    medium: str
    points: tuple[Point, ...]
    label_text: str = ""
    frame: int | None = None
    id: str = field(default_factory=new_id)

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("add_path")

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the path.

        Raises:
            UserError: There is no such medium, or fewer than two different points.
        """
        progress.begin(self.summary, total=1)
        reader.require(Medium, self.medium)
        if len(set(self.points)) < 2:
            raise UserError("A path needs two points.", hint="Click the points of the path.")
        path = Polyline(
            id=self.id, medium=self.medium, points=self.points, label=self.label_text, frame=self.frame
        )
        yield Edit(entity="path", entity_id=path.id, field=CREATED, value=path)
