"""The edited flight in three views of one scale, in step with the displayed time."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from annotator.commands.flights import key_frame_range
from annotator.domain.flight_actions import ActionKind
from annotator.domain.trajectory import Pose
from widgets import theme
from widgets.annotate.trajectory_colours import kind_colour
from widgets.annotate.trajectory_flights import AXES, PlottedFlight, Side
from widgets.annotate.trajectory_model import TrajectoryModel, flight_name
from widgets.annotate.trajectory_plot import TrajectoryPlot
from widgets.box_layout import column_layout
from widgets.labels import ElidedLabel, label
from widgets.stage.segments import KIND_TITLES
from widgets.translation import mark, tr

EDGE_PX, GAP_PX = 8, 4
MARGIN_PX = 14
"""Free margin around the flights inside a plot."""
LEAST_EXTENT_M = 2.0
"""Shortest side of what a plot shows: a hover must not be drawn as a flight."""
TITLES: dict[Side, str] = {
    "above": mark("From above"),
    "front": mark("From the front"),
    "side": mark("From the side"),
}
STRETCH: dict[Side, int] = {"above": 5, "front": 3, "side": 3}
CHIP_PX, LINE_PX = 10, 18


class ActionLegend(QWidget):
    """The colours of the kinds of action, with their names."""

    def __init__(self) -> None:
        super().__init__()
        self.kinds: tuple[ActionKind, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(LINE_PX)

    def show_kinds(self, kinds: tuple[ActionKind, ...]) -> None:
        """Show the kinds that the flight has."""
        self.kinds = kinds
        self.setAccessibleName(", ".join(tr(KIND_TITLES[kind]) for kind in kinds))
        self._take_lines()
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Break the line where it is too long."""
        super().resizeEvent(event)
        self._take_lines()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint chips and names."""
        painter = QPainter(self)
        painter.setFont(theme.font("label"))
        for kind, (x, y) in zip(self.kinds, self._positions(), strict=True):
            painter.fillRect(x, y + 4, CHIP_PX, CHIP_PX, kind_colour(kind))
            painter.setPen(theme.current().color("text"))
            room = self.rect().adjusted(x + CHIP_PX + 5, y, 0, 0)
            painter.drawText(room, int(Qt.AlignmentFlag.AlignTop), tr(KIND_TITLES[kind]))

    def _positions(self) -> list[tuple[int, int]]:
        metrics, positions, x, y = QFontMetrics(theme.font("label")), [], 0, 0
        for kind in self.kinds:
            width = CHIP_PX + 5 + metrics.horizontalAdvance(tr(KIND_TITLES[kind]))
            if x and x + width > self.width():
                x, y = 0, y + LINE_PX
            positions.append((x, y))
            x += width + 12
        return positions

    def _take_lines(self) -> None:
        positions = self._positions()
        self.setFixedHeight((positions[-1][1] if positions else 0) + LINE_PX)


class FlightPlots(QWidget):
    """Shows the edited flight, and the others of the scene in the same axes.

    Signals:
        pose_toggled: A pose was double-clicked; carries its number.
        key_frame_moved: A key frame was dragged; carries its pose and the new one.
    """

    pose_toggled = Signal(int)
    key_frame_moved = Signal(int, int)

    def __init__(self, model: TrajectoryModel) -> None:
        super().__init__()
        self._model = model
        self._drawn: tuple[PlottedFlight, ...] = ()
        self.plots = {side: TrajectoryPlot(side, title=tr(title)) for side, title in TITLES.items()}
        self.name, self.pose = ElidedLabel(role="strong"), ElidedLabel(role="label")
        self.position_label = ElidedLabel(role="mono")
        self.note = label(role="label", wrap=True)
        self.legend = ActionLegend()
        self._lay_out()
        model.moved.connect(self.follow)
        for plot in self.plots.values():
            plot.pose_chosen.connect(model.seek)
            plot.pose_toggled.connect(self.pose_toggled)
            plot.key_frame_dragged.connect(self._on_plot_key_frame_dragged)

    def follow(self) -> None:
        """Move the markers to the displayed time."""
        current = self._model.current
        if current is None or not self.isVisible():
            return
        pose = self._model.pose()
        others = [one.positions_m[at] for one in self._drawn if (at := self._model.pose(one)) is not None]
        positions = np.array(others, np.float64).reshape(-1, 3)
        for plot in self.plots.values():
            plot.show_poses(pose, others=positions)
        count = f"{len(current.positions_m):,}"
        self.pose.setText(
            tr("{n} poses", n=count)
            if pose is None
            else tr("pose {n} of {total}", n=f"{pose:,}", total=count)
        )
        self.position_label.setText("" if pose is None else _location_text(current.flight.poses[pose]))

    def show_flight(self, current: PlottedFlight) -> None:
        """Show the edited flight."""
        flights = [one for one in self._model.found.flights if one is not current and one.source is None]
        # Positions in other axes cannot be compared; a reversed flight flies the line of its source.
        same = [one for one in flights if one.flight.axes == current.flight.axes]
        self._drawn = tuple(one for one in same if one.flight is not current.source)
        self.name.setText(flight_name(current))
        notes = [
            tr("Reversed flight") if current.source else "",
            ""
            if len(current.times_s)
            else tr("The poses have no times: the plot does not follow the video."),
            tr("Flights with other axes are not drawn.") if len(same) < len(flights) else "",
        ]
        self.note.setText("\n".join(filter(None, notes)))
        self.note.setVisible(bool(self.note.text()))
        for plot in self.plots.values():
            plot.show_flights(current, others=self._drawn, frames=current.key_frames)
        self.legend.show_kinds(current.segment_kinds())
        self._fit()

    def showEvent(self, event: QShowEvent) -> None:
        """Apply the colours of the current theme, and show the displayed time."""
        super().showEvent(event)
        self._apply_theme()
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        """Apply the colours of another theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange and self.isVisible():
            self._apply_theme()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep one scale in all views."""
        super().resizeEvent(event)
        self._fit()

    def _lay_out(self) -> None:
        column = column_layout(self, margins_px=EDGE_PX, spacing_px=GAP_PX)
        for part in (self.name, self.pose, self.position_label, self.note):
            column.addWidget(part)
        for side, plot in self.plots.items():
            column.addWidget(plot, STRETCH[side])
        column.addWidget(self.legend)

    def _apply_theme(self) -> None:
        for plot in self.plots.values():
            plot.apply_theme()

    def _fit(self) -> None:
        current = self._model.current
        if current is None or not self.isVisible():
            return
        positions = np.concatenate([one.positions_m for one in (current, *self._drawn)])
        low, high = positions.min(axis=0), positions.max(axis=0)
        extent, middle = np.maximum(high - low, LEAST_EXTENT_M), (low + high) / 2
        needed = []
        for side, plot in self.plots.items():
            across, up = extent[list(AXES[side])]
            area = plot.area_px
            needed.append(across / max(1.0, area.width() - 2 * MARGIN_PX))
            needed.append(up / max(1.0, area.height() - 2 * MARGIN_PX))
        for side, plot in self.plots.items():
            across, up = middle[list(AXES[side])]
            # The largest of all, so that a metre has the same length everywhere.
            plot.show_range((float(across), float(up)), pixel_m=max(needed))
        self.follow()

    def _on_plot_key_frame_dragged(self, frame: int, pose: int, is_end: bool) -> None:
        current = self._model.current
        if current is None or frame not in current.key_frames:
            return
        least, most = key_frame_range(current.flight, frame)
        pose = min(max(pose, least), most)
        frames = [pose if one == frame else one for one in current.key_frames]
        for plot in self.plots.values():
            plot.show_key_frames(frames)
        if is_end:
            self.key_frame_moved.emit(frame, pose)


def _location_text(pose: Pose) -> str:
    """Return position and heading of a pose as one line."""
    return f"{pose.x_m:.1f} {pose.y_m:.1f} {pose.z_m:.1f} m  {pose.yaw_deg:.0f}°"
