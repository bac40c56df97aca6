"""Plays videos with OpenCV and pyqtgraph, as a tool of a few lines would: the baseline of playing fast.

``python -m tests.bench.probes.plain_player JSON`` takes and prints the same as
``tests.bench.probes.playing``. One timer; a view is a ``cv2.VideoCapture``, which grabs what it is late for
and shows the last, and an ``ImageItem``. With the overlay ``items`` each box is a rectangle and a text of the
scene, as is usual; with ``lines`` all boxes of a frame are one line without numbers, which is less than the
stage does.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

import cv2
import msgspec
import numpy as np
import numpy.typing as npt
import pyqtgraph as pg
from PySide6.QtCore import QObject, QPoint, QPointF, QRect, Qt, QTimer
from PySide6.QtWidgets import QGraphicsRectItem, QHBoxLayout, QWidget

from annotator.domain.region import Region
from annotator.media.video.video import Video
from tests.bench.probes.eyes import Eyes, wait_until
from tests.bench.probes.playing import Look, Request, told
from tests.bench.probes.stand import BOXES_A_FRAME, SIZE_PX, application, tell, video_scene

TICK_MS = 16
LINE = "#e69f00"
Boxes = dict[int, list[Region]]


class Overlay(Protocol):
    """What is drawn over the frames of one video."""

    def join(self, box: pg.ViewBox) -> None:
        """Come into a view."""

    def show_frame(self, number: int) -> None:
        """Draw the boxes of a frame."""


class Items:
    """A rectangle and a text for each box, kept and moved from frame to frame.

    Args:
        boxes: Regions of each frame.
    """

    def __init__(self, boxes: Boxes) -> None:
        self._boxes = boxes
        most = max((len(regions) for regions in boxes.values()), default=0)
        self._items = [(QGraphicsRectItem(), pg.TextItem(anchor=(0, 1), fill="k")) for _ in range(most)]

    def join(self, box: pg.ViewBox) -> None:
        """Come into a view."""
        for rect, text in self._items:
            rect.setPen(pg.mkPen(LINE, width=1.4))
            box.addItem(rect)
            box.addItem(text)

    def show_frame(self, number: int) -> None:
        """Draw the boxes of a frame."""
        for region, (rect, text) in zip(self._boxes.get(number, ()), self._items, strict=False):
            box = region.box
            rect.setRect(box.x1, box.y1, box.x2 - box.x1, box.y2 - box.y1)
            text.setPos(box.x1, box.y1)
            text.setText(str(region.number))


class Lines:
    """All boxes of a frame as one line, without their numbers.

    Args:
        boxes: Regions of each frame.
    """

    def __init__(self, boxes: Boxes) -> None:
        self._item = pg.PlotCurveItem(pen=pg.mkPen(LINE, width=1))
        self._lines = {number: _line(regions) for number, regions in boxes.items()}

    def join(self, box: pg.ViewBox) -> None:
        """Come into a view."""
        box.addItem(self._item)

    def show_frame(self, number: int) -> None:
        """Draw the boxes of a frame."""
        line = self._lines.get(number)
        if line is not None:
            self._item.setData(line[:, 0], line[:, 1], connect="finite")


OVERLAYS: dict[str, Callable[[Boxes], Overlay]] = {"items": Items, "lines": Lines}


class PlainView:
    """One video: OpenCV reads it, pyqtgraph shows it.

    Args:
        video: The file.
        overlay: Boxes of its frames.
    """

    def __init__(self, video: Path, *, overlay: Overlay) -> None:
        self.number = -1
        self.widget = pg.GraphicsLayoutWidget()
        self.widget.ci.setContentsMargins(0, 0, 0, 0)
        self._capture = cv2.VideoCapture(str(video))
        self._fps = self._capture.get(cv2.CAP_PROP_FPS)
        self.count = int(self._capture.get(cv2.CAP_PROP_FRAME_COUNT))
        self._overlay = overlay
        box = self.widget.addViewBox(lockAspect=True, invertY=True, enableMouse=False)
        self._item = pg.ImageItem(axisOrder="row-major")
        box.addItem(self._item)
        overlay.join(box)
        self.show_time(0.0)
        box.setRange(self._item.boundingRect(), padding=0)

    def show_time(self, time_s: float) -> None:
        """Read on to the frame of a time, and show it where it is another one."""
        due = min(int(time_s * self._fps), self.count - 1)
        if due <= self.number:
            return
        while self.number < due:
            self._capture.grab()
            self.number += 1
        picture = cv2.cvtColor(self._capture.retrieve()[1], cv2.COLOR_BGR2RGB)
        self._item.setImage(picture, autoLevels=False, levels=(0, 255))
        self._overlay.show_frame(self.number)

    def image_rect(self) -> QRect:
        """Return where the picture lies in the widget, pixels of the window."""
        width, height = self._item.width() or 1, self._item.height() or 1
        first, last = (
            self.widget.mapFromScene(self._item.mapToScene(QPointF(x, y)))
            for x, y in ((0, 0), (width, height))
        )
        return QRect(first, QPoint(last.x() - 1, last.y() - 1))

    def close(self) -> None:
        """Close the file."""
        self._capture.release()


class PlainPlayer(QObject):
    """A window of videos that follow one timer; read as the stage is.

    Args:
        views: The videos.
    """

    def __init__(self, views: Sequence[PlainView]) -> None:
        super().__init__()
        self.viewports: list[Look] = []
        self.is_over = False
        self._views, self._speed, self._began_s = views, 1, 0.0
        self._window = QWidget()
        layout = QHBoxLayout(self._window)
        layout.setContentsMargins(0, 0, 0, 0)
        for view in views:
            layout.addWidget(view.widget)
        self._window.resize(*SIZE_PX)
        self._eyes = Eyes(self._window)
        self._window.show()
        self._eyes.next_paint()
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(TICK_MS)
        self._timer.timeout.connect(self._on_timer_timeout)

    def play(self, speed: int) -> None:
        """Begin."""
        self._speed, self._began_s = speed, time.perf_counter()
        self._eyes.painted.connect(self._on_eyes_painted)
        self._timer.start()

    def close(self) -> None:
        """Stop, and close window and files."""
        self._timer.stop()
        self._eyes.close()
        self._window.close()
        for view in self._views:
            view.close()

    def _on_timer_timeout(self) -> None:
        time_s = (time.perf_counter() - self._began_s) * self._speed
        for view in self._views:
            view.show_time(time_s)
        self.is_over = all(view.number == view.count - 1 for view in self._views)

    def _on_eyes_painted(self) -> None:
        numbers = tuple(self._eyes.number_in(view.widget, picture=view.image_rect()) for view in self._views)
        claimed = tuple(view.number for view in self._views)
        self.viewports.append(Look(at_s=time.perf_counter(), numbers=numbers, claimed=claimed))


def play(request: Request) -> list[Look]:
    """Play videos and return what was painted meanwhile.

    Args:
        request: As for the stage, with the kind of overlay.
    """
    videos = [Path(video) for video in request.videos]
    shown = video_scene(videos, size_px=request.size_px, frames=request.frames, boxes=BOXES_A_FRAME)
    make = OVERLAYS[request.overlay]
    views = [
        PlainView(video, overlay=make(_by_frame(shown.marks.regions, medium=one.medium.id)))
        for video, one in zip(videos, shown.media, strict=True)
    ]
    player = PlainPlayer(views)
    player.play(request.speed)
    end_s = time.perf_counter() + request.seconds
    wait_until(lambda: player.is_over or time.perf_counter() > end_s, what="the end of the videos")
    player.close()
    return player.viewports


def _line(regions: Sequence[Region]) -> npt.NDArray[np.float64]:
    """Return a line round all boxes with gaps of NaN between them, float64 (n, 2)."""
    points: list[tuple[float, float]] = []
    for box in (region.box for region in regions):
        corners = [(box.x1, box.y1), (box.x2, box.y1), (box.x2, box.y2), (box.x1, box.y2)]
        points += [*corners, corners[0], (np.nan, np.nan)]
    return np.array(points)


def _by_frame(regions: Sequence[Region], *, medium: str) -> Boxes:
    found: Boxes = {}
    for region in regions:
        if region.medium == medium and region.frame is not None:
            found.setdefault(region.frame, []).append(region)
    return found


def main(text: str) -> None:
    """Measure and print."""
    # Held until the end: without an application there is no painting.
    held = application()
    request = msgspec.json.decode(text, type=Request)
    tell(told(play(request), [Video.open(Path(video)) for video in request.videos]))
    held.quit()


if __name__ == "__main__":
    main(sys.argv[1])
