"""Films on the stage: opened off the GUI thread, their frames handed over to it, the latest one only."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QObject, Qt, Signal

from annotator.errors import EnvironmentFailure, UserError, VantageError
from annotator.media.video.cache import CacheBudget
from annotator.media.video.frame_reader import FrameReader as FrameSource
from annotator.media.video.video import TIME_TOLERANCE_S, Video
from annotator.progress import Progress, ProgressUpdate
from widgets.bridge import Bridge
from widgets.medium_view import MediumView
from widgets.message_text import error_text
from widgets.stage.frame_preparer import FramePreparer
from widgets.translation import tr

if TYPE_CHECKING:
    from annotator.media.video.frames import Frame

THREADS = 2
LONG_S = 0.3
"""An opening that takes longer says how far it is."""
Phase = Literal["before", "during", "after"]
NONE = -1
"""Number of no frame."""


class VideoPlayback(QObject):
    """The film of one view: asks for frames, and knows which one is on the screen.

    Signals:
        opened: The film can be shown now, or ``problem`` says why it cannot.
        noted: What is said about it has changed: how far its opening is, whether it has begun.
        frame_came: A frame should be shown now; carries it.

    Attributes:
        shown: The medium.
        film: The film, None until it is open.
        offset_s: Seconds on the clock at which the film begins.
        wanted: Number of the frame that the clock asks for, -1 before the first.
        painted: Number of the frame that is on the screen, -1 for none.
        is_aside: Whether its view is out of sight because another one is large; then it need not be played.
        phase: Whether the clock is before, during or after the film.
        problem: Why there is no film, or no such frame, in words.
        waiting: How far the opening of a long film is, in words.
    """

    opened = Signal()
    noted = Signal()
    frame_came = Signal(object)

    def __init__(self, shown: MediumView, *, offset_s: float = 0.0) -> None:
        super().__init__()
        self.shown, self.offset_s = shown, offset_s
        self.film: Video | None = None
        self.wanted = self.painted = self._given = NONE
        self.problem = self.waiting = ""
        self.phase: Phase = "during"
        self.is_aside = False
        self._source: FrameSource | None = None

    @property
    def view(self) -> str:
        """Name of the view."""
        return self.shown.view

    @property
    def size_px(self) -> tuple[int, int]:
        """Width and height of its pictures; (0, 0) before it is open."""
        return self.film.size_px if self.film is not None else (0, 0)

    @property
    def is_late(self) -> bool:
        """Whether the frame that is wanted will come, and is not on the screen yet."""
        return self.film is not None and not self.problem and self.painted != self.wanted

    @property
    def behind(self) -> int:
        """Frames between the one on the screen and the one that is wanted, where that is not decoded yet.

        One that is only still to be painted is not counted: after each jump, and whenever a loop begins anew,
        the view would be called far behind for the blink of an eye.
        """
        is_here = self._given == self.wanted
        return 0 if is_here or self.film is None or self.painted < 0 else abs(self.wanted - self.painted)

    @property
    def last_s(self) -> float:
        """Time of the last frame on the clock, seconds."""
        return self.offset_s + (float(self.film.times_s[-1]) if self.film is not None else 0.0)

    def number_at(self, time_s: float) -> int:
        """Return the number of the frame at a time of the clock: the first before it, the last after."""
        return self.film.number_at(time_s - self.offset_s) if self.film is not None else NONE

    def time_of(self, number: int) -> float:
        """Return the time of the clock at which a frame begins; numbers are taken into the film's range."""
        if self.film is None:
            return self.offset_s
        return self.offset_s + float(self.film.times_s[min(max(0, number), self.film.frame_count - 1)])

    def end_of(self, number: int) -> float:
        """Return the time of the clock at which a frame ends, the last one with the film."""
        if self.film is None or number + 1 >= self.film.frame_count:
            return self.offset_s + (self.film.duration_s if self.film is not None else 0.0)
        return self.time_of(number + 1)

    def phase_at(self, time_s: float) -> Phase:
        """Tell whether the film runs at a time of the clock: from its first frame to the end of its last."""
        if time_s < self.offset_s - TIME_TOLERANCE_S:
            return "before"
        length_s = self.film.duration_s if self.film is not None else 0.0
        return "after" if time_s > self.offset_s + length_s + TIME_TOLERANCE_S else "during"

    def show_time(self, time_s: float, *, is_preview: bool = False) -> None:
        """Ask for the frame of a time of the clock; ``frame_came`` brings it, at once where it is ready.

        Args:
            time_s: Seconds of the clock.
            is_preview: The nearest key frame is welcome until the frame itself is decoded.
        """
        self._take_phase(self.phase_at(time_s))
        number = self.number_at(time_s)
        if self._source is None or number == self.wanted:
            return
        self.wanted = number
        ask = self._source.request_preview if is_preview else self._source.request
        if (frame := ask(number)) is not None:
            self._give(frame)

    def play(self, speed: float, *, loop: tuple[int, int] | None = None) -> None:
        """Tell that frames will follow one another.

        Args:
            speed: 1 for the film's own pace, negative for backwards.
            loop: First and last frame of what plays over and over.
        """
        if self._source is not None:
            self._source.play(speed, loop=loop)

    def pause(self) -> None:
        """Tell that playing has ended."""
        if self._source is not None:
            self._source.pause()

    def peek(self, number: int) -> Frame | None:
        """Return a frame where it is ready, without asking for it."""
        return self._source.peek(number) if self._source is not None else None

    def buffered(self) -> list[tuple[int, int]]:
        """Return what is ready to be shown at once, as pairs of first and last number."""
        return self._source.buffered() if self._source is not None else []

    def is_busy(self) -> bool:
        """Tell whether frames are being decoded."""
        return self._source is not None and not self._source.settle(timeout_s=0)

    def take_film(self, film: Video, *, source: FrameSource) -> None:
        """Show a film that was opened."""
        self.film, self._source, self.waiting = film, source, ""
        self.opened.emit()

    def take_problem(self, problem: str) -> None:
        """Say why there is no film, or no such frame."""
        self.problem, self.waiting = problem, ""
        self.opened.emit()

    def take_step(self, step: ProgressUpdate) -> None:
        """Say how far the opening of a long film is."""
        self.waiting = tr("Reading the video: {n} frames so far", n=f"{step.done:,}")
        self.noted.emit()

    def take_frame(self, frame: Frame) -> None:
        """Show a frame that comes late, where it is nearer to what is wanted than what was shown last.

        While it was on its way, the wanted one may have been at hand already.
        """
        # Not the larger number: played backwards, or where a loop begins anew, the smaller one is the later.
        if self._given == NONE or abs(frame.number - self.wanted) < abs(self._given - self.wanted):
            self._give(frame)

    def take_loss(self, number: int, *, why: str) -> None:
        """Say that a frame cannot be shown, where it is still wanted."""
        if number == self.wanted:
            self.take_problem(why)

    def release(self) -> FrameSource | None:
        """Show nothing more, and return what gave the frames: its closing waits for its thread."""
        source, self._source = self._source, None
        return source

    def _take_phase(self, phase: Phase) -> None:
        if phase != self.phase:
            self.phase = phase
            self.noted.emit()

    def _give(self, frame: Frame) -> None:
        self._given, self.problem = frame.number, ""
        self.frame_came.emit(frame)


class VideoLoader(QObject):
    """Opens films on threads of its own, and brings frames from their threads to the GUI thread."""

    _came = Signal(int)
    _reported = Signal(int, object)

    def __init__(self, bridge: Bridge) -> None:
        super().__init__()
        self._bridge = bridge
        self._pool = ThreadPoolExecutor(max_workers=THREADS, thread_name_prefix="vantage-videos")
        self._budget = CacheBudget()
        self._slots: dict[int, _OpenVideo] = {}
        self.ahead = FramePreparer(bridge)
        self._ahead = Progress()
        self._next = 0
        # Queued, and to bound methods: widgets/bridge.py says why.
        self._came.connect(self._on_came, Qt.ConnectionType.QueuedConnection)
        self._reported.connect(self._on_reported, Qt.ConnectionType.QueuedConnection)

    def open(self, view: VideoPlayback) -> None:
        """Open the film of a view; the view tells when it is there, or why it is not."""
        self._next += 1
        key, shown = self._next, view.shown
        # Threads know a number and this object, which outlives all of them, never a view that may be gone.
        progress = Progress(partial(self._reported.emit, key))
        self._slots[key] = _OpenVideo(
            view=view, letters=LatestFrameMailbox(partial(self._came.emit, key)), progress=progress
        )
        future = self._pool.submit(opened_film, shown.file, sha256=shown.medium.sha256, progress=progress)
        self._bridge.wait_for(
            future, done=partial(self._on_opened, key), failed=partial(self._on_failed, key)
        )

    def prepare(self, shown: MediumView) -> None:
        """Index a film that may be wanted next, and load what reads films; in place of the one before."""
        self._ahead.cancel()
        self._ahead = Progress()
        future = self._pool.submit(opened_film, shown.file, sha256=shown.medium.sha256, progress=self._ahead)
        self._bridge.wait_for(future, done=self._on_prepared, failed=self._on_prepared)

    def close_view(self, view: VideoPlayback) -> None:
        """Give a film back; threads end and memory goes behind the screen."""
        for key in [key for key, slot in self._slots.items() if slot.view is view]:
            self._slots.pop(key).progress.cancel()
        self.ahead.forget(view)
        # Not here: closing waits for the view's thread, which may be in the middle of a group.
        if (source := view.release()) is not None:
            self._bridge.wait_for(self._pool.submit(source.close), done=self._on_source_closed)

    def close(self) -> None:
        """Give all films back, and wait until their threads have ended."""
        self._ahead.cancel()
        for slot in list(self._slots.values()):
            self.close_view(slot.view)
        self.ahead.close()
        self._pool.shutdown(wait=True)

    def _on_source_closed(self, _result: None) -> None:
        """Do nothing: only an error is of interest, which the bridge reports."""

    def _on_prepared(self, _outcome: Video | BaseException) -> None:
        """Leave the index where it is found again; why there is none is said when the film is opened."""

    def _on_opened(self, key: int, film: Video) -> None:
        slot = self._slots.get(key)
        if slot is not None:
            source = FrameSource(
                film, on_frame=slot.letters.put_frame, on_lost=slot.letters.put_loss, budget=self._budget
            )
            slot.view.take_film(film, source=source)

    def _on_failed(self, key: int, error: BaseException) -> None:
        # A film whose view has gone is cancelled, and nobody waits for words.
        if (slot := self._slots.get(key)) is not None:
            slot.view.take_problem(error_text(error) if isinstance(error, VantageError) else str(error))

    def _on_reported(self, key: int, step: ProgressUpdate) -> None:
        slot = self._slots.get(key)
        if slot is not None and slot.view.film is None and step.elapsed_s >= LONG_S:
            slot.view.take_step(step)

    def _on_came(self, key: int) -> None:
        slot = self._slots.get(key)
        if slot is None:
            return
        frame, loss = slot.letters.take()
        if frame is not None:
            slot.view.take_frame(frame)
        if loss is not None:
            slot.view.take_loss(loss[0], why=loss[1])


class LatestFrameMailbox:
    """What a view's thread last gave, until the GUI thread takes it: one frame, never a queue of them.

    Args:
        tell: Called on the view's thread when there is something to take.
    """

    def __init__(self, tell: Callable[[], None]) -> None:
        self._tell = tell
        self._lock = threading.Lock()
        self._frame: Frame | None = None
        self._loss: tuple[int, str] | None = None

    def put_frame(self, frame: Frame) -> None:
        """Leave a frame in the place of the one before."""
        with self._lock:
            is_told = self._frame is not None or self._loss is not None
            self._frame = frame
        if not is_told:
            self._tell()

    def put_loss(self, number: int, why: str) -> None:
        """Leave word that a frame cannot be had."""
        with self._lock:
            is_told = self._frame is not None or self._loss is not None
            self._loss = number, why
        if not is_told:
            self._tell()

    def take(self) -> tuple[Frame | None, tuple[int, str] | None]:
        """Return frame and loss, and keep neither."""
        with self._lock:
            frame, self._frame = self._frame, None
            loss, self._loss = self._loss, None
        return frame, loss


class _OpenVideo:
    """A view whose film is open or opened, and what its threads leave for it."""

    def __init__(self, *, view: VideoPlayback, letters: LatestFrameMailbox, progress: Progress) -> None:
        self.view, self.letters, self.progress = view, letters, progress


def opened_film(file: Path | None, *, sha256: str, progress: Progress) -> Video:
    """Open a film; may be called on any thread.

    Args:
        file: Where it should lie, None where its path leads out of its media root.
        sha256: Hex digest of its content, "" where it is not known.
        progress: Stepped once a packet while its index is made.

    Raises:
        UserError: It is no film, or damaged, or its path leads out of the media folder.
        EnvironmentFailure: It is not there, or cannot be read.
        Cancelled: Its view has gone.
    """
    progress.raise_if_cancelled()
    if file is None:
        raise UserError(tr("File is outside the media folder"))
    if not file.exists():
        raise EnvironmentFailure(
            tr("Medium missing"),
            hint=tr("The file may have been moved. Use Locate media in a folder to find it."),
        )
    return Video.open(file, sha256=sha256, progress=progress)
