"""Loads images, thumbnails and frames for the window: one thread pool, one cache, one error path. No Qt.

Each view of media has a channel and lists its requests on it; a newer list replaces the previous one.
Requests with equal keys share one result. An unreadable file gives a result with the reason, and is not read
again at once.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Hashable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from annotator.errors import Cancelled, VantageError
from annotator.media.media_cache import MediaCache, MediaResult
from annotator.progress import Progress

KEPT_BYTES = 1_000_000_000
"""Of loaded media: 12 images of 4000 x 2250 with their halves, and some 2,000 thumbnails."""
_log = logging.getLogger(__name__)


class Priority(IntEnum):
    """What is loaded first, the most urgent first."""

    PREVIEW = 0
    SHOWN = 1
    THUMBNAIL = 2
    FRAME = 3
    PREFETCH = 4


_IS_SMALL = (os.cpu_count() or 1) <= 2
LIMITS = {
    Priority.PREVIEW: 3 if _IS_SMALL else 4,
    Priority.SHOWN: 2 if _IS_SMALL else 3,
    # On two cores one of them is left to the window.
    Priority.THUMBNAIL: 1 if _IS_SMALL else 2,
    Priority.FRAME: 1 if _IS_SMALL else 2,
    Priority.PREFETCH: 1 if _IS_SMALL else 2,
}
"""Requests of a priority and less urgent ones that are loaded at once: urgent ones find a free thread."""


@dataclass(frozen=True, kw_only=True)
class MediaRequest:
    """Something to be loaded.

    Attributes:
        key: What it is; requests with equal keys share one result.
        load: Loads it on a thread of the service. The result has ``nbytes`` or is None. It raises
            ``VantageError`` where there is none, and ``Cancelled`` after its progress was cancelled.
        is_kept: Whether the result is kept in the cache, or only handed over.
    """

    key: Hashable
    load: Callable[[Progress], Any]
    is_kept: bool = True


@dataclass(frozen=True, kw_only=True)
class Finished:
    """A result that has not been handed over yet, and the channels that want it."""

    key: Hashable
    result: MediaResult
    channels: frozenset[Hashable]


@dataclass(kw_only=True)
class _Channel:
    """What one part of the window wants: all of it, and what of it is neither there nor being loaded."""

    priority: Priority
    wanted: dict[Hashable, MediaRequest] = field(default_factory=dict)
    pending: dict[Hashable, MediaRequest] = field(default_factory=dict)
    is_paused: bool = False


@dataclass(kw_only=True, eq=False)
class _Job:
    """A request that is being loaded."""

    request: MediaRequest
    priority: Priority
    progress: Progress = field(default_factory=Progress)
    is_stale: bool = False


class MediaService:
    """Loads media on threads of its own and keeps them by their bytes; any thread may call it.

    Args:
        notify: Called on a thread of the service when there are results to be taken.
        most_bytes: Limit of the cache. What a channel wants is kept beyond it.
        limits: Requests loaded at once, by priority.
    """

    def __init__(
        self,
        *,
        notify: Callable[[], None],
        most_bytes: int = KEPT_BYTES,
        limits: dict[Priority, int] | None = None,
    ) -> None:
        self._notify = notify
        self._limits = limits or LIMITS
        self._pool = ThreadPoolExecutor(
            max_workers=self._limits[Priority.PREVIEW], thread_name_prefix="vantage-media"
        )
        # Reentrant: a pool that is idle may run a task's callbacks on the thread that submits it.
        self._lock = threading.RLock()
        self._cache = MediaCache(most_bytes)
        self._channels: dict[Hashable, _Channel] = {}
        self._running: dict[Hashable, _Job] = {}
        self._finished: list[Finished] = []
        self._is_closed = False

    def request(
        self,
        channel: Hashable,
        requests: Iterable[MediaRequest],
        *,
        priority: Priority,
        is_paused: bool = False,
    ) -> None:
        """Replace the requests of a channel; they are loaded in the order given.

        Args:
            channel: The channel.
            requests: Everything that is visible, loaded or not; results are kept while they are requested.
                Without requests the channel is removed.
            priority: Priority of the requests.
            is_paused: Do not load before ``pause`` resumes the channel.
        """
        with self._lock:
            if self._is_closed:
                return
            wanted = {request.key: request for request in requests}
            self._channels.pop(channel, None)
            if wanted:
                self._channels[channel] = _Channel(
                    priority=priority,
                    wanted=wanted,
                    pending={key: one for key, one in wanted.items() if self._is_missing(key)},
                    is_paused=is_paused,
                )
            self._cancel_unwanted()
            self._start()

    def pause(self, channel: Hashable, *, is_paused: bool) -> None:
        """Pause or resume loading for a channel; its requests are kept."""
        with self._lock:
            if (found := self._channels.get(channel)) is not None:
                found.is_paused = is_paused
                self._cancel_unwanted()
                self._start()

    def get(self, key: Hashable) -> MediaResult | None:
        """Return what was loaded, or why there is nothing; None where it is not known."""
        with self._lock:
            return self._cache.get(key)

    def take_finished(self) -> list[Finished]:
        """Return the results since the last call, kept ones and others."""
        with self._lock:
            taken, self._finished = self._finished, []
            return taken

    def forget(self, keys: Iterable[Hashable] | None = None) -> None:
        """Drop cached results, and load those that are requested again, because files may have changed.

        Args:
            keys: Keys to drop, None for all.
        """
        with self._lock:
            for key in self._cache.forget(keys):
                self._put_back(key)
            chosen = set(self._running if keys is None else keys)
            for key, job in self._running.items():
                if key in chosen:
                    # It may have read the file that lay there before.
                    job.is_stale = True
                    job.progress.cancel()
            self._start()

    def run_task(self, task: Callable[[], None]) -> None:
        """Run a function without result on the pool, such as closing a file."""
        with self._lock:
            if not self._is_closed:
                self._pool.submit(self._run, task)

    def is_idle(self, channel: Hashable | None = None) -> bool:
        """Return whether all results of a channel, or of all channels, are loaded and were fetched.

        A paused channel counts as complete.
        """
        with self._lock:
            chosen = self._channels.values() if channel is None else [self._channels.get(channel)]
            active = [one for one in chosen if one is not None and not one.is_paused]
            is_loading = any(one.pending or not one.wanted.keys().isdisjoint(self._running) for one in active)
            return not is_loading and not self._finished

    def close(self) -> None:
        """Load nothing more; returns at once. Threads end after what they are loading."""
        with self._lock:
            self._is_closed = True
            self._channels.clear()
            self._finished.clear()
            self._cache.forget()
            self._cancel_unwanted()
        # The GUI thread calls this, and a decoder notices a cancellation only after its image.
        self._pool.shutdown(wait=False)

    def drain(self) -> None:
        """Wait until the threads of a closed service have ended."""
        self._pool.shutdown(wait=True)

    def _is_missing(self, key: Hashable) -> bool:
        return key not in self._cache and key not in self._running

    def _cancel_unwanted(self) -> None:
        active = [channel.wanted for channel in self._channels.values() if not channel.is_paused]
        for key, job in self._running.items():
            if not any(key in wanted for wanted in active):
                job.progress.cancel()

    def _start(self) -> None:
        while not self._is_closed and (job := self._next()) is not None:
            key = job.request.key
            self._running[key] = job
            for channel in self._channels.values():
                channel.pending.pop(key, None)
            self._pool.submit(self._work, job)

    def _next(self) -> _Job | None:
        if len(self._running) >= self._limits[Priority.PREVIEW]:
            return None
        waiting = [one for one in self._channels.values() if one.pending and not one.is_paused]
        for channel in sorted(waiting, key=_urgency):
            # Running requests that are more urgent do not count: they may not hold this one up.
            beside = sum(job.priority >= channel.priority for job in self._running.values())
            if beside < self._limits[channel.priority]:
                return _Job(request=next(iter(channel.pending.values())), priority=channel.priority)
        return None

    def _work(self, job: _Job) -> None:
        """Load one request; runs on a thread of the pool."""
        result = _loaded(job)
        with self._lock:
            del self._running[job.request.key]
            if self._is_closed:
                return
            # Whoever is notified takes all results, so that those that follow until then need no signal.
            is_first = not self._finished
            if result is None or job.is_stale:
                self._put_back(job.request.key)
            else:
                self._finish(job.request, result)
            self._start()
            is_due = is_first and bool(self._finished)
        # Outside the lock, because it calls code of the owner.
        if is_due:
            self._notify()

    def _finish(self, request: MediaRequest, result: MediaResult) -> None:
        key = request.key
        wanting = frozenset(name for name, channel in self._channels.items() if key in channel.wanted)
        if request.is_kept:
            pinned = [channel.wanted for channel in self._channels.values()]
            self._cache.put(key, result, is_pinned=lambda one: any(one in wanted for wanted in pinned))
        else:
            # Not in the cache, so the next list of the channel would load it again.
            for name in wanting:
                del self._channels[name].wanted[key]
        if wanting:
            self._finished.append(Finished(key=key, result=result, channels=wanting))

    def _put_back(self, key: Hashable) -> None:
        """Queue a cancelled request again, before all others, if a channel still requests it."""
        for channel in self._channels.values():
            if key in channel.wanted and key not in self._running:
                channel.pending = {key: channel.wanted[key], **channel.pending}

    def _run(self, task: Callable[[], None]) -> None:
        try:
            task()
        except VantageError as error:
            _log.warning("A background task of the media service failed: %s", error)
        except Exception:  # noqa: BLE001 - a bug in one task must not end the thread, and is logged
            _log.exception("A background task of the media service failed")


def _urgency(channel: _Channel) -> Priority:
    return channel.priority


def _loaded(job: _Job) -> MediaResult | None:
    """Return what came of a request; None where it was cancelled."""
    try:
        job.progress.raise_if_cancelled()
        return MediaResult(value=job.request.load(job.progress))
    except Cancelled as error:
        # Raised without having been asked for, it would be loaded again for ever.
        return None if job.progress.is_cancelled else MediaResult(error=error)
    except VantageError as error:
        return MediaResult(error=error)
    except Exception as error:  # noqa: BLE001 - a bug in one request must reach whoever waits for it
        _log.exception("Loading a medium failed")
        return MediaResult(error=error)
