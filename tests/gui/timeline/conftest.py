"""A stage that shows videos, with its timeline on the screen."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from annotator.domain.flag import Flag
from annotator.domain.medium import Medium
from annotator.domain.region import Box, Region
from annotator.domain.scene import Scene, SceneView
from annotator.domain.trajectory import Pose, Trajectory
from annotator.media.render import Overlay
from tests.bench.numbered_videos import KINDS, make_video
from tests.guards import Messages
from tests.guards_qt import PatientBot
from tests.windows import NO_SIZE_HINTS
from widgets.action_registry import ActionRegistry
from widgets.bridge import Bridge
from widgets.media_loader import MediaLoader
from widgets.medium_view import MediumView
from widgets.settings import Settings
from widgets.stage.scene import StageScene
from widgets.stage.stage import Stage
from widgets.stage.stage_media import StageMedia
from widgets.stage.tools.stage_keys import StageKeys
from widgets.stage.tools.tool_sets import TOOLS
from widgets.timeline.lane_painter import NAME_PX
from widgets.timeline.timeline import Timeline

FRAMES, FPS, GOP = 90, 25, 24
LEFT = Qt.MouseButton.LeftButton
SIZE = (192, 128)


@pytest.fixture(scope="session")
def video_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a video of 90 frames at 25 a second, with a key frame every 24."""
    recipe = msgspec.structs.replace(KINDS["fragmented"], muxing={}, frames=FRAMES, gop=GOP, size_px=SIZE)
    return Path(make_video(tmp_path_factory.mktemp("videos"), name="flight", recipe=recipe).path)


def make_scene(
    file: Path, *, views: int = 1, offsets: tuple[float, ...] = (), marks: Overlay | None = None
) -> StageScene:
    """Return a scene of videos, with marks on frames, two segments and two flags."""
    media = tuple(
        MediumView(
            view=f"UAV{number}",
            medium=Medium(
                id=f"m{number}",
                name=file.name,
                media_type="video",
                width_px=SIZE[0],
                height_px=SIZE[1],
                frames=FRAMES,
                duration_s=FRAMES / FPS,
            ),
            file=file,
        )
        for number in range(1, views + 1)
    )
    offsets = offsets or (0.0,) * views
    scene = Scene(
        id="s",
        name="0001",
        views=tuple(
            SceneView(name=one.view, medium=one.medium.id, offset_s=offset)
            for one, offset in zip(media, offsets, strict=True)
        ),
    )
    flight = Trajectory(
        id="t",
        scene="s",
        view="UAV1",
        poses=tuple(Pose(x_m=float(n), y_m=0.0, z_m=5.0, yaw_deg=0.0) for n in range(FRAMES)),
        key_frames=(0, 40),
        actions=("forward",) * 40 + ("turn left",) * (FRAMES - 41),
    )
    flags = (
        Flag(
            id="f1",
            entity="medium",
            target="m1",
            kind="medium_damaged",
            message="Torn.",
            evidence={"frame": 60},
        ),
        Flag(id="f2", entity="medium", target="m1", kind="medium_changed", message="Other bytes."),
    )
    return StageScene(
        scene=scene,
        media=media,
        marks=marks if marks is not None else usual_marks(),
        trajectories=(flight,),
        flags=flags,
    )


def region(name: str, number: int, frame: int) -> Region:
    box = Box(x1=10.0, y1=10.0, x2=40.0, y2=40.0)
    return Region(id=name, medium="m1", number=number, box=box, frame=frame, category="van")


def usual_marks() -> Overlay:
    """Return three regions: two on frame 0, one on frame 50."""
    return Overlay(regions=(region("a", 0, 0), region("b", 1, 0), region("c", 0, 50)))


class Hall(QWidget):
    """A stage with its timeline, as the workspace has them."""

    def __init__(
        self,
        *,
        footage: StageMedia,
        registry: ActionRegistry,
        media: MediaLoader,
        settings: Settings,
        qtbot: PatientBot,
    ) -> None:
        super().__init__()
        self.qtbot = qtbot
        self.stage = Stage(footage.pictures, tools=TOOLS)
        self.timeline = Timeline(self.stage, registry=registry, media=media, settings=settings)
        self.timeline_view, self.bar, self.player = (
            self.timeline.timeline_view,
            self.timeline.bar,
            self.stage.player,
        )
        self.shifts: list[tuple[str, float]] = []
        self.player.shifted.connect(self._on_player_shifted)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.stage, 1)
        column.addWidget(self.timeline)
        self.keys = StageKeys(self.stage, registry=registry, widget=self, owners={}, can_mark=True)
        self.keys.take()
        self.player.changed.connect(self._on_player_changed)

    def show_scene(self, shown: StageScene | None) -> None:
        self.stage.show_scene(shown)
        self.timeline.show_scene(shown)
        self.settle()

    def settle(self) -> None:
        def is_settled() -> bool:
            late = any(video.is_late for video in self.player.videos)
            return self.stage.is_settled() and not late and self.timeline.is_settled()

        self.qtbot.settle(is_settled)

    @property
    def painted(self) -> int:
        return self.player.videos[0].painted

    def at(self, time_s: float, *, lane: int = 0) -> QPoint:
        """Return the place of a moment on a lane; -1 is the ruler."""
        geometry = self.timeline_view.lane_geometries()[max(0, lane)]
        x = round(NAME_PX + self.timeline_view.scale.x_of(time_s) + 0.3)
        return QPoint(x, 6 if lane < 0 else round(geometry.pictures[0] + 2 + geometry.pictures[1] / 2 - 2))

    def name_at(self, lane: int = 0) -> QPoint:
        geometry = self.timeline_view.lane_geometries()[lane]
        return QPoint(20, geometry.top + geometry.height // 2)

    def press(self, at: QPoint, *, keys: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        QTest.mousePress(self.timeline_view, LEFT, keys, at)

    def move(self, at: QPoint) -> None:
        QTest.mouseMove(self.timeline_view, at)

    def release(self, at: QPoint) -> None:
        QTest.mouseRelease(self.timeline_view, LEFT, Qt.KeyboardModifier.NoModifier, at)

    def drag(
        self, begin: QPoint, end: QPoint, *, keys: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier
    ) -> None:
        self.press(begin, keys=keys)
        self.move((begin + end) / 2)
        self.move(end)
        self.release(end)
        self.settle()

    def key(self, key: Qt.Key, keys: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        self.timeline_view.setFocus()
        QTest.keyClick(self.timeline_view, key, keys)
        self.settle()

    def wheel(
        self, at: QPoint, *, notches: int, keys: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier
    ) -> None:
        event = QWheelEvent(
            at.toPointF(),
            self.timeline_view.mapToGlobal(at).toPointF(),
            QPoint(),
            QPoint(0, 120 * notches),
            Qt.MouseButton.NoButton,
            keys,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(self.timeline_view, event)

    def _on_player_shifted(self, view: str, offset_s: float) -> None:
        self.shifts.append((view, offset_s))

    def _on_player_changed(self) -> None:
        self.keys.refresh()


@pytest.fixture
def hall(
    bridge: Bridge,
    media: MediaLoader,
    registry: ActionRegistry,
    settings: Settings,
    guard_messages: Messages,
    qtbot: PatientBot,
) -> Iterator[Hall]:
    guard_messages.allow(NO_SIZE_HINTS)
    footage = StageMedia(bridge, media=media)
    made = Hall(footage=footage, registry=registry, media=media, settings=settings, qtbot=qtbot)
    qtbot.addWidget(made)
    made.resize(1000, 900)
    made.timeline.take_room(900)
    with qtbot.waitExposed(made):
        made.show()
    yield made
    made.stage.show_scene(None)
    made.timeline.show_scene(None)
    made.timeline.leave()
    footage.close()
