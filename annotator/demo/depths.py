"""The command that measures the demo's regions on its depth maps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.demo.captures import Captures, Picture
from annotator.demo.pictures import DEPTH_PER_M
from annotator.domain.event import Edit
from annotator.domain.medium import Medium
from annotator.domain.region import Region, RegionDepth
from annotator.media.depth_maps import DepthMapFiles
from annotator.media.depth_statistics import region_depth
from annotator.progress import Progress
from annotator.queries.reader import Reader

MADE_BY = "demo depth maps 1"


@dataclass(frozen=True, kw_only=True)
class MeasureDepths(Command):
    """Store the depth of the regions of each image that has a depth map.

    Attributes:
        captures: What was taken.
        folder: The media root.
    """

    captures: Captures
    folder: Path

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("keep_depths")

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the depth of each region.

        Raises:
            EnvironmentFailure: A depth map cannot be read.
        """
        pictures = [picture for picture in self.captures.pictures if picture.depth]
        progress.begin(self.summary, total=len(pictures))
        for picture in pictures:
            progress.step()
            for medium in reader.find(Medium, name=picture.name):
                yield from self._depths(picture, list(reader.find(Region, medium=medium.id)))
        progress.end()

    def _depths(self, picture: Picture, regions: list[Region]) -> Iterator[Edit]:
        if not regions:
            return
        plane = DepthMapFiles(png_unit_m=1 / DEPTH_PER_M).read(self.folder / picture.depth)
        for region in regions:
            figures = region_depth(plane, box=region.box)
            if figures is not None:
                depth = RegionDepth(
                    median=figures.median,
                    p10=figures.p10,
                    p90=figures.p90,
                    valid=figures.valid,
                    is_metric=True,
                    box=region.box,
                    made_by=MADE_BY,
                )
                yield Edit(entity="region", entity_id=region.id, field="depth", value=depth)
