"""The lens of a view: which part of its picture is seen, and how large."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

Points = npt.NDArray[np.float64]
MOST_ZOOM = 64.0
"""Device pixels per image pixel."""
LEAST_PX = 64.0
"""Longer side of the smallest picture that can be zoomed out to, device pixels."""


@dataclass(frozen=True, kw_only=True)
class ViewTransform:
    """A zoom and a place; all of it in device pixels, so that 1.0 is a pixel for a pixel on any screen.

    Attributes:
        width: Of the view, device pixels.
        height: Of the view, device pixels.
        image_width: Of the whole picture, image pixels.
        image_height: Of the whole picture, image pixels.
        zoom: Device pixels per image pixel.
        x: Image point in the middle of the view.
        y: Image point in the middle of the view.
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
        """The zoom at which the whole picture just fits."""
        return min(self.width / max(1, self.image_width), self.height / max(1, self.image_height)) or 1.0

    @property
    def left(self) -> int:
        """Where the left edge of the picture lies in the view; whole pixels, so that nothing is smeared."""
        return round(self.width / 2 - self.x * self.zoom)

    @property
    def top(self) -> int:
        """Where the upper edge of the picture lies in the view."""
        return round(self.height / 2 - self.y * self.zoom)

    @property
    def is_fit(self) -> bool:
        """Whether the whole picture is seen, as large as it can be."""
        return abs(self.zoom - self.fit_zoom) < 1e-9 * self.zoom

    def to_view(self, points: Points) -> Points:
        """Return where image points lie in the view.

        Args:
            points: float64 (..., 2), x y, image pixels.
        """
        return points * self.zoom + (self.left, self.top)

    def to_image(self, x: float, y: float) -> tuple[float, float]:
        """Return the image point under a point of the view."""
        return (x - self.left) / self.zoom, (y - self.top) / self.zoom

    def part(self, x: int, y: int, *, width: int, height: int) -> ViewTransform:
        """Return the lens that shows a part of the view, pixel for pixel.

        Args:
            x: Left edge of the part, device pixels of the view.
            y: Its upper edge.
            width: Device pixels.
            height: Device pixels.
        """
        # From whole pixels: what is rounded once must not be rounded to another one in the part.
        middle_x = (width / 2 - (self.left - x)) / self.zoom
        middle_y = (height / 2 - (self.top - y)) / self.zoom
        return replace(self, width=width, height=height, x=middle_x, y=middle_y)

    def fitted(self) -> ViewTransform:
        """Return the lens that shows the whole picture."""
        zoom = self.fit_zoom
        return replace(self, zoom=zoom, x=self.image_width / 2, y=self.image_height / 2)

    def zoomed(self, factor: float, *, at: tuple[float, float] | None = None) -> ViewTransform:
        """Return a lens that shows things larger; the point of the view stays where it is.

        Args:
            factor: Over 1 shows them larger.
            at: Point of the view, by default its middle.
        """
        x, y = at or (self.width / 2, self.height / 2)
        # A small picture that fits is shown enlarged; it may be shown pixel for pixel all the same.
        least = min(self.fit_zoom, LEAST_PX / max(self.image_width, self.image_height, 1))
        zoom = min(max(self.zoom * factor, least), MOST_ZOOM)
        image_x, image_y = self.to_image(x, y)
        return replace(
            self, zoom=zoom, x=image_x + (self.width / 2 - x) / zoom, y=image_y + (self.height / 2 - y) / zoom
        ).held()

    def panned(self, dx: float, dy: float) -> ViewTransform:
        """Return a lens whose picture lies elsewhere by so many pixels of the view."""
        return replace(self, x=self.x - dx / self.zoom, y=self.y - dy / self.zoom).held()

    def held(self) -> ViewTransform:
        """Return a lens with the picture in sight: its middle point lies within the picture."""
        x, y = self.x, self.y
        return replace(self, x=min(max(x, 0.0), self.image_width), y=min(max(y, 0.0), self.image_height))

    def showing(self, x1: float, y1: float, x2: float, y2: float, *, share: float = 0.4) -> ViewTransform:
        """Return a lens with a box in its middle.

        Args:
            x1: Left edge, image pixels.
            y1: Upper edge.
            x2: Right edge.
            y2: Lower edge.
            share: Share of the view that the box takes.
        """
        wide, high = max(x2 - x1, 1.0), max(y2 - y1, 1.0)
        zoom = min(share * self.width / wide, share * self.height / high, MOST_ZOOM / 4)
        return replace(self, zoom=zoom, x=(x1 + x2) / 2, y=(y1 + y2) / 2)

    def resized(self, width: int, height: int) -> ViewTransform:
        """Return the lens for a view of another size: what fitted fits again, else the middle stays."""
        other = replace(self, width=width, height=height)
        # A view that fitted would, with its zoom kept, show a margin or a part after the window was resized.
        return other.fitted() if self.is_fit else other

    def like(self, other: ViewTransform) -> ViewTransform:
        """Return a lens that shows the same part of its picture as another one does of its own."""
        return replace(
            self,
            zoom=self.fit_zoom * other.zoom / other.fit_zoom,
            x=other.x / max(1, other.image_width) * self.image_width,
            y=other.y / max(1, other.image_height) * self.image_height,
        )

    def led(self, other: ViewTransform, *, x: float, y: float, scale: float) -> ViewTransform:
        """Return a lens that shows the same place as another one does, at the same size.

        Args:
            other: The lens that leads.
            x: Image point of this picture that the other lens has in its middle.
            y: Image point of this picture that the other lens has in its middle.
            scale: Pixels of this picture per pixel of the other's, over 0.
        """
        zoom = min(other.zoom / scale, MOST_ZOOM)
        if other.is_fit or zoom <= self.fit_zoom:
            return self.fitted()
        return replace(self, zoom=zoom, x=x, y=y).held()


def fit_transform(width: int, height: int, *, image_width: int, image_height: int) -> ViewTransform:
    """Return a lens that shows a whole picture."""
    return ViewTransform(
        width=max(1, width),
        height=max(1, height),
        image_width=image_width,
        image_height=image_height,
        zoom=1.0,
        x=0.0,
        y=0.0,
    ).fitted()
