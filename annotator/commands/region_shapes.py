"""Commands on the shapes of regions: outlines of several corners, and the same regions on other frames."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.commands.regions import Point, clip_to_image, require_unlocked
from annotator.domain.event import CREATED, Edit, edit_fields
from annotator.domain.link import Link
from annotator.domain.medium import Medium
from annotator.domain.record import new_id
from annotator.domain.region import Box, Region
from annotator.domain.rotated_box import RotatedBox, rotated_box_of
from annotator.domain.scene import Scene
from annotator.edits.confirmation import confirm, replaced_proposals
from annotator.edits.link_flags import flag_moved_links
from annotator.edits.links import same_links
from annotator.edits.scene_reopening import reopened
from annotator.errors import UserError
from annotator.media.polygon import LEAST_CORNERS, bounds, crosses_itself, remove_repeats
from annotator.progress import Progress
from annotator.queries.reader import Reader
from annotator.queries.region_numbers import RegionNumbers


@dataclass(frozen=True, kw_only=True)
class AddPolygon(Command):
    """Mark a part of a medium by a polygon; it gets the next neutral number of the medium.

    Attributes:
        medium: Id of the medium.
        corners: x, y in image pixels, three or more; those outside the image are moved to its edge.
        frame: Frame number in presentation order for videos, None for stills.
        category: Category of the object; never shown to models.
        made_by: Model that drew it, "hand" for a person.
        score: The model's own estimate, 0..1.
        id: Id of the new region.
    """

    medium: str
    corners: tuple[Point, ...]
    frame: int | None = None
    category: str = ""
    made_by: str = "hand"
    score: float = 1.0
    id: str = field(default_factory=new_id)

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("add_polygon")

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the region.

        Raises:
            UserError: The medium is unknown, or the corners enclose no area of it.
        """
        progress.begin(self.summary, total=1)
        medium = reader.require(Medium, self.medium)
        corners = _outline(self.corners, medium=medium)
        region = Region(
            id=self.id,
            medium=self.medium,
            number=RegionNumbers(reader).number_of(self.medium, track=""),
            box=bounds(corners),
            polygon=corners,
            frame=self.frame,
            category=self.category,
            made_by=self.made_by,
            score=self.score,
        )
        yield Edit(entity="region", entity_id=region.id, field=CREATED, value=region)


@dataclass(frozen=True, kw_only=True)
class ReshapeRegion(Command):
    """Give a region another polygon; its box becomes the smallest one around it.

    Attributes:
        region: Id of the region.
        corners: x, y in image pixels, three or more; those outside the image are moved to its edge.
    """

    region: str
    corners: tuple[Point, ...]

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("change_outline")

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the new corners, and the new box if it differs.

        Raises:
            UserError: There is no such region, it is locked, or the corners enclose no area of its image.
        """
        progress.begin(self.summary, total=1)
        region = require_unlocked(reader, self.region)
        corners = _outline(self.corners, medium=reader.require(Medium, region.medium))
        if corners == region.polygon:
            return
        yield from confirm(region)
        yield Edit(entity="region", entity_id=region.id, field="polygon", value=corners)
        if (box := bounds(corners)) != region.box:
            yield Edit(entity="region", entity_id=region.id, field="box", value=box)
            yield from flag_moved_links(reader, {region.id: box})


@dataclass(frozen=True, kw_only=True)
class ChangeRotatedBox(Command):
    """Give a box another angle, position or size. Corners may lie outside the image, the centre may not.

    Attributes:
        region: Id of a region that is a box, plain or rotated.
        shape: The new rectangle; an axis-parallel one makes a plain box.
    """

    region: str
    shape: RotatedBox

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("change_rotated_box")

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the new corners and the new box around them, each if it differs.

        Raises:
            UserError: There is no such region, it is locked or not a box, or the centre is outside the image.
        """
        progress.begin(self.summary, total=1)
        region, shape = require_unlocked(reader, self.region), self.shape
        if rotated_box_of(region) is None:
            raise UserError(f"Region {region.number} is not a box.", hint="Only boxes can be rotated.")
        medium = reader.require(Medium, region.medium)
        width, height = medium.width_px or float("inf"), medium.height_px or float("inf")
        if not (0 <= shape.x <= width and 0 <= shape.y <= height):
            raise UserError("The middle of the box is outside the image.", hint="Move the box inwards.")
        if min(shape.width, shape.height) <= 0:
            raise UserError("A box needs a width and a height.", hint="Enter numbers above 0.")
        corners = shape.corners()
        box = clip_to_image(_tidy(bounds(corners)) if shape.is_upright else bounds(corners), medium=medium)
        changed = list(edit_fields(region, polygon=() if shape.is_upright else corners, box=box))
        if changed:
            yield from confirm(region)
        yield from changed
        yield from flag_moved_links(reader, {region.id: box})


@dataclass(frozen=True, kw_only=True)
class RepeatRegions(Command):
    """Copy regions to other frames of their videos, with the same boxes and numbers; proposals are replaced.

    Regions that are linked with each other and repeated together are linked again.

    Attributes:
        frames: Target frame by the id of the region.
        ids: Id of the new region by the id of the repeated one.
    """

    frames: Mapping[str, int]
    ids: Mapping[str, str] = field(init=False)

    def __post_init__(self) -> None:
        # Created before planning: the caller selects the copies by these ids once they exist.
        object.__setattr__(self, "ids", {region: new_id() for region in self.frames})

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("repeat_regions", count=len(self.frames))

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the new regions and their links; regions that exist on the target frame are omitted.

        Raises:
            UserError: There is no such region, one belongs to an image, or each target frame has its region
                already.
        """
        progress.begin(self.summary, total=len(self.frames))
        made: dict[str, Region] = {}
        taken: dict[str, set[tuple[int | None, int]]] = {}
        for region_id, frame in self.frames.items():
            progress.step()
            region = reader.require(Region, region_id)
            if region.frame is None:
                raise UserError(f"Region {region.number} is in a still image, which has no other frames.")
            if region.medium not in taken:
                taken[region.medium] = taken_numbers(reader, region.medium)
            if (frame, region.number) not in taken[region.medium]:
                # All boxes of one object share one number, and two of them may be selected.
                taken[region.medium].add((frame, region.number))
                made[region_id] = _copy(region, id=self.ids[region_id], frame=frame)
        if not made:
            raise UserError("The regions exist on this frame already.")
        for region in made.values():
            yield Edit(entity="region", entity_id=region.id, field=CREATED, value=region)
        yield from replaced_proposals(reader, list(made.values()))
        yield from _copied_links(reader, made)


def _tidy(box: Box) -> Box:
    """Return a box without the rounding errors of a rotation: rotating back restores the original box."""
    return Box(x1=round(box.x1, 6), y1=round(box.y1, 6), x2=round(box.x2, 6), y2=round(box.y2, 6))


def _outline(corners: Iterable[Point], *, medium: Medium) -> tuple[Point, ...]:
    """Return corners moved into the image.

    Raises:
        UserError: They enclose no area.
    """
    width, height = medium.width_px or float("inf"), medium.height_px or float("inf")
    held = remove_repeats((min(max(x, 0.0), width), min(max(y, 0.0), height)) for x, y in corners)
    if len(set(held)) < LEAST_CORNERS:
        raise UserError(
            "A polygon needs three corners.", hint="Click the corners of the object one after the other."
        )
    if crosses_itself(held):
        raise UserError("The outline crosses itself.", hint="Set the corners in order around the object.")
    clip_to_image(bounds(held), medium=medium)
    return held


def taken_numbers(reader: Reader, medium: str) -> set[tuple[int | None, int]]:
    """Return the numbers of the regions of a medium with their frames; proposals take none."""
    return {(region.frame, region.number) for region in reader.find(Region, medium=medium)}


def _copy(region: Region, *, id: str, frame: int) -> Region:  # noqa: A002 - the record's own field
    return Region(
        id=id,
        medium=region.medium,
        number=region.number,
        box=region.box,
        polygon=region.polygon,
        frame=frame,
        category=region.category,
        track=region.track,
        state=region.state,
    )


def _copied_links(reader: Reader, made: Mapping[str, Region]) -> Iterator[Edit]:
    for scene in reader.scenes.showing_any(region.medium for region in made.values()):
        copied = [
            tuple(made[region].id for region in link.regions if region in made)
            for link in same_links(reader, scene)
        ]
        linked = [regions for regions in copied if len(regions) > 1]
        for regions in linked:
            new = Link(id=new_id(), scene=scene, regions=regions)
            yield Edit(entity="link", entity_id=new.id, field=CREATED, value=new)
        if linked:
            yield from reopened(reader.require(Scene, scene))
