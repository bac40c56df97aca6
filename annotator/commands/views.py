"""Commands that align the views of a scene in time and on the ground."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import msgspec

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.domain.event import Edit
from annotator.domain.medium import Medium
from annotator.domain.scene import Scene, SceneView
from annotator.edits.link_flags import flag_links
from annotator.edits.links import same_links
from annotator.errors import UserError
from annotator.progress import Progress
from annotator.queries.reader import Reader
from annotator.queries.view_alignment import PICTURES, AlignmentReport, find_ground

FARTHEST_S = 86_400.0
"""One day: videos that begin farther apart have no moment in common."""


@dataclass(frozen=True, kw_only=True)
class ShiftView(Command):
    """Set the start time of a video on the clock of its scene.

    Attributes:
        scene: Id of the scene.
        view: Name of the view.
        offset_s: Time of its first frame on the scene's clock, seconds.
    """

    scene: str
    view: str
    offset_s: float

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        offset = f"{self.offset_s:+.3f}"
        if not self.view:
            return CommandSummary.of("set_only_offset", offset_s=offset)
        return CommandSummary.of("set_offset", name=self.view, offset_s=offset)

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the views with the new offset.

        Raises:
            UserError: The scene or view is unknown, the view is not a video, or the offset is out of range.
        """
        progress.begin(self.summary, total=1)
        if not math.isfinite(self.offset_s) or abs(self.offset_s) > FARTHEST_S:
            raise UserError("An offset must be within one day.", hint="Enter seconds, for example -0.48.")
        scene = _scene(reader, self.scene)
        medium = reader.get(Medium, scene.medium_of(self.view) or "")
        if medium is None:
            raise UserError(
                f"{scene.name} has no view {self.view}.", hint="It may have been undone or removed."
            )
        if medium.media_type in PICTURES:
            raise UserError(f"The view {self.view} has no video, so it has no time offset.")
        # Rounded to microseconds, the finest unit of any video clock. Adding 0.0 turns -0 into 0, which would
        # otherwise be written as a change.
        offset_s = round(self.offset_s, 6) + 0.0
        moved = (
            msgspec.structs.replace(view, offset_s=offset_s) if view.name == self.view else view
            for view in scene.views
        )
        yield from _changed(scene, tuple(moved))


@dataclass(kw_only=True)
class AlignViews(Command):
    """Align the views of a scene on one ground plane, by camera poses and by linked regions.

    Earlier alignments of views that cannot be matched now are removed: they belong to another plane.

    Attributes:
        scene: Id of the scene.
        report: The result, set by ``plan``.
    """

    scene: str
    report: AlignmentReport = field(default_factory=AlignmentReport, init=False, compare=False)

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("align_views")

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the views with their homographies, and the flags of links that do not match them.

        Raises:
            UserError: The scene is unknown, or no two views of it share enough objects; link more regions.
        """
        scene = _scene(reader, self.scene)
        progress.begin(self.summary, total=len(scene.views))
        ground = find_ground(reader, scene, progress=progress)
        self.report = ground.report
        numbers = {name: homography.numbers for name, homography in ground.views.items()}
        aligned = tuple(
            msgspec.structs.replace(view, to_ground=numbers.get(view.name, ())) for view in scene.views
        )
        yield from _changed(scene, aligned)
        yield from flag_links(
            reader, msgspec.structs.replace(scene, views=aligned), same_links(reader, scene.id)
        )


def _changed(scene: Scene, views: tuple[SceneView, ...]) -> Iterator[Edit]:
    if views != scene.views:
        yield Edit(entity="scene", entity_id=scene.id, field="views", value=views)


def _scene(reader: Reader, scene_id: str) -> Scene:
    scene = reader.get(Scene, scene_id)
    if scene is None:
        raise UserError(f"There is no scene {scene_id}.", hint="It may have been undone or removed.")
    return scene
