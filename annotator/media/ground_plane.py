"""Maps points between views by homographies to a common ground plane.

A homography here maps image pixels to a plane that several views share. It is scaled so that the third
homogeneous coordinate is positive for visible points of the plane, and negative above the horizon.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotator.errors import UserError

Matrix = NDArray[Any]
Points = NDArray[np.float64]
NUMBERS = 9
LEAST_POINTS = 4
"""A homography has eight degrees of freedom, and a point fixes two.

Source: Hartley and Zisserman, "Multiple View Geometry", 2nd edition, section 4.1.
"""
LEAST_SHARE = 0.5
"""Of the points that must lie on one plane: with fewer, other planes fit as well."""
LEAST_FLATNESS = 0.04
"""Smaller over larger spread of points, without any one of them: below it they count as on one line."""
_LEAST_VOLUME = 1e-12
"""Of the unit matrix's: below it a homography maps the plane to a line."""
IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
"""Numbers of the view whose pixels are the plane itself."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Homography:
    """A projective map of the plane.

    Attributes:
        matrix: float64 (3, 3).
    """

    matrix: Matrix

    @property
    def numbers(self) -> tuple[float, ...]:
        """The nine numbers, row by row, the largest of the last row 1 or -1."""
        scaled = self.matrix / np.abs(self.matrix[2]).max()
        return tuple(float(number) for number in scaled.ravel())

    def points(self, points: Points) -> Points:
        """Return where points go.

        Args:
            points: float64 (n, 2), x y.

        Returns:
            float64 (n, 2), x y; NaN for points that are not visible from the plane.
        """
        x, y, depth = self.matrix @ np.column_stack([points, np.ones(len(points))]).T
        # Points of the horizon itself lie so far away that nothing is there.
        depth = np.where(depth > 1e-9 * np.abs(self.matrix[2]).max(), depth, np.nan)
        return np.column_stack([x / depth, y / depth])

    def point(self, x: float, y: float) -> tuple[float, float] | None:
        """Return where a point goes, None where it is not visible from the plane."""
        ((to_x, to_y),) = self.points(np.array([[x, y]], np.float64))
        return (float(to_x), float(to_y)) if np.isfinite(to_x + to_y) else None

    def scale_at(self, x: float, y: float) -> float:
        """Return how much longer small things become around a point, 0 where it is not visible.

        It is the root of the growth of areas: det / depth³, since the map is projective.
        """
        row = self.matrix[2]
        depth = float(row @ (x, y, 1.0))
        # The same horizon as in points: a scale there would be as good as infinite.
        if depth <= 1e-9 * float(np.abs(row).max()):
            return 0.0
        return float(np.sqrt(abs(np.linalg.det(self.matrix)) / depth**3))

    def inverse(self) -> Homography:
        """Return the inverse, scaled so that visible points keep a positive third coordinate."""
        return Homography(matrix=np.linalg.inv(self.matrix))


@dataclass(frozen=True, kw_only=True, eq=False)
class PlaneTransform:
    """The way from one picture over the ground to another.

    Attributes:
        here: From the pixels of the one to the ground.
        there: From the pixels of the other to the same ground.
    """

    here: Homography
    there: Homography

    def points(self, points: Points) -> Points:
        """Return where points of the one lie in the other, float64 (n, 2), NaN where they do not.

        Args:
            points: float64 (n, 2), x y, image pixels.
        """
        return self._back.points(self.here.points(points))

    def point(self, x: float, y: float) -> tuple[float, float] | None:
        """Return where a point of the one lies in the other, None where it does not."""
        ground = self.here.point(x, y)
        return self._back.point(*ground) if ground is not None else None

    def scale_at(self, x: float, y: float) -> float:
        """Return how many pixels of the other a pixel of the one is long, 0 where it is not visible."""
        ground = self.here.point(x, y)
        return self.here.scale_at(x, y) * self._back.scale_at(*ground) if ground is not None else 0.0

    def inverse(self) -> PlaneTransform:
        """Return the way back."""
        return PlaneTransform(here=self.there, there=self.here)

    @cached_property
    def _back(self) -> Homography:
        return self.there.inverse()


@dataclass(frozen=True, kw_only=True, eq=False)
class HomographyFit:
    """A homography found from points.

    Attributes:
        to_ground: From image pixels to the plane.
        points: Number of points it was sought from.
        fitting: Number of those that lie on the plane.
        error_px: Median distance of these from where the plane has them, image pixels; 0 for four points,
            which always fit.
    """

    to_ground: Homography
    points: int
    fitting: int
    error_px: float


def homography_of(numbers: Sequence[float]) -> Homography | None:
    """Return the homography of a view's nine numbers, None where there are none that make one."""
    if len(numbers) != NUMBERS or not np.all(np.isfinite(numbers)):
        return None
    matrix = np.array(numbers, np.float64).reshape(3, 3)
    # Hadamard: the determinant is at most the product of the rows' lengths.
    lengths = float(np.prod(np.linalg.norm(matrix, axis=1)))
    if lengths == 0 or abs(np.linalg.det(matrix)) <= _LEAST_VOLUME * lengths:
        return None
    return Homography(matrix=matrix)


def plane_transform(here: Sequence[float], there: Sequence[float]) -> PlaneTransform | None:
    """Return the way between two views by their nine numbers, None where one has none."""
    first, second = homography_of(here), homography_of(there)
    return PlaneTransform(here=first, there=second) if first is not None and second is not None else None


def estimate(image: Points, ground: Points, *, reach_px: float, is_metric: bool = False) -> HomographyFit:
    """Estimate the homography from an image to the ground plane, robust against outliers.

    Args:
        image: float64 (n, 2), x y, image pixels.
        ground: float64 (n, 2), the same points on the plane.
        reach_px: Maximum reprojection error of an inlier, image pixels.
        is_metric: Whether the axes of the plane are east and north; otherwise right and down, as in images.

    Raises:
        UserError: There are fewer than four points, they are collinear, or no plane fits half of them.

    Source: random sample consensus (Fischler and Bolles 1981) as OpenCV's findHomography has it.
    """
    # OpenCV takes a third of a second to import, which the start of the window does not have.
    import cv2

    if len(image) < LEAST_POINTS:
        raise UserError(f"{_points(len(image))} known in both views; {LEAST_POINTS} are required.")
    # Both ways: points spread in the picture may lie on one line on the ground, and the other way round.
    _require_spread(image)
    _require_spread(ground)
    # From ground to picture: the error that RANSAC compares with its reach is then in pixels.
    found, mask = cv2.findHomography(ground, image, cv2.RANSAC, reach_px, maxIters=5000, confidence=0.999)
    if found is None:
        raise UserError(f"No plane fits the {len(image)} points known in both views.")
    fits = np.asarray(mask).ravel() == 1
    if fits.sum() < max(LEAST_POINTS, LEAST_SHARE * len(image)):
        raise UserError(
            f"Only {int(fits.sum())} of the {len(image)} points known in both views lie on one plane."
        )
    # The points that fit may lie on one line although all together do not.
    _require_spread(image[fits])
    to_image = np.asarray(found, np.float64)
    depths = (to_image @ np.column_stack([ground[fits], np.ones(int(fits.sum()))]).T)[2]
    # A plane seen from one side turns nothing over, and all that is visible lies before the camera.
    to_image = to_image * np.sign(depths[0])
    if np.any(depths * depths[0] <= 0) or (np.linalg.det(to_image) > 0) == is_metric:
        raise UserError(
            "The points known in both views are in mirrored order, which is impossible for a plane."
        )
    errors = np.linalg.norm(Homography(matrix=to_image).points(ground[fits]) - image[fits], axis=1)
    return HomographyFit(
        to_ground=Homography(matrix=to_image).inverse(),
        points=len(image),
        fitting=int(fits.sum()),
        error_px=float(np.median(errors)) if len(image) > LEAST_POINTS else 0.0,
    )


def _require_spread(points: Points) -> None:
    """Refuse points that lie on one line, or would without one of them."""
    count = len(points)
    away = points - points.mean(axis=0)
    # The scatter without one point follows from that of all: no loop over them.
    without = np.einsum("ni,nj->nij", away, away) * (count / (count - 1))
    smaller, larger = np.linalg.eigvalsh(away.T @ away - without).T
    if np.any(smaller <= LEAST_FLATNESS**2 * larger):
        raise UserError(f"The {count} points known in both views lie nearly on one line.")


def _points(count: int) -> str:
    return f"{count or 'No'} {'point is' if count == 1 else 'points are'}"
