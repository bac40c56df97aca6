"""What is known of the geometry between the views of a scene, and how well linked regions agree with it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from annotator.domain.medium import Medium
from annotator.domain.record import ValueObject
from annotator.domain.region import Region
from annotator.domain.scene import Scene
from annotator.domain.trajectory import Intrinsics, Trajectory
from annotator.media.epipolar import Camera, EpipolarTransform, epipolar_transform
from annotator.media.ground_plane import PlaneTransform, plane_transform

UPWARDS = "east-north-up"
"""The only axis convention in which orientations certainly start at the camera and z = 0 is the ground."""
USUAL_SIDE_PX = 1920.0
ImagePoint = tuple[float, float]
By = Literal["ground", "epipolar"]


class Mismatch(ValueObject, frozen=True, kw_only=True):
    """How far two linked regions are from where the geometry of their views has the same object.

    Attributes:
        first: Id of one region.
        second: Id of the other one.
        by: ``ground``: distance from its position on the ground plane; ``epipolar``: from its epipolar line.
        px: The distance, pixels of the image in which it is smaller.
        share: The distance as a share of the longer side of that image.
        limit_px: The largest distance that is not flagged, pixels of that image.
    """

    first: str
    second: str
    by: By
    px: float
    share: float
    limit_px: float

    @property
    def is_over(self) -> bool:
        """Whether the distance is over the limit."""
        return self.px > self.limit_px


@dataclass(frozen=True, kw_only=True)
class PairGeometry:
    """What is known between two views.

    Attributes:
        ground: The transform over the ground plane, None if a view is not aligned.
        epipolar: The transform to epipolar lines, None if a pose is unknown.
        sides_px: Longer side of each image.
    """

    ground: PlaneTransform | None
    epipolar: EpipolarTransform | None
    sides_px: tuple[float, float]

    @property
    def is_known(self) -> bool:
        """Whether anything is known."""
        return self.ground is not None or self.epipolar is not None

    def mismatch(self, first: Region, second: Region, *, limit: float) -> Mismatch | None:
        """Return the larger mismatch of two regions by ground plane and epipolar line, None if unknown.

        Args:
            first: Region of the one view.
            second: Region of the other view.
            limit: Largest mismatch as a share of the longer side of an image.
        """
        errors: tuple[tuple[By, Iterator[tuple[float, float]]], ...] = (
            ("ground", self._ground_errors(first, second)),
            ("epipolar", self._epipolar_errors(first, second)),
        )
        # The most lenient measurement of each kind: it is not known which point of a box is the same one of
        # the object, and near the horizon pixels of one image are many of the other.
        found = [(*best, by) for by, known in errors if (best := min(known, default=None)) is not None]
        if not found:
            return None
        share, side_px, by = max(found)
        return Mismatch(
            first=first.id,
            second=second.id,
            by=by,
            px=share * side_px,
            share=share,
            limit_px=limit * side_px,
        )

    def _ground_errors(self, first: Region, second: Region) -> Iterator[tuple[float, float]]:
        """Yield distances as shares, with the side of the image that they are measured in."""
        if self.ground is None:
            return
        for here, there in itertools.product(ground_points(first), ground_points(second)):
            ways = ((self.ground, here, there, 1), (self.ground.inverse(), there, here, 0))
            for way, begin, end, image in ways:
                led = way.point(*begin)
                if led is not None:
                    yield _distance(led, end) / self.sides_px[image], self.sides_px[image]

    def _epipolar_errors(self, first: Region, second: Region) -> Iterator[tuple[float, float]]:
        if self.epipolar is None:
            return
        back = self.epipolar.inverse()
        for here, there in itertools.product(ground_points(first), ground_points(second)):
            yield self.epipolar.distance(here, there) / self.sides_px[1], self.sides_px[1]
            yield back.distance(there, here) / self.sides_px[0], self.sides_px[0]


class SceneGeometry:
    """The geometry between the views of a scene.

    Args:
        scene: The scene.
        media: The media of its views by their ids.
        trajectories: The trajectories of its cameras.
    """

    def __init__(
        self, scene: Scene, *, media: Mapping[str, Medium], trajectories: Sequence[Trajectory]
    ) -> None:
        self._views = {view.medium: view for view in scene.views}
        self._media = media
        # The first one wins, as for the alignment: importing the same flight again must not move a view.
        self._trajectories = {one.view: one for one in reversed(trajectories) if one.view}
        self._known: dict[tuple[str, int | None, str, int | None], PairGeometry] = {}

    def between(
        self, here: str, there: str, *, here_frame: int | None = None, there_frame: int | None = None
    ) -> PairGeometry:
        """Return what is known between two media, for videos at frames of them."""
        key = (here, here_frame, there, there_frame)
        if key not in self._known:
            self._known[key] = self._between(key)
        return self._known[key]

    def pair(self, first: Region, second: Region) -> PairGeometry:
        """Return what is known between the images of two regions."""
        return self.between(first.medium, second.medium, here_frame=first.frame, there_frame=second.frame)

    def link_mismatch(self, regions: Sequence[Region], *, limit: float) -> Mismatch | None:
        """Return the largest mismatch among the regions of a link, None if the geometry is unknown."""
        pairs = (pair for pair in itertools.combinations(regions, 2) if pair[0].medium != pair[1].medium)
        found = (self.pair(one, two).mismatch(one, two, limit=limit) for one, two in pairs)
        return max((one for one in found if one is not None), key=lambda one: one.share, default=None)

    def _between(self, key: tuple[str, int | None, str, int | None]) -> PairGeometry:
        here, here_frame, there, there_frame = key
        views = self._views.get(here), self._views.get(there)
        ground = plane_transform(views[0].to_ground, views[1].to_ground) if views[0] and views[1] else None
        cameras = self._camera(here, here_frame), self._camera(there, there_frame)
        epipolar = epipolar_transform(cameras[0], cameras[1]) if cameras[0] and cameras[1] else None
        return PairGeometry(ground=ground, epipolar=epipolar, sides_px=(self._side(here), self._side(there)))

    def _side(self, medium: str) -> float:
        shown = self._media.get(medium)
        return float(max(shown.width_px, shown.height_px) or USUAL_SIDE_PX) if shown else USUAL_SIDE_PX

    def _camera(self, medium: str, frame: int | None) -> Camera | None:
        view, shown = self._views.get(medium), self._media.get(medium)
        trajectory = self._trajectories.get(view.name) if view is not None else None
        if trajectory is None or shown is None or trajectory.intrinsics is None:
            return None
        index = _pose_index(trajectory, medium=shown, frame=frame)
        if index is None:
            return None
        return Camera(
            pose=trajectory.poses[index],
            orientation=trajectory.orientations[index],
            intrinsics=scaled_camera(trajectory.intrinsics, width_px=shown.width_px),
        )


def ground_points(region: Region) -> tuple[ImagePoint, ...]:
    """Return the image points of a region that can be the same one of its object in another view.

    They are the centre of its box and the middle of the lower edge, see ``view_alignment.ground_point``.
    """
    box = region.box
    middle = (box.x1 + box.x2) / 2
    return ((middle, (box.y1 + box.y2) / 2), (middle, box.y2))


def scaled_camera(camera: Intrinsics, *, width_px: int) -> Intrinsics:
    """Return a camera for images of another size and the same aspect ratio."""
    share = width_px / camera.width_px if width_px and camera.width_px else 1.0
    return Intrinsics(
        fx=camera.fx * share, fy=camera.fy * share, cx=camera.cx * share, cy=camera.cy * share,
        width_px=round(camera.width_px * share), height_px=round(camera.height_px * share),
    )  # fmt: skip


def _pose_index(trajectory: Trajectory, *, medium: Medium, frame: int | None) -> int | None:
    """Return the index of the certain pose of an image or of a frame, None if there is none."""
    count = len(trajectory.poses)
    if trajectory.axes != UPWARDS or not count or len(trajectory.orientations) != count:
        return None
    if count == 1:
        return 0
    # An image of a flight with several poses can be taken at any of them; a video that has one pose per
    # frame cannot.
    has_own = frame is not None and medium.frames == count and 0 <= frame < count
    return frame if has_own else None


def _distance(one: ImagePoint, other: ImagePoint) -> float:
    return float(((one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2) ** 0.5)
