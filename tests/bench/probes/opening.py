"""Opens a video on the stage, again and again: ``python -m tests.bench.probes.opening VIDEO``.

Prints JSON: the milliseconds from the moment that the scene is shown to the painting after which the number
of the first frame can be read from the screen; the first time libraries are loaded as well. No index is kept
from one time to the next.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from PySide6.QtCore import QObject

from tests.bench.probes.eyes import wait_until, work_for
from tests.bench.probes.stand import Stand, application, stand, tell, video_scene

TIMES = 4
REST_S = 0.3
SIZE_PX = (1280, 720)


class FirstFrame(QObject):
    """Waits for the painting that shows the first frame of a video.

    Args:
        on: The stage.
    """

    def __init__(self, on: Stand) -> None:
        super().__init__()
        self.came_s = 0.0
        self._on = on
        on.eyes.painted.connect(self._on_eyes_painted)

    def wait(self) -> float:
        """Return when it was painted, in seconds that only rise."""
        wait_until(lambda: bool(self.came_s), what="the first frame of a video")
        self._on.eyes.painted.disconnect(self._on_eyes_painted)
        return self.came_s

    def _on_eyes_painted(self) -> None:
        if not self.came_s and self._on.numbers() == (0,):
            self.came_s = time.perf_counter()


def open_video(video: Path, *, size_px: tuple[int, int] = SIZE_PX, times: int = TIMES) -> Iterator[float]:
    """Open a video in a window that stands open, and yield the milliseconds until it was seen, time by time.

    Args:
        video: The file.
        size_px: Width and height of its pictures.
        times: How often.
    """
    with stand() as on:
        on.eyes.next_paint()
        for _ in range(times):
            # Another time of change: the index of the time before is not found again.
            os.utime(video, ns=(time.time_ns(), time.time_ns()))
            work_for(REST_S)
            first = FirstFrame(on)
            began = time.perf_counter()
            on.stage.show_scene(video_scene([video], size_px=size_px, frames=0))
            yield (first.wait() - began) * 1000
            on.stage.show_scene(None)


def main(video: Path) -> None:
    """Measure and print."""
    # Held until the end: without an application there is no painting.
    held = application()
    tell({"opened_ms": [*open_video(video)]})
    held.quit()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
