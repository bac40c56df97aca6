"""One view as it is shown: a picture of any size with its marks, painted by hand."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QImage, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from annotator.domain.region import Region
from annotator.media.render import Marks, Rendering
from widgets import icons, theme
from widgets.library.details import ShownMedium
from widgets.stage.lens import Lens, lens_for
from widgets.stage.overlay import OverlayState, paint_marks, paint_plate, plate_size
from widgets.stage.pictures import Loaded
from widgets.stage.pyramid import Pyramid
from widgets.stage.view_marks import NOTHING, ViewMarks
from widgets.translation import tr

FILM_KINDS = frozenset({"video", "frames"})
USUAL_SIZE = QSize(1920, 1080)
REACH_PX = 3.0
"""How far beside a mark the pointer may be, pixels of the window."""
WHITE = QColor("#ffffff")
"""Frame of what is chosen or under the pointer, on any picture."""


class View(QWidget):
    """Shows one medium with what is marked in it.

    Signals:
        picture_shown: The picture has come, or the reason why there is none.
    """

    picture_shown = Signal()

    def __init__(self, shown: ShownMedium) -> None:
        super().__init__()
        self.shown = shown
        self.pyramid: Pyramid | None = None
        self.model: Pyramid | None = None
        self.is_loading = self.is_rendering = False
        self.problem = ""
        self.marks: ViewMarks = NOTHING
        self.rendering: Rendering = "annotated"
        self.selected: frozenset[str] = frozenset()
        self.hidden: frozenset[str] = frozenset()
        self.hovered: Region | None = None
        medium = shown.medium
        # Of a film the first frame is shown: what is marked there belongs to it alone.
        self.frame = 0 if medium.kind in FILM_KINDS else None
        size = QSize(medium.width_px, medium.height_px) if medium.width_px else USUAL_SIZE
        self.lens = lens_for(1, 1, image_width=size.width(), image_height=size.height())
        self._ground: tuple[object, QImage] | None = None
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAccessibleName(f"{shown.view} {medium.name}".strip())

    @property
    def medium(self) -> str:
        """Id of the medium."""
        return self.shown.medium.id

    @property
    def image_size(self) -> QSize:
        """Size of the whole picture in image pixels; as entered, or usual, as long as it has not come."""
        return QSize(self.lens.image_width, self.lens.image_height)

    def take_loaded(self, loaded: Loaded) -> None:
        """Show the picture, or say why there is none; a picture of the same size keeps the lens."""
        self.is_loading = False
        self.pyramid, self.problem = loaded.pyramid, loaded.problem
        pyramid = loaded.pyramid
        if pyramid is not None and self.image_size != QSize(pyramid.width, pyramid.height):
            self.lens = lens_for(
                self.lens.width, self.lens.height, image_width=pyramid.width, image_height=pyramid.height
            )
        self.refresh()
        self.picture_shown.emit()

    def take_model(self, model: Pyramid) -> None:
        """Show what the renderer made in the place of the picture and its marks."""
        if self.is_rendering:
            self.is_rendering = False
            self.model = model
            self.refresh()

    def drop_model(self) -> None:
        """Show the picture and its marks again."""
        self.is_rendering = False
        if self.model is not None:
            self.model = None
            self.refresh()

    def show_marks(self, marks: Marks) -> None:
        """Show what is marked in this medium.

        Args:
            marks: Regions and paths of the medium, with all links of the scene.
        """
        self.marks = ViewMarks(marks=marks)
        self.refresh()

    def show_lens(self, lens: Lens) -> None:
        """Look elsewhere."""
        if lens != self.lens:
            self.lens = lens
            self.refresh()

    def refresh(self) -> None:
        """Paint anew soon."""
        self._ground = None
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

    def ground(self) -> QImage:
        """Return the view without what moves with the pointer: picture and marks, device pixels."""
        key = (self.lens, id(self.pyramid), id(self.model), id(self.marks), self.rendering, self.hidden)
        wanted = (*key, theme.current().name)
        if self._ground is None or self._ground[0] != wanted:
            self._ground = wanted, self._paint_ground()
        return self._ground[1]

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the view."""
        painter, ratio = QPainter(self), self.ratio()
        if self.pyramid is None:
            self._paint_absence(painter)
        else:
            ground = self.ground()
            ground.setDevicePixelRatio(ratio)
            painter.drawImage(0, 0, ground)
            painter.scale(1 / ratio, 1 / ratio)
            self._paint_over(painter)
            painter.resetTransform()
        self._paint_name(painter)
        if self.hasFocus():
            painter.setPen(theme.current().color("focus"))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep showing the whole picture, or what lies in the middle."""
        ratio = self.ratio()
        width, height = round(self.width() * ratio), round(self.height() * ratio)
        self.show_lens(self.lens.resized(max(1, width), max(1, height)))

    def region_rect(self, region: Region) -> QRectF:
        """Return where a region's box lies in the widget, device pixels."""
        x1, y1 = self.view_point(region.box.x1, region.box.y1)
        x2, y2 = self.view_point(region.box.x2, region.box.y2)
        return QRectF(x1, y1, x2 - x1, y2 - y1)

    def paint_draft(self, painter: QPainter) -> None:
        """Paint what a tool is drawing; the painter counts device pixels."""

    def _paint_ground(self) -> QImage:
        image = QImage(self.lens.width, self.lens.height, QImage.Format.Format_RGB32)
        image.fill(theme.current().color("bg"))
        shown = self.model or self.pyramid
        painter = QPainter(image)
        if shown is not None:
            shown.paint(painter, self.lens)
        painter.end()
        if self.model is None:
            state = OverlayState(rendering=self.rendering, ratio=self.ratio(), hidden=self.hidden)
            paint_marks(image, self.marks, lens=self.lens, state=state)
        return image

    def _paint_over(self, painter: QPainter) -> None:
        """Paint what moves with the pointer; the painter counts device pixels."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for region_id in self.selected - self.hidden:
            if (region := self.marks.region(region_id)) is not None:
                self._paint_selected(painter, region)
        self.paint_draft(painter)
        if self.hovered is not None and self.hovered.id not in self.hidden:
            self._paint_hovered(painter, self.hovered)

    def _paint_selected(self, painter: QPainter, region: Region) -> None:
        ratio = self.ratio()
        rect = self.region_rect(region).adjusted(-ratio, -ratio, ratio, ratio)
        accent = theme.current().color("accent")
        ground = QColor(accent)
        ground.setAlpha(46)
        painter.setBrush(ground)
        painter.setPen(QPen(WHITE, 2 * ratio))
        painter.drawRect(rect)
        painter.setBrush(Qt.BrushStyle.NoBrush)

    def _paint_hovered(self, painter: QPainter, region: Region) -> None:
        ratio = self.ratio()
        rect = self.region_rect(region)
        painter.setPen(QPen(WHITE, 1.4 * ratio))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(rect)
        text = "  ".join(filter(None, (tr("Region {n}", n=region.number), region.category)))
        width, height = plate_size(text, ratio=ratio)
        y = rect.top() - height - 2 * ratio
        top = y if y >= 0 else min(rect.bottom() + 3 * ratio, self.lens.height - height)
        left = min(max(0.0, rect.left() - 1), self.lens.width - width)
        paint_plate(painter, text, x=round(left), y=round(top), ratio=ratio)

    def _paint_name(self, painter: QPainter) -> None:
        """Write the view's name into the corner, and that this is what the model sees."""
        words = [
            self.shown.view,
            tr("frame {n}", n=self.frame) if self.frame is not None else "",
            tr("as the model sees it") if self.model is not None else "",
        ]
        text = "   ".join(filter(None, words))
        if text:
            paint_plate(painter, text, x=6, y=6, ratio=1.0)

    def _paint_absence(self, painter: QPainter) -> None:
        tokens, rect = theme.current(), self.rect()
        painter.fillRect(rect, tokens.color("bg"))
        if not self.problem:
            return
        middle = rect.center()
        icons.draw(
            painter,
            "picture-missing",
            rect=QRectF(middle.x() - 10, middle.y() - 24, 20, 20),
            ink=tokens.color("text_dim"),
        )
        painter.setFont(theme.font("body"))
        painter.setPen(tokens.color("text_dim"))
        place = rect.adjusted(8, middle.y() + 4, -8, 0)
        painter.drawText(place, int(Qt.AlignmentFlag.AlignHCenter | Qt.TextFlag.TextWordWrap), self.problem)
