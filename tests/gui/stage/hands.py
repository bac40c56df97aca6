"""A scene of a few views with regions, and hands for the stage that shows it."""

from __future__ import annotations

from functools import cache
from io import BytesIO
from pathlib import Path as FilePath

import numpy as np
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from annotator.commands.command import Command
from annotator.domain.link import Link
from annotator.domain.medium import Medium
from annotator.domain.polyline import Polyline
from annotator.domain.region import Box, Region
from annotator.domain.scene import Scene, SceneView
from annotator.media.render import Overlay
from tests.guards_qt import PatientBot
from widgets.medium_view import MediumView
from widgets.stage.canvas import StageCanvas
from widgets.stage.scene import StageScene
from widgets.stage.stage import Stage

WIDTH, HEIGHT = 640, 360
LEFT = Qt.MouseButton.LeftButton


def make_region(name: str, medium: str, number: int, box: tuple[float, float, float, float]) -> Region:
    x1, y1, x2, y2 = box
    return Region(id=name, medium=medium, number=number, box=Box(x1=x1, y1=y1, x2=x2, y2=y2), category="van")


MARKS = Overlay(
    regions=(
        make_region("a0", "m1", 0, (100, 100, 200, 160)),
        make_region("a1", "m1", 1, (120, 110, 150, 130)),
        make_region("b0", "m2", 0, (300, 200, 360, 240)),
        make_region("b1", "m2", 1, (20, 20, 60, 50)),
    ),
    links=(Link(id="l", scene="s", regions=("a1", "b1")),),
    paths=(Polyline(id="p", medium="m2", points=((400.0, 300.0), (600.0, 300.0))),),
)


def write_picture(path: FilePath, *, seed: int) -> FilePath:
    """Write a picture in which no two places look the same."""
    path.write_bytes(_encode_noise(path.suffix, seed))
    return path


@cache
def _encode_noise(suffix: str, seed: int) -> bytes:
    # Most tests want the same few images, and packing one takes longer than such a test.
    from PIL import Image

    pixels = np.random.default_rng(seed).integers(0, 255, (HEIGHT, WIDTH, 3), np.uint8)
    file = BytesIO()
    Image.fromarray(pixels).save(file, format=Image.registered_extensions()[suffix])
    return file.getvalue()


def make_scene(folder: FilePath, *, views: int = 2, marks: Overlay = MARKS) -> StageScene:
    """Return a scene with pictures on the disk."""
    media = []
    for number in range(1, views + 1):
        file = write_picture(folder / f"{number}.png", seed=number)
        medium = Medium(id=f"m{number}", name=file.name, width_px=WIDTH, height_px=HEIGHT)
        media.append(MediumView(view=f"UAV{number}", medium=medium, file=file))
    scene = Scene(id="s", name="0001", views=tuple(SceneView(name=m.view, medium=m.medium.id) for m in media))
    return StageScene(scene=scene, media=tuple(media), marks=marks)


class Hands:
    """A stage on the screen, what it commands, and gestures in image pixels."""

    def __init__(self, stage: Stage, qtbot: PatientBot) -> None:
        self.stage, self.qtbot = stage, qtbot
        self.commands: list[Command] = []
        stage.commanded.connect(self.commands.append)

    def canvas(self, index: int = 0) -> StageCanvas:
        return self.stage.canvases[index]

    def settle(self) -> None:
        self.qtbot.settle(self.stage.is_settled)
        QApplication.processEvents()

    def show(self, shown: StageScene | None) -> None:
        self.stage.show_scene(shown)
        self.settle()

    def point(self, x: float, y: float, *, view: int = 0) -> QPoint:
        canvas = self.canvas(view)
        at = canvas.view_point(x, y)
        return QPoint(round(at[0] / canvas.ratio()), round(at[1] / canvas.ratio()))

    def move(
        self,
        x: float,
        y: float,
        *,
        view: int = 0,
        keys: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier,
        is_down: bool = False,
    ) -> None:
        canvas, at = self.canvas(view), self.point(x, y, view=view)
        buttons = LEFT if is_down else Qt.MouseButton.NoButton
        event = QMouseEvent(
            QMouseEvent.Type.MouseMove,
            at.toPointF(),
            canvas.mapToGlobal(at).toPointF(),
            Qt.MouseButton.NoButton,
            buttons,
            keys,
        )
        QApplication.sendEvent(canvas, event)

    def click(
        self,
        x: float,
        y: float,
        *,
        view: int = 0,
        keys: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier,
    ) -> None:
        QTest.mouseClick(self.canvas(view), LEFT, keys, self.point(x, y, view=view))

    def drag(self, begin: tuple[float, float], end: tuple[float, float], *, view: int = 0) -> None:
        self.pull(begin, end, view=view)
        QTest.mouseRelease(self.canvas(view), LEFT, pos=self.point(*end, view=view))

    def pull(self, begin: tuple[float, float], end: tuple[float, float], *, view: int = 0) -> None:
        """Drag without letting go."""
        QTest.mousePress(self.canvas(view), LEFT, pos=self.point(*begin, view=view))
        for share in (0.5, 1.0):
            x, y = (one + (other - one) * share for one, other in zip(begin, end, strict=True))
            self.move(x, y, view=view, is_down=True)

    def key(
        self, key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier, *, view: int = 0
    ) -> None:
        QTest.keyClick(self.canvas(view), key, modifiers)
