"""Delivers results of the media service to the GUI thread."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from itertools import count

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from annotator.media.image_loader import ImageUnavailable
from annotator.media.media_cache import MediaResult
from annotator.media.media_service import Finished, MediaRequest, MediaService, Priority
from widgets.bridge import is_gone

ARRIVAL_MS = 40
"""Minimum interval between two ``arrived`` signals, ms: each one repaints whole lists."""


# Compared by identity: of two alike requests each is answered or dropped by itself.
@dataclass(frozen=True, kw_only=True, eq=False)
class _Waiter:
    """The receiver of one result, and its channel."""

    channel: Hashable
    key: Hashable
    done: Callable[[MediaResult], None]
    owner: object


class MediaLoader(QObject):
    """Loads media for all widgets of a project.

    A widget that shows many media requests the visible ones with ``want``, waits for ``arrived`` and reads
    them with ``get``. A widget that shows one uses ``load``.

    Signals:
        arrived: Emitted when media of ``want`` are loaded; carries the channels.
        file_missed: Emitted when the file of a requested medium does not exist.
    """

    arrived = Signal(object)
    file_missed = Signal()
    _ready = Signal()

    def __init__(self) -> None:
        super().__init__()
        # Queued, and to a bound method, for the reason given in ``widgets/bridge.py``.
        self._ready.connect(self._on_ready, Qt.ConnectionType.QueuedConnection)
        self._service = MediaService(notify=self._ready.emit)
        self._waiters: list[_Waiter] = []
        self._numbers = count()
        self._arrived: set[Hashable] = set()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(ARRIVAL_MS)
        self._timer.timeout.connect(self._on_timeout)

    def want(
        self,
        channel: Hashable,
        requests: Iterable[MediaRequest],
        *,
        priority: Priority,
        is_paused: bool = False,
    ) -> None:
        """Set the media that a widget shows now; earlier requests of its channel are dropped.

        Args:
            channel: Identifies the widget.
            requests: All visible media, loaded or not, in order of priority; empty to release the channel.
            priority: Priority of the requests.
            is_paused: Whether loading waits until ``pause`` resumes it.
        """
        self._service.request(channel, requests, priority=priority, is_paused=is_paused)

    def pause(self, channel: Hashable, *, is_paused: bool) -> None:
        """Pause or resume the loading of a channel."""
        self._service.pause(channel, is_paused=is_paused)

    def get(self, key: Hashable) -> MediaResult | None:
        """Return the loaded result or its error; None while it is pending."""
        return self._service.get(key)

    def load(
        self,
        request: MediaRequest,
        *,
        done: Callable[[MediaResult], None],
        priority: Priority = Priority.SHOWN,
        owner: QObject | None = None,
    ) -> None:
        """Load one medium and call back: immediately if it is cached, else later.

        A medium that failed before is loaded again.

        Args:
            request: The request.
            done: Gets the result. A method of a deleted widget is not called.
            priority: Priority of the request.
            owner: Owner of the request, for ``cancel``.
        """
        # Deleted widgets do not cancel their requests.
        self._drop(lambda waiter: is_gone(waiter.done))
        kept = self._service.get(request.key)
        if kept is not None and kept.error is None:
            done(kept)
            return
        if kept is not None:
            # The service keeps failures, too: without this the old one would be returned.
            self._service.forget([request.key])
        # A channel of its own: a new request replaces the previous one of its channel.
        channel = ("load", next(self._numbers))
        self._waiters.append(_Waiter(channel=channel, key=request.key, done=done, owner=owner))
        self._service.request(channel, [request], priority=priority)

    def cancel(self, owner: QObject) -> None:
        """Drop the pending requests of an owner."""
        self._drop(lambda waiter: waiter.owner is owner)

    def run_task(self, task: Callable[[], None]) -> None:
        """Run a function without a result, such as closing a file, on a thread of the service."""
        self._service.run_task(task)

    def forget(self, keys: Iterable[Hashable] | None = None) -> None:
        """Clear the cache, or some keys of it, because files may have changed."""
        self._service.forget(keys)

    def is_idle(self, channel: Hashable | None = None) -> bool:
        """Return whether all requests of a channel, or of all channels, are loaded."""
        # Loaded is not shown yet: lists are painted again at the next ``arrived``.
        return self._service.is_idle(channel) and not self._arrived

    def close(self) -> None:
        """Stop loading; returns immediately."""
        self._timer.stop()
        self._waiters.clear()
        self._arrived.clear()
        self._service.close()

    def drain(self) -> None:
        """Wait until the threads have ended, after ``close``."""
        self._service.drain()

    def _drop(self, is_chosen: Callable[[_Waiter], bool]) -> None:
        chosen = [waiter for waiter in self._waiters if is_chosen(waiter)]
        self._waiters = [waiter for waiter in self._waiters if waiter not in chosen]
        for waiter in chosen:
            self._give_up(waiter)

    def _give_up(self, waiter: _Waiter) -> None:
        self._service.request(waiter.channel, (), priority=Priority.SHOWN)

    def _on_ready(self) -> None:
        finished = self._service.take_finished()
        for one in finished:
            self._hand_over(one)
        if any(_is_missing(one.result.error) for one in finished):
            self.file_missed.emit()
        # Collected: a signal per medium would repaint whole lists each time.
        if self._arrived and not self._timer.isActive():
            self._timer.start()

    def _hand_over(self, finished: Finished) -> None:
        waiting = [waiter for waiter in self._waiters if waiter.channel in finished.channels]
        self._waiters = [waiter for waiter in self._waiters if waiter not in waiting]
        channels = {waiter.channel for waiter in waiting}
        # A single load without a waiter was dropped while it was on its way: nobody asks for it.
        self._arrived |= {name for name in finished.channels - channels if not _is_single(name)}
        for waiter in waiting:
            # Nothing asks by this channel again, and the service keeps in its cache what a channel requests.
            self._give_up(waiter)
            if not is_gone(waiter.done):
                waiter.done(finished.result)

    def _on_timeout(self) -> None:
        channels, self._arrived = frozenset(self._arrived), set()
        self.arrived.emit(channels)


def _is_missing(error: Exception | None) -> bool:
    return isinstance(error, ImageUnavailable) and error.cause == "missing"


def _is_single(channel: Hashable) -> bool:
    return isinstance(channel, tuple) and channel[:1] == ("load",)
