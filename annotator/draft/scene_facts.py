"""The input of rules: a scene with all records that belong to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from annotator.domain.event_label import EventLabel
from annotator.domain.flag import Flag
from annotator.domain.link import Link
from annotator.domain.medium import Medium
from annotator.domain.polyline import Polyline
from annotator.domain.region import Region
from annotator.domain.scene import Scene, SceneView
from annotator.domain.trajectory import Trajectory

FactKind = Literal["labels", "media", "regions", "links", "polylines", "trajectories", "other_scenes"]
"""A part of ``SceneFacts`` that is loaded only for rules that read it."""


# Compared by identity: what is worked out of a scene is kept for as long as the scene.
@dataclass(frozen=True, kw_only=True, eq=False)
class SceneFacts:
    """A scene and the records that belong to it. A part that no rule reads is empty.

    Attributes:
        scene: The scene.
        labels: Its event labels.
        open_flags: Open flags on the scene, on its labels and on their media, by the id of the record.
        media: The media of its views by their ids.
        regions: The regions of each of these media by its id, in order of their numbers.
        links: The links of the scene.
        polylines: The paths of each of these media by its id.
        trajectories: The trajectories of its cameras, with their poses.
        other_scenes: Scenes with images, for distractors, with their media and trajectories; this scene is
            among them, and they are the same for every scene.
    """

    scene: Scene
    labels: tuple[EventLabel, ...] = ()
    open_flags: Mapping[str, tuple[Flag, ...]] = field(default_factory=dict)
    media: Mapping[str, Medium] = field(default_factory=dict)
    regions: Mapping[str, tuple[Region, ...]] = field(default_factory=dict)
    links: tuple[Link, ...] = ()
    polylines: Mapping[str, tuple[Polyline, ...]] = field(default_factory=dict)
    trajectories: tuple[Trajectory, ...] = ()
    other_scenes: tuple[SceneFacts, ...] = ()

    def flags_on(self, label: EventLabel) -> list[Flag]:
        """Return the open flags on a label, on its picture and on the scene."""
        # A flag on the image or on the scene concerns all of their labels.
        targets = (label.id, label.medium, self.scene.id)
        return [flag for target in targets if target for flag in self.open_flags.get(target, ())]

    def regions_of(self, view: SceneView) -> tuple[Region, ...]:
        """Return the regions of a view, in order of their numbers."""
        return self.regions.get(view.medium, ())

    def polylines_of(self, view: SceneView) -> tuple[Polyline, ...]:
        """Return the paths drawn on a view."""
        return self.polylines.get(view.medium, ())

    def trajectories_of(self, view: SceneView) -> tuple[Trajectory, ...]:
        """Return the trajectories of a view's camera."""
        return tuple(trajectory for trajectory in self.trajectories if trajectory.view == view.name)
