"""Commands that make the demo project: records of the truth, questions, scenes of derived images, depths."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.domain.event import CREATED, REMOVED, Edit
from annotator.domain.item import Item
from annotator.domain.medium import Medium
from annotator.domain.record import Record
from annotator.domain.region import Region, RegionDepth
from annotator.media.depth_maps import DepthMapFiles
from annotator.media.depth_statistics import region_depth
from annotator.progress import Progress
from annotator.queries.reader import Reader

DEPTHS_BY = "demo depth maps 1"


@dataclass(frozen=True, kw_only=True)
class EnterTruth(Command):
    """Enter what was taken: media, scenes, poses, regions, links and paths.

    Attributes:
        records: The records; they refer to each other and to nothing that is there already.
        scenes: Number of scenes of images, for the undo menu.
    """

    records: Sequence[Record]
    scenes: int

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("add_demo_scenes", count=self.scenes)

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:  # noqa: ARG002 - the signature of commands
        """Yield all records."""
        progress.begin(self.summary, total=len(self.records))
        for record in self.records:
            yield Edit(entity=record.table.entity, entity_id=record.id, field=CREATED, value=record)
            progress.step()
        progress.end()


@dataclass(frozen=True, kw_only=True)
class GatherScenes(Command):
    """Move items from scenes that an importer made of derived images to the scenes that these come from.

    An importer of images alone cannot know that ``detected/market-1-UAV1.jpg`` shows the market.

    Attributes:
        homes: Id of the scene that a derived one comes from, by the id of the derived one, which is removed.
    """

    homes: Mapping[str, str]

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("gather_demo_scenes")

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the new scene of each item, and the removal of scenes that nothing is left in."""
        items = list(reader.records(Item))
        progress.begin(self.summary, total=len(items))
        for item in items:
            if item.scene in self.homes:
                yield Edit(entity="item", entity_id=item.id, field="scene", value=self.homes[item.scene])
            progress.step()
        for scene in self.homes:
            yield Edit(entity="scene", entity_id=scene, field=REMOVED, value=True)
        progress.end()


@dataclass(frozen=True, kw_only=True)
class EnterItems(Command):
    """Enter questions as items.

    Attributes:
        items: The items.
    """

    items: Sequence[Item]

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("add_demo_items", count=len(self.items))

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:  # noqa: ARG002 - the signature of commands
        """Yield the items."""
        progress.begin(self.summary, total=len(self.items))
        for item in self.items:
            yield Edit(entity="item", entity_id=item.id, field=CREATED, value=item)
            progress.step()
        progress.end()


@dataclass(frozen=True, kw_only=True)
class MeasureDepths(Command):
    """Store the depth of the regions of each image that has a depth map.

    Attributes:
        depth_maps: File of the depth map by the name of the image.
        unit_m: Metres per unit of the files.
    """

    depth_maps: Mapping[str, Path]
    unit_m: float

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("keep_depths")

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the depth of each region.

        Raises:
            EnvironmentFailure: A depth map cannot be read.
        """
        progress.begin(self.summary, total=len(self.depth_maps))
        for name, file in self.depth_maps.items():
            progress.step()
            for medium in reader.find(Medium, name=name):
                yield from self._depths(file, list(reader.find(Region, medium=medium.id)))
        progress.end()

    def _depths(self, file: Path, regions: list[Region]) -> Iterator[Edit]:
        if not regions:
            return
        plane = DepthMapFiles(png_unit_m=self.unit_m).read(file)
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
                    made_by=DEPTHS_BY,
                )
                yield Edit(entity="region", entity_id=region.id, field="depth", value=depth)
