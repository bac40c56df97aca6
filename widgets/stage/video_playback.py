"""Videos of the stage: opened off the GUI thread; only the latest frame is delivered to it."""

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
"""Opening time after which the progress is displayed."""
Phase = Literal["before", "during", "after"]
NONE = -1
"""Frame number that stands for no frame."""


class VideoPlayback(QObject):
    """Playback of the video of one view: requests frames, and tracks the painted one.

    Signals:
        opened: The video is open, or ``problem`` says why it is not.
        noted: The opening progress, or the state before, during or after the video has changed.
        frame_came: A frame is ready to be displayed; carries it.

    Attributes:
        shown: The medium.
        video: The video; None until it is open.
        offset_s: Time on the clock at which the video begins, seconds.
        wanted: Number of the frame that the clock requests, -1 before the first request.
        painted: Number of the painted frame or -1.
        is_aside: Whether the view is hidden behind an enlarged one and need not be played.
        phase: Whether the clock is before, during or after the video.
        problem: Error message why there is no video or no such frame, or "".
        waiting: Progress message while a long video is opened, or "".
    """

    opened = Signal()
    noted = Signal()
    frame_came = Signal(object)

    def __init__(self, shown: MediumView, *, offset_s: float = 0.0) -> None:
        super().__init__()
        self.shown, self.offset_s = shown, offset_s
        self.video: Video | None = None
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
        """Width and height of its frames, pixels; (0, 0) until it is open."""
        return self.video.size_px if self.video is not None else (0, 0)

    @property
    def is_late(self) -> bool:
        """Whether the requested frame is on its way and not painted yet."""
        return self.video is not None and not self.problem and self.painted != self.wanted

    @property
    def behind(self) -> int:
        """Number of frames by which the painted frame lags behind a requested frame that is not decoded yet.

        A decoded frame that waits to be painted is not counted. Otherwise, the view would briefly be reported
        as far behind after each seek and at each restart of a loop.
        """
        is_here = self._given == self.wanted
        return 0 if is_here or self.video is None or self.painted < 0 else abs(self.wanted - self.painted)

    @property
    def last_s(self) -> float:
        """Time of the last frame on the clock, seconds."""
        return self.offset_s + (float(self.video.times_s[-1]) if self.video is not None else 0.0)

    def number_at(self, time_s: float) -> int:
        """Return the frame number at a clock time, clamped to the first and the last frame."""
        return self.video.number_at(time_s - self.offset_s) if self.video is not None else NONE

    def time_of(self, number: int) -> float:
        """Return the clock time at which a frame begins, seconds; the number is clamped to the video."""
        if self.video is None:
            return self.offset_s
        return self.offset_s + float(self.video.times_s[min(max(0, number), self.video.frame_count - 1)])

    def end_of(self, number: int) -> float:
        """Return the clock time at which a frame ends, seconds; for the last frame, the end of the video."""
        if self.video is None or number + 1 >= self.video.frame_count:
            return self.offset_s + (self.video.duration_s if self.video is not None else 0.0)
        return self.time_of(number + 1)

    def phase_at(self, time_s: float) -> Phase:
        """Return whether a clock time is before, during or after the video."""
        if time_s < self.offset_s - TIME_TOLERANCE_S:
            return "before"
        length_s = self.video.duration_s if self.video is not None else 0.0
        return "after" if time_s > self.offset_s + length_s + TIME_TOLERANCE_S else "during"

    def show_time(self, time_s: float, *, is_preview: bool = False) -> None:
        """Request the frame at a clock time; ``frame_came`` delivers it, immediately if it is decoded.

        Args:
            time_s: Clock time, seconds.
            is_preview: Whether the nearest key frame may be delivered until the exact frame is decoded.
        """
        self._take_phase(self.phase_at(time_s))
        number = self.number_at(time_s)
        # Several clock ticks fall into one frame; it is requested only once.
        if self._source is None or number == self.wanted:
            return
        self.wanted = number
        ask = self._source.request_preview if is_preview else self._source.request
        if (frame := ask(number)) is not None:
            self._give(frame)

    def play(self, speed: float, *, loop: tuple[int, int] | None = None) -> None:
        """Notify the decoder that consecutive frames will be requested.

        Args:
            speed: 1 for the video's own speed, negative for reverse playback.
            loop: First and last frame of the loop.
        """
        if self._source is not None:
            self._source.play(speed, loop=loop)

    def pause(self) -> None:
        """Notify the decoder that playback has ended."""
        if self._source is not None:
            self._source.pause()

    def peek(self, number: int) -> Frame | None:
        """Return a decoded frame without requesting it, or None."""
        return self._source.peek(number) if self._source is not None else None

    def buffered(self) -> list[tuple[int, int]]:
        """Return the ranges of decoded frames as pairs of first and last number."""
        return self._source.buffered() if self._source is not None else []

    def is_busy(self) -> bool:
        """Return whether frames are being decoded."""
        return self._source is not None and not self._source.settle(timeout_s=0)

    def take_video(self, video: Video, *, source: FrameSource) -> None:
        """Set the opened video."""
        self.video, self._source, self.waiting = video, source, ""
        self.opened.emit()

    def take_problem(self, problem: str) -> None:
        """Set the message why there is no video or no such frame."""
        self.problem, self.waiting = problem, ""
        self.opened.emit()

    def take_step(self, step: ProgressUpdate) -> None:
        """Set the opening progress of a long video."""
        self.waiting = tr("Reading the video: {n} frames so far", n=f"{step.done:,}")
        self.noted.emit()

    def take_frame(self, frame: Frame) -> None:
        """Deliver a decoded frame if it is closer to the requested one than the last delivered frame.

        The requested frame can have been delivered already while this one was decoded.
        """
        # Comparing numbers alone is wrong: in reverse playback, or when a loop restarts, the later frame has
        # the smaller number.
        if self._given == NONE or abs(frame.number - self.wanted) < abs(self._given - self.wanted):
            self._give(frame)

    def take_loss(self, number: int, *, why: str) -> None:
        """Set the message that a frame cannot be displayed, if it is still requested."""
        # After a seek, an error of a frame that is no longer requested is irrelevant.
        if number == self.wanted:
            self.take_problem(why)

    def release(self) -> FrameSource | None:
        """Detach and return the frame source; its ``close`` blocks until its thread has ended."""
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
    """Opens videos on worker threads, and delivers frames to the GUI thread."""

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
        # Queued connections to bound methods; see widgets/bridge.py for the reason.
        self._came.connect(self._on_came, Qt.ConnectionType.QueuedConnection)
        self._reported.connect(self._on_reported, Qt.ConnectionType.QueuedConnection)

    def open(self, view: VideoPlayback) -> None:
        """Open the video of a view; the view emits ``opened`` when it is open or has failed."""
        self._next += 1
        key, shown = self._next, view.shown
        # Threads reference a number and this object, which outlives them, and never a view, which may be
        # deleted.
        progress = Progress(partial(self._reported.emit, key))
        # Registered before the task starts: its first callback looks the slot up.
        self._slots[key] = _OpenVideo(
            view=view, letters=LatestFrameMailbox(partial(self._came.emit, key)), progress=progress
        )
        future = self._pool.submit(opened_video, shown.file, sha256=shown.medium.sha256, progress=progress)
        self._bridge.wait_for(
            future, done=partial(self._on_opened, key), failed=partial(self._on_failed, key)
        )

    def prepare(self, shown: MediumView) -> None:
        """Index a video that may be opened next, and import the decoder; replaces the previous request."""
        self._ahead.cancel()
        self._ahead = Progress()
        future = self._pool.submit(opened_video, shown.file, sha256=shown.medium.sha256, progress=self._ahead)
        self._bridge.wait_for(future, done=self._on_prepared, failed=self._on_prepared)

    def close_view(self, view: VideoPlayback) -> None:
        """Close the video of a view; threads end and memory is released in the background."""
        for key in [key for key, slot in self._slots.items() if slot.view is view]:
            self._slots.pop(key).progress.cancel()
        self.ahead.forget(view)
        # Not on this thread: closing blocks until the decoder has finished its group of frames.
        if (source := view.release()) is not None:
            self._bridge.wait_for(self._pool.submit(source.close), done=self._on_source_closed)

    def close(self) -> None:
        """Close all videos, and block until their threads have ended."""
        self._ahead.cancel()
        for slot in list(self._slots.values()):
            self.close_view(slot.view)
        self.ahead.close()
        self._pool.shutdown(wait=True)

    def _on_source_closed(self, _result: None) -> None:
        """Ignore the result; the bridge reports errors."""

    def _on_prepared(self, _outcome: Video | BaseException) -> None:
        """Ignore the result: the index is in the cache, and an error is reported when the video is opened."""

    def _on_opened(self, key: int, video: Video) -> None:
        slot = self._slots.get(key)
        if slot is not None:
            source = FrameSource(
                video, on_frame=slot.letters.put_frame, on_lost=slot.letters.put_loss, budget=self._budget
            )
            slot.view.take_video(video, source=source)

    def _on_failed(self, key: int, error: BaseException) -> None:
        # Opening is cancelled when the view is removed, and its progress is no longer displayed.
        if (slot := self._slots.get(key)) is not None:
            slot.view.take_problem(error_text(error) if isinstance(error, VantageError) else str(error))

    def _on_reported(self, key: int, step: ProgressUpdate) -> None:
        slot = self._slots.get(key)
        if slot is not None and slot.view.video is None and step.elapsed_s >= LONG_S:
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
    """Holds the latest frame of a view's thread until the GUI thread takes it; never queues frames.

    Args:
        tell: Called on the view's thread when the mailbox is filled.
    """

    def __init__(self, on_filled: Callable[[], None]) -> None:
        self._tell = on_filled
        self._lock = threading.Lock()
        self._frame: Frame | None = None
        self._loss: tuple[int, str] | None = None

    def put_frame(self, frame: Frame) -> None:
        """Put a frame, replacing the previous one."""
        with self._lock:
            is_told = self._frame is not None or self._loss is not None
            self._frame = frame
        # One signal until the mailbox is emptied: those of a fast decoder would queue up in the event loop.
        if not is_told:
            self._tell()

    def put_loss(self, number: int, why: str) -> None:
        """Put the message that a frame cannot be decoded."""
        with self._lock:
            is_told = self._frame is not None or self._loss is not None
            self._loss = number, why
        if not is_told:
            self._tell()

    def take(self) -> tuple[Frame | None, tuple[int, str] | None]:
        """Take the frame and the loss, each None if there is none, and empty the mailbox."""
        with self._lock:
            frame, self._frame = self._frame, None
            loss, self._loss = self._loss, None
        return frame, loss


class _OpenVideo:
    """A view with its open video, and the mailbox of its thread."""

    def __init__(self, *, view: VideoPlayback, letters: LatestFrameMailbox, progress: Progress) -> None:
        self.view, self.letters, self.progress = view, letters, progress


def opened_video(file: Path | None, *, sha256: str, progress: Progress) -> Video:
    """Open a video. This function is thread-safe.

    Args:
        file: Path of the file, None if it leads out of its media root.
        sha256: Hex digest of its content, "" if unknown.
        progress: Advanced once per packet while the index is built.

    Raises:
        UserError: The file is not a video, is damaged, or is outside the media folder; locate the file.
        EnvironmentFailure: The file is missing or cannot be read; retry when the disk is available.
        Cancelled: The view has been removed; ignore it.
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
