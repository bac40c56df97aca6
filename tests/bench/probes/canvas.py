"""Works on a large picture with thousands of regions.

``python -m tests.bench.probes.canvas PICTURE KIND``, where KIND is ``boxes``, or ``mixed`` for polygons and
points among them. Prints JSON: by kind of gesture, the milliseconds from each gesture to the painted window,
and the CPU time of the GUI thread for it; and the microseconds for finding the region under the pointer.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

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
GESTURES = ("zoom", "pan", "hover", "select")
SELECTIONS = 6
"""Regions that are pointed at and clicked at each depth."""
SPREAD = 100
"""Regions among which they are looked for, so that they are not neighbours in the list."""
WARM_UP = 2
"""Gestures of each kind that are not counted: fonts and colours are made with the first."""


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
    """Turns the wheel, drags the picture, points at regions and selects them, one gesture a frame.

    Args:
        on: The stage that is looked at; its first view is the one.
    """

    def __init__(self, on: Stand) -> None:
        self.times_ms: dict[str, list[float]] = {kind: [] for kind in GESTURES}
        self.work_ms: dict[str, list[float]] = {kind: [] for kind in GESTURES}
        self._on = on
        self._canvas: StageCanvas = on.stage.canvases[0]
        self._worked_s = 0.0
        on.eyes.painted.connect(self._on_eyes_painted)

    def run(self) -> None:
        """Zoom in and out at several places, and at each depth drag the picture about and select regions."""
        for share_x, share_y in PLACES:
            at = QPointF(self._canvas.width() * share_x, self._canvas.height() * share_y)
            self._select()
            for step in range(NOTCHES):
                self._wheel(at, turn=NOTCH)
                if step % 5 == 0:
                    self._drag(STROKES // 4)
                    self._select()
            self._drag(STROKES)
            for _ in range(NOTCHES):
                self._wheel(at, turn=-NOTCH)
            self._drag(STROKES)
            self._select_all()

    def _select(self) -> None:
        """Point at regions that are in view, and click each."""
        canvas, size = self._canvas, self._canvas.size()
        seen = [
            QPointF(x / canvas.ratio(), y / canvas.ratio())
            for region in self._canvas.marks.marks.regions[:: max(1, len(self._canvas.marks.ids) // SPREAD)]
            for x, y in (canvas.view_point(region.box.x1, region.box.y1),)
            if 0 < x / canvas.ratio() < size.width() and 0 < y / canvas.ratio() < size.height()
        ]
        for at in seen[:SELECTIONS]:
            self._note("hover", self._mouse(QMouseEvent.Type.MouseMove, at, button=Qt.MouseButton.NoButton))
            self._note(
                "select", self._mouse(QMouseEvent.Type.MouseButtonPress, at, button=Qt.MouseButton.LeftButton)
            )
            self._send(QMouseEvent.Type.MouseButtonRelease, at, button=Qt.MouseButton.LeftButton)

    def _select_all(self) -> None:
        """Select all regions, and none."""
        for ids in ([*self._canvas.marks.ids], []):
            self._measure("select", partial(self._on.stage.select, ids))

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
        self._note("zoom", event)

    def _drag(self, strokes: int) -> None:
        at = QPointF(self._canvas.rect().center())
        self._send(QMouseEvent.Type.MouseButtonPress, at)
        for stroke in range(strokes):
            sign = 1 if stroke < strokes // 2 else -1
            at += QPointF(sign * STROKE_PX, sign * STROKE_PX / 3)
            self._note("pan", self._mouse(QMouseEvent.Type.MouseMove, at))
        self._send(QMouseEvent.Type.MouseButtonRelease, at)

    def _mouse(
        self, kind: QMouseEvent.Type, at: QPointF, *, button: Qt.MouseButton = Qt.MouseButton.MiddleButton
    ) -> QMouseEvent:
        held = Qt.MouseButton.NoButton if kind == QMouseEvent.Type.MouseButtonRelease else button
        position = QPointF(self._canvas.mapToGlobal(at))
        return QMouseEvent(kind, at, position, button, held, Qt.KeyboardModifier.NoModifier)

    def _send(
        self, kind: QMouseEvent.Type, at: QPointF, *, button: Qt.MouseButton = Qt.MouseButton.MiddleButton
    ) -> None:
        QApplication.sendEvent(self._canvas, self._mouse(kind, at, button=button))

    def _note(self, kind: str, event: QWheelEvent | QMouseEvent) -> None:
        self._measure(kind, partial(QApplication.sendEvent, self._canvas, event))

    def _measure(self, kind: str, gesture: Callable[[], object]) -> None:
        before = self._on.eyes.count
        began, worked_s = time.perf_counter(), time.thread_time()
        gesture()
        # A gesture that changes nothing on the screen would wait in vain.
        self._canvas.update()
        wait_until(lambda: self._on.eyes.count > before, what="a painted frame")
        self.times_ms[kind].append((self._on.eyes.painted_s - began) * 1000)
        self.work_ms[kind].append((self._worked_s - worked_s) * 1000)

    def _on_eyes_painted(self) -> None:
        self._worked_s = time.thread_time()


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
) -> dict[str, Any]:
    """Work on a picture, and return what is printed.

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
        return {
            "frames_ms": {kind: times[WARM_UP:] for kind, times in gestures.times_ms.items()},
            "work_ms": {kind: times[WARM_UP:] for kind, times in gestures.work_ms.items()},
            "hits_us": hits_us(on.stage.canvases[0]),
        }


def main(picture: Path, kind: str) -> None:
    """Measure and print."""
    # Held until the end: without an application there is no painting.
    held = application()
    tell(measure(picture, kind=kind))
    held.quit()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
