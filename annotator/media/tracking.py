"""Follows boxes through the frames of a video by optical flow, without a model.

From one frame to the next, the motion of the camera is estimated from points all over the image. It predicts
where each box is; points inside the box then give its own motion and change of size. How well a box still
looks like itself is its confidence (adr/0018 compares this with other trackers).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from annotator.domain.region import Box

Gray = NDArray[np.uint8]
Floats = NDArray[np.float64]
Points = NDArray[np.float32]

LEAST_CONFIDENCE = 0.55
"""Confidence below which a box is lost: above it, 99 % of the boxes in the demo city are right (adr/0018)."""
LEAST_SIDE_PX = 6.0
"""Boxes with a shorter side have no points of their own to follow."""
WINDOW_PX, LEVELS = 11, 2
"""Window of a point, and halvings of the image: they cover motions of 20 px beside the predicted one."""
CAMERA_POINTS, APART_PX = 400, 12
"""Number of points that the motion of the camera is estimated from, and their distance, px."""
GRID = 6
"""Points of a box: six by six, beside its corners of high contrast."""
INNER_SHARE = 0.7
"""Part of a box whose points belong to the object; the edge shows what is around it."""
BACK_PX = 1.0
"""A point that does not return to where it came from, when followed backwards, has slipped."""
LEAST_POINTS = 6
REACH_PX = 1.0
"""Distance of a point from the common motion, px."""
MOST_GROWTH = 1.1
"""Change of size from one frame to the next."""
LOOK_SHARE, LOOK_PX = 1.15, 48
"""Part of the surroundings that belongs to the look of a box, and longer side of its stored look."""
RENEWAL, RENEWED_FROM = 0.1, 0.7
"""Share of each frame in the look of a box, and confidence from which it is renewed."""
LEAST_INSIDE = 0.5
"""Share of a box inside the image below which it has left the image."""


@dataclass(frozen=True, kw_only=True)
class TrackedBox:
    """A box on one frame.

    Attributes:
        box: Image pixels, clipped to the image.
        confidence: How much it looks like the box on the frames before, 0..1.
    """

    box: Box
    confidence: float


class BoxTracker:
    """Follows several boxes from frame to frame; for one thread.

    Args:
        frame: The first frame, uint8 (height, width, 3), RGB.
        boxes: Boxes on it, image pixels.
    """

    def __init__(self, frame: NDArray[np.uint8], boxes: Sequence[Box]) -> None:
        self._before = _gray(frame)
        self._tracks: list[_Track | None] = [
            _Track(self._before, box) if min(box.x2 - box.x1, box.y2 - box.y1) >= LEAST_SIDE_PX else None
            for box in boxes
        ]

    @property
    def is_following(self) -> bool:
        """Whether a box is not lost yet."""
        return any(track is not None for track in self._tracks)

    def follow(self, frame: NDArray[np.uint8]) -> list[TrackedBox | None]:
        """Return the boxes on the next frame, None for each that is lost; a lost box does not return.

        Args:
            frame: uint8 (height, width, 3), RGB, of the same size as the first one.
        """
        now = _gray(frame)
        camera = _camera_motion(self._before, now)
        tracks = [track for track in self._tracks if track is not None]
        for track, motion in zip(tracks, _motions(self._before, now, tracks, camera), strict=True):
            track.move(now, motion, camera=camera)
        self._before = now
        found = [track.tracked(now) if track is not None else None for track in self._tracks]
        self._tracks = [
            track if one is not None else None for track, one in zip(self._tracks, found, strict=True)
        ]
        return found


class _Track:
    """One box: where it is, how it moves beside the camera, and what it looks like.

    Attributes:
        middle: float64 (2,), x y, image pixels.
        size: float64 (2,), width and height, image pixels.
        confidence: As in ``TrackedBox``; 0 where no points could be followed.
    """

    def __init__(self, frame: Gray, box: Box) -> None:
        self.middle = np.array([(box.x1 + box.x2) / 2, (box.y1 + box.y2) / 2])
        self.size = np.array([box.x2 - box.x1, box.y2 - box.y1])
        self.confidence = 1.0
        self._own_motion = np.zeros(2)
        shrink = max(1.0, float(self.size.max()) * LOOK_SHARE / LOOK_PX)
        width, height = np.maximum(8, np.rint(self.size * LOOK_SHARE / shrink)).astype(int).tolist()
        self._look_px: tuple[int, int] = (width, height)
        self._look = self._seen(frame)

    def predicted(self, camera: Floats) -> Floats:
        """Return the expected middle after a motion of the camera, float64 (2,)."""
        return np.asarray(camera[:, :2] @ self.middle + camera[:, 2] + self._own_motion)

    def move(self, frame: Gray, motion: Floats | None, *, camera: Floats) -> None:
        """Go to the next frame.

        Args:
            frame: The next frame.
            motion: Motion of the box, float64 (2, 3), None if unknown.
            camera: Motion of the camera, float64 (2, 3).
        """
        if motion is None:
            self.confidence = 0.0
            return
        by_camera = camera[:, :2] @ self.middle + camera[:, 2]
        growth = float(np.sqrt(abs(np.linalg.det(motion[:, :2]))))
        self.middle = motion[:, :2] @ self.middle + motion[:, 2]
        self.size = self.size * min(max(growth, 1 / MOST_GROWTH), MOST_GROWTH)
        seen = self._seen(frame)
        self.confidence = _likeness(seen, self._look)
        self._own_motion = (self._own_motion + self.middle - by_camera) / 2
        if self.confidence >= RENEWED_FROM:
            # Slowly: a look that follows each frame would drift off the object unnoticed.
            self._look = (1 - RENEWAL) * self._look + RENEWAL * seen

    def tracked(self, frame: Gray) -> TrackedBox | None:
        """Return the box on a frame, None if it is lost or has left the image."""
        x1, y1 = np.maximum(self.middle - self.size / 2, 0.0).tolist()
        x2, y2 = np.minimum(self.middle + self.size / 2, frame.shape[::-1]).tolist()
        inside = max(0.0, x2 - x1) * max(0.0, y2 - y1) / float(np.prod(self.size))
        if self.confidence < LEAST_CONFIDENCE or inside < LEAST_INSIDE:
            return None
        return TrackedBox(box=Box(x1=x1, y1=y1, x2=x2, y2=y2), confidence=min(1.0, self.confidence))

    def points(self, frame: Gray) -> Points:
        """Return points of the object to be followed, float32 (n, 2), x y: an even grid, and its corners."""
        import cv2

        low = np.maximum(np.floor(self.middle - self.size * INNER_SHARE / 2).astype(int), 0)
        high = np.minimum(np.ceil(self.middle + self.size * INNER_SHARE / 2).astype(int), frame.shape[::-1])
        if np.any(high - low < 3):
            return np.empty((0, 2), np.float32)
        across, down = (np.linspace(low[axis], high[axis] - 1, GRID) for axis in (0, 1))
        grid = np.stack(np.meshgrid(across, down), axis=-1).reshape(-1, 2).astype(np.float32)
        part = np.ascontiguousarray(frame[low[1] : high[1], low[0] : high[0]])
        # None where the part is of one colour, which the types of OpenCV leave out.
        corners: Any = cv2.goodFeaturesToTrack(part, 30, 0.02, 2)
        if corners is None:
            return grid
        return np.concatenate([grid, corners.reshape(-1, 2) + low.astype(np.float32)])

    def _seen(self, frame: Gray) -> Floats:
        """Return the part of a frame inside and around the box, at the size of its look."""
        import cv2

        scale = self.size * LOOK_SHARE / np.array(self._look_px)
        # Pixel centres: the first one of the look lies half a look pixel inside its corner.
        corner = self.middle - self.size * LOOK_SHARE / 2 + scale / 2 - 0.5
        to_frame = np.array([[scale[0], 0.0, corner[0]], [0.0, scale[1], corner[1]]])
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        seen = cv2.warpAffine(frame, to_frame, self._look_px, flags=flags, borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(seen, np.float64)


def _motions(before: Gray, now: Gray, tracks: Sequence[_Track], camera: Floats) -> list[Floats | None]:
    """Return the motion of each box from its points, float64 (2, 3), None where too few agree."""
    points = [track.points(before) for track in tracks]
    ends = np.cumsum([len(own) for own in points])
    if not len(ends) or not ends[-1]:
        return [None] * len(tracks)
    moves = [
        np.tile(track.predicted(camera) - track.middle, (len(own), 1))
        for track, own in zip(tracks, points, strict=True)
    ]
    begins = np.concatenate(points)
    # One call for the points of all boxes: it prepares both images, which takes longer than the points.
    arrived, is_good = _followed(before, now, begins, begins + np.concatenate(moves).astype(np.float32))
    parts = zip(points, np.split(arrived, ends[:-1]), np.split(is_good, ends[:-1]), strict=True)
    return [_common_motion(own[good], there[good]) for own, there, good in parts]


def _followed(before: Gray, now: Gray, points: Points, expected: Points) -> tuple[Points, NDArray[np.bool_]]:
    """Return where points go, float32 (n, 2), and which of them return when they are followed back."""
    import cv2

    how = {"winSize": (WINDOW_PX, WINDOW_PX), "maxLevel": LEVELS, "flags": cv2.OPTFLOW_USE_INITIAL_FLOW}
    flow = cast("Any", cv2.calcOpticalFlowPyrLK)
    there, found, _ = flow(before, now, points, expected.copy(), **how)
    back, returned, _ = flow(now, before, there, points.copy(), **how)
    distance = np.linalg.norm(back - points, axis=1)
    is_good = (found.ravel() == 1) & (returned.ravel() == 1) & (distance < BACK_PX)
    return np.asarray(there, np.float32), np.asarray(is_good)


def _common_motion(begins: Points, ends: Points) -> Floats | None:
    """Return the motion, turn and change of size that most points share, float64 (2, 3), or None."""
    import cv2

    if len(begins) < LEAST_POINTS:
        return None
    estimated: tuple[Any, Any] = cv2.estimateAffinePartial2D(
        begins, ends, method=cv2.RANSAC, ransacReprojThreshold=REACH_PX
    )
    found, mask = estimated
    if found is None or np.count_nonzero(mask) < LEAST_POINTS:
        return None
    return np.asarray(found, np.float64)


def _camera_motion(before: Gray, now: Gray) -> Floats:
    """Return the motion of most of the image, float64 (2, 3); none where it has no points to follow."""
    import cv2

    corners: Any = cv2.goodFeaturesToTrack(before, CAMERA_POINTS, 0.01, APART_PX)
    if corners is None:
        return np.eye(2, 3)
    points: Points = corners.reshape(-1, 2)
    there, is_good = _followed(before, now, points, points)
    motion = _common_motion(points[is_good], there[is_good])
    return np.eye(2, 3) if motion is None else motion


def _likeness(one: Floats, other: Floats) -> float:
    """Return the correlation of two looks, -1..1; 0 where one of them is of one colour."""
    one, other = one - one.mean(), other - other.mean()
    size = float(np.sqrt((one * one).sum() * (other * other).sum()))
    return float((one * other).sum()) / size if size > 0 else 0.0


def _gray(frame: NDArray[np.uint8]) -> Gray:
    import cv2

    return np.asarray(cv2.cvtColor(frame, cv2.COLOR_RGB2GRAY), np.uint8)
