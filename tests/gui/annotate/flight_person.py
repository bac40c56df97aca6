"""Somebody at the window who annotates the flights of a scene."""

from __future__ import annotations

import math

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QKeySequence, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from annotator.domain.record import new_id
from annotator.domain.trajectory import Pose, Trajectory
from tests.guards_qt import PatientBot
from tests.gui.person import WindowPerson
from widgets.annotate.trajectory_editor import TrajectoryEditor
from widgets.annotate.trajectory_flights import AXES
from widgets.annotate.trajectory_plot import TrajectoryPlot
from widgets.annotate.workspace import AnnotateWorkspace
from widgets.window import MainWindow

FRAMES, FPS = 60, 25


class FlightPerson(WindowPerson):
    """The window at Annotate, in front of two videos with flights."""

    def __init__(self, window: MainWindow, qtbot: PatientBot) -> None:
        super().__init__(window, qtbot, workspace="annotate")

    @property
    def annotate(self) -> AnnotateWorkspace:
        made = self.window.slots["annotate"].workspace
        assert made is not None
        return made

    @property
    def editor(self) -> TrajectoryEditor:
        return self.annotate.trajectory

    @property
    def frame(self) -> int:
        """The painted frame of the front video."""
        video = self.annotate.stage.player.leader()
        assert video is not None
        return video.painted

    def flight(self, view: str = "UAV1") -> Trajectory:
        (found,) = (one for one in self.session.reader.records(Trajectory) if one.view == view)
        return found

    def settle(self) -> None:
        """Wait until everything is shown, the frames too."""

        def is_settled() -> bool:
            made = self.window.slots["annotate"].workspace
            videos = made.stage.player.videos if made is not None else ()
            return self.window.is_settled() and not any(video.is_late for video in videos)

        self.qtbot.settle(is_settled)
        QApplication.processEvents()

    def seek(self, frame: int) -> None:
        self.annotate.stage.player.seek(frame / FPS)
        self.settle()

    def at_stage(self, *keys: str) -> None:
        """Press keys in the front view."""
        self.annotate.stage.focus_view()
        for key in keys:
            self.press(key)

    def press_fast(self, *keys: str) -> None:
        """Press keys without waiting for what the one before does."""
        for key in keys:
            pressed = QKeySequence(key)[0]
            self.qtbot.keyClick(QApplication.focusWidget(), pressed.key(), pressed.keyboardModifiers())
        self.settle()

    def type(self, text: str) -> None:
        """Type a text where the keyboard is."""
        self.qtbot.keyClicks(QApplication.focusWidget(), text)

    def undo(self) -> None:
        self.window.controller.undo()
        self.settle()

    def click_pose(self, plot: TrajectoryPlot, pose: int, *, is_double: bool = False) -> None:
        at = _point(plot, pose)
        # pyqtgraph hears of clicks from real positions of the pointer.
        self._mouse(plot, QMouseEvent.Type.MouseMove, at)
        QTest.mouseClick(plot._view.viewport(), Qt.MouseButton.LeftButton, pos=at)
        if is_double:
            QTest.mouseDClick(plot._view.viewport(), Qt.MouseButton.LeftButton, pos=at)
            # The second press of a double click is released, too.
            QTest.mouseRelease(plot._view.viewport(), Qt.MouseButton.LeftButton, pos=at)
        self.settle()

    def drag_pose(self, plot: TrajectoryPlot, pose: int, *, to: int) -> None:
        begin, end = _point(plot, pose), _point(plot, to)
        self._mouse(plot, QMouseEvent.Type.MouseMove, begin)
        self._mouse(plot, QMouseEvent.Type.MouseButtonPress, begin)
        for share in (0.3, 0.6, 1.0):
            self._mouse(plot, QMouseEvent.Type.MouseMove, begin + (end - begin) * share, is_down=True)
        self._mouse(plot, QMouseEvent.Type.MouseButtonRelease, end)
        self.settle()

    def _mouse(
        self, plot: TrajectoryPlot, kind: QMouseEvent.Type, at: QPoint, *, is_down: bool = False
    ) -> None:
        left, none = Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton
        is_move = kind == QMouseEvent.Type.MouseMove
        button = none if is_move else left
        held = left if is_down or kind == QMouseEvent.Type.MouseButtonPress else none
        position = QPointF(at)
        over = QPointF(plot._view.viewport().mapToGlobal(at))
        event = QMouseEvent(kind, position, over, button, held, Qt.KeyboardModifier.NoModifier)
        QApplication.sendEvent(plot._view.viewport(), event)


def _point(plot: TrajectoryPlot, pose: int) -> QPoint:
    """Return the place of a pose in the widget that gets the mouse events."""
    assert plot.flight is not None
    across, up = plot.flight.positions_m[pose, AXES[plot.side]]
    at = plot._area.mapViewToScene(QPointF(across, up))
    return QPoint(plot._view.mapFromScene(at))


def made_flight(scene: str, *, view: str, left_m: float = 0.0, **fields: object) -> Trajectory:
    """Return a flight: ahead for half of the frames, then a quarter circle, climbing."""
    half = FRAMES // 2
    ahead = [Pose(x_m=n / 3, y_m=left_m, z_m=1, yaw_deg=0) for n in range(half)]
    last = ahead[-1]
    turns = [90 * n / half for n in range(1, FRAMES - half + 1)]
    circle = [
        Pose(
            x_m=last.x_m + 6 * math.sin(math.radians(turn)),
            y_m=left_m + 6 * (1 - math.cos(math.radians(turn))),
            z_m=1 + turn / 30,
            yaw_deg=turn,
        )
        for turn in turns
    ]
    values: dict[str, object] = {
        "id": new_id(), "scene": scene, "name": f"/a/{view}/traj_1", "view": view, "axes": "east-north-up",
        "poses": (*ahead, *circle), "times_s": tuple(n / FPS for n in range(FRAMES)),
    }  # fmt: skip
    return Trajectory(**(values | fields))  # type: ignore[arg-type]
