"""The timeline view: ruler and lanes, cached as a pixmap, with the playhead painted over it."""

from __future__ import annotations

import math
from itertools import pairwise

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPixmap,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from widgets import theme
from widgets.labels import plain_tip
from widgets.stage.player import Player
from widgets.stage.video_playback import VideoPlayback
from widgets.timeline.gestures import Gesture, LaneShift, Pan, gesture_at
from widgets.timeline.hit_tester import HitTester, is_name
from widgets.timeline.lane_header import LaneHeader
from widgets.timeline.lane_painter import NAME_PX, RULER_PX, LaneGeometry, LanePainter
from widgets.timeline.lanes import TimelineLane
from widgets.timeline.playhead_painter import HEAD_PX, PlayheadPainter
from widgets.timeline.time_scale import TimeScale, scale_for
from widgets.timeline.timeline_keys import TimelineKeys
from widgets.timeline.timeline_thumbnails import TimelineThumbnails
from widgets.translation import tr

FRAME_PX = 48
"""Maximum width of a frame, pixels."""
WHEEL_FACTOR = 1.25
NOTCH = 120
PAN_SHARE = 0.12
"""Fraction of the visible range that a wheel notch pans."""
LEFT, MIDDLE = Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton
SHIFT = Qt.KeyboardModifier.ShiftModifier


class TimelineView(QWidget):
    """Displays lanes on the clock, and forwards gestures to the player.

    Signals:
        scaled: The user has changed the visible range.
        offset_requested: The user wants to type a view's offset; carries the index of its lane.
        lane_requested: The user selects a lane that has no room; carries its video.
        mark_requested: The user wants to type the time of a mark; carries ``in`` or ``out``.
        key_frame_moved: The user has dragged a key frame of a flight; carries the view and two times, seconds
            since the first frame of its video.

    Attributes:
        can_move_key_frames: Whether somebody receives ``key_frame_moved``.
    """

    key_frame_moved = Signal(str, float, float)
    scaled = Signal()
    offset_requested = Signal(int)
    lane_requested = Signal(object)
    mark_requested = Signal(str)

    def __init__(self, player: Player, *, thumbs: TimelineThumbnails) -> None:
        super().__init__()
        self.player, self.thumbs = player, thumbs
        self.lanes: tuple[TimelineLane, ...] = ()
        self.scale: TimeScale = scale_for(0.0, 1.0, width_px=1, most_px_per_s=1.0)
        self.chosen = 0
        self.gesture: Gesture | None = None
        self.sign = LaneHeader(self)
        self.keys, self.hits = TimelineKeys(self), HitTester(self)
        self.only_front = self.can_move_key_frames = False
        self._head_x = 0.0
        self._buffered: dict[str, list[tuple[int, int]]] = {}
        self._ground: tuple[object, QPixmap] | None = None
        self._pictures = 0
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        # The pixmap covers the whole view; Qt need not erase the background before each repaint.
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setMouseTracking(True)
        self.setAccessibleName(tr("Timeline"))
        thumbs.arrived.connect(self._on_thumbs_arrived)

    @property
    def front(self) -> TimelineLane | None:
        """The lane of the front view, else the first one."""
        video = self.player.front
        found = (lane for lane in self.lanes if video is not None and lane.video is video.video)
        return next(found, self.lanes[0] if self.lanes else None)

    def show_lanes(self, lanes: tuple[TimelineLane, ...], *, only_front: bool) -> None:
        """Display lanes; the visible range is kept where possible.

        Args:
            lanes: One lane per open video.
            only_front: Whether there is room for only the lane of the front view.
        """
        is_other = not self.lanes or {lane.medium.id for lane in lanes} != {
            lane.medium.id for lane in self.lanes
        }
        self.lanes, self.only_front = lanes, only_front
        if lanes:
            first_s, last_s = min(lane.first_s for lane in lanes), max(lane.last_s for lane in lanes)
            most = FRAME_PX * max(lane.video.fps for lane in lanes)
            if is_other:
                self.chosen = 0
                self.scale = scale_for(first_s, last_s, width_px=self._time_px(), most_px_per_s=most)
            elif not isinstance(self.gesture, LaneShift):
                # While a lane is dragged, the ruler must not move under the pointer.
                self.scale = self.scale.reaching(first_s, last_s, most_px_per_s=most)
        shown = self.sign.lane_index
        self.chosen = min(self.chosen, max(0, len(lanes) - 1)) if shown is None else shown
        self.refresh_buffered()

    def refresh_buffered(self) -> None:
        """Update the decoded ranges."""
        self._buffered = {video.shown.medium.id: video.buffered() for video in self.player.videos}
        self.update()

    def choose(self, lane: TimelineLane) -> None:
        """Select the lane that keys refer to."""
        self.chosen = self.lanes.index(lane)
        self.update()

    def show_scale(self, scale: TimeScale) -> None:
        """Set the visible range on request of the user."""
        if scale != self.scale:
            self.scale = scale
            self.update()
            self.scaled.emit()

    def zoom(self, factor: float, *, at_x: float | None = None) -> None:
        """Zoom in or out.

        Args:
            factor: Above 1 to zoom in.
            at_x: Position of the fixed time, pixels; None for the playhead or, if it is hidden, the centre.
        """
        if at_x is None:
            x = self.scale.x_of(self.player.time_s)
            at_x = NAME_PX + (x if 0 <= x <= self.scale.width_px else self.scale.width_px / 2)
        self.show_scale(self.scale.zoomed(factor, at_x=at_x - NAME_PX))

    def fit(self) -> None:
        """Show the whole span."""
        self.show_scale(self.scale.fitted())

    def follow(self, time_s: float) -> None:
        """Keep a time visible."""
        scale = self.scale.following(time_s)
        if scale != self.scale:
            self.scale = scale
            self.update()

    def follow_player(self) -> None:
        """Move the playhead to the clock time; only the area that it covers is repainted."""
        time_s = self.player.time_s
        if self.player.is_playing and self.gesture is None:
            self.follow(time_s)
        x = NAME_PX + self.scale.x_of(time_s)
        # The clock ticks more often than the playhead reaches another pixel, especially if the whole span is
        # visible.
        if round(x) != round(self._head_x):
            # Old and new position: everything else comes from the cached pixmap.
            for at in (self._head_x, x):
                self.update(QRect(round(at) - HEAD_PX // 2 - 1, 0, HEAD_PX + 2, self.height()))
            self._head_x = x

    def time_at(self, x: float) -> float:
        """Return the time at a position, clamped to the clock's span, seconds."""
        span = self.player.span
        return min(max(self.scale.time_at(x - NAME_PX), span.first_s), span.last_s)

    def frame_time_at(self, x: float) -> float:
        """Return the start time of the front view's frame at a position, seconds."""
        lane = self.front
        if lane is None:
            return self.time_at(x)
        return lane.offset_s + float(lane.video.times_s[lane.number_at(self.time_at(x))])

    def lane_geometries(self) -> list[LaneGeometry]:
        """Return the displayed lanes with their positions."""
        front = self.front
        shown = (front,) if self.only_front and front is not None else self.lanes
        room = self.height() - RULER_PX
        # Rounded edges, not heights: rounding errors do not accumulate, and lanes leave no gaps.
        edges = [RULER_PX + round(room * index / max(1, len(shown))) for index in range(len(shown) + 1)]
        return [
            LaneGeometry(lane=lane, top=top, height=bottom - top)
            for lane, (top, bottom) in zip(shown, pairwise(edges), strict=True)
        ]

    def video_of(self, lane: TimelineLane) -> VideoPlayback:
        """Return the video of a lane."""
        return next(video for video in self.player.videos if video.video is lane.video)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the timeline view."""
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self.ground())
        painter.save()
        time_area = QRect(NAME_PX, 0, self.width() - NAME_PX, self.height())
        painter.setClipRect(time_area, Qt.ClipOperation.IntersectClip)
        over = PlayheadPainter(painter, scale=self.scale, size=self.size())
        over.buffered(self.lane_geometries(), ranges=self._buffered)
        over.marks(self.player)
        over.head(self.player.time_s)
        painter.restore()
        if self.hasFocus():
            painter.setPen(theme.current().color("focus"))
            painter.drawRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5))

    def ground(self) -> QPixmap:
        """Return the static part of the view: ruler, thumbnails, segments and marks."""
        ratio, positions = self.devicePixelRatioF(), self.lane_geometries()
        front = self.front
        # Everything that the static part depends on. Lanes compare by identity: a lane whose offset or
        # annotations changed is another object.
        key = (
            self.size(), ratio, self.scale, tuple(id(geometry.lane) for geometry in positions), id(front),
            self.chosen, self.sign.lane_index, len(self.lanes), self.hasFocus(), self._pictures,
            theme.current().name,
        )  # fmt: skip
        if self._ground is None or self._ground[0] != key:
            self._ground = key, self._paint_ground(positions, front=front, ratio=ratio)
        return self._ground[1]

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Adapt the scale to the new width."""
        self.scale = self.scale.resized(self._time_px())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a gesture."""
        if self.gesture is not None:
            return
        at = event.position()
        if event.button() == MIDDLE:
            self.gesture = Pan(self, at=at)
        # The lane switch lies over the ruler, which would start a scrub.
        elif event.button() == LEFT and self.sign.has(at):
            self.sign.step(1)
        elif event.button() == LEFT and self.lanes:
            self.gesture = gesture_at(self, at, keys=event.modifiers())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Continue the gesture, or update the cursor."""
        if self.gesture is not None:
            self.gesture.move(event.position().x())
        else:
            self._show_cursor(event.position())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End the gesture."""
        gesture, self.gesture = self.gesture, None
        if gesture is not None:
            gesture.release(event.position().x())

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Edit an offset or a mark, or loop a segment."""
        at = event.position()
        geometry = self.hits.lane_at(at)
        if event.button() != LEFT:
            return
        if geometry is None:
            if not is_name(at) and (which := self.hits.mark(at)) is not None:
                self.mark_requested.emit(which)
            return
        if is_name(at):
            self.offset_requested.emit(self.lanes.index(geometry.lane))
        # ``toggle_loop`` would end a loop that is already running.
        elif self.hits.mark_segment(at) and not self.player.is_looping:
            self.player.toggle_loop()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom around the pointer; with Shift or horizontally, pan; over the lane switch, change the lane."""
        turned = event.angleDelta()
        if self.sign.has(event.position()):
            self.sign.step(-1 if turned.y() > 0 else 1)
        elif event.modifiers() & SHIFT or abs(turned.x()) > abs(turned.y()):
            notches = (turned.x() or turned.y()) / NOTCH
            self.show_scale(self.scale.panned(notches * PAN_SHARE * self.scale.width_px))
        else:
            self.zoom(WHEEL_FACTOR ** (turned.y() / NOTCH), at_x=event.position().x())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Execute the operation of a key."""
        if not self.keys.press(event):
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Accept keys before shortcuts of the window do, and show tool tips."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            if self.keys.wants(event):
                event.accept()
                return True
        elif event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), plain_tip(self.hits.tool_tip(QPointF(event.pos()))), self)
            return True
        return super().event(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Update the focus frame."""
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Update the focus frame."""
        super().focusOutEvent(event)
        self.update()

    def _time_px(self) -> int:
        return max(1, self.width() - NAME_PX)

    def _show_cursor(self, at: QPointF) -> None:
        geometry = self.hits.lane_at(at)
        is_handle = is_name(at) if geometry is not None else self.hits.mark(at) is not None
        is_handle = is_handle or self.hits.key_frame(at) is not None
        usual = Qt.CursorShape.PointingHandCursor if self.sign.has(at) else Qt.CursorShape.ArrowCursor
        self.setCursor(Qt.CursorShape.SizeHorCursor if is_handle else usual)

    def _paint_ground(
        self, positions: list[LaneGeometry], *, front: TimelineLane | None, ratio: float
    ) -> QPixmap:
        made = QPixmap(math.ceil(self.width() * ratio), math.ceil(self.height() * ratio))
        made.setDevicePixelRatio(ratio)
        made.fill(theme.current().color("surface"))
        painter = QPainter(made)
        # The selected lane matters for keys only: it is not marked without focus or with a single lane.
        chosen = self.lanes[self.chosen] if len(self.lanes) > 1 and self.hasFocus() else None
        lane_painter = LanePainter(painter, scale=self.scale, width=self.width())
        lane_painter.paint(positions, front=front, chosen=chosen, thumbs=self.thumbs)
        if (shown := self.sign.lane_index) is not None:
            lane_painter.place_among(shown, count=len(self.lanes))
        painter.end()
        # Known only after painting: which thumbnails are visible, and in which size.
        self.thumbs.request(lane_painter.shots)
        return made

    def _on_thumbs_arrived(self) -> None:
        # Part of the pixmap's cache key, so that the static part is painted again.
        self._pictures += 1
        self.update()
