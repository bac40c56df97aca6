"""Painting of the cells of a grid: images of the views, name and progress."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPen, QPixmap

from annotator.domain.medium import VIDEO_TYPES
from annotator.domain.rows import MediumRow, SceneRow, ViewThumbnail
from widgets import display_text, icons, theme
from widgets.elided_texts import ElidedTexts
from widgets.library.record_types import Row
from widgets.library.state_icon import GLYPH_PX, paint_state
from widgets.library.thumbnails import ThumbnailKey, ThumbnailLoader, key_of
from widgets.library.unread_mark import paint_unread
from widgets.translation import tr, trn

PAD_PX = 6
GAP_PX = 2
"""Space between the images of a cell, px."""
NAME_PX, MARKS_PX = 20, 18
BAR_PX = 4
VIDEO_PX = 16
MOST_VIEWS = 6
PLATES_KEPT = 1000
MIDDLE = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
CENTRE = int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap)
# Plain integers, computed once: combining Qt's flags for each cell costs more than drawing it.


@dataclass(frozen=True, kw_only=True)
class CellSize:
    """Size of a cell: name in the settings, width and height of its images in pixels."""

    id: str
    width_px: int
    height_px: int

    @property
    def cell(self) -> QSize:
        """Whole size of a cell."""
        return QSize(self.width_px + 2 * PAD_PX, self.height_px + NAME_PX + MARKS_PX + 2 * PAD_PX + BAR_PX)

    def stretched(self, width_px: int) -> CellSize:
        """Return the same cell with images of another width, in the same shape."""
        return CellSize(id=self.id, width_px=width_px, height_px=width_px * 9 // 16)


SIZES = (
    CellSize(id="s", width_px=160, height_px=90),
    CellSize(id="m", width_px=240, height_px=135),
    CellSize(id="l", width_px=368, height_px=207),
)
"""Cell sizes, the smallest first; 16:9, as used by most drone cameras."""


@dataclass(frozen=True, kw_only=True)
class ThumbnailCellState:
    """State of a cell: selected, current, and whether the record has unread comments."""

    is_selected: bool
    is_current: bool
    has_keyboard: bool
    is_unread: bool = False


class ThumbnailCellPainter:
    """Paints cells of one size and records the visible thumbnails."""

    def __init__(self, loader: ThumbnailLoader, *, size: CellSize, ratio: float) -> None:
        self.size = size
        self.visible: list[ThumbnailKey] = []
        self._loader, self.ratio = loader, ratio
        self._name, self._label = theme.font("mono_small"), theme.font("label")
        self._marks: dict[tuple[str, str], QPixmap] = {}
        self._elided = ElidedTexts()
        self.theme = theme.current().name

    def paint(self, painter: QPainter, rect: QRect, *, row: Row | None, state: ThumbnailCellState) -> None:
        """Paint one cell; a cell whose row is not loaded stays empty."""
        self._paint_ground(painter, rect, state)
        inner = rect.adjusted(PAD_PX, PAD_PX, -PAD_PX, -PAD_PX)
        pictures = QRect(inner.x(), inner.y(), inner.width(), self.size.height_px)
        if isinstance(row, SceneRow | MediumRow):
            self._paint_pictures(painter, pictures, row.shown)
            name = QRect(inner.x(), pictures.bottom() + 1 + BAR_PX, inner.width(), NAME_PX)
            name = paint_unread(painter, name) if state.is_unread else name
            self._paint_text(painter, name, row.name, font=self._name, token="text")
            marks = QRect(inner.x(), name.bottom() + 1, inner.width(), MARKS_PX)
            self._paint_marks(painter, marks, row)
            if isinstance(row, SceneRow):
                bar = QRect(inner.x(), pictures.bottom() + 2, inner.width(), BAR_PX - 1)
                _paint_bar(painter, bar, row)
        else:
            painter.fillRect(pictures, theme.current().color("raised"))
        if state.is_selected:
            _paint_tick(painter, pictures)

    def _paint_ground(self, painter: QPainter, rect: QRect, state: ThumbnailCellState) -> None:
        tokens = theme.current()
        if state.is_selected:
            painter.fillRect(rect, tokens.color("raised"))
        if state.is_current:
            token = "focus" if state.has_keyboard else "line"
            painter.setPen(QPen(tokens.color(token), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(rect.adjusted(1, 1, -1, -1))

    def _paint_pictures(self, painter: QPainter, space: QRect, views: tuple[ViewThumbnail, ...]) -> None:
        tokens = theme.current()
        painter.fillRect(space, tokens.color("bg"))
        if not views:
            painter.setFont(self._label)
            painter.setPen(tokens.color("text_dim"))
            painter.drawText(space, CENTRE, tr("No view"))
        # Not strict: of a scene with more than six views the first six are shown, and the badge has
        # the number of the others.
        for rect, shown in zip(tiles(space, len(views)), views, strict=False):
            self._paint_picture(painter, rect, shown)
        if len(views) > MOST_VIEWS:
            self._paint_plate(painter, space, f"+{len(views) - MOST_VIEWS}")

    def _paint_picture(self, painter: QPainter, rect: QRect, shown: ViewThumbnail) -> None:
        # In device pixels: at 200 % a thumbnail of half the size would be enlarged and blurred.
        key = key_of(shown, size=rect.size() * self.ratio)
        self.visible.append(key)
        image = self._loader.image(key)
        if image is None:
            image = self._loader.placeholder(key)
        if image is None:
            painter.fillRect(rect, theme.current().color("raised"))
        elif image.isNull():
            self._paint_absence(painter, rect, shown)
        else:
            painter.drawImage(rect, image)
            if shown.media_type in VIDEO_TYPES:
                plate = self._video_plate(shown)
                painter.drawPixmap(rect.left() + 3, rect.bottom() - VIDEO_PX - 2, plate)

    def _paint_absence(self, painter: QPainter, rect: QRect, shown: ViewThumbnail) -> None:
        tokens = theme.current()
        painter.fillRect(rect, tokens.color("raised"))
        mark = self._mark("picture-missing", "text_dim", 20)
        painter.drawPixmap(rect.center() - QPoint(10, 18), mark)
        painter.setFont(self._label)
        painter.setPen(tokens.color("text_dim"))
        text = shown.view or display_text.media_kind_title(shown.media_type)
        line = QRect(rect.x() + 4, rect.center().y() + 4, rect.width() - 8, 16)
        elided = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideMiddle, line.width())
        painter.drawText(line, CENTRE, elided)

    def _video_plate(self, shown: ViewThumbnail) -> QPixmap:
        """Return the badge of a video with its length, cached by length."""
        text = video_length(shown)
        if ("video", text) not in self._marks:
            if len(self._marks) > PLATES_KEPT:
                self._marks.clear()
            # Dark in both themes: the badge is on an image, whose brightness does not follow the theme.
            tokens = theme.load("dark")
            width = QFontMetrics(self._label).horizontalAdvance(text) + (21 if text else 16)
            made = QPixmap(QSize(width, VIDEO_PX) * self.ratio)
            made.setDevicePixelRatio(self.ratio)
            made.fill(tokens.color("bg"))
            painter = QPainter(made)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setFont(self._label)
            painter.setPen(tokens.color("text"))
            painter.drawText(QRect(16, 0, width - 16, VIDEO_PX), MIDDLE, text)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(tokens.color("text"))
            painter.drawPolygon([QPoint(5, 4), QPoint(12, VIDEO_PX // 2), QPoint(5, VIDEO_PX - 4)])
            painter.end()
            self._marks["video", text] = made
        return self._marks["video", text]

    def _paint_plate(self, painter: QPainter, space: QRect, text: str) -> None:
        plate = QRect(space.right() - 35, space.bottom() - 19, 32, 16)
        painter.fillRect(plate, theme.load("dark").color("bg"))
        painter.setFont(self._label)
        painter.setPen(theme.load("dark").color("text"))
        painter.drawText(plate, CENTRE, text)

    def _paint_text(self, painter: QPainter, rect: QRect, text: str, *, font: QFont, token: str) -> None:
        painter.setFont(font)
        painter.setPen(theme.current().color(token))
        name = "name" if font is self._name else "label"
        self._elided.paint(painter, rect, text, font=name, gives_way_in_middle=True)

    def _paint_marks(self, painter: QPainter, rect: QRect, row: SceneRow | MediumRow) -> None:
        if isinstance(row, SceneRow):
            right = self._paint_flags(painter, rect, len(row.flags))
            paint_state(painter, row.annotation, at=QPoint(rect.x(), rect.center().y() - GLYPH_PX // 2))
            text_rect = right.adjusted(GLYPH_PX + 6, 0, 0, 0)
            self._paint_text(painter, text_rect, scene_marks(row), font=self._label, token="text_dim")
        else:
            is_well = row.health in {"found", "unseen"}
            token = "text_dim" if is_well else "bad"
            self._paint_text(painter, rect, medium_marks(row), font=self._label, token=token)

    def _paint_flags(self, painter: QPainter, rect: QRect, count: int) -> QRect:
        """Paint the number of open flag kinds at the right edge, and return the remaining rectangle."""
        if not count:
            return rect
        painter.setFont(self._label)
        painter.setPen(theme.current().color("warn"))
        width = painter.fontMetrics().horizontalAdvance(f"{count}")
        painter.drawText(rect, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter), f"{count}")
        at = QPoint(rect.right() - width - 16, rect.center().y() - 6)
        painter.drawPixmap(at, self._mark("flag", "warn", 12))
        return rect.adjusted(0, 0, -width - 22, 0)

    def _mark(self, name: str, token: str, size_px: int) -> QPixmap:
        """Return an icon as a cached image; rendering the SVG in each cell would take most of a frame."""
        if (name, token) not in self._marks:
            made = QPixmap(QSize(size_px, size_px) * self.ratio)
            made.setDevicePixelRatio(self.ratio)
            made.fill(Qt.GlobalColor.transparent)
            painter = QPainter(made)
            ink = theme.current().color(token)
            icons.draw(painter, name, rect=QRectF(0, 0, size_px, size_px), ink=ink)
            painter.end()
            self._marks[name, token] = made
        return self._marks[name, token]


def tiles(space: QRect, count: int) -> list[QRect]:
    """Return the rectangles of up to six images; three or more use two rows."""
    count = min(count, MOST_VIEWS)
    rows = [count] if count <= 2 else [(count + 1) // 2, count // 2]
    positions = []
    for at, columns in enumerate(rows):
        top = space.top() + at * (space.height() + GAP_PX) // len(rows)
        bottom = space.top() + (at + 1) * (space.height() + GAP_PX) // len(rows) - GAP_PX
        for column in range(columns):
            left = space.left() + column * (space.width() + GAP_PX) // columns
            right = space.left() + (column + 1) * (space.width() + GAP_PX) // columns - GAP_PX
            positions.append(QRect(left, top, right - left, bottom - top))
    return positions


def video_length(shown: ViewThumbnail) -> str:
    """Return how long a video is, '0:14' or the number of its frames, "" while unknown."""
    if shown.duration_s:
        minutes, seconds = divmod(round(shown.duration_s), 60)
        hours, minutes = divmod(minutes, 60)
        return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
    return trn("{n} frame", "{n} frames", n=shown.frames) if shown.frames else ""


def scene_marks(row: SceneRow) -> str:
    """Return the progress of a scene as a short text: 'labelled 2/3 · items 5/14', views and items."""
    parts = []
    if row.annotation == "finished" or not row.labelled:
        parts.append(display_text.annotation_state_title(row.annotation))
    else:
        parts.append(tr("labelled {done}/{all}", done=row.labelled, all=row.views))
    if row.items:
        parts.append(tr("items {done}/{all}", done=f"{row.settled:,}", all=f"{row.items:,}"))
    return "  ·  ".join(parts)


def medium_marks(row: MediumRow) -> str:
    """Return the kind, health and size of a medium in a few words."""
    size = display_text.size_text(row.size_bytes) if row.size_bytes else ""
    health = "" if row.health == "found" else display_text.health_title(row.health)
    return "  ·  ".join(filter(None, (display_text.media_kind_title(row.media_type), health, size)))


def _paint_bar(painter: QPainter, rect: QRect, row: SceneRow) -> None:
    """Paint the share of items decided, or of views labelled while there are no items."""
    done, whole = (row.settled, row.items) if row.items else (row.labelled, row.views)
    tokens = theme.current()
    painter.fillRect(rect, tokens.color("line"))
    if whole and done:
        token = "good" if row.items and done >= whole else "accent"
        part = QRect(rect.x(), rect.y(), max(2, rect.width() * done // whole), rect.height())
        painter.fillRect(part, tokens.color(token))


def _paint_tick(painter: QPainter, pictures: QRect) -> None:
    """Paint a check mark on a selected cell, so that selection does not depend on colour alone."""
    tokens = theme.current()
    rect = QRectF(pictures.x() + 6, pictures.y() + 6, 18, 18)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(tokens.color("accent"))
    painter.drawEllipse(rect)
    painter.setPen(QPen(tokens.color("on_accent"), 2))
    middle = rect.center()
    painter.drawPolyline([QPoint(*at) for at in _tick_points(round(middle.x()), round(middle.y()))])
    painter.restore()


def _tick_points(x: int, y: int) -> list[tuple[int, int]]:
    return [(x - 4, y), (x - 1, y + 3), (x + 4, y - 3)]
