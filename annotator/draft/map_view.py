"""The top-view maps of a scene, as rules read them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields

from annotator.domain.map_categories import read_colours
from annotator.domain.medium import Medium
from annotator.domain.polyline import Polyline
from annotator.domain.region import Region
from annotator.domain.scene import Scene, SceneView
from annotator.domain.task_set_catalogue import TaskSetCatalogue
from annotator.domain.topview_map import NO_CATEGORY, MapLimits, TopViewMap, read_map
from annotator.draft.rule_result import SkippedItem
from annotator.draft.scene_facts import SceneFacts
from annotator.queries.reader import Reader

SEMANTIC = "semantic"
"""Views of semantic maps are called so, with a number from the second on."""
COLOURS = "colours"
"""Field of a scene's metadata: hex red green blue by category, on the semantic maps of the scene."""


@dataclass(frozen=True, kw_only=True)
class MapView:
    """One map of a scene.

    Attributes:
        scene: The scene.
        view: The view that shows the map.
        medium: The map.
        content: Its rooms and objects.
        paths: The paths on it.
        colours: Colour of each category on a semantic map, None on a realistic one.
    """

    scene: Scene
    view: SceneView
    medium: Medium
    content: TopViewMap
    paths: tuple[Polyline, ...] = ()
    colours: Mapping[str, str] | None = None

    @property
    def shows_path(self) -> bool:
        """Whether a path is drawn into its image, which is for questions about that path alone."""
        return any(path.is_in_image for path in self.paths)


def project_limits(reader: Reader) -> MapLimits:
    """Return what is too small on the maps of a project: the settings of its task set, else the defaults.

    Semantic maps show exactly the objects that the rules of the project ask about.
    """
    task_set = TaskSetCatalogue.of(reader.path).find(reader.project.task_set)
    settings = task_set.drafting_settings if task_set is not None else {}
    known = {limit.name for limit in fields(MapLimits)}
    # A task set without questions about maps has other settings.
    return MapLimits(**{name: value for name, value in settings.items() if name in known})


def map_views(facts: SceneFacts, *, limits: MapLimits | None = None) -> Iterator[MapView | SkippedItem]:
    """Yield the maps of a scene, in order of its views, or why one cannot be asked about.

    A map without regions of its own has those of another map of the scene of the same size: a realistic and
    a semantic map of one floor are marked once.

    Args:
        facts: The scene.
        limits: What is too small; None for the defaults.
    """
    for view in facts.scene.views:
        medium = facts.media.get(view.medium)
        if medium is not None and is_map(medium, facts.regions_of(view)):
            yield _map_view(view, medium, facts=facts, limits=limits)


def is_map(medium: Medium, regions: tuple[Region, ...]) -> bool:
    """Return whether a medium is a top-view map: by its type, or because rooms are marked on it."""
    return medium.media_type == "map" or any(region.is_room for region in regions)


def _map_view(
    view: SceneView, medium: Medium, *, facts: SceneFacts, limits: MapLimits | None
) -> MapView | SkippedItem:
    if not medium.width_px or not medium.height_px:
        return SkippedItem("the size of the map is unknown; its file was not read yet")
    regions = facts.regions_of(view) or _regions_of_same_size(medium, facts)
    if not regions:
        return SkippedItem("no rooms or objects are marked on the map")
    colours = None
    if view.name.casefold().startswith(SEMANTIC):
        colours = read_colours(facts.scene.metadata.get(COLOURS))
        if not colours:
            return SkippedItem("the colours of the semantic map are unknown")
    content = read_map(regions, size_px=(medium.width_px, medium.height_px), limits=limits)
    return MapView(
        scene=facts.scene,
        view=view,
        medium=medium,
        content=content,
        paths=facts.polylines_of(view),
        colours=colours,
    )


def _regions_of_same_size(medium: Medium, facts: SceneFacts) -> tuple[Region, ...]:
    size = medium.width_px, medium.height_px
    for view in facts.scene.views:
        other = facts.media.get(view.medium)
        if other is not None and (other.width_px, other.height_px) == size and facts.regions_of(view):
            return facts.regions_of(view)
    return ()


def has_unknown_objects(content: TopViewMap) -> bool:
    """Return whether an object without category is marked, which may be anything."""
    return bool(content.left_out.get(NO_CATEGORY))
