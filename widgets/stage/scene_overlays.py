"""Overlays of a view other than its own annotations: issue boxes, trajectories, reprojected regions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from widgets.overlay_kinds import OverlayKinds
from widgets.stage.camera_trajectory import (
    ProjectedTrajectory,
    TopViewPlan,
    projected_trajectory,
    top_view_plan,
)
from widgets.stage.issues import IssueBoxes
from widgets.stage.reprojected_regions import OtherView, ReprojectedRegion, reprojected_regions
from widgets.stage.view_annotations import ViewAnnotations

if TYPE_CHECKING:
    from widgets.stage.image_view import ImageView
    from widgets.stage.scene import StageScene


@dataclass(frozen=True, kw_only=True, eq=False)
class SceneOverlays:
    """Overlays painted in addition to the view's annotations.

    Attributes:
        issues: Issue boxes of event labels, None if they are off.
        trail: Projected camera trajectories, None if the orientation of the camera is unknown.
        plan: Top view of this camera's trajectory, if only positions are known.
        reprojected: Reprojected regions of other views.
    """

    issues: IssueBoxes | None = None
    trail: ProjectedTrajectory | None = None
    plan: TopViewPlan | None = None
    reprojected: tuple[ReprojectedRegion, ...] = ()


@dataclass(frozen=True, kw_only=True, eq=False)
class ViewMoment:
    """A view at one time.

    Attributes:
        medium: Id of its medium.
        size: Width and height of its image, image pixels.
        time_s: Time on the scene's clock, seconds; None for a still.
        marks: Its annotations at that time.
        others: The other views at that time.
    """

    medium: str
    size: tuple[int, int]
    time_s: float | None
    marks: ViewAnnotations
    others: Sequence[OtherView] = ()


def scene_overlays(view: ImageView) -> SceneOverlays:
    """Return the overlays of a view at the displayed time."""
    if view.scene is None or view.rendering != "annotated":
        return SceneOverlays()
    return overlays_of(view.scene, _moment_of(view, view.scene), kinds=view.kinds)


def selected_reprojections(view: ImageView) -> list[ReprojectedRegion]:
    """Return the reprojections of regions selected in other views, unless all reprojections are on."""
    is_asked = view.rendering == "annotated" and not view.is_model_input and not view.kinds.reprojected
    if view.scene is None or not view.selected or not is_asked:
        return []
    return _reprojected_in(view.scene, _moment_of(view, view.scene), only=view.selected)


def overlays_of(scene: StageScene, moment: ViewMoment, *, kinds: OverlayKinds) -> SceneOverlays:
    """Return the overlays of a view.

    Args:
        scene: The scene.
        moment: The view.
        kinds: The overlays that are on.
    """
    trail, plan = _trajectories_of(scene, moment) if kinds.trail else (None, None)
    return SceneOverlays(
        issues=scene.issues_in(moment.medium) if kinds.issues else None,
        trail=trail,
        plan=plan,
        reprojected=tuple(_reprojected_in(scene, moment)) if kinds.reprojected else (),
    )


def _moment_of(view: ImageView, scene: StageScene) -> ViewMoment:
    others = [
        OtherView(view=one.shown.view, to_ground=scene.domain_view(one.medium).to_ground, marks=one.marks)
        for one in view.companions
        if one is not view
    ]
    video, time_s = view.video, None
    if video is not None and view.frame is not None:
        # The stored offset, not that of the video: while the user drags a video on the timeline, its
        # trajectory moves with its frames.
        time_s = video.time_of(view.frame) - video.offset_s + scene.domain_view(view.medium).offset_s
    return ViewMoment(
        medium=view.medium,
        size=(view.transform.image_width, view.transform.image_height),
        time_s=time_s,
        marks=view.marks,
        others=others,
    )


def _reprojected_in(
    scene: StageScene, moment: ViewMoment, *, only: frozenset[str] | None = None
) -> list[ReprojectedRegion]:
    to_ground = scene.domain_view(moment.medium).to_ground
    return reprojected_regions(
        moment.marks, to_ground=to_ground, others=moment.others, size=moment.size, only=only
    )


def _trajectories_of(
    scene: StageScene, moment: ViewMoment
) -> tuple[ProjectedTrajectory | None, TopViewPlan | None]:
    flights = scene.flights
    own = flights.get(moment.medium)
    if own is None:
        return None, None
    if own.can_project(moment.time_s):
        others = [flight for medium, flight in flights.items() if medium != moment.medium]
        return projected_trajectory(own, others=others, time_s=moment.time_s, size=moment.size), None
    return None, top_view_plan(own, time_s=moment.time_s) if len(own.positions_m) > 1 else None
