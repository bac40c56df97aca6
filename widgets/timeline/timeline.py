"""The timeline below a stage: numeric displays, ruler and lanes; only for scenes with videos."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QPoint, QPointF, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from annotator.media.cache_files import cache_folder
from annotator.media.thumbnails import ThumbnailStore
from widgets import theme
from widgets.action_registry import ActionRegistry
from widgets.box_layout import column_layout
from widgets.media_loader import MediaLoader
from widgets.settings import Settings
from widgets.stage.scene import StageScene
from widgets.stage.stage import Stage
from widgets.stage.video_playback import VideoPlayback
from widgets.timeline import lane_painter, playback_bar
from widgets.timeline.lanes import lanes_of
from widgets.timeline.mark_field import MarkField, MarkName
from widgets.timeline.offset_field import OffsetField
from widgets.timeline.playback_bar import PlaybackBar
from widgets.timeline.popup_field import PopupField
from widgets.timeline.timeline_thumbnails import TimelineThumbnails
from widgets.timeline.timeline_view import TimelineView

LANE_PX = {1: 60, 2: 52, 3: 42}
"""Height of a lane by the number of lanes; lanes are lower if there are more."""
COMPACT_PX, LOW_LANE_PX, LEAST_LANE_PX, MOST_LANE_PX = 28, 40, 24, 96
ROOM_SHARE = 0.34
"""Maximum fraction of the common height; the stage takes the rest."""
LOW_PX = 700
"""Common height below which only the lane of the front view is displayed, as in a window of 1280 x 720."""
ZOOM_SETTING, LANE_SETTING = "timeline/zoom", "timeline/lane"
GRIP_PX = 5


class ResizeHandle(QWidget):
    """The upper edge of the timeline, which resizes the lanes when dragged.

    Signals:
        dragged: Carries the distance in pixels, above 0 for higher lanes.
    """

    dragged = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self._from: QPointF | None = None
        self.setFixedHeight(GRIP_PX)
        self.setCursor(Qt.CursorShape.SizeVerCursor)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin the drag."""
        self._from = event.globalPosition()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Resize the lanes."""
        if self._from is not None:
            moved = round(self._from.y() - event.globalPosition().y())
            self._from = event.globalPosition()
            self.dragged.emit(moved)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End the drag."""
        self._from = None

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the separator line."""
        QPainter(self).fillRect(0, 0, self.width(), 1, theme.current().color("line"))


class Timeline(QWidget):
    """Displays the videos of a stage on their clock; the user can play, mark and shift them.

    It is hidden until a video is open. The owner calls ``show_scene`` and ``take_room``, and ``leave`` at
    the end.
    """

    def __init__(
        self, stage: Stage, *, registry: ActionRegistry, media: MediaLoader, settings: Settings
    ) -> None:
        super().__init__()
        self._stage, player = stage, stage.player
        self._player = player
        self._settings = settings
        self._shown: StageScene | None = None
        self.asked: PopupField | None = None
        self._room_px = 10 * LOW_PX
        self._lane_px = 0
        self.setObjectName("pane")
        self.thumbs = TimelineThumbnails(media, store=ThumbnailStore(cache_folder() / "thumbnails"))
        self.bar, self.timeline_view, self.grip = (
            PlaybackBar(player, registry=registry),
            TimelineView(player, thumbs=self.thumbs),
            ResizeHandle(),
        )
        column = column_layout(self, margins_px=0, spacing_px=0)
        for part in (self.grip, self.bar, self.timeline_view):
            column.addWidget(part)
        player.changed.connect(self._on_player_changed)
        player.moved.connect(self._on_player_moved)
        stage.view_state_changed.connect(self._on_stage_view_changed)
        self.timeline_view.scaled.connect(self._on_view_scaled)
        self.timeline_view.lane_requested.connect(self._on_view_lane_requested)
        self.timeline_view.offset_requested.connect(self._on_view_offset_requested)
        self.timeline_view.mark_requested.connect(self._on_view_mark_requested)
        self.grip.dragged.connect(self._on_grip_dragged)
        self.hide()

    def show_scene(self, shown: StageScene | None) -> None:
        """Display the annotations, segments and flags of the stage's scene."""
        if shown is not self._shown:
            self._shown = shown
            # Annotations can have changed: the contents of the lanes are rebuilt.
            self._refresh(is_anew=True)

    def take_room(self, height_px: int) -> None:
        """Set the common height of stage and timeline."""
        if height_px != self._room_px:
            self._room_px = height_px
            self._refresh()

    def is_settled(self) -> bool:
        """Return whether all visible thumbnails are loaded."""
        return self.isHidden() or self.thumbs.is_settled()

    def leave(self) -> None:
        """Stop loading thumbnails, because the timeline is being closed."""
        self.thumbs.close()

    def _refresh(self, *, is_anew: bool = False) -> None:
        player, shown = self._player, self._shown
        before = () if is_anew else self.timeline_view.lanes
        lanes = lanes_of(shown, player.videos, before=before) if shown is not None else ()
        is_other = {lane.medium.id for lane in lanes} != {lane.medium.id for lane in self.timeline_view.lanes}
        self.thumbs.show_videos({lane.medium.id: (lane.video, lane.medium) for lane in lanes})
        self.thumbs.hold(player.is_playing)
        is_low = self._room_px < LOW_PX
        self.timeline_view.show_lanes(lanes, only_front=is_low)
        if is_other and lanes:
            self._take_zoom()
        self._take_height(len(lanes), is_low=is_low)
        front = self.timeline_view.front
        self.bar.front = self.timeline_view.video_of(front) if front is not None else None
        self.bar.refresh()
        # Last, so that the timeline appears in its final height.
        self.setVisible(bool(lanes))

    def _take_zoom(self) -> None:
        zoom = self._settings.number(ZOOM_SETTING, 100) / 100
        self.timeline_view.scale = self.timeline_view.scale.zoomed(max(1.0, zoom), at_x=0).following(
            self._player.time_s
        )

    def _take_height(self, lanes: int, *, is_low: bool) -> None:
        if not lanes:
            return
        usual = LANE_PX.get(lanes, COMPACT_PX)
        self._lane_px = self._settings.number(f"{LANE_SETTING}/{lanes}", usual)
        most = self._room_px * ROOM_SHARE - playback_bar.HEIGHT_PX - lane_painter.RULER_PX
        height = min(self._lane_px * lanes, max(LEAST_LANE_PX * lanes, round(most)))
        # In a low window, the height is fixed and the saved one is kept for larger windows.
        height = LOW_LANE_PX if is_low else height
        self.timeline_view.setFixedHeight(lane_painter.RULER_PX + height)
        self.grip.setEnabled(not is_low)

    def _on_player_changed(self) -> None:
        self._refresh()

    def _on_stage_view_changed(self) -> None:
        # Also called at each pointer move, so it must be cheap.
        front = self.timeline_view.front
        shown = self.bar.front.video if self.bar.front is not None else None
        if front is not None and front.video is not shown:
            self._refresh()
            self.timeline_view.update()

    def _on_player_moved(self) -> None:
        self.timeline_view.follow_player()
        self.bar.show_frame()

    def _on_view_scaled(self) -> None:
        self._settings.keep(ZOOM_SETTING, round(self.timeline_view.scale.zoom * 100))

    def _on_view_lane_requested(self, video: VideoPlayback) -> None:
        canvas = next((one for one in self._stage.canvases if one.video is video), None)
        if canvas is not None:
            self._stage.viewports.bring(canvas)

    def _on_view_offset_requested(self, index: int) -> None:
        lane = self.timeline_view.lanes[index]
        field = OffsetField(lane, parent=self.window())
        field.typed.connect(partial(self._on_field_typed, lane.medium.id))
        top = next((one.top for one in self.timeline_view.lane_geometries() if one.lane is lane), 0)
        self._open_field(field, QPoint(8, top))

    def _on_view_mark_requested(self, which: MarkName) -> None:
        lane, marks = self.timeline_view.front, {"in": self._player.in_s, "out": self._player.out_s}
        time_s = marks.pop(which)
        if lane is None or time_s is None:
            return
        (other_s,) = marks.values()
        field = MarkField(lane, which, time_s=time_s, other_s=other_s, parent=self.window())
        field.typed.connect(partial(self._on_mark_typed, which))
        x = round(lane_painter.NAME_PX + self.timeline_view.scale.x_of(time_s))
        self._open_field(field, QPoint(x, 0))

    def _open_field(self, field: PopupField, at: QPoint) -> None:
        self.asked = field
        field.closed.connect(self._on_field_closed)
        field.open_over(self.timeline_view, at)

    def _on_mark_typed(self, which: MarkName, time_s: float) -> None:
        player = self._player
        if which == "in":
            player.set_marks(time_s, out_s=player.out_s)
        else:
            player.set_marks(player.in_s, out_s=time_s)

    def _on_field_closed(self) -> None:
        self.asked = None
        # Otherwise, Qt moves the focus of the closed field to an arbitrary widget.
        self.timeline_view.setFocus(Qt.FocusReason.PopupFocusReason)

    def _on_field_typed(self, medium: str, offset_s: float) -> None:
        # The scene can have been closed while the user typed.
        for video in self._player.videos:
            if video.shown.medium.id == medium and video.video is not None:
                self._player.shift(video, offset_s)

    def _on_grip_dragged(self, px: int) -> None:
        lanes = len(self.timeline_view.lanes)
        height = self._lane_px + px / max(1, lanes)
        self._settings.keep(f"{LANE_SETTING}/{lanes}", round(min(max(height, LEAST_LANE_PX), MOST_LANE_PX)))
        self._refresh()
