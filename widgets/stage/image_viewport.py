"""A widget that looks at a picture through a lens: where image points lie in it."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from annotator.domain.region import Region
from widgets.stage.polyline_rasterizer import RING_PX
from widgets.stage.repaint import PaintedView
from widgets.stage.view_transform import ViewTransform, fit_transform

REACH_PX = 3.0
"""How far beside a mark the pointer may be, pixels of the window."""


class ImageViewport(QWidget):
    """Looks at a picture.

    Args:
        size: Of the picture in image pixels.

    Attributes:
        lens: Which part of it is seen, and how large; device pixels.
    """

    def __init__(self, size: QSize) -> None:
        super().__init__()
        self.lens = fit_transform(1, 1, image_width=size.width(), image_height=size.height())
        self._painted: PaintedView | None = None
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)

    @property
    def image_size(self) -> QSize:
        """Size of the whole picture in image pixels; as entered, or usual, as long as it has not come."""
        return QSize(self.lens.image_width, self.lens.image_height)

    def take_image_size(self, width: int, height: int) -> None:
        """Look at a picture of this size, in image pixels; the lens stays where it is the same."""
        if self.image_size.toTuple() != (width, height):
            self.lens = fit_transform(
                self.lens.width, self.lens.height, image_width=width, image_height=height
            )

    def show_lens(self, lens: ViewTransform) -> None:
        """Look elsewhere."""
        if lens != self.lens:
            self.lens = lens
            self.refresh()

    def refresh(self) -> None:
        """Paint all of it anew soon."""
        self._painted = None
        self.update()

    def ratio(self) -> float:
        """Return the device pixels per pixel of the window."""
        return self.devicePixelRatioF()

    def reach(self) -> float:
        """Return how far beside a mark the pointer may be, image pixels."""
        return REACH_PX * self.ratio() / self.lens.zoom

    def image_point(self, at: QPoint) -> tuple[float, float]:
        """Return the image point under a point of the widget."""
        ratio = self.ratio()
        return self.lens.to_image(at.x() * ratio, at.y() * ratio)

    def view_point(self, x: float, y: float) -> tuple[float, float]:
        """Return where an image point lies in the widget, device pixels."""
        place = self.lens.to_view(np.array([x, y]))
        return float(place[0]), float(place[1])

    def picture_rect(self) -> QRect:
        """Return where the picture lies in the view, pixels of the window."""
        (x1, y1), (x2, y2) = self.view_point(0, 0), self.view_point(*self.image_size.toTuple())
        ratio = self.ratio()
        return QRectF(x1 / ratio, y1 / ratio, (x2 - x1) / ratio, (y2 - y1) / ratio).toAlignedRect()

    def region_rect(self, region: Region) -> QRectF:
        """Return where a region's box, or the ring around a point, lies in the widget, device pixels."""
        x1, y1 = self.view_point(region.box.x1, region.box.y1)
        if region.is_point:
            reach = RING_PX * self.ratio()
            return QRectF(x1 - reach, y1 - reach, 2 * reach, 2 * reach)
        x2, y2 = self.view_point(region.box.x2, region.box.y2)
        return QRectF(x1, y1, x2 - x1, y2 - y1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Take the room that there is."""
        self.take_size()

    def take_size(self) -> None:
        """Keep showing the whole picture, or what lies in the middle, in the room that there is now."""
        ratio = self.ratio()
        # Pixels of the screen: a picture made in pixels of the window would be smeared at 125 or 150 %.
        width, height = round(self.width() * ratio), round(self.height() * ratio)
        self.show_lens(self.lens.resized(max(1, width), max(1, height)))
