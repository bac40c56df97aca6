"""Which images of scenes can be degraded, and the scenes that this gives."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import msgspec

from annotator.domain.medium import Medium
from annotator.domain.scene import Scene
from annotator.queries.reader import Reader


@dataclass(frozen=True, kw_only=True)
class CleanView:
    """A view of a scene that shows a clean image.

    Attributes:
        scene: Id of the scene, "" for an image that no scene shows.
        view: Name of the view.
        medium: The image.
    """

    scene: str
    view: str
    medium: Medium


class DerivedScene(msgspec.Struct, frozen=True, kw_only=True):
    """A scene of which a degraded one is wanted.

    Attributes:
        scene: Id of the scene.
        media: Ids of those of its media that are degraded; the others are shown as they are.
    """

    scene: str
    media: tuple[str, ...]


def clean_views(
    reader: Reader, *, scenes: Iterable[str] = (), media: Iterable[str] = ()
) -> tuple[CleanView, ...]:
    """Return the views of scenes and of media that show clean images.

    Videos, maps and images that are degraded already are left out; so are derived scenes that show a medium.

    Args:
        reader: The project.
        scenes: Ids of scenes.
        media: Ids of media, which are degraded in each scene that shows them.
    """
    found = [view for scene in scenes for view in _of_scene(reader.get(Scene, scene), reader)]
    for medium in reader.records(Medium, ids=list(media)):
        if is_clean(medium):
            found += _of_medium(medium, reader)
    return tuple({(view.scene, view.medium.id): view for view in found}.values())


def is_clean(medium: Medium) -> bool:
    """Return whether a medium is an image that is not degraded itself."""
    return medium.media_type == "image" and medium.recipe is None


def derived_scenes(views: Iterable[CleanView]) -> tuple[tuple[DerivedScene, ...], tuple[str, ...]]:
    """Return the scenes in which views are degraded, and the images that no scene shows."""
    by_scene: dict[str, list[str]] = {}
    for view in views:
        by_scene.setdefault(view.scene, []).append(view.medium.id)
    alone = tuple(by_scene.pop("", ()))
    return tuple(DerivedScene(scene=scene, media=tuple(media)) for scene, media in by_scene.items()), alone


def _of_scene(scene: Scene | None, reader: Reader) -> Iterator[CleanView]:
    for view in scene.views if scene is not None else ():
        medium = reader.get(Medium, view.medium)
        if scene is not None and medium is not None and is_clean(medium):
            yield CleanView(scene=scene.id, view=view.name, medium=medium)


def _of_medium(medium: Medium, reader: Reader) -> list[CleanView]:
    found = (reader.require(Scene, scene) for scene in reader.scenes.showing(medium.id))
    views = [
        CleanView(scene=scene.id, view=view.name, medium=medium)
        for scene in found
        if not scene.is_derived
        for view in scene.views
        if view.medium == medium.id
    ]
    return views or [CleanView(scene="", view="", medium=medium)]
