"""One view of the flights of a scene: from above, or from a side."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyqtgraph as pg
from pyqtgraph.GraphicsScene.mouseEvents import MouseClickEvent, MouseDragEvent
from PySide6.QtCore import QMargins, QPointF, QSizeF, Qt, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from annotator.domain.flight_actions import KINDS, ActionKind
from widgets import theme
from widgets.annotate.trajectory_colours import kind_colour
from widgets.annotate.trajectory_flights import AXES, PlottedFlight, Side
from widgets.labels import ElidedLabel

Floats = npt.NDArray[np.float64]
AXIS_PX, FOOT_PX = 34, 18
MOST_POINTS = 1_500
"""Points of a line; further ones are indistinguishable."""
MIXED_PARTS = 3
"""Each kind of a segment with several kinds colours so many pieces of its line."""
REACH_PX = 24.0
"""Distance from the line within which a click chooses a pose."""
KEY_FRAME_PX, HANDLE_PX = 7, 8.0
HEADING_PX = 22
_KINDS: tuple[ActionKind | None, ...] = (None, *KINDS)


class _PlotArea(pg.ViewBox):  # type: ignore[misc] # pyqtgraph has no types
    """Reports clicks and drags instead of panning and zooming."""

    pressed = Signal(QPointF, bool)
    dragged = Signal(QPointF, QPointF, bool)

    def mouseClickEvent(self, ev: MouseClickEvent) -> None:
        """Report a click of the left button, and whether it is the second of a double click."""
        if ev.button() == Qt.MouseButton.LeftButton:
            ev.accept()
            self.pressed.emit(self.mapSceneToView(ev.scenePos()), ev.double())

    def mouseDragEvent(self, ev: MouseDragEvent, axis: int | None = None) -> None:
        """Report where a drag began, where it is, and whether it ends."""
        if ev.button() == Qt.MouseButton.LeftButton:
            ev.accept()
            begin, at = (
                self.mapSceneToView(position) for position in (ev.buttonDownScenePos(), ev.scenePos())
            )
            self.dragged.emit(begin, at, ev.isFinish())

    def wheelEvent(self, ev: object, axis: int | None = None) -> None:
        """Do not zoom: the three views keep one scale."""


class _Markers(pg.ScatterPlotItem):  # type: ignore[misc] # pyqtgraph has no types
    """Markers that leave clicks to the area below them."""

    def mouseClickEvent(self, ev: MouseClickEvent) -> None:
        """Do not take the click, as pyqtgraph's own markers do."""
        ev.ignore()


class TrajectoryPlot(QWidget):
    """A plot of flights in two of the three axes.

    Signals:
        pose_chosen: A pose of the edited flight was clicked; carries its number.
        pose_toggled: A pose was double-clicked; carries its number.
        key_frame_dragged: A key frame is dragged; carries its pose, that at the pointer, and whether it ends.
    """

    pose_chosen = Signal(int)
    pose_toggled = Signal(int)
    key_frame_dragged = Signal(int, int, bool)

    def __init__(self, side: Side, *, title: str) -> None:
        """Create an empty plot.

        Args:
            side: The view.
            title: Its title.
        """
        super().__init__()
        self.side, self._title = side, title
        self.setAccessibleName(title)
        self.flight: PlottedFlight | None = None
        self.pose: int | None = None
        self._dragged: int | None = None
        self._area = _PlotArea(enableMenu=False)
        self._view = pg.PlotWidget(background=None, viewBox=self._area)
        self._view.hideButtons()
        # The plot is operated by the mouse; the list of key frames does the same by keyboard.
        self._view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._plot = self._view.getPlotItem()
        self._plot.setContentsMargins(0, 0, 0, 0)
        # pyqtgraph creates a menu that the plot does not delete. As a plain child of the plot the menu would
        # appear in its corner.
        self.menu = self._plot.ctrlMenu
        self.menu.setParent(self, Qt.WindowType.Popup)
        self._add_items()
        self.heading = ElidedLabel(title, role="label")
        column = QVBoxLayout(self)
        column.setContentsMargins(QMargins(0, 0, 0, 0))
        column.setSpacing(0)
        column.addWidget(self.heading)
        column.addWidget(self._view, 1)
        self._area.pressed.connect(self._on_area_pressed)
        self._area.dragged.connect(self._on_area_dragged)

    def _add_items(self) -> None:
        self.others = self._plot.plot(connect="finite")
        self.lines = {kind: self._plot.plot(connect="finite") for kind in _KINDS}
        self.key_frames = _Markers(size=KEY_FRAME_PX, symbol="s", pxMode=True)
        self.names: list[pg.TextItem] = []
        self.other_markers = _Markers(size=8, symbol="o", pxMode=True)
        self.beam = pg.PlotCurveItem()
        self.marker = _Markers(size=11, symbol="o", pxMode=True)
        for item in (self.key_frames, self.other_markers, self.beam, self.marker):
            self._plot.addItem(item)

    @property
    def area_px(self) -> QSizeF:
        """The size of the area inside the axes, pixels."""
        return QSizeF(self._area.width(), self._area.height())

    @property
    def pixel_m(self) -> float:
        """The size of a pixel, metres."""
        return float(self._area.viewPixelSize()[0])

    def show_flights(
        self, flight: PlottedFlight, *, others: Sequence[PlottedFlight], frames: Sequence[int]
    ) -> None:
        """Show the edited flight and the others.

        Args:
            flight: The edited flight.
            others: Further flights in the same axes.
            frames: The key frames of the edited flight.
        """
        self.flight = flight
        across, up = (flight.axis_names[axis] for axis in AXES[self.side])
        self.heading.setText(f"{self._title}   {up} ↑   {across} →")
        for kind, points in _lines(flight, self.side).items():
            self.lines[kind].setData(points[:, 0], points[:, 1])
        rest = _joined([_thin(one.positions_m[:, AXES[self.side]]) for one in others])
        self.others.setData(rest[:, 0], rest[:, 1])
        self._show_names(others)
        self.show_key_frames(frames)

    def _show_names(self, others: Sequence[PlottedFlight]) -> None:
        for item in self.names:
            self._plot.removeItem(item)
        self.names = [pg.TextItem(one.view, anchor=(0.5, 1.1)) for one in others if one.view]
        for item, one in zip(self.names, (one for one in others if one.view), strict=True):
            item.setPos(*one.positions_m[0, AXES[self.side]].tolist())
            item.setFont(theme.font("label"))
            item.setColor(theme.current().color("text_dim"))
            # A name must not change the scale that all views have.
            self._plot.addItem(item, ignoreBounds=True)

    def show_key_frames(self, frames: Sequence[int]) -> None:
        """Show the key frames of the edited flight at these poses."""
        assert self.flight is not None  # noqa: S101 - called for a flight that is shown
        positions = self.flight.positions_m[list(frames)][:, AXES[self.side]]
        self.key_frames.setData(positions[:, 0], positions[:, 1])

    def show_range(self, middle: tuple[float, float], *, pixel_m: float) -> None:
        """Show the surroundings of a point.

        Args:
            middle: The point, metres.
            pixel_m: Size of a pixel in both directions, metres.
        """
        half = self.area_px * pixel_m / 2
        self._area.setRange(
            xRange=(middle[0] - half.width(), middle[0] + half.width()),
            yRange=(middle[1] - half.height(), middle[1] + half.height()),
            padding=0,
        )

    def show_poses(self, pose: int | None, *, others: Floats) -> None:
        """Move the markers.

        Args:
            pose: Number of the pose of the edited flight, None if its times are unknown.
            others: float64 (k, 3), positions of the other flights.
        """
        self.pose = pose
        flight = self.flight
        if flight is None or pose is None:
            self.marker.setData([], [])
            self.beam.setData([], [])
        else:
            at, ahead = flight.positions_m[pose, AXES[self.side]], flight.headings[pose, AXES[self.side]]
            tip = at + ahead * HEADING_PX * self.pixel_m
            self.marker.setData(at[:1], at[1:])
            self.beam.setData([at[0], tip[0]], [at[1], tip[1]])
        positions = others[:, AXES[self.side]]
        self.other_markers.setData(positions[:, 0], positions[:, 1])

    def apply_theme(self) -> None:
        """Apply the colours of the current theme."""
        tokens = theme.current()
        faint = tokens.color("text_dim")
        faint.setAlpha(150)
        self.others.setPen(pg.mkPen(faint, width=1))
        for kind, line in self.lines.items():
            line.setPen(pg.mkPen(kind_colour(kind), width=2))
        self.key_frames.setBrush(pg.mkBrush(tokens.color("surface")))
        self.key_frames.setPen(pg.mkPen(tokens.color("text"), width=1.4))
        self.other_markers.setBrush(pg.mkBrush(None))
        self.other_markers.setPen(pg.mkPen(tokens.color("text_dim"), width=1.4))
        self.marker.setBrush(pg.mkBrush(tokens.color("accent")))
        self.marker.setPen(pg.mkPen(tokens.color("surface"), width=1.4))
        for item in self.names:
            item.setColor(tokens.color("text_dim"))
        self.beam.setPen(pg.mkPen(tokens.color("accent"), width=2.4))
        for side in ("left", "bottom"):
            axis = self._plot.getAxis(side)
            axis.setPen(pg.mkPen(tokens.color("line")))
            axis.setTextPen(pg.mkPen(tokens.color("text_dim")))
            axis.setStyle(tickFont=theme.font("label"), tickLength=-4, maxTickLevel=0)
        self._plot.getAxis("left").setWidth(AXIS_PX)
        self._plot.getAxis("bottom").setHeight(FOOT_PX)

    def _pose_at(self, position: QPointF) -> int | None:
        if self.flight is None:
            return None
        beside = self.pose if self.pose is not None else 0
        pose, apart_px = self.flight.nearest(
            (position.x(), position.y()), side=self.side, pixel_m=self.pixel_m, beside=beside
        )
        return pose if apart_px <= REACH_PX else None

    def _key_frame_at(self, position: QPointF) -> int | None:
        """Return the pose of the key frame at a point, None if there is none."""
        xs, ys = self.key_frames.getData()
        if self.flight is None or not len(xs):
            return None
        apart = np.hypot(xs - position.x(), ys - position.y()) / self.pixel_m
        return self.flight.key_frames[int(apart.argmin())] if apart.min() <= HANDLE_PX else None

    def _on_area_pressed(self, position: QPointF, is_double: bool) -> None:
        pose = self._pose_at(position)
        if pose is not None:
            (self.pose_toggled if is_double else self.pose_chosen).emit(pose)

    def _on_area_dragged(self, begin: QPointF, at: QPointF, is_end: bool) -> None:
        if self._dragged is None:
            self._dragged = self._key_frame_at(begin)
        frame = self._dragged
        if is_end:
            self._dragged = None
        if frame is None or self.flight is None:
            return
        pose, _ = self.flight.nearest((at.x(), at.y()), side=self.side, pixel_m=self.pixel_m, beside=frame)
        self.key_frame_dragged.emit(frame, pose, is_end)


def _lines(flight: PlottedFlight, side: Side) -> dict[ActionKind | None, Floats]:
    """Return the line of a flight by kind of action, float64 (k, 2), its pieces parted by NaN."""
    points = flight.positions_m[:, AXES[side]]
    pieces: dict[ActionKind | None, list[Floats]] = {kind: [] for kind in _KINDS}
    if not flight.segments:
        pieces[None].append(_thin(points))
    for segment in flight.segments:
        kinds = segment.kinds or (None,)
        count = 1 if len(kinds) == 1 else MIXED_PARTS * len(kinds)
        ends = np.linspace(segment.first, segment.last, count + 1).astype(int)
        for index, (first, last) in enumerate(itertools.pairwise(ends.tolist())):
            pieces[kinds[index % len(kinds)]].append(_thin(points[first : last + 1]))
    return {kind: _joined(parts) for kind, parts in pieces.items()}


def _thin(points: Floats) -> Floats:
    """Return at most ``MOST_POINTS`` points of a line, with its ends."""
    if len(points) <= MOST_POINTS:
        return points
    return np.asarray(points[np.linspace(0, len(points) - 1, MOST_POINTS).astype(int)])


def _joined(parts: Sequence[Floats]) -> Floats:
    """Return lines as one array with NaN between them."""
    gap = np.full((1, 2), np.nan)
    return np.concatenate([array for part in parts for array in (part, gap)] or [np.zeros((0, 2))])
