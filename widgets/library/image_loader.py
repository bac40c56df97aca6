"""Images of media, loaded off the GUI thread and rotated by their EXIF orientation."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QImage, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from annotator.media.display_pixels import Pixels, to_display
from annotator.media.image_loader import load_fitted
from annotator.media.media_cache import MediaResult
from annotator.media.media_service import MediaRequest
from annotator.progress import Progress
from widgets import icons, theme
from widgets.labels import plain_tip
from widgets.media_loader import MediaLoader
from widgets.media_problems import short_problem_text
from widgets.medium_view import MediumView
from widgets.qt_images import NO_IMAGE, wrap_pixels

THUMBNAIL_PX = QSize(480, 320)
ABSENT_PX = 76
"""Height of a frame without an image, px."""
USUAL_SHAPE = 9 / 16
"""Aspect ratio, height to width, of a frame while its image is loading: that of most drone cameras."""
TALLEST_SHAPE = 1.25


@dataclass(frozen=True, kw_only=True)
class LoadedImage:
    """Result of loading an image.

    Attributes:
        pixels: uint8 (height, width, 4), blue, green, red, 255; None on failure.
        problem: Short reason of the failure, "" on success.
        reason: Detailed reason, for a tool tip.
    """

    pixels: Pixels | None = None
    problem: str = ""
    reason: str = ""

    @cached_property
    def image(self) -> QImage:
        """The image, null on failure; call it on the GUI thread only."""
        return NO_IMAGE if self.pixels is None else wrap_pixels(self.pixels)


def picture_request(shown: MediumView, *, within: QSize) -> MediaRequest:
    """Return the request for an image, scaled down to fit.

    Args:
        shown: A medium. The content of its file decides on the decoder, not the suffix.
        within: Available space in device pixels.
    """
    width, height = within.toTuple()
    load = partial(_load_display, shown.file, kind=shown.medium.media_type, width=width, height=height)
    # The size is part of the key: a larger view must not get the image of a smaller one.
    return MediaRequest(key=("fitted", shown.medium.media_type, shown.file, width, height), load=load)


def picture_of(result: MediaResult) -> LoadedImage:
    """Return the result of a request in displayable form."""
    if result.error is None:
        return LoadedImage(pixels=result.value)
    return LoadedImage(problem=short_problem_text(result.error), reason=str(result.error))


def _load_display(file: Path | None, _progress: Progress, *, kind: str, width: int, height: int) -> Pixels:
    return to_display(load_fitted(file, kind=kind, width=width, height=height))


class ImageFrame(QWidget):
    """Shows one medium, or the reason why it cannot be shown.

    Signals:
        opened: Emitted when the user opens the large view.
    """

    opened = Signal()

    def __init__(self, shown: MediumView, *, loader: MediaLoader) -> None:
        super().__init__()
        self.shown = shown
        self.within = THUMBNAIL_PX * self.devicePixelRatioF()
        self.picture: LoadedImage | None = None
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        shape = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        shape.setHeightForWidth(True)
        self.setSizePolicy(shape)
        self.setAccessibleName(f"{shown.view} {shown.medium.name}".strip())
        self.setToolTip(plain_tip(self.accessibleName()))
        loader.load(picture_request(shown, within=self.within), done=self._take_result, owner=self)

    def _take_result(self, result: MediaResult) -> None:
        """Show an image, or the reason of a failure."""
        picture = self.picture = picture_of(result)
        if picture.image.isNull():
            self.setCursor(Qt.CursorShape.ArrowCursor)
            self.setToolTip(plain_tip(f"{self.accessibleName()}\n{picture.reason}".strip()))
        else:
            self.setCursor(Qt.CursorShape.PointingHandCursor)
        # The aspect ratio is known only now.
        self.updateGeometry()
        self.update()

    def has_picture(self) -> bool:
        """Return whether an image is shown."""
        return self.picture is not None and not self.picture.image.isNull()

    def sizeHint(self) -> QSize:
        """Return a small frame with the aspect ratio of the image."""
        return QSize(168, self.heightForWidth(168))

    def hasHeightForWidth(self) -> bool:
        """Return True: the frame keeps the aspect ratio."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Return the height of the image for a width; a failure text needs less."""
        if self.picture is None:
            return round(width * USUAL_SHAPE)
        if self.picture.image.isNull():
            return ABSENT_PX
        size = self.picture.image.size()
        return round(width * min(TALLEST_SHAPE, size.height() / size.width()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Emit ``opened`` when Enter or the space bar is pressed."""
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space} and self.has_picture():
            self.opened.emit()
        else:
            super().keyPressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Emit ``opened`` when the image is clicked."""
        # Dragging the pointer off the image before the release cancels the click.
        if self.has_picture() and self.rect().contains(event.position().toPoint()):
            self.opened.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the image, or the reason of a failure."""
        painter, tokens = QPainter(self), theme.current()
        painter.setRenderHints(QPainter.RenderHint.SmoothPixmapTransform | QPainter.RenderHint.Antialiasing)
        if self.picture is not None and not self.picture.image.isNull():
            paint_fitted(painter, self.picture.image, space=self.rect())
            _paint_plate(painter, self.shown.view)
        else:
            self._paint_absence(painter)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(tokens.color("focus"))
            painter.drawRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5))

    def _paint_absence(self, painter: QPainter) -> None:
        tokens, rect = theme.current(), self.rect()
        painter.setPen(tokens.color("line"))
        painter.drawRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
        if self.picture is None:
            return
        middle = rect.center()
        icon = QRectF(middle.x() - 10, middle.y() - 24, 20, 20)
        icons.draw(painter, "picture-missing", rect=icon, ink=tokens.color("text_dim"))
        painter.setFont(theme.font("label"))
        painter.setPen(tokens.color("text_dim"))
        text = f"{self.shown.view}  {self.picture.problem}".strip()
        area = QRect(rect.x() + 8, middle.y() + 2, rect.width() - 16, 32)
        painter.drawText(area, int(Qt.AlignmentFlag.AlignHCenter | Qt.TextFlag.TextWordWrap), text)


def paint_fitted(painter: QPainter, image: QImage, *, space: QRect) -> None:
    """Paint an image scaled to fit, on the image background."""
    painter.fillRect(space, theme.current().color("bg"))
    size = image.size().scaled(space.size(), Qt.AspectRatioMode.KeepAspectRatio)
    rect = QRect(0, 0, size.width(), size.height())
    rect.moveCenter(space.center())
    painter.drawImage(rect, image)


def _paint_plate(painter: QPainter, view: str) -> None:
    """Paint the name of the view on a dark badge, which is legible on any image."""
    if not view:
        return
    painter.setFont(theme.font("label"))
    width = painter.fontMetrics().horizontalAdvance(view) + 12
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.load("dark").color("bg"))
    painter.setOpacity(0.8)
    painter.drawRoundedRect(QRectF(6, 6, width, 18), 4, 4)
    painter.setOpacity(1.0)
    painter.setPen(theme.load("dark").color("text"))
    painter.drawText(QRectF(6, 6, width, 18), int(Qt.AlignmentFlag.AlignCenter), view)
