"""Boxes of linked objects at one moment of a scene: in a video an object has a region on each frame."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from annotator.domain.link import Link
from annotator.domain.medium import Medium
from annotator.domain.region import Box, Region
from annotator.domain.scene import Scene, SceneView
from annotator.queries.reader import Reader

USUAL_FRAME_S = 1 / 30
"""Duration of a frame of a video whose length is unknown, seconds."""
MOMENT_SHARE = 0.51
"""Largest distance of the frames of one moment, as a share of a frame's duration: the nearest frames of two
videos are up to half a frame apart.
"""


@dataclass(frozen=True, kw_only=True)
class _Sighting:
    """A box of a linked object in a view.

    Attributes:
        view: Name of the view.
        box: Image pixels.
        time_s: Time of its frame on the scene's clock, None for a still image.
        reach_s: Largest distance from a frame of the same moment, seconds.
    """

    view: str
    box: Box
    time_s: float | None = None
    reach_s: float = 0.0

    def is_with(self, other: _Sighting) -> bool:
        """Return whether another sighting in a video is of the same moment."""
        return abs(_time_of(self) - _time_of(other)) <= max(self.reach_s, other.reach_s)


def linked_boxes(reader: Reader, scene: Scene, *, media: Mapping[str, Medium]) -> Iterator[dict[str, Box]]:
    """Yield the boxes of each linked object at one moment, by the names of the views that show it.

    Args:
        reader: The project.
        scene: The scene.
        media: The media of its views by their ids.
    """
    views = {view.medium: view for view in scene.views if view.medium in media}
    for link in reader.find(Link, scene=scene.id):
        if link.kind == "same":
            regions = (reader.get(Region, region) for region in link.regions)
            boxes = _at_one_moment(
                _sighting(region, view=views[region.medium], medium=media[region.medium])
                for region in regions
                if region is not None and region.medium in views
            )
            if len(boxes) > 1:
                yield boxes


def _sighting(region: Region, *, view: SceneView, medium: Medium) -> _Sighting:
    if region.frame is None:
        return _Sighting(view=view.name, box=region.box)
    is_known = medium.duration_s > 0 and medium.frames > 0
    frame_s = medium.duration_s / medium.frames if is_known else USUAL_FRAME_S
    return _Sighting(
        view=view.name,
        box=region.box,
        time_s=view.offset_s + region.frame * frame_s,
        reach_s=frame_s * MOMENT_SHARE,
    )


def _at_one_moment(sightings: Iterable[_Sighting]) -> dict[str, Box]:
    """Return the boxes of the first moment at which most views show an object, by the views' names.

    A box of a still image belongs to every moment.
    """
    seen = list(sightings)
    stills = {one.view: one.box for one in seen if one.time_s is None}
    latest: dict[str, _Sighting] = {}
    timed: dict[str, Box] = {}
    # Between its frames an object can move: boxes of different moments are no measure of one place.
    for now in sorted((one for one in seen if one.time_s is not None), key=_time_of):
        latest[now.view] = now
        near = {view: one.box for view, one in latest.items() if one.is_with(now)}
        timed = max(timed, near, key=len)
    return timed | stills


def _time_of(sighting: _Sighting) -> float:
    return sighting.time_s or 0.0
