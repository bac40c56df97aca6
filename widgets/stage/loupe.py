"""The loupe: magnifies the pixels under the pointer four times, in every view at the corresponding point."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QPoint, QRectF, QSize, Qt
from PySide6.QtGui import QImage, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from widgets import theme
from widgets.stage.arrangement import FINEST_STEP_PX, pixel_grid
from widgets.stage.canvas import StageCanvas
from widgets.stage.correspondences import CorrespondingPoint
from widgets.stage.view_transform import fit_transform

SIDE_PX = 220
BESIDE_PX = 24
"""Distance from the pointer, so that the point under it stays visible."""
TIMES = 4.0
"""Device pixels per image pixel, at 100 % screen scale; at least twice the view's zoom."""


class Loupe(QWidget):
    """A magnified square of one view; transparent for mouse events."""

    def __init__(self, canvas: StageCanvas) -> None:
        super().__init__(canvas)
        self._canvas = canvas
        self.point = (0.0, 0.0)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        side = min(SIDE_PX, canvas.width() - 4, canvas.height() - 4) // FINEST_STEP_PX * FINEST_STEP_PX
        self.resize(QSize(side, side))
        self.show()

    def look_at(self, x: float, y: float) -> None:
        """Magnify the surroundings of an image point; the loupe is placed beside the point."""
        self.point = (x, y)
        ratio = self._canvas.ratio()
        at_x, at_y = (value / ratio for value in self._canvas.view_point(x, y))
        left = _beside(at_x, own_px=self.width(), whole_px=self._canvas.width())
        top = _beside(at_y, own_px=self.height(), whole_px=self._canvas.height())
        most = QPoint(self._canvas.width() - self.width(), self._canvas.height() - self.height())
        # At a position between two device pixels, the loupe would be blurred.
        step = pixel_grid(ratio).step
        self.move(
            *(step * int(min(max(at, 0), end) / step) for at, end in ((left, most.x()), (top, most.y())))
        )
        self.update()

    def zoom(self) -> float:
        """Return device pixels per image pixel."""
        return max(TIMES * self._canvas.ratio(), 2 * self._canvas.transform.zoom)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the pixels, a frame and a small cross in the middle."""
        painter, ratio = QPainter(self), self._canvas.ratio()
        pyramid = self._canvas.model or self._canvas.picture
        side = round(self.width() * ratio)
        image = QImage(side, side, QImage.Format.Format_RGB32)
        image.fill(theme.current().color("bg"))
        if pyramid is not None:
            transform = fit_transform(side, side, image_width=pyramid.width, image_height=pyramid.height)
            middle = transform.to_image(side / 2, side / 2)
            transform = transform.zoomed(self.zoom() / transform.zoom).panned(
                (middle[0] - self.point[0]) * self.zoom(), (middle[1] - self.point[1]) * self.zoom()
            )
            inner = QPainter(image)
            pyramid.paint(inner, transform)
            inner.end()
        image.setDevicePixelRatio(ratio)
        painter.drawImage(0, 0, image)
        middle_px = self.width() / 2
        for colour, width in (("bg", 3.0), ("text", 1.0)):
            painter.setPen(QPen(theme.load("dark").color(colour), width))
            painter.drawLine(round(middle_px) - 5, round(middle_px), round(middle_px) + 5, round(middle_px))
            painter.drawLine(round(middle_px), round(middle_px) - 5, round(middle_px), round(middle_px) + 5)
        painter.setPen(QPen(theme.load("dark").color("text"), 1))
        painter.drawRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5))


class Loupes:
    """The loupes of all views, shown while a key is held."""

    def __init__(self) -> None:
        self.is_shown = False
        self.loupes: dict[StageCanvas, Loupe] = {}

    def place(self, positions: Mapping[StageCanvas, CorrespondingPoint]) -> None:
        """Show loupes at corresponding points, and hide those of other views."""
        for canvas in [known for known in self.loupes if known not in positions]:
            loupe = self.loupes.pop(canvas)
            loupe.hide()
            loupe.deleteLater()
        for canvas, point in positions.items():
            if canvas not in self.loupes:
                self.loupes[canvas] = Loupe(canvas)
            self.loupes[canvas].look_at(point.x, point.y)


def _beside(at: float, *, own_px: int, whole_px: int) -> float:
    """Return where the loupe begins: after the point, or before it where there is no room."""
    return at + BESIDE_PX if at + BESIDE_PX + own_px <= whole_px else at - BESIDE_PX - own_px
