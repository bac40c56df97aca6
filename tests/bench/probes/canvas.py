"""Zooms and pans over a large picture with thousands of regions.

``python -m tests.bench.probes.canvas PICTURE KIND``, where KIND is ``boxes``, or ``mixed`` for polygons and
points among them. Prints JSON: the milliseconds from each gesture to the painted window, and the microseconds
that it takes to find the region under the pointer.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication

from annotator.domain.medium import Medium
from annotator.domain.region import Box, Region
from annotator.domain.scene import Scene, SceneView
from annotator.media.render import Overlay
from tests.bench.probes.eyes import wait_until
from tests.bench.probes.stand import Stand, application, stand, tell
from widgets.medium_view import MediumView
from widgets.stage.canvas import StageCanvas
from widgets.stage.scene import StageScene

REGIONS, EVERY_POLYGON, EVERY_POINT = 5000, 10, 15
PICTURE_PX = (4000, 2250)
WINDOW_PX = (1600, 900)
SIDES_PX = (12, 90)
CORNERS = (5, 24)
SEED = 11
NOTCH = 120
NOTCHES, STROKES, STROKE_PX = 16, 24, 37
PLACES = ((0.3, 0.4), (0.75, 0.2), (0.5, 0.8))
"""Where the wheel is turned, as shares of the view."""
LOOKS = 2000
WARM_UP = 4
"""Gestures that are not counted: fonts and colours are made with the first."""


def scene_of(picture: Path, *, kind: str, size_px: tuple[int, int] = PICTURE_PX, count: int) -> StageScene:
    """Return a scene of one picture, full of regions.

    Args:
        picture: The file.
        kind: ``boxes``, or ``mixed``: one region in ten a polygon, one in fifteen a point.
        size_px: Width and height of the picture.
        count: Number of regions.
    """
    medium = Medium(
        id="large", name=picture.name, path=picture.name, width_px=size_px[0], height_px=size_px[1]
    )
    rng = random.Random(SEED)
    regions = tuple(_region(rng, number, kind=kind, size_px=size_px) for number in range(count))
    return StageScene(
        scene=Scene(id="large", name="large", views=(SceneView(name="UAV1", medium=medium.id),)),
        media=(MediumView(view="UAV1", medium=medium, file=picture),),
        marks=Overlay(regions=regions),
    )


def _region(rng: random.Random, number: int, *, kind: str, size_px: tuple[int, int]) -> Region:
    wide, high = rng.randint(*SIDES_PX), rng.randint(*SIDES_PX)
    x, y = float(rng.randrange(size_px[0] - wide)), float(rng.randrange(size_px[1] - high))
    is_mixed = kind == "mixed"
    if is_mixed and number % EVERY_POINT == 0:
        wide = high = 0
    polygon: tuple[tuple[float, float], ...] = ()
    if is_mixed and wide and number % EVERY_POLYGON == 0:
        turns = np.linspace(0, 2 * np.pi, rng.randint(*CORNERS), endpoint=False)
        corners = np.stack([x + wide / 2 * (1 + np.cos(turns)), y + high / 2 * (1 + np.sin(turns))], axis=1)
        polygon = tuple((float(left), float(top)) for left, top in corners)
    box = Box(x1=x, y1=y, x2=x + wide, y2=y + high)
    return Region(id=f"r{number}", medium="large", number=number, box=box, polygon=polygon, category="car")


class Gestures:
    """Turns the wheel and drags the picture, one gesture a frame, and notes how long each took.

    Args:
        on: The stage that is looked at; its first view is the one.
    """

    def __init__(self, on: Stand) -> None:
        self.times_ms: list[float] = []
        self._on = on
        self._canvas: StageCanvas = on.stage.canvases[0]

    def run(self) -> None:
        """Zoom in and out at several places, and drag the picture about at each depth."""
        for share_x, share_y in PLACES:
            at = QPointF(self._canvas.width() * share_x, self._canvas.height() * share_y)
            for step in range(NOTCHES):
                self._wheel(at, turn=NOTCH)
                if step % 5 == 0:
                    self._drag(STROKES // 4)
            self._drag(STROKES)
            for _ in range(NOTCHES):
                self._wheel(at, turn=-NOTCH)
            self._drag(STROKES)

    def _wheel(self, at: QPointF, *, turn: int) -> None:
        event = QWheelEvent(
            at,
            QPointF(self._canvas.mapToGlobal(at)),
            QPoint(),
            QPoint(0, turn),
            Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        self._note(event)

    def _drag(self, strokes: int) -> None:
        at = QPointF(self._canvas.rect().center())
        self._send(QMouseEvent.Type.MouseButtonPress, at)
        for stroke in range(strokes):
            sign = 1 if stroke < strokes // 2 else -1
            at += QPointF(sign * STROKE_PX, sign * STROKE_PX / 3)
            self._note(self._mouse(QMouseEvent.Type.MouseMove, at))
        self._send(QMouseEvent.Type.MouseButtonRelease, at)

    def _mouse(self, kind: QMouseEvent.Type, at: QPointF) -> QMouseEvent:
        middle = Qt.MouseButton.MiddleButton
        held = Qt.MouseButton.NoButton if kind == QMouseEvent.Type.MouseButtonRelease else middle
        place = QPointF(self._canvas.mapToGlobal(at))
        return QMouseEvent(kind, at, place, middle, held, Qt.KeyboardModifier.NoModifier)

    def _send(self, kind: QMouseEvent.Type, at: QPointF) -> None:
        QApplication.sendEvent(self._canvas, self._mouse(kind, at))

    def _note(self, event: QWheelEvent | QMouseEvent) -> None:
        before = self._on.eyes.count
        began = time.perf_counter()
        QApplication.sendEvent(self._canvas, event)
        wait_until(lambda: self._on.eyes.count > before, what="a painted frame")
        self.times_ms.append((self._on.eyes.painted_s - began) * 1000)


def hits_us(canvas: StageCanvas) -> list[float]:
    """Return how long it takes to find the region under the pointer, at places all over the picture."""
    rng, times = random.Random(SEED), []
    size = canvas.image_size
    for _ in range(LOOKS):
        x, y = rng.uniform(0, size.width()), rng.uniform(0, size.height())
        began = time.perf_counter()
        canvas.marks.region_at(x, y, reach=canvas.reach())
        times.append((time.perf_counter() - began) * 1e6)
    return times


def measure(
    picture: Path, *, kind: str, size_px: tuple[int, int] = PICTURE_PX, count: int = REGIONS
) -> Iterator[tuple[str, list[float]]]:
    """Zoom and pan over a picture, and yield the times of gestures and of looks.

    Args:
        picture: The file.
        kind: As in ``scene_of``.
        size_px: Its width and height.
        count: Number of regions.
    """
    with stand(size_px=WINDOW_PX) as on:
        on.show(scene_of(picture, kind=kind, size_px=size_px, count=count))
        gestures = Gestures(on)
        gestures.run()
        yield "frames_ms", gestures.times_ms[WARM_UP:]
        yield "hits_us", hits_us(on.stage.canvases[0])


def main(picture: Path, kind: str) -> None:
    """Measure and print."""
    # Held until the end: without an application there is no painting.
    held = application()
    tell(dict(measure(picture, kind=kind)))
    held.quit()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
