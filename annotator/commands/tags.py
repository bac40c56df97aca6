"""Commands on the tags of many scenes at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.domain.event import Edit
from annotator.domain.scene import Scene
from annotator.errors import UserError
from annotator.progress import Progress
from annotator.queries.reader import Reader


@dataclass(frozen=True, kw_only=True)
class ChangeTags(Command):
    """Add tags to scenes and remove others; further tags stay.

    Attributes:
        scenes: Ids of the scenes.
        added: Tags to add to each scene.
        removed: Tags to remove from each scene.
    """

    scenes: tuple[str, ...]
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("tag_scenes", count=len(self.scenes))

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield one edit per scene whose tags change.

        Raises:
            UserError: An unknown scene.
        """
        progress.begin(self.summary, total=len(self.scenes))
        for scene_id in self.scenes:
            progress.step()
            scene = reader.get(Scene, scene_id)
            if scene is None:
                raise UserError(
                    f"There is no scene {scene_id}.",
                    hint="It may have been removed by an undo; reload the list.",
                )
            kept = [tag for tag in scene.tags if tag not in self.removed]
            # In the order in which they were assigned, new ones last, without duplicates.
            tags = tuple(dict.fromkeys((*kept, *self.added)))
            if tags != scene.tags:
                yield Edit(entity="scene", entity_id=scene_id, field="tags", value=tags)
