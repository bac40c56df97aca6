"""The command that marks copies of regions: in the same image, on another frame, in another view or scene."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.commands.region_shapes import taken_numbers
from annotator.commands.regions import clip_to_image, moved_outline
from annotator.domain.event import CREATED, Edit
from annotator.domain.medium import Medium
from annotator.domain.record import new_id
from annotator.domain.region import Box, Region
from annotator.edits.confirmation import replaced_proposals
from annotator.errors import UserError
from annotator.progress import Progress
from annotator.queries.reader import Reader
from annotator.queries.region_numbers import RegionNumbers


@dataclass(frozen=True, kw_only=True)
class PasteRegions(Command):
    """Mark copies of regions in a medium.

    On another frame of the same video a copy keeps its number, since it shows the same object; where the
    frame has that number already, and everywhere else, it gets the next one. A proposal of the number on the
    frame is replaced. In an image of another size the copies have the same place and size in proportion to
    the image.

    Attributes:
        regions: The regions as they were when they were copied; they need not exist any more.
        medium: Id of the medium.
        frame: Frame number in presentation order for videos, None for stills.
        offset_px: How far to the right and down the copies are moved; less where they would leave the image.
        is_duplicate: Whether the command duplicates regions directly; affects only the undo menu's text.
        ids: Ids of the regions that are made, in the order of ``regions``.
    """

    regions: tuple[Region, ...]
    medium: str
    frame: int | None = None
    offset_px: float = 0.0
    is_duplicate: bool = False
    ids: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        # Created before planning: the caller selects the copies by these ids once they exist.
        object.__setattr__(self, "ids", tuple(new_id() for _ in self.regions))

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        code = "duplicate_regions" if self.is_duplicate else "paste_regions"
        return CommandSummary.of(code, count=len(self.regions))

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the copies, and the removal of proposals of the same objects on the frame.

        Raises:
            UserError: There is no such medium, or there are no regions.
        """
        progress.begin(self.summary, total=len(self.regions))
        if not self.regions:
            raise UserError("There are no copied regions.", hint="Select regions and copy them first.")
        medium = reader.require(Medium, self.medium)
        numbers = RegionNumbers(reader)
        is_other_frame = any(self._is_other_frame(region) for region in self.regions)
        taken = taken_numbers(reader, self.medium) if is_other_frame else set()
        made: list[Region] = []
        for region_id, region in zip(self.ids, self.regions, strict=True):
            progress.step()
            keeps_number = self._is_other_frame(region) and (self.frame, region.number) not in taken
            # Two copied boxes may be of one object, on two frames; only the first keeps the number
            # here.
            taken.add((self.frame, region.number))
            box = self._place(region, source=reader.get(Medium, region.medium), medium=medium)
            copy = Region(
                id=region_id,
                medium=self.medium,
                number=region.number if keeps_number else numbers.number_of(self.medium, track=""),
                box=box,
                polygon=moved_outline(region.polygon, before=region.box, after=box),
                frame=self.frame,
                category=region.category,
                track=region.track if keeps_number else "",
                # What another image shows of the object is not known from this one.
                state=region.state if region.medium == self.medium else "visible",
            )
            made.append(copy)
            yield Edit(entity="region", entity_id=copy.id, field=CREATED, value=copy)
        yield from replaced_proposals(reader, made)

    def _is_other_frame(self, region: Region) -> bool:
        return region.medium == self.medium and region.frame is not None and region.frame != self.frame

    def _place(self, region: Region, *, source: object, medium: Medium) -> Box:
        """Return the box of a copy: inside the image, and of the same size if that fits."""
        box, size = region.box, (medium.width_px, medium.height_px)
        if not (isinstance(source, Medium) and source.width_px and all(size)):
            return box
        x_scale, y_scale = size[0] / source.width_px, size[1] / source.height_px
        x1, x2 = _held(box.x1 * x_scale + self.offset_px, box.x2 * x_scale + self.offset_px, size=size[0])
        y1, y2 = _held(box.y1 * y_scale + self.offset_px, box.y2 * y_scale + self.offset_px, size=size[1])
        return clip_to_image(Box(x1=x1, y1=y1, x2=x2, y2=y2), medium=medium)


def _held(begin: float, end: float, *, size: int) -> tuple[float, float]:
    """Return an interval moved to end within a size, and not to begin below 0."""
    move = max(min(0.0, size - end), -begin)
    return begin + move, end + move
