"""The view transform: maps image pixels to device pixels of a view by zoom and centre."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

Points = npt.NDArray[np.float64]
MOST_ZOOM = 64.0
"""Device pixels per image pixel."""
LEAST_PX = 64.0
"""Longer side of the smallest image that can be zoomed out to, device pixels."""


@dataclass(frozen=True, kw_only=True)
class ViewTransform:
    """A zoom and a centre, in device pixels, so that a zoom of 1.0 is one image pixel per device pixel.

    Attributes:
        width: Width of the view, device pixels.
        height: Height of the view, device pixels.
        image_width: Width of the whole image, image pixels.
        image_height: Height of the whole image, image pixels.
        zoom: Device pixels per image pixel.
        x: Image point at the centre of the view.
        y: Image point at the centre of the view.
    """

    width: int
    height: int
    image_width: int
    image_height: int
    zoom: float
    x: float
    y: float

    @property
    def fit_zoom(self) -> float:
        """The zoom at which the whole image just fits."""
        return min(self.width / max(1, self.image_width), self.height / max(1, self.image_height)) or 1.0

    @property
    def left(self) -> int:
        """Left edge of the image in the view, whole device pixels, so that the image is not blurred."""
        return round(self.width / 2 - self.x * self.zoom)

    @property
    def top(self) -> int:
        """Upper edge of the image in the view, whole device pixels."""
        return round(self.height / 2 - self.y * self.zoom)

    @property
    def is_fit(self) -> bool:
        """Whether the whole image is visible at the largest possible zoom."""
        return abs(self.zoom - self.fit_zoom) < 1e-9 * self.zoom

    def to_view(self, points: Points) -> Points:
        """Return the positions of image points in the view, device pixels.

        Args:
            points: float64 (..., 2), x y, image pixels.
        """
        return points * self.zoom + (self.left, self.top)

    def to_image(self, x: float, y: float) -> tuple[float, float]:
        """Return the image point at a position in the view."""
        return (x - self.left) / self.zoom, (y - self.top) / self.zoom

    def part(self, x: int, y: int, *, width: int, height: int) -> ViewTransform:
        """Return the transform of a part of the view, with identical pixels.

        Args:
            x: Left edge of the part, device pixels of the view.
            y: Upper edge of the part.
            width: Device pixels.
            height: Device pixels.
        """
        # Derived from the rounded edges: rounding again from the exact ones could give other pixels in the
        # part.
        middle_x = (width / 2 - (self.left - x)) / self.zoom
        middle_y = (height / 2 - (self.top - y)) / self.zoom
        return replace(self, width=width, height=height, x=middle_x, y=middle_y)

    def fitted(self) -> ViewTransform:
        """Return the transform that shows the whole image."""
        zoom = self.fit_zoom
        return replace(self, zoom=zoom, x=self.image_width / 2, y=self.image_height / 2)

    def zoomed(self, factor: float, *, at: tuple[float, float] | None = None) -> ViewTransform:
        """Return a transform with another zoom; one position in the view keeps its image point.

        Args:
            factor: Above 1 to enlarge.
            at: The fixed position, device pixels; the centre of the view if None.
        """
        x, y = at or (self.width / 2, self.height / 2)
        # A small image is enlarged when fitted, but can still be displayed at its own size or smaller.
        least = min(self.fit_zoom, LEAST_PX / max(self.image_width, self.image_height, 1))
        zoom = min(max(self.zoom * factor, least), MOST_ZOOM)
        image_x, image_y = self.to_image(x, y)
        return replace(
            self, zoom=zoom, x=image_x + (self.width / 2 - x) / zoom, y=image_y + (self.height / 2 - y) / zoom
        ).held()

    def panned(self, dx: float, dy: float) -> ViewTransform:
        """Return the transform panned by a distance in device pixels of the view."""
        return replace(self, x=self.x - dx / self.zoom, y=self.y - dy / self.zoom).held()

    def held(self) -> ViewTransform:
        """Return the transform with its centre clamped to the image."""
        x, y = self.x, self.y
        return replace(self, x=min(max(x, 0.0), self.image_width), y=min(max(y, 0.0), self.image_height))

    def showing(self, x1: float, y1: float, x2: float, y2: float, *, share: float = 0.4) -> ViewTransform:
        """Return a transform centred on a box.

        Args:
            x1: Left edge, image pixels.
            y1: Upper edge.
            x2: Right edge.
            y2: Lower edge.
            share: Fraction of the view that the box fills.
        """
        wide, high = max(x2 - x1, 1.0), max(y2 - y1, 1.0)
        zoom = min(share * self.width / wide, share * self.height / high, MOST_ZOOM / 4)
        return replace(self, zoom=zoom, x=(x1 + x2) / 2, y=(y1 + y2) / 2)

    def resized(self, width: int, height: int) -> ViewTransform:
        """Return the transform for another view size: keep a fitted image fitted, else the centre."""
        other = replace(self, width=width, height=height)
        # A fitted view that kept its zoom would have margins or be cropped after the resize.
        return other.fitted() if self.is_fit else other

    def like(self, other: ViewTransform) -> ViewTransform:
        """Return a transform that shows the same relative part of its image as another transform."""
        return replace(
            self,
            zoom=self.fit_zoom * other.zoom / other.fit_zoom,
            x=other.x / max(1, other.image_width) * self.image_width,
            y=other.y / max(1, other.image_height) * self.image_height,
        )

    def led(self, other: ViewTransform, *, x: float, y: float, scale: float) -> ViewTransform:
        """Return a transform that shows the same object as another one, at the same size.

        Args:
            other: The leading transform.
            x: Image point of this image at the centre of the other transform.
            y: Image point of this image at the centre of the other transform.
            scale: Pixels of this image per pixel of the other image, above 0.
        """
        zoom = min(other.zoom / scale, MOST_ZOOM)
        if other.is_fit or zoom <= self.fit_zoom:
            return self.fitted()
        return replace(self, zoom=zoom, x=x, y=y).held()


def fit_transform(width: int, height: int, *, image_width: int, image_height: int) -> ViewTransform:
    """Return the transform that shows a whole image."""
    return ViewTransform(
        width=max(1, width),
        height=max(1, height),
        image_width=image_width,
        image_height=image_height,
        zoom=1.0,
        x=0.0,
        y=0.0,
    ).fitted()
