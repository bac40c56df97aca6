"""Scrolls through the grid of a project and prints how long each frame took, in milliseconds.

Started by the bench: ``python -m tests.bench.probes.grid PROJECT``.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from typing import cast

from PySide6.QtCore import QEventLoop, QObject, QTimer, Signal
from PySide6.QtWidgets import QApplication

from annotator.media.thumbnails import ThumbnailStore
from annotator.session import Session
from widgets import theme
from widgets.bridge import Bridge
from widgets.library.record_grid import RecordGrid
from widgets.library.record_list import RecordList
from widgets.library.record_types import RECORD_TYPES, FoundRecords
from widgets.library.thumbnails import ThumbnailLoader
from widgets.media_loader import MediaLoader
from widgets.settings import Settings

SIZE_PX = (1600, 1000)
WHEEL_FRAMES, DRAG_FRAMES = 240, 120
WHEEL_PX = 120
SETTLE_MS = 500
FRAME_MS = 1000 / 60
PAUSE_EVERY, PAUSE_MS = 20, 120
"""Frames between two pauses in which thumbnails begin to be made, which go on into the next frames."""


class Scrolling(QObject):
    """Turns the wheel, then drags the scroll bar, one frame per turn of the event loop.

    A frame is what one of them holds the window up: from the change of the scroll bar to the first timer
    that comes after the painting, with whatever other threads have handed over in between.

    Signals:
        ended: It is at the bottom.
    """

    ended = Signal()

    def __init__(self, listing: RecordList, *, wheel_frames: int, drag_frames: int) -> None:
        super().__init__()
        self.times_ms: list[float] = []
        self._grid = cast("RecordGrid", listing.grid)
        self._frames = wheel_frames, drag_frames
        self._positions: list[int] = []
        self._began_s = 0.0
        theme.style_window(self._grid)
        self._grid.resize(*SIZE_PX)
        self._grid.show()
        listing.found.connect(self._on_found)
        listing.find(listing.query)

    def _on_found(self, _answer: FoundRecords) -> None:
        wheel_frames, drag_frames = self._frames
        bottom = self._grid.verticalScrollBar().maximum()
        wheel = [WHEEL_PX * at for at in range(1, wheel_frames + 1)]
        self._positions = [*wheel, *(bottom * at // drag_frames for at in range(1, drag_frames + 1))]
        QTimer.singleShot(SETTLE_MS, self._scroll)

    def _scroll(self) -> None:
        if not self._positions:
            self.ended.emit()
            return
        self._began_s = time.perf_counter()
        self._grid.verticalScrollBar().setValue(self._positions.pop(0))
        # Now, not when the platform gets round to it: the painting belongs into this frame.
        self._grid.viewport().repaint()
        QTimer.singleShot(0, self._note)

    def _note(self) -> None:
        took_ms = (time.perf_counter() - self._began_s) * 1000
        self.times_ms.append(took_ms)
        is_pause = len(self.times_ms) % PAUSE_EVERY == 0
        QTimer.singleShot(PAUSE_MS if is_pause else max(0, round(FRAME_MS - took_ms)), self._scroll)


def scroll(project: Path, *, wheel_frames: int = WHEEL_FRAMES, drag_frames: int = DRAG_FRAMES) -> list[float]:
    """Open the grid of a project's media, scroll through it, and return the milliseconds of each frame.

    Args:
        project: The project file.
        wheel_frames: Frames with the wheel turned, from the top.
        drag_frames: Frames with the scroll bar dragged from the top to the bottom.
    """
    theme.apply("dark")
    bridge = Bridge()
    with tempfile.TemporaryDirectory() as folder, Session.open(project) as session:
        bridge.connect_session(session)
        media = MediaLoader()
        store = ThumbnailStore(Path(folder) / "thumbnails")
        loader = ThumbnailLoader(media, file_of=session.roots.file_of, store=store)
        settings = Settings(Path(folder) / "window.ini")
        kind = RECORD_TYPES["medium"]
        listing = RecordList(kind, session=session, bridge=bridge, settings=settings, thumbnails=loader)
        scrolling = Scrolling(listing, wheel_frames=wheel_frames, drag_frames=drag_frames)
        loop = QEventLoop()
        scrolling.ended.connect(loop.quit)
        loop.exec()
        media.close()
        media.drain()
        bridge.close()
    return scrolling.times_ms


def main() -> None:
    """Print the milliseconds of each frame, one a line."""
    # Held until the end: without an application there is no painting.
    application = QApplication(["vantage"])
    times = scroll(Path(sys.argv[1]))
    sys.stdout.write("".join(f"{took_ms:.2f}\n" for took_ms in times))
    application.quit()


if __name__ == "__main__":
    main()
