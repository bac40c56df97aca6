"""The command that proposes regions in other views, where the ground that the views share puts them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.commands.regions import clip_to_image
from annotator.domain.event import CREATED, Edit
from annotator.domain.medium import Medium
from annotator.domain.record import ANY, new_id
from annotator.domain.region import Box, Region
from annotator.domain.scene import Scene, SceneView
from annotator.edits.links import same_links
from annotator.errors import UserError
from annotator.media.ground_plane import PlaneTransform, plane_transform
from annotator.progress import Progress
from annotator.queries.reader import Reader
from annotator.queries.region_numbers import RegionNumbers

GROUND = "ground plane"
"""Maker of regions that were mapped from another view."""
SAME_OVERLAP = 0.5
"""Overlap (IoU) with a known region above which a place is marked already."""
LEAST_INSIDE = 0.5
"""Share of a mapped box that lies inside the image; with less, too little of the object is visible."""
LARGEST_SHARE = 0.5
"""Side of a mapped box over that of the image above which it is too near the horizon to mean anything."""


@dataclass(frozen=True, kw_only=True)
class ProposeInOtherViews(Command):
    """Propose regions of one view in the other views of its scene, over their common ground plane.

    A view is left out where the region is linked there already, or where a region is at the place already.
    A proposal that is accepted is linked with its region.

    Attributes:
        scene: Id of the scene.
        regions: Ids of the regions.
        frames: Displayed frame by the id of the medium, None for a still: where proposals are made.
    """

    scene: str
    regions: tuple[str, ...]
    frames: Mapping[str, int | None]

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("propose_in_views", count=len(self.regions))

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the proposals.

        Raises:
            UserError: There are no regions, no other view shares the ground plane, or no place is free.
        """
        progress.begin(self.summary, total=len(self.regions))
        if not self.regions:
            raise UserError("There is no region in this view to propose in others.", hint="Draw one first.")
        scene = reader.require(Scene, self.scene)
        regions = [reader.require(Region, region_id) for region_id in self.regions]
        _require_ground(scene, regions)
        made = list(_Proposer(reader, scene, frames=self.frames).propose(regions, progress=progress))
        if not made:
            raise UserError(
                "No other view has a free place for these regions.",
                hint="They are linked or marked there, or the views do not see their places.",
            )
        for region in made:
            yield Edit(entity="region", entity_id=region.id, field=CREATED, value=region)


def _require_ground(scene: Scene, regions: Sequence[Region]) -> None:
    own = {region.medium for region in regions}
    known = {view.medium for view in scene.views if view.to_ground}
    if not (own & known and known - own):
        raise UserError(
            "The ground plane that this view shares with others is not known.",
            hint="Align the views on the ground plane first; it needs camera poses or four links.",
        )


class _Proposer:
    """Finds the free places of regions in the other views of a scene.

    Args:
        reader: The project.
        scene: The scene.
        frames: Displayed frame by the id of the medium.
    """

    def __init__(self, reader: Reader, scene: Scene, *, frames: Mapping[str, int | None]) -> None:
        self._reader, self._scene, self._frames = reader, scene, frames
        self._views = {view.medium: view for view in scene.views}
        self._numbers = RegionNumbers(reader)
        self._taken: dict[str, list[Box]] = {}
        self._links = {region: link for link in same_links(reader, scene.id) for region in link.regions}

    def propose(self, regions: Sequence[Region], *, progress: Progress) -> Iterator[Region]:
        """Yield the proposals of regions in all other views."""
        for region in regions:
            progress.step()
            linked = self._linked_media(region)
            for view in self._scene.views:
                here = self._views.get(region.medium)
                if here is None or view.medium == region.medium or view.medium in linked:
                    continue
                to_other = plane_transform(here.to_ground, view.to_ground)
                if to_other is not None:
                    yield from self._proposed(region, view, to_other=to_other)

    def _proposed(self, region: Region, view: SceneView, *, to_other: PlaneTransform) -> Iterator[Region]:
        medium = self._reader.require(Medium, view.medium)
        box = _mapped_box(region.box, to_other=to_other, medium=medium)
        taken = self._boxes(view.medium)
        if box is None or any(_overlap(box, other) > SAME_OVERLAP for other in taken):
            return
        # Two regions of this command must not be proposed at one place either.
        taken.append(box)
        yield Region(
            id=new_id(),
            medium=view.medium,
            number=self._numbers.number_of(view.medium, track=""),
            box=box,
            frame=self._frames.get(view.medium),
            category=region.category,
            made_by=GROUND,
            is_proposed=True,
            mapped_from=region.id,
        )

    def _linked_media(self, region: Region) -> set[str]:
        link = self._links.get(region.id)
        found = (self._reader.get(Region, one) for one in link.regions) if link is not None else ()
        return {one.medium for one in found if one is not None}

    def _boxes(self, medium: str) -> list[Box]:
        if medium not in self._taken:
            # Proposals too: the command, given twice, would propose everything twice.
            found = self._reader.find(Region, medium=medium, is_proposed=ANY)
            frame = self._frames.get(medium)
            self._taken[medium] = [region.box for region in found if region.frame == frame]
        return self._taken[medium]


def _mapped_box(box: Box, *, to_other: PlaneTransform, medium: Medium) -> Box | None:
    """Return the place of a box in another view, None where that view does not see it.

    The corners go over the ground plane. A box turned against the axes of the other image would need a larger
    one around it; its sides are shortened until it has the area of the turned box.
    """
    corners = np.array(((box.x1, box.y1), (box.x2, box.y1), (box.x2, box.y2), (box.x1, box.y2)), np.float64)
    mapped = to_other.points(corners)
    # One corner behind the camera or at the horizon is enough: the rest would be a box of any size.
    if not np.isfinite(mapped).all() or not (medium.width_px and medium.height_px):
        return None
    low, high = mapped.min(axis=0), mapped.max(axis=0)
    around = np.roll(mapped, -1, axis=0)
    area = abs(float(np.sum(mapped[:, 0] * around[:, 1] - around[:, 0] * mapped[:, 1]))) / 2
    if area <= 0:
        return None
    middle, size = (low + high) / 2, (high - low) * np.sqrt(area / np.prod(high - low))
    (x1, y1), (x2, y2) = (middle - size / 2).tolist(), (middle + size / 2).tolist()
    seen = max(0.0, min(x2, medium.width_px) - max(x1, 0)) * max(0.0, min(y2, medium.height_px) - max(y1, 0))
    is_large = size[0] > LARGEST_SHARE * medium.width_px or size[1] > LARGEST_SHARE * medium.height_px
    if is_large or seen < LEAST_INSIDE * area:
        return None
    return clip_to_image(Box(x1=x1, y1=y1, x2=x2, y2=y2), medium=medium)


def _overlap(one: Box, other: Box) -> float:
    width = min(one.x2, other.x2) - max(one.x1, other.x1)
    height = min(one.y2, other.y2) - max(one.y1, other.y1)
    if width <= 0 or height <= 0:
        return 0.0
    areas = [(box.x2 - box.x1) * (box.y2 - box.y1) for box in (one, other)]
    return width * height / (sum(areas) - width * height)
