"""Paints the static part of the timeline: ruler, thumbnails, segments and marks of each lane."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPolygonF

from annotator.media.video.video import TIME_TOLERANCE_S, Video
from widgets import icons, theme
from widgets.stage.segments import SceneSegment
from widgets.timeline.lanes import LaneFlag, TimelineLane, lane_name, segment_text
from widgets.timeline.ruler import ticks
from widgets.timeline.time_scale import TimeScale
from widgets.timeline.timeline_thumbnails import FrameThumbnailKey, TimelineThumbnails
from widgets.translation import tr

NAME_PX, RULER_PX = 92, 22
TRACK_PX, BUFFER_PX, GAP_PX = 7, 2, 2
BAND_PX, THIN_BAND_PX, WORDS_FROM_PX = 13, 4, 30
"""Height of a segment's band with and without text; minimum thumbnail height for text."""
BAR_PX = 3
"""Maximum width of a bar that shows the number of annotations on a frame."""
KEY_GAP_PX = 4
"""Key frames at a smaller distance are not painted, because they are indistinguishable."""
FLAG_PX = 9
GRID_PER_S = 64
"""Grid points per second for thumbnail times, so that small zoom steps reuse loaded thumbnails."""
LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
FOOT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom)
TWO_LINES_PX = 30
"""Lane height from which the offset is painted below the name."""
SEVERITY_TOKENS = {"error": "bad", "warning": "warn", "note": "text_dim"}


@dataclass(frozen=True, kw_only=True)
class LaneGeometry:
    """Position of a lane in the timeline view, device-independent pixels.

    Attributes:
        lane: The lane.
        top: Upper edge.
        height: Height.
    """

    lane: TimelineLane
    top: int
    height: int

    @property
    def bottom(self) -> int:
        """Lower edge."""
        return self.top + self.height

    @property
    def pictures(self) -> tuple[float, float]:
        """Upper edge and height of the thumbnails."""
        return self.top + GAP_PX, self.height - 2 * GAP_PX - TRACK_PX - BUFFER_PX

    @property
    def track_top(self) -> float:
        """Upper edge of the track with the number of annotations."""
        return self.bottom - GAP_PX - BUFFER_PX - TRACK_PX

    @property
    def shows_texts(self) -> bool:
        """Whether there is room for segment texts."""
        return self.pictures[1] >= WORDS_FROM_PX

    def band(self, segment: SceneSegment) -> tuple[float, float]:
        """Return upper edge and height of a segment's band: tasks above, flown actions below."""
        top, height = self.pictures
        size = BAND_PX if self.shows_texts else THIN_BAND_PX
        return (top, size) if segment.name else (top + height - size, size)


@dataclass(frozen=True, kw_only=True)
class ThumbnailTile:
    """The place of a thumbnail on a lane.

    Attributes:
        rect: Rectangle, device-independent pixels.
        shot: Key of the thumbnail.
    """

    rect: QRectF
    shot: FrameThumbnailKey


def tiles(geometry: LaneGeometry, scale: TimeScale) -> list[ThumbnailTile]:
    """Return the visible thumbnails of a lane, side by side from the beginning of the video."""
    lane = geometry.lane
    top, height = geometry.pictures
    width_img, height_img = lane.video.size_px
    width = max(12.0, round(height * width_img / height_img))
    begin = NAME_PX + scale.x_of(lane.first_s)
    end = min(NAME_PX + scale.x_of(lane.last_s), NAME_PX + scale.width_px)
    tile_s = width / scale.px_per_s
    # Use the coarsest grid in which each tile has a different time.
    grid_s = 2.0 ** math.floor(math.log2(tile_s * GRID_PER_S)) / GRID_PER_S
    first = max(0, math.floor((NAME_PX - begin) / width))
    indices = np.arange(first, max(first, math.ceil((end - begin) / width)))
    moments_s = np.floor(indices * tile_s / grid_s + 1e-9) * grid_s
    numbers = _frames_near(lane.video, moments_s, within_s=grid_s / 2)
    lefts = begin + indices * width
    return [
        ThumbnailTile(
            rect=QRectF(left, top, min(width, end - left), height),
            shot=FrameThumbnailKey(lane.medium.id, number),
        )
        for left, number in zip(lefts.tolist(), numbers.tolist(), strict=True)
    ]


def flag_rects(geometry: LaneGeometry, scale: TimeScale) -> Iterator[tuple[LaneFlag, QRectF]]:
    """Yield the visible flags of a lane with their rectangles; those on the whole video share one."""
    whole = [flag for flag in geometry.lane.flags if flag.number is None]
    if whole:
        yield (
            whole[0],
            QRectF(NAME_PX - 8 - FLAG_PX, geometry.top + geometry.height / 2 - FLAG_PX / 2, FLAG_PX, FLAG_PX),
        )
    for flag in geometry.lane.flags:
        if flag.number is not None and flag.number < geometry.lane.video.frame_count:
            x = NAME_PX + scale.x_of(geometry.lane.offset_s + float(geometry.lane.video.times_s[flag.number]))
            if x >= NAME_PX:
                yield flag, QRectF(x - FLAG_PX / 2, geometry.top, FLAG_PX, FLAG_PX)


class LanePainter:
    """Paints everything that does not move during playback.

    Args:
        painter: Painter with device-independent pixels as unit.
        scale: Time scale.
        width: Width of the whole timeline view, including the name column.

    Attributes:
        shots: Keys of all thumbnails in the painted range, loaded or not.
    """

    def __init__(self, painter: QPainter, *, scale: TimeScale, width: int) -> None:
        self._painter, self._scale, self._width = painter, scale, width
        self._tokens = theme.current()
        self.shots: list[FrameThumbnailKey] = []

    def paint(
        self,
        positions: Iterable[LaneGeometry],
        *,
        front: TimelineLane | None,
        chosen: TimelineLane | None,
        thumbs: TimelineThumbnails,
    ) -> None:
        """Paint ruler and lanes.

        Args:
            positions: The lanes with their positions.
            front: The lane whose frames the ruler counts.
            chosen: The lane that keys refer to.
            thumbs: Loader of thumbnails.
        """
        self._ruler(front)
        for geometry in positions:
            self._ground(geometry, is_chosen=geometry.lane is chosen, is_front=geometry.lane is front)
            self._painter.save()
            self._painter.setClipRect(QRectF(NAME_PX, geometry.top, self._width - NAME_PX, geometry.height))
            self._pictures(geometry, thumbs)
            self._track(geometry)
            self._segments(geometry)
            self._painter.restore()
            self._flags(geometry)

    def place_among(self, index: int, *, count: int) -> None:
        """Paint the number of the displayed lane, and arrows to the others.

        Args:
            index: Index of the displayed lane, from 0.
            count: Number of lanes.
        """
        room = QRectF(10, 0, NAME_PX - 10, RULER_PX - 1)
        icons.draw(
            self._painter,
            "up-down",
            rect=QRectF(NAME_PX - 17, (RULER_PX - 14) / 2, 14, 14),
            ink=self._tokens.color("text_dim"),
        )
        text = tr("lane {n} of {total}", n=index + 1, total=count)
        self._elided(text, room.adjusted(0, 0, -16, 0), ink=self._tokens.color("text_dim"))

    def _ruler(self, front: TimelineLane | None) -> None:
        painter, tokens = self._painter, self._tokens
        painter.setFont(theme.font("mono_small"))
        frames_s = front.times_s() if front is not None else np.zeros(0)
        for tick in ticks(self._scale, frames_s=frames_s):
            # A line between two pixels would be blurred.
            x = math.floor(NAME_PX + tick.x)
            height = RULER_PX - 8 if tick.text else 4
            painter.fillRect(QRectF(x, RULER_PX - height, 1, height), tokens.color("line"))
            if tick.text:
                painter.setPen(tokens.color("text_dim"))
                painter.drawText(QRectF(x + 4, 0, 120, RULER_PX - 5), LEFT, tick.text)
        painter.fillRect(QRectF(0, RULER_PX - 1, self._width, 1), tokens.color("line"))

    def _ground(self, geometry: LaneGeometry, *, is_chosen: bool, is_front: bool) -> None:
        painter, tokens, lane = self._painter, self._tokens, geometry.lane
        top, height = geometry.pictures
        if is_chosen:
            painter.fillRect(
                QRectF(0, geometry.top + GAP_PX, 2, geometry.height - 2 * GAP_PX), tokens.color("accent")
            )
        has_flag = any(flag.number is None for flag in lane.flags)
        room = QRectF(10, geometry.top, NAME_PX - 18 - (FLAG_PX + 4 if has_flag else 0), geometry.height)
        self._name(lane, room, ink=tokens.color("text" if is_front else "text_dim"))
        painter.fillRect(QRectF(NAME_PX, top, self._width - NAME_PX, height + TRACK_PX), tokens.color("bg"))
        painter.save()
        painter.setClipRect(QRectF(NAME_PX, 0, self._width - NAME_PX, geometry.bottom))
        begin, end = (NAME_PX + self._scale.x_of(one) for one in (lane.first_s, lane.last_s))
        painter.fillRect(QRectF(begin, top, end - begin, height + TRACK_PX), tokens.color("raised"))
        painter.restore()

    def _name(self, lane: TimelineLane, room: QRectF, *, ink: QColor) -> None:
        """Paint the name and the offset, if there is one: below the name, in a low lane beside it."""
        painter = self._painter
        if lane.offset_s == 0:
            self._elided(lane_name(lane.view), room, ink=ink)
            return
        painter.setFont(theme.font("mono_small"))
        painter.setPen(self._tokens.color("text_dim"))
        half = room.height() / 2
        if room.height() >= TWO_LINES_PX:
            foot = room.adjusted(0, half + 1, 0, 0)
            painter.drawText(foot, int(Qt.AlignmentFlag.AlignTop), offset_text(lane.offset_s))
            self._elided(lane_name(lane.view), room.adjusted(0, 0, 0, 1 - half), ink=ink, at=FOOT)
            return
        text = offset_text(lane.offset_s, digits=1).removesuffix(" s")
        painter.drawText(room, RIGHT, text)
        taken = painter.fontMetrics().horizontalAdvance(text) + 4
        self._elided(lane_name(lane.view), room.adjusted(0, 0, -taken, 0), ink=ink)

    def _elided(self, text: str, room: QRectF, *, ink: QColor, at: int = LEFT) -> None:
        painter = self._painter
        painter.setFont(theme.font("label"))
        painter.setPen(ink)
        shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(room.width()))
        painter.drawText(room, at, shown)

    def _pictures(self, geometry: LaneGeometry, thumbs: TimelineThumbnails) -> None:
        ratio = self._painter.device().devicePixelRatioF()
        height_px = round(geometry.pictures[1] * ratio)
        found = tiles(geometry, self._scale)
        for tile in found:
            shot = tile.shot._replace(height_px=height_px)
            self.shots.append(shot)
            image = thumbs.image(shot)
            # During a resize, a scaled thumbnail of the old height avoids flicker.
            image = thumbs.placeholder(shot) if image is None else image
            if image is not None and not image.isNull():
                # The last thumbnail of a video can be cropped.
                width = tile.rect.width() * ratio * image.height() / height_px
                part = QRectF(0, 0, min(float(image.width()), width), image.height())
                self._painter.drawImage(tile.rect, image, part)

    def _track(self, geometry: LaneGeometry) -> None:
        """Paint the number of annotations per frame, and the key frames."""
        lane, tokens = geometry.lane, self._tokens
        columns, counts = columns_of(lane, self._scale)
        bottom = geometry.track_top + TRACK_PX
        if len(columns):
            ink = tokens.color("accent")
            ink.setAlpha(190)
            heights = np.zeros(self._scale.width_px, np.int64)
            # At least 2 pixels, so that a frame with one annotation is visible.
            heights[columns] = 2 + (TRACK_PX - 2) * counts // max(1, int(lane.counts.max()))
            width = max(1, min(BAR_PX, int(self._scale.px_per_s / lane.video.fps / 2)))
            self._painter.drawImage(
                QPointF(NAME_PX, geometry.track_top), _bars(heights, width=width, ink=ink)
            )
        keys_s = lane.video.times_s[lane.video.key_frames] + lane.offset_s
        xs = (keys_s - self._scale.left_s) * self._scale.px_per_s
        # Dense key frames would form a solid line without information.
        if len(xs) < 2 or float(np.diff(xs).min()) >= KEY_GAP_PX:
            for x in xs[(xs >= 0) & (xs <= self._scale.width_px)].tolist():
                self._painter.fillRect(
                    QRectF(NAME_PX + math.floor(x), bottom - 3, 1, 3), tokens.color("text_dim")
                )

    def _segments(self, geometry: LaneGeometry) -> None:
        painter, tokens = self._painter, self._tokens
        ground = QColor(tokens.color("surface"))
        ground.setAlpha(215)
        for segment in geometry.lane.segments:
            begin, end = (
                NAME_PX + self._scale.x_of(geometry.lane.offset_s + one)
                for one in (segment.first_s, segment.last_s)
            )
            if end < NAME_PX or begin > self._width:
                continue
            top, height = geometry.band(segment)
            # One pixel is left free between adjacent segments.
            painter.fillRect(QRectF(begin, top, max(1.0, end - begin - 1), height), ground)
            painter.fillRect(QRectF(math.floor(begin), top, 1, height), tokens.color("text"))
            # The text stays visible if the segment begins left of the visible range.
            room = QRectF(max(begin, NAME_PX) + 4, top, end - max(begin, NAME_PX) - 6, height)
            if geometry.shows_texts and room.width() >= 14:
                self._elided(segment_text(segment), room, ink=tokens.color("text"))

    def _flags(self, geometry: LaneGeometry) -> None:
        painter = self._painter
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for flag, rect in flag_rects(geometry, self._scale):
            ink = self._tokens.color(SEVERITY_TOKENS[flag.flag.severity])
            if flag.number is None:
                icons.draw(painter, "flag", rect=rect.adjusted(-2, -2, 2, 2), ink=ink)
                continue
            painter.setPen(self._tokens.color("bg"))
            painter.setBrush(ink)
            corners = [rect.topLeft(), rect.topRight(), QPointF(rect.center().x(), rect.bottom())]
            painter.drawPolygon(QPolygonF(corners))
            painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)


def columns_of(lane: TimelineLane, scale: TimeScale) -> tuple[Integers, Integers]:
    """Return the pixel columns with annotated frames, and the largest number on a frame in each.

    Returns:
        int64 (n,), pixels from the left edge, ascending, and int64 (n,), counts.
    """
    # The file may have been replaced by a shorter one since the annotation.
    inside = lane.marked < lane.video.frame_count
    times_s = lane.video.times_s[lane.marked[inside]] + lane.offset_s
    xs = np.floor((times_s - scale.left_s) * scale.px_per_s).astype(np.int64)
    is_seen = (xs >= 0) & (xs < scale.width_px)
    columns, indices = np.unique(xs[is_seen], return_inverse=True)
    most = np.zeros(len(columns), np.int64)
    # Unbuffered: several frames can fall into the same pixel column.
    np.maximum.at(most, indices, lane.counts[inside][is_seen])
    return columns, most


def offset_text(offset_s: float, *, digits: int = 3) -> str:
    """Return the display text of an offset: ``+0.120 s``."""
    return f"{'−' if offset_s < 0 else '+'}{abs(offset_s):.{digits}f} s"


def _frames_near(video: Video, moments_s: Floats, *, within_s: float) -> Integers:
    """Return the frames at times of a video, preferring near key frames, which are decoded much faster.

    Args:
        video: The video.
        moments_s: float64 (n,), seconds from the first frame.
        within_s: Maximum distance of a key frame from its time, seconds.

    Returns:
        int64 (n,), frame numbers.
    """
    # The tolerance assigns a time just before a frame, caused by rounding, to that frame.
    numbers = np.searchsorted(video.times_s, moments_s + TIME_TOLERANCE_S, side="right") - 1
    numbers = np.clip(numbers, 0, video.frame_count - 1)
    if len(video.key_frames):
        keys_s = video.times_s[video.key_frames]
        after = np.clip(np.searchsorted(keys_s, moments_s), 0, len(keys_s) - 1)
        before = np.maximum(after - 1, 0)
        is_before = np.abs(keys_s[before] - moments_s) <= np.abs(keys_s[after] - moments_s)
        nearest = np.where(is_before, before, after)
        is_near = np.abs(keys_s[nearest] - moments_s) <= within_s
        numbers = np.where(is_near, video.key_frames[nearest], numbers)
    return np.asarray(numbers, np.int64)


def _bars(heights: Integers, *, width: int, ink: QColor) -> QImage:
    """Return a bar chart as an image with a transparent background.

    Args:
        heights: int64 (n,), pixels, one per column.
        width: Columns per bar; of overlapping bars, the highest is visible.
        ink: Colour of the bars.
    """
    wide = heights.copy()
    # Bars are widened to the right by the maximum of shifted copies.
    for shift in range(1, width):
        wide[shift:] = np.maximum(wide[shift:], heights[:-shift])
    is_inked = np.arange(TRACK_PX)[:, None] >= TRACK_PX - wide[None, :]
    pixels = np.where(is_inked, np.uint32(ink.rgba()), np.uint32(0))
    image = QImage(pixels.data, len(wide), TRACK_PX, len(wide) * 4, QImage.Format.Format_ARGB32)
    # The image uses the memory of the array, which ends with this function: copy it.
    return image.copy()
