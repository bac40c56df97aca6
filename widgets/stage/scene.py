"""A scene as the stage shows it, read in one go on the reading thread."""

from __future__ import annotations

from dataclasses import dataclass

from annotator.domain.link import Link
from annotator.domain.medium import Medium
from annotator.domain.path import Path
from annotator.domain.region import Region
from annotator.domain.scene import Scene
from annotator.media.render import Marks
from annotator.media.roots import MediaRoots
from annotator.session import Reader
from widgets.library.details import ShownMedium


@dataclass(frozen=True, kw_only=True)
class StageScene:
    """A scene with its media and all that is marked in them.

    Attributes:
        scene: The scene.
        media: Its views in order.
        marks: Regions, links and paths of all of them.
    """

    scene: Scene
    media: tuple[ShownMedium, ...]
    marks: Marks

    def view_of(self, medium: str) -> str:
        """Return the name of the view that a medium is."""
        return next((shown.view for shown in self.media if shown.medium.id == medium), "")


def read_scene(reader: Reader, *, scene: str, roots: MediaRoots) -> StageScene | None:
    """Read a scene with what is marked in it, None where it is gone."""
    with reader.snapshot():
        found = reader.get("scene", scene)
        if not isinstance(found, Scene):
            return None
        media = []
        regions: list[Region] = []
        paths: list[Path] = []
        for view in found.views:
            medium = reader.get("medium", view.medium)
            if isinstance(medium, Medium):
                file = roots.file_of(medium.path or medium.name)
                media.append(ShownMedium(view=view.name, medium=medium, file=file))
            regions += (one for one in reader.find("region", medium=view.medium) if isinstance(one, Region))
            paths += (one for one in reader.find("path", medium=view.medium) if isinstance(one, Path))
        links = tuple(one for one in reader.find("link", scene=scene) if isinstance(one, Link))
        marks = Marks(regions=tuple(regions), links=links, paths=tuple(paths))
        return StageScene(scene=found, media=tuple(media), marks=marks)
