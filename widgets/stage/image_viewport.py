"""A widget that displays an image through a view transform, with conversions between their coordinates."""

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
"""Hit distance around an annotation, device-independent pixels."""


class ImageViewport(QWidget):
    """Base class of widgets that display an image.

    Args:
        size: Size of the image, image pixels.

    Attributes:
        transform: The view transform, in device pixels.
    """

    def __init__(self, size: QSize) -> None:
        super().__init__()
        self.transform = fit_transform(1, 1, image_width=size.width(), image_height=size.height())
        self._painted: PaintedView | None = None
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)

    @property
    def image_size(self) -> QSize:
        """Size of the whole image, image pixels; until it is loaded, the recorded or a default size."""
        return QSize(self.transform.image_width, self.transform.image_height)

    def take_image_size(self, width: int, height: int) -> None:
        """Set the image size, image pixels; the view transform is kept if the size is unchanged."""
        if self.image_size.toTuple() != (width, height):
            self.transform = fit_transform(
                self.transform.width, self.transform.height, image_width=width, image_height=height
            )

    def show_transform(self, transform: ViewTransform) -> None:
        """Set the view transform."""
        if transform != self.transform:
            self.transform = transform
            self.refresh()

    def refresh(self) -> None:
        """Schedule a repaint of the whole widget."""
        self._painted = None
        self.update()

    def ratio(self) -> float:
        """Return the device pixel ratio of the widget."""
        return self.devicePixelRatioF()

    def reach(self) -> float:
        """Return the hit distance around an annotation, image pixels."""
        return REACH_PX * self.ratio() / self.transform.zoom

    def image_point(self, at: QPoint) -> tuple[float, float]:
        """Return the image point at a point of the widget."""
        ratio = self.ratio()
        return self.transform.to_image(at.x() * ratio, at.y() * ratio)

    def view_point(self, x: float, y: float) -> tuple[float, float]:
        """Return the position of an image point in the widget, device pixels."""
        position = self.transform.to_view(np.array([x, y]))
        return float(position[0]), float(position[1])

    def picture_rect(self) -> QRect:
        """Return the rectangle of the image in the widget, device-independent pixels."""
        (x1, y1), (x2, y2) = self.view_point(0, 0), self.view_point(*self.image_size.toTuple())
        ratio = self.ratio()
        return QRectF(x1 / ratio, y1 / ratio, (x2 - x1) / ratio, (y2 - y1) / ratio).toAlignedRect()

    def region_rect(self, region: Region) -> QRectF:
        """Return the rectangle of a region's box, or of a point's ring, in the widget, device pixels."""
        x1, y1 = self.view_point(region.box.x1, region.box.y1)
        if region.is_point:
            reach = RING_PX * self.ratio()
            return QRectF(x1 - reach, y1 - reach, 2 * reach, 2 * reach)
        x2, y2 = self.view_point(region.box.x2, region.box.y2)
        return QRectF(x1, y1, x2 - x1, y2 - y1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Adapt the view transform to the new size."""
        self.take_size()

    def take_size(self) -> None:
        """Adapt the view transform to the widget's size: keep the whole image fitted, else the centre."""
        ratio = self.ratio()
        # Device pixels: an image scaled in device-independent pixels would be blurred at 125 or 150 %.
        width, height = round(self.width() * ratio), round(self.height() * ratio)
        self.show_transform(self.transform.resized(max(1, width), max(1, height)))
