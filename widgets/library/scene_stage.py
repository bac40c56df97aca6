"""The views of a scene side by side, as large as they can be, with their regions drawn on them."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QPolygonF, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from annotator.domain.region import Region
from widgets import theme
from widgets.library.details import SceneDetail, ShownMedium
from widgets.library.picture_grid import LARGE_PX
from widgets.library.pictures import USUAL_SHAPE, PictureFrame, PictureLoader
from widgets.region_colours import region_colour

GAP_PX = 4
MOST_VIEWS = 12
"""Views laid out at once; scenes of two to six are what a scene is made for."""
MOST_REGIONS = 500
"""Regions drawn in one view; more would hide the picture."""
SMALLEST_LABELLED_PX = 14
"""A smaller region goes without its number, which would cover it."""


class StageView(PictureFrame):
    """One view with its regions."""

    def __init__(
        self, shown: ShownMedium, *, loader: PictureLoader, regions: list[Region], groups: dict[str, int]
    ) -> None:
        super().__init__(shown, loader=loader, within=LARGE_PX)
        self.regions, self._groups = regions[:MOST_REGIONS], groups
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the picture, then the regions over it."""
        super().paintEvent(event)
        if self.picture is None or self.picture.image.isNull() or not self.regions:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(theme.font("label"))
        place = self.picture_rect()
        scale = place.width() / max(1, self.shown.medium.width_px or self.picture.size.width())
        for region in self.regions:
            self._paint_region(painter, region, place, scale)

    def picture_rect(self) -> QRect:
        """Return where the picture lies in the frame."""
        image = self.picture.image if self.picture else None
        if image is None or image.isNull():
            return self.rect()
        size = image.size().scaled(self.size(), Qt.AspectRatioMode.KeepAspectRatio)
        place = QRect(0, 0, size.width(), size.height())
        place.moveCenter(self.rect().center())
        return place

    def _paint_region(self, painter: QPainter, region: Region, place: QRect, scale: float) -> None:
        box = region.box
        rect = QRectF(
            place.x() + box.x1 * scale,
            place.y() + box.y1 * scale,
            (box.x2 - box.x1) * scale,
            (box.y2 - box.y1) * scale,
        )
        corners = QPolygonF(
            [QPointF(place.x() + x * scale, place.y() + y * scale) for x, y in region.polygon]
        )
        colour = region_colour(self._groups.get(region.id, region.number))
        # A thin dark halo: the line reads on any ground.
        for pen in (QPen(theme.load("dark").color("bg"), 3), QPen(colour, 1.4)):
            painter.setPen(pen)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(rect) if corners.isEmpty() else painter.drawPolygon(corners)
        if max(rect.width(), rect.height()) >= SMALLEST_LABELLED_PX:
            self._paint_number(painter, region.number, rect, place)

    def _paint_number(self, painter: QPainter, number: int, rect: QRectF, place: QRect) -> None:
        """Write the neutral id outside the region, above it where there is room."""
        text = f"{number}"
        width = painter.fontMetrics().horizontalAdvance(text) + 6
        top = rect.top() - 15 if rect.top() - 15 >= place.top() else rect.bottom() + 1
        plate = QRectF(rect.left(), top, width, 14)
        ground = theme.load("dark").color("bg")
        ground.setAlpha(200)
        painter.fillRect(plate, ground)
        painter.setPen(theme.load("dark").color("text"))
        painter.drawText(plate, int(Qt.AlignmentFlag.AlignCenter), text)


class SceneStage(QWidget):
    """Lays the views out by whichever rows and columns show the most picture.

    Signals:
        opened: A view is wanted large; carries its place.
    """

    opened = Signal(int)

    def __init__(self, loader: PictureLoader) -> None:
        super().__init__()
        self.loader = loader
        self.views: list[StageView] = []
        self.setMinimumSize(QSize(200, 160))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def show_detail(self, detail: SceneDetail) -> None:
        """Show the views of a scene."""
        for view in self.views:
            view.hide()
            view.deleteLater()
        groups = {
            region: at
            for at, link in enumerate(detail.links)
            if link.kind == "same"
            for region in link.regions
        }
        self.views = []
        for at, shown in enumerate(detail.media[:MOST_VIEWS]):
            regions = [one for one in detail.regions if one.medium == shown.medium.id and not one.frame]
            view = StageView(shown, loader=self.loader, regions=regions, groups=groups)
            view.opened.connect(partial(self.opened.emit, at))
            view.setParent(self)
            view.show()
            self.views.append(view)
        self._lay_out()

    def is_settled(self) -> bool:
        """Tell whether every view shows its picture, or why there is none."""
        return all(view.picture is not None for view in self.views)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay the views out anew."""
        super().resizeEvent(event)
        self._lay_out()

    def _lay_out(self) -> None:
        for view, place in zip(self.views, places(self.size(), len(self.views)), strict=True):
            view.setGeometry(place)


def places(space: QSize, count: int) -> list[QRect]:
    """Return the places of views in the grid that shows the most picture, for pictures of 16:9."""
    if not count:
        return []
    columns = max(range(1, count + 1), key=lambda tried: _shown_area(space, count, columns=tried))
    cell = _cell(space, count, columns=columns)
    return [
        QRect(
            at % columns * (cell.width() + GAP_PX),
            at // columns * (cell.height() + GAP_PX),
            cell.width(),
            cell.height(),
        )
        for at in range(count)
    ]


def _cell(space: QSize, count: int, *, columns: int) -> QSize:
    rows = -(-count // columns)
    return QSize(
        (space.width() - (columns - 1) * GAP_PX) // columns, (space.height() - (rows - 1) * GAP_PX) // rows
    )


def _shown_area(space: QSize, count: int, *, columns: int) -> float:
    cell = _cell(space, count, columns=columns)
    width = min(cell.width(), cell.height() / USUAL_SHAPE)
    return width * width * USUAL_SHAPE
