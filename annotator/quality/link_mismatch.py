"""Links that do not agree with the geometry of their views, as far as a project knows it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from annotator.domain.link import Link
from annotator.domain.medium import Medium
from annotator.domain.region import Region
from annotator.domain.scene import Scene
from annotator.domain.trajectory import Trajectory
from annotator.media.view_geometry import SceneGeometry
from annotator.queries.reader import Reader

KIND = "link_mismatch"
"""Id of the check, and kind of its flags."""


def scene_geometry(reader: Reader, scene: Scene) -> SceneGeometry | None:
    """Return the geometry between the views of a scene, None if nothing is known of it."""
    trajectories = list(reader.find(Trajectory, scene=scene.id))
    if not trajectories and sum(bool(view.to_ground) for view in scene.views) < 2:
        return None
    media = (reader.get(Medium, view.medium) for view in scene.views)
    return SceneGeometry(
        scene, media={one.id: one for one in media if one is not None}, trajectories=trajectories
    )


def link_mismatches(reader: Reader) -> Iterator[tuple[str, str]]:
    """Yield the id of each link of the project whose mismatch is over the limit, and the message about it."""
    if not reader.counts()["link"]:
        return
    limit = reader.project.link_limit
    for scene, geometry in _known_geometries(reader):
        for link in reader.find(Link, scene=scene.id):
            if link.kind != "same":
                continue
            found = (reader.get(Region, region) for region in link.regions)
            regions = [region for region in found if region is not None]
            if message := mismatch_message(regions, geometry, limit=limit, scene=scene):
                yield link.id, message


def _known_geometries(reader: Reader) -> Iterator[tuple[Scene, SceneGeometry]]:
    for scene in reader.records(Scene):
        if len(scene.views) > 1 and (geometry := scene_geometry(reader, scene)) is not None:
            yield scene, geometry


def mismatch_message(
    regions: Sequence[Region], geometry: SceneGeometry, *, limit: float, scene: Scene
) -> str:
    """Return the message about a mismatch over the limit, "" where there is none.

    Args:
        regions: The regions of the link.
        geometry: The geometry between the views.
        limit: Largest mismatch that is not flagged, as a share of the longer side of an image.
        scene: Their scene.
    """
    mismatch = geometry.link_mismatch(regions, limit=limit)
    if mismatch is None or not mismatch.is_over:
        return ""
    names = region_names(regions, scene=scene)
    first, second = names[mismatch.first], names[mismatch.second]
    distance, most = f"{mismatch.px:.0f}", f"{mismatch.limit_px:.0f}"
    if mismatch.by == "ground":
        return f"{first} and {second} are {distance} px apart on the ground plane; the limit is {most} px."
    return f"{second} is {distance} px from the epipolar line of {first}; the limit is {most} px."


def region_names(regions: Sequence[Region], *, scene: Scene) -> Mapping[str, str]:
    """Return the names of regions with their views, ``UAV1 3``, by their ids."""
    views = {view.medium: view.name for view in scene.views}
    return {one.id: f"{views.get(one.medium, '')} {one.number}".strip() for one in regions}
