"""Images made from the annotations of top-view maps: semantic maps, and maps with a drawn path."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import msgspec

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.domain.event import CREATED, Edit
from annotator.domain.map_categories import FLOOR, WALL, map_categories, read_colours
from annotator.domain.medium import Medium
from annotator.domain.polyline import Polyline
from annotator.domain.record import new_id
from annotator.domain.scene import Scene, SceneView
from annotator.domain.topview_map import MapLimits
from annotator.draft.map_view import COLOURS, SEMANTIC, MapView, map_views, project_limits
from annotator.draft.rule_result import SkippedItem
from annotator.draft.scene_facts import SceneFacts
from annotator.draft.scene_reader import read_scenes
from annotator.media.content_hash import content_digest
from annotator.media.image_decoder import decode_image
from annotator.media.map_drawing import draw_map_path, draw_semantic_map
from annotator.media.media_roots import MediaRoots
from annotator.media.model_images import image_name
from annotator.media.video.export import save_picture
from annotator.progress import Progress
from annotator.queries.reader import Reader

FOLDER = "maps"
"""Folder below the media root for maps that are added to the project."""
_NO_FILE_CHARACTER = re.compile(r"[^\w.-]+")


@dataclass(frozen=True, kw_only=True)
class MapImage:
    """An image to be made from a map.

    Attributes:
        drawing: ``semantic``, or ``path`` for the map with one of its paths drawn into it.
        source: The map.
        name: Name of the view that shows the image, unique in the scene.
        path: The path.
    """

    drawing: Literal["semantic", "path"]
    source: MapView
    name: str
    path: Polyline | None = None

    @property
    def file_name(self) -> str:
        """Name of its file; media of two datasets may have the same name."""
        stem = image_name(self.source.medium, number=None).removesuffix(".png")
        words = filter(None, (self.source.medium.dataset, stem, self.name))
        return f"{_NO_FILE_CHARACTER.sub('-', '-'.join(words))}.png"

    @property
    def colours(self) -> dict[str, str]:
        """Hex colour of each category on a semantic map, those that the scene has already included."""
        known = read_colours(self.source.scene.metadata.get(COLOURS))
        categories = {part.category for part in self.source.content.objects}
        return known | map_categories().colours({FLOOR, WALL, *categories}, known=known)


@dataclass(frozen=True, kw_only=True)
class WrittenMap:
    """A written image.

    Attributes:
        image: What it shows.
        file: Its file.
    """

    image: MapImage
    file: Path

    def to_json(self) -> dict[str, Any]:
        """Return what a report says about it."""
        source = self.image.source
        values = {"scene": source.scene.name, "view": self.image.name, "file": str(self.file)}
        if self.image.drawing == "path":
            return values
        present = {FLOOR, WALL, *(part.category for part in source.content.objects)}
        colours = {name: colour for name, colour in self.image.colours.items() if name in present}
        return {**values, "colours": colours, "left_out": dict(source.content.left_out)}


def find_map_images(
    reader: Reader, *, scene: str = "", limits: MapLimits | None = None
) -> Iterator[MapImage]:
    """Yield the images that can be made from the maps of a project, and that no view of their scene shows.

    A semantic map is made from each realistic map on which rooms or objects are marked, unless the scene has
    a semantic map of the same size; a map with a path from each path that is not in the image itself.

    Args:
        reader: The project.
        scene: Name of the only scene, "" for all.
        limits: What is too small to be drawn; None for the settings of the project's task set.
    """
    known_limits = limits or project_limits(reader)
    for facts in read_scenes(reader, kinds=frozenset({"media", "regions", "polylines"})):
        if scene in ("", facts.scene.name):
            yield from _images_of(facts, limits=known_limits)


def _images_of(facts: SceneFacts, *, limits: MapLimits) -> Iterator[MapImage]:
    views = [view for view in map_views(facts, limits=limits) if not isinstance(view, SkippedItem)]
    sizes = {_size(view) for view in views if view.colours is not None}
    for view in views:
        if view.colours is None and not view.shows_path and _size(view) not in sizes:
            sizes.add(_size(view))
            yield MapImage(drawing="semantic", source=view, name=_free_name(SEMANTIC, facts.scene))
        yield from _path_images(view)


def _path_images(view: MapView) -> Iterator[MapImage]:
    for number, path in enumerate(view.paths, start=1):
        name = f"{view.view.name} {path.label or f'path {number}'}".strip()
        if not path.is_in_image and view.scene.medium_of(name) is None:
            yield MapImage(drawing="path", source=view, name=name, path=path)


def write_map_images(
    images: Sequence[MapImage], *, folder: Path, roots: MediaRoots, progress: Progress
) -> list[WrittenMap]:
    """Write images as PNG files. Existing files are replaced.

    Raises:
        UserError: The file of a map with a path is missing or damaged.
        EnvironmentFailure: A file cannot be read or written.
        Cancelled: The user cancelled; files written so far are kept.
    """
    written = []
    progress.begin("Drawing maps", total=len(images))
    for image in images:
        file = folder / image.file_name
        save_picture(_draw(image, roots=roots), path=file)
        written.append(WrittenMap(image=image, file=file))
        progress.step()
    progress.end()
    return written


def _draw(image: MapImage, *, roots: MediaRoots) -> Any:  # noqa: ANN401 - an array of pixels
    if image.path is None:
        return draw_semantic_map(image.source.content, colours=image.colours)
    medium = image.source.medium
    picture = decode_image(roots.require_file(medium.path or medium.name, name=medium.name)).copy()
    draw_map_path(picture, image.path.points)
    return picture


@dataclass(frozen=True, kw_only=True)
class AddMapImages(Command):
    """Add written maps to their scenes as views.

    Attributes:
        written: The maps; their files are in the folder ``maps`` of the media folder.
    """

    written: tuple[WrittenMap, ...]

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("add_maps", count=len(self.written))

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the media and paths, and the views and colours of the scenes.

        Raises:
            UserError: A scene no longer exists.
            EnvironmentFailure: A file cannot be read.
        """
        progress.begin(self.summary, total=len(self.written))
        by_scene: dict[str, list[WrittenMap]] = {}
        for one in self.written:
            by_scene.setdefault(one.image.source.scene.id, []).append(one)
        for scene_id, maps in by_scene.items():
            yield from self._of_scene(reader.require(Scene, scene_id), maps, progress=progress)
        progress.end()

    def _of_scene(self, scene: Scene, maps: list[WrittenMap], *, progress: Progress) -> Iterator[Edit]:
        views, known = list(scene.views), read_colours(scene.metadata.get(COLOURS))
        colours = dict(known)
        for one in maps:
            medium = _medium_of(one, progress=progress)
            views.append(SceneView(name=one.image.name, medium=medium.id))
            yield Edit(entity="medium", entity_id=medium.id, field=CREATED, value=medium)
            if one.image.path is not None:
                path = msgspec.structs.replace(
                    one.image.path, id=new_id(), medium=medium.id, is_in_image=True
                )
                yield Edit(entity="path", entity_id=path.id, field=CREATED, value=path)
            else:
                colours |= one.image.colours
            progress.step()
        shown = tuple(sorted(views, key=lambda view: view.name))
        yield Edit(entity="scene", entity_id=scene.id, field="views", value=shown)
        if colours != known:
            facts = {**scene.metadata, COLOURS: colours}
            yield Edit(entity="scene", entity_id=scene.id, field="metadata", value=facts)


def _medium_of(written: WrittenMap, *, progress: Progress) -> Medium:
    source, name = written.image.source.medium, f"{FOLDER}/{written.file.name}"
    return Medium(
        id=new_id(),
        name=name,
        dataset=source.dataset,
        media_type="map",
        path=name,
        sha256=content_digest(written.file, progress=progress),
        size_bytes=written.file.stat().st_size,
        width_px=source.width_px,
        height_px=source.height_px,
        licence=source.licence,
        encoding="PNG",
    )


def _size(view: MapView) -> tuple[int, int]:
    return view.medium.width_px, view.medium.height_px


def _free_name(name: str, scene: Scene) -> str:
    """Return a view's name that the scene does not have yet: ``semantic``, ``semantic 2``."""
    names = (name, *(f"{name} {number}" for number in range(2, len(scene.views) + 3)))
    return next(one for one in names if scene.medium_of(one) is None)
