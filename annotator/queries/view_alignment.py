"""Alignment of a scene's views on one ground plane, by camera poses or by linked regions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import permutations

import numpy as np

from annotator.domain.medium import Medium
from annotator.domain.region import Box
from annotator.domain.scene import Scene
from annotator.domain.trajectory import Trajectory
from annotator.errors import UserError
from annotator.media.camera_homography import camera_homography
from annotator.media.ground_plane import (
    IDENTITY,
    LEAST_POINTS,
    Homography,
    HomographyFit,
    PlaneTransform,
    estimate,
)
from annotator.media.view_geometry import UPWARDS, USUAL_SIDE_PX, scaled_camera
from annotator.progress import Progress
from annotator.queries.linked_boxes import linked_boxes
from annotator.queries.reader import Reader

REACH_SHARE = 0.02
"""Largest distance of a linked point from the plane, as a share of the image's longer side.

The centres of boxes that show one vehicle from two sides differ by half its height.
"""
POSE_SHARE = 0.1
"""Largest distance of linked points from the positions that poses predict, as a share of the image's longer
side.

Above it the poses are rejected: the ground may not be at height 0.
"""
CLEARLY_PX = 1.0
"""Pixels by which lower edges must fit better than centres: for boxes of equal size both fit equally well."""
STILL_M, STILL_TURN = 0.05, 1e-4
"""A camera that moves (metres) and turns (1 minus the dot product of quaternions) less than this is
static.
"""
PICTURES = frozenset({"image", "depth", "map"})
MOVES = "Its camera moves: no single homography fits its video."
ImagePoint = tuple[float, float]
_PLANE = Homography(matrix=np.array(IDENTITY).reshape(3, 3))


@dataclass(frozen=True, kw_only=True)
class ViewMatch:
    """The match of one view.

    Attributes:
        by: ``pose``, ``links``, or ``reference`` for the view whose pixels are the plane.
        points: Number of linked points used.
        fitting: Number of these points that lie on the plane.
        error_px: Median distance of these from their positions on the plane, pixels of the view.
    """

    by: str
    points: int = 0
    fitting: int = 0
    error_px: float = 0.0


@dataclass(kw_only=True)
class AlignmentReport:
    """The result of aligning the views of a scene.

    Attributes:
        views: The aligned views, by name.
        left: The reasons why other views are not aligned, by name.
    """

    views: dict[str, ViewMatch] = field(default_factory=dict)
    left: dict[str, str] = field(default_factory=dict)

    @property
    def is_metric(self) -> bool:
        """Whether the plane is measured in metres."""
        return any(view.by == "pose" for view in self.views.values())


@dataclass(frozen=True, kw_only=True)
class GroundAlignment:
    """The alignment of a scene's views on one ground plane.

    Attributes:
        views: The transform from each view's pixels to the ground, by name.
        report: How it was determined.
    """

    views: Mapping[str, Homography]
    report: AlignmentReport


def find_ground(reader: Reader, scene: Scene, *, progress: Progress) -> GroundAlignment:
    """Align the views of a scene on one ground plane.

    Poses are preferred, since they give metres; views without a pose are matched by linked regions. Without
    any pose, the pixels of the first view that shares enough links are the plane.

    Raises:
        UserError: No two views share enough objects; the message names what is missing.
    """
    return _AlignmentSearch(reader, scene).ground(progress=progress)


class _AlignmentSearch:
    """The state of one search."""

    def __init__(self, reader: Reader, scene: Scene) -> None:
        media = (reader.get(Medium, view.medium) for view in scene.views)
        self._media = {medium.id: medium for medium in media if medium is not None}
        self._trajectories = _trajectories(reader, scene=scene.id)
        self._moving = {view.name for view in scene.views if self._moves(view.name, medium=view.medium)}
        self._sides = {view.name: self._side(view.medium) for view in scene.views}
        self._scene = scene
        self._linked = list(linked_boxes(reader, scene, media=self._media))
        self._known: dict[str, Homography] = {}
        self._level: set[str] = set()
        self._failed: dict[str, str] = {}
        self._report = AlignmentReport()

    def ground(self, *, progress: Progress) -> GroundAlignment:
        """Match the views one by one, first the one that shares most objects with those already matched."""
        self._begin()
        while (name := self._next()) is not None:
            progress.step()
            self._match(name)
        self._report.left = {**dict.fromkeys(sorted(self._moving), MOVES), **self._failed}
        if len(self._known) < 2 and not self._report.is_metric:
            raise UserError(
                self._missing(), hint="Link four or more objects that are apart on the ground, in both views."
            )
        return GroundAlignment(views=self._known, report=self._report)

    def _begin(self) -> None:
        self._known = self._by_poses()
        self._level = {
            name for name, homography in self._known.items() if self._sees_horizon(name, homography)
        }
        if not self._agrees():
            self._known, self._level = {}, set()
        by = "pose"
        if not self._known and (first := self._reference()):
            self._known, by = {first: _PLANE}, "reference"
        self._report.views |= {name: ViewMatch(by=by) for name in self._known}

    def _by_poses(self) -> dict[str, Homography]:
        found = {}
        for view in (one for one in self._scene.views if one.name not in self._moving):
            trajectory, medium = self._trajectories.get(view.name), self._media.get(view.medium)
            if trajectory is None or medium is None or trajectory.intrinsics is None:
                continue
            if _has_pose(trajectory, is_still=medium.media_type in PICTURES):
                camera = scaled_camera(trajectory.intrinsics, width_px=medium.width_px)
                ground = camera_homography(
                    trajectory.poses[0], orientation=trajectory.orientations[0], intrinsics=camera
                )
                if ground is not None:
                    found[view.name] = ground
        return found

    def _agrees(self) -> bool:
        """Return whether poses map linked objects to the same position; true without links."""
        # All poses are judged together: a wrong height of the ground makes every one of them wrong.
        errors = []
        for here, there in permutations(self._known, 2):
            boxes = [both for both in self._linked if {here, there} <= both.keys()]
            if boxes:
                first = np.array([self._spot(here, box[here]) for box in boxes])
                second = np.array([self._spot(there, box[there]) for box in boxes])
                led = PlaneTransform(here=self._known[here], there=self._known[there]).points(first)
                away = np.linalg.norm(led - second, axis=1) / self._sides[there]
                errors += np.where(np.isfinite(away), away, np.inf).tolist()
        return not errors or float(np.median(errors)) <= POSE_SHARE

    def _reference(self) -> str:
        """Return the first view that shares enough objects with another view, "" if there is none."""
        names = [view.name for view in self._scene.views if view.name not in self._moving]
        return next(
            (
                name
                for name in names
                if any(self._shared(name, other) >= LEAST_POINTS for other in names if other != name)
            ),
            "",
        )

    def _shared(self, name: str, other: str) -> int:
        return sum(name in boxes and other in boxes for boxes in self._linked)

    def _next(self) -> str | None:
        counts = {
            view.name: sum(view.name in boxes and bool(self._known.keys() & boxes) for boxes in self._linked)
            for view in self._scene.views
            if view.name not in {*self._known, *self._moving, *self._failed}
        }
        return max(counts, key=lambda name: counts[name], default=None)

    def _match(self, name: str) -> None:
        try:
            match = self._estimate(name, is_level=False)
        except UserError as error:
            self._failed[name] = str(error)
            return
        # A homography fits any four points without error, so four points confirm nothing.
        feet = self._by_feet(name) if match.points > LEAST_POINTS else None
        if feet is not None and _is_clearly_better(feet, than=match):
            match = feet
            self._level.add(name)
        # The newly matched view may provide the objects that another view lacked.
        self._failed.clear()
        self._known[name] = match.to_ground
        self._report.views[name] = ViewMatch(
            by="links", points=match.points, fitting=match.fitting, error_px=match.error_px
        )

    def _by_feet(self, name: str) -> HomographyFit | None:
        try:
            return self._estimate(name, is_level=True)
        except UserError:
            # The centres of the same boxes fit, so it does not matter that the lower edges do not.
            return None

    def _estimate(self, name: str, *, is_level: bool) -> HomographyFit:
        """Match a view by the objects that it shares with views on the ground."""
        image, ground = [], []
        for boxes in self._linked:
            others = [other for other in boxes if other in self._known] if name in boxes else []
            led = [self._known[other].point(*self._spot(other, boxes[other])) for other in others]
            # None stands for a point at or above the horizon, which has no position on the ground.
            seen = [position for position in led if position is not None]
            if seen:
                image.append(ground_point(boxes[name], is_level=is_level))
                ground.append(np.mean(seen, axis=0))
        return estimate(
            np.array(image, np.float64).reshape(-1, 2),
            np.array(ground, np.float64).reshape(-1, 2),
            reach_px=REACH_SHARE * self._sides[name],
            is_metric=self._report.is_metric,
        )

    def _spot(self, name: str, box: Box) -> ImagePoint:
        return ground_point(box, is_level=name in self._level)

    def _sees_horizon(self, name: str, homography: Homography) -> bool:
        side = self._sides[name]
        # The middle of the upper edge has no place on the ground: the camera looks along it.
        return homography.point(side / 2, 0.0) is None

    def _missing(self) -> str:
        names = [view.name for view in self._scene.views]
        if len(names) < 2:
            return "The scene has only one view; alignment needs two."
        pairs = [(self._shared(a, b), a, b) for at, a in enumerate(names) for b in names[at + 1 :]]
        most, here, there = max(pairs, key=lambda pair: pair[0])
        if most < LEAST_POINTS:
            return f"{here} and {there} share {most} linked regions; {LEAST_POINTS} are needed."
        return " ".join(f"{name}: {why}" for name, why in self._report.left.items())

    def _moves(self, name: str, *, medium: str) -> bool:
        trajectory, shown = self._trajectories.get(name), self._media.get(medium)
        if trajectory is None or shown is None or shown.media_type in PICTURES:
            return False
        return bool(trajectory.poses) and _is_moving(trajectory)

    def _side(self, medium: str) -> float:
        shown = self._media.get(medium)
        return float(max(shown.width_px, shown.height_px) or USUAL_SIDE_PX) if shown else USUAL_SIDE_PX


def ground_point(box: Box, *, is_level: bool) -> ImagePoint:
    """Return the best estimate, from its box, of the image point where an object touches the ground.

    For an aerial camera it is the centre of the box: in the demo city the centre lies 2 to 6 px (median) from
    the position that poses give for the same vehicle of another view, the middle of the lower edge 34 to 52
    px. For a camera that looks along the ground it is the middle of the lower edge.

    Args:
        box: Image pixels.
        is_level: Whether the camera looks along the ground.
    """
    return (box.x1 + box.x2) / 2, box.y2 if is_level else (box.y1 + box.y2) / 2


def _is_clearly_better(match: HomographyFit, *, than: HomographyFit) -> bool:
    if match.fitting != than.fitting:
        return match.fitting > than.fitting
    return match.error_px + CLEARLY_PX < than.error_px


def _trajectories(reader: Reader, *, scene: str) -> dict[str, Trajectory]:
    found: dict[str, Trajectory] = {}
    for one in reader.find(Trajectory, scene=scene):
        if one.view:
            # The first pose file wins: importing the same flight again must not move a view.
            found.setdefault(one.view, one)
    return found


def _has_pose(trajectory: Trajectory, *, is_still: bool) -> bool:
    """Return whether the pose of a view is certain; for an image of a flight with several poses it is not."""
    is_one = len(trajectory.poses) == 1 or not is_still
    return trajectory.axes == UPWARDS and bool(trajectory.poses) and bool(trajectory.orientations) and is_one


def _is_moving(trajectory: Trajectory) -> bool:
    """Return whether the camera of a trajectory with poses changes its place or its direction."""
    positions = np.array([(pose.x_m, pose.y_m, pose.z_m) for pose in trajectory.poses])
    turns = np.array(
        [(turn.w, turn.x, turn.y, turn.z) for turn in trajectory.orientations] or [(1.0, 0, 0, 0)]
    )
    yaws = np.array([pose.yaw_deg for pose in trajectory.poses])
    # Of the absolute product: a quaternion and its negative are the same rotation.
    return bool(
        np.any(np.ptp(positions, axis=0) > STILL_M)
        or np.any(1 - np.abs(turns @ turns[0]) > STILL_TURN)
        or (not trajectory.orientations and np.ptp(yaws) > 0)
    )
