"""Commands on regions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.commands.region_mentions import flag_items_without
from annotator.domain.event import CREATED, REMOVED, Edit
from annotator.domain.medium import Medium
from annotator.domain.polyline import Polyline
from annotator.domain.record import Record, new_id
from annotator.domain.region import Box, Region
from annotator.domain.rotated_box import RotatedBox, rectangle_of
from annotator.domain.scene import Scene
from annotator.edits.confirmation import confirm
from annotator.edits.link_flags import flag_moved_links
from annotator.edits.links import links_without
from annotator.errors import UserError
from annotator.media.polygon import bounds
from annotator.progress import Progress
from annotator.queries.reader import Reader
from annotator.queries.region_numbers import RegionNumbers

Point = tuple[float, float]
R = TypeVar("R", bound=Record)


@dataclass(frozen=True, kw_only=True)
class AddRegion(Command):
    """Mark a part of a medium; it gets the next neutral number of the medium.

    Attributes:
        medium: Id of the medium.
        box: Image pixels; clipped to the image if its size is known. A box without width and height is a
            point.
        frame: Frame number in presentation order for videos, None for stills.
        category: Category of the object; never shown to models.
        made_by: Model that drew it, "hand" for a person.
        score: The model's own estimate, 0..1.
        id: Id of the new region.
    """

    medium: str
    box: Box
    frame: int | None = None
    category: str = ""
    made_by: str = "hand"
    score: float = 1.0
    id: str = field(default_factory=new_id)

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("add_point" if is_point(self.box) else "add_region")

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the region.

        Raises:
            UserError: The medium is unknown, or the box lies outside the image.
        """
        progress.begin(self.summary, total=1)
        medium = reader.require(Medium, self.medium)
        region = Region(
            id=self.id,
            medium=self.medium,
            number=RegionNumbers(reader).number_of(self.medium, track=""),
            box=clip_to_image(self.box, medium=medium),
            frame=self.frame,
            category=self.category,
            made_by=self.made_by,
            score=self.score,
        )
        yield Edit(entity="region", entity_id=region.id, field=CREATED, value=region)


@dataclass(frozen=True, kw_only=True)
class MoveRegions(Command):
    """Move or resize regions; the corners of polygons move with them.

    Attributes:
        boxes: New box by the id of the region, image pixels; clipped to the image if its size is known.
    """

    boxes: Mapping[str, Box]

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("move_regions", count=len(self.boxes))

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the new box of each region that changes, the corners of polygons, and flags of links.

        Raises:
            UserError: There is no such region, it is locked, or it would lie outside the image.
        """
        progress.begin(self.summary, total=len(self.boxes))
        moved: dict[str, Box] = {}
        for region_id, wanted in self.boxes.items():
            progress.step()
            region = require_unlocked(reader, region_id)
            box = clip_to_image(wanted, medium=reader.require(Medium, region.medium))
            if box == region.box:
                continue
            yield from confirm(region)
            if region.polygon:
                corners = moved_outline(region.polygon, before=region.box, after=box)
                yield Edit(entity="region", entity_id=region_id, field="polygon", value=corners)
                if rectangle_of(corners) is not None:
                    # For a rotated box a change of size changes the corners too; the box must match them.
                    box = clip_to_image(bounds(corners), medium=reader.require(Medium, region.medium))
            moved[region_id] = box
            yield Edit(entity="region", entity_id=region_id, field="box", value=box)
        yield from flag_moved_links(reader, moved)


@dataclass(frozen=True, kw_only=True)
class RemoveRegions(Command):
    """Remove regions and paths. Links lose these regions, and links with one remaining region are removed.

    Items that name a removed region are flagged.

    Attributes:
        regions: Ids of the regions.
        paths: Ids of the paths.
    """

    regions: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        if not self.paths:
            return CommandSummary.of("remove_regions", count=len(self.regions))
        if not self.regions:
            return CommandSummary.of("remove_paths", count=len(self.paths))
        return CommandSummary.of("remove_marks", count=len(self.regions) + len(self.paths))

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the removals, the changes of the links, and flags on items that name a removed region.

        Raises:
            UserError: There is no such region or path, or a region is locked.
        """
        progress.begin(self.summary, total=len(self.regions) + len(self.paths))
        removed: list[Region] = []
        for region_id in self.regions:
            progress.step()
            removed.append(require_unlocked(reader, region_id))
            yield Edit(entity="region", entity_id=region_id, field=REMOVED, value=True)
        for path_id in self.paths:
            progress.step()
            yield Edit(
                entity="path",
                entity_id=reader.require(Polyline, path_id).id,
                field=REMOVED,
                value=True,
            )
        # An image can belong to several scenes, each with links of its own.
        for scene in reader.scenes.showing_any(region.medium for region in removed):
            yield from links_without(reader, reader.require(Scene, scene), set(self.regions))
        # No item can name a proposal.
        yield from flag_items_without(reader, [region for region in removed if not region.is_proposed])


def moved_points(points: Iterable[Point], *, before: Box, after: Box) -> tuple[Point, ...]:
    """Return points with unchanged relative position in a box that is moved or resized.

    Args:
        points: x, y in image pixels.
        before: The box as it was.
        after: The box as it is now.
    """
    # A box without width or height has no inside to which a position could be relative.
    x_share = (after.x2 - after.x1) / ((before.x2 - before.x1) or 1.0)
    y_share = (after.y2 - after.y1) / ((before.y2 - before.y1) or 1.0)
    return tuple(
        (after.x1 + (x - before.x1) * x_share, after.y1 + (y - before.y1) * y_share) for x, y in points
    )


def moved_outline(corners: tuple[Point, ...], *, before: Box, after: Box) -> tuple[Point, ...]:
    """Return the corners of a polygon whose box is moved or resized; a rotated box stays a rectangle.

    Args:
        corners: x, y in image pixels.
        before: The box as it was.
        after: The box as it is now.
    """
    shape, width, height = rectangle_of(corners), before.x2 - before.x1, before.y2 - before.y1
    if shape is None or not (width and height):
        return moved_points(corners, before=before, after=after)
    ((x, y),) = moved_points([(shape.x, shape.y)], before=before, after=after)
    x_scale, y_scale = (after.x2 - after.x1) / width, (after.y2 - after.y1) / height
    return RotatedBox(
        x=x, y=y, width=shape.width * x_scale, height=shape.height * y_scale, angle_deg=shape.angle_deg
    ).corners()


def is_point(box: Box) -> bool:
    """Return whether a box has neither width nor height."""
    return box.x1 == box.x2 and box.y1 == box.y2


def clip_to_image(box: Box, *, medium: Medium) -> Box:
    """Return the part of a box inside its image.

    Raises:
        UserError: No part is inside, or the box is a point outside.
    """
    # A medium without a file has no size yet: nothing is clipped at its right and lower edge.
    width, height = medium.width_px or float("inf"), medium.height_px or float("inf")
    inner = Box(
        x1=min(max(box.x1, 0.0), width),
        y1=min(max(box.y1, 0.0), height),
        x2=min(max(box.x2, 0.0), width),
        y2=min(max(box.y2, 0.0), height),
    )
    if is_point(box):
        if inner != box:
            raise UserError("The point is outside the image.")
    elif inner.x2 <= inner.x1 or inner.y2 <= inner.y1:
        raise UserError("Draw the region inside the image.")
    return inner


def require_unlocked(reader: Reader, region_id: str) -> Region:
    """Return a region that is not locked.

    Raises:
        UserError: It does not exist, or it is locked; unlock it first.
    """
    region = reader.require(Region, region_id)
    if region.is_locked:
        raise UserError(f"Region {region.number} is locked.", hint="Unlock the region to change it.")
    return region


def count_text(count: int, word: str) -> str:
    """Return a count with its noun, in singular or plural."""
    return f"{count} {word}" if count == 1 else f"{count} {word}s"
