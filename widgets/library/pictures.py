"""Pictures of media: loaded off the GUI thread, within limits, upright as EXIF says."""

from __future__ import annotations

from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QImage, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from annotator.errors import VantageError
from annotator.media.display_pixels import Pixels, to_display
from annotator.media.image_loader import Cause, ImageUnavailable, load_fitted
from widgets import icons, theme
from widgets.bridge import Bridge
from widgets.labels import plain_tip
from widgets.qt_images import NO_IMAGE, wrap_pixels
from widgets.shown_medium import ShownMedium
from widgets.translation import mark, tr

THUMBNAIL_PX = QSize(480, 320)
ABSENT_PX = 76
"""Height of a frame without a picture."""
USUAL_SHAPE = 9 / 16
"""Height to width of a frame whose picture has not come yet: that of most drone cameras."""
TALLEST_SHAPE = 1.25
KEPT_PICTURES = 48


PROBLEMS: dict[Cause, str] = {
    "outside": mark("File is outside the media folder"),
    "missing": mark("Medium missing"),
    "no_preview": mark("No preview of this kind of medium"),
    "too_large": mark("Too large to show"),
    "unreadable": mark("Not a picture that can be read"),
}


@dataclass(frozen=True, kw_only=True)
class Picture:
    """What came of loading a picture.

    Attributes:
        pixels: uint8 (height, width, 4), blue, green, red, 255; None where there is none.
        problem: Why there is none, in words, "" where there is one.
    """

    pixels: Pixels | None = None
    problem: str = ""

    @cached_property
    def image(self) -> QImage:
        """The picture, null where there is none; for the GUI thread alone."""
        return NO_IMAGE if self.pixels is None else wrap_pixels(self.pixels)


class PictureLoader:
    """Loads pictures on two threads of its own and keeps the last ones."""

    def __init__(self, bridge: Bridge) -> None:
        self._bridge = bridge
        self._pool = ThreadPoolExecutor(max_workers=2, thread_name_prefix="vantage-pictures")
        self._kept: OrderedDict[tuple[str, int, int], Picture] = OrderedDict()

    def load(self, frame: PictureFrame) -> None:
        """Load a frame's picture; a frame that is gone by then is left alone."""
        if (kept := self._kept.get(_key(frame))) is not None:
            frame.show_picture(kept)
            return
        future = self._pool.submit(read_picture, frame.shown, within=frame.within)
        self._bridge.wait_for(future, done=frame.take_loaded)

    def keep(self, frame: PictureFrame, picture: Picture) -> None:
        """Keep a picture for the next frame that wants the same; a missing one may turn up any time."""
        if not picture.image.isNull():
            self._kept[_key(frame)] = picture
        while len(self._kept) > KEPT_PICTURES:
            self._kept.popitem(last=False)

    def close(self) -> None:
        """Load nothing more."""
        self._pool.shutdown(wait=True, cancel_futures=True)


def _key(frame: PictureFrame) -> tuple[str, int, int]:
    return str(frame.shown.file), frame.within.width(), frame.within.height()


def read_picture(shown: ShownMedium, *, within: QSize) -> Picture:
    """Read a picture, scaled down to fit; may be called on any thread.

    Args:
        shown: A medium; the content of its file decides what it is, not the ending.
        within: Space in device pixels.
    """
    width, height = within.toTuple()
    try:
        pixels = load_fitted(shown.file, kind=shown.medium.kind, width=width, height=height)
    except ImageUnavailable as error:
        return Picture(problem=tr(PROBLEMS[error.cause]))
    except VantageError:
        return Picture(problem=tr(PROBLEMS["unreadable"]))
    return Picture(pixels=to_display(pixels))


class PictureFrame(QWidget):
    """Shows one medium, or says why it cannot.

    Signals:
        opened: A person wants to see it large.
    """

    opened = Signal()

    def __init__(self, shown: ShownMedium, *, loader: PictureLoader) -> None:
        super().__init__()
        self.shown = shown
        self.within = THUMBNAIL_PX * self.devicePixelRatioF()
        self.picture: Picture | None = None
        self._loader = loader
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        shape = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        shape.setHeightForWidth(True)
        self.setSizePolicy(shape)
        self.setAccessibleName(f"{shown.view} {shown.medium.name}".strip())
        self.setToolTip(plain_tip(self.accessibleName()))
        loader.load(self)

    def take_loaded(self, picture: Picture) -> None:
        """Show what the loader brought, and let it keep it."""
        self._loader.keep(self, picture)
        self.show_picture(picture)

    def show_picture(self, picture: Picture) -> None:
        """Show a picture, or its problem."""
        self.picture = picture
        if picture.image.isNull():
            self.setCursor(Qt.CursorShape.ArrowCursor)
        else:
            self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.updateGeometry()
        self.update()

    def has_picture(self) -> bool:
        """Tell whether a picture is shown."""
        return self.picture is not None and not self.picture.image.isNull()

    def sizeHint(self) -> QSize:
        """Return a small frame in the picture's shape."""
        return QSize(168, self.heightForWidth(168))

    def hasHeightForWidth(self) -> bool:
        """Keep the frame's shape."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Return the height of the picture at a width; little where there is only a reason to read."""
        if self.picture is None:
            return round(width * USUAL_SHAPE)
        if self.picture.image.isNull():
            return ABSENT_PX
        size = self.picture.image.size()
        return round(width * min(TALLEST_SHAPE, size.height() / size.width()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open the picture at Enter or the space bar."""
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space} and self.has_picture():
            self.opened.emit()
        else:
            super().keyPressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Open the picture at a click."""
        if self.has_picture() and self.rect().contains(event.position().toPoint()):
            self.opened.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the picture, or the reason why there is none."""
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
        words = f"{self.shown.view}  {self.picture.problem}".strip()
        place = QRect(rect.x() + 8, middle.y() + 2, rect.width() - 16, 32)
        painter.drawText(place, int(Qt.AlignmentFlag.AlignHCenter | Qt.TextFlag.TextWordWrap), words)


def paint_fitted(painter: QPainter, image: QImage, *, space: QRect) -> None:
    """Paint a picture as large as it fits, on the ground of pictures."""
    painter.fillRect(space, theme.current().color("bg"))
    size = image.size().scaled(space.size(), Qt.AspectRatioMode.KeepAspectRatio)
    place = QRect(0, 0, size.width(), size.height())
    place.moveCenter(space.center())
    painter.drawImage(place, image)


def _paint_plate(painter: QPainter, view: str) -> None:
    """Write the view's name on a dark plate, legible on any picture."""
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
