"""Runs functions in order on one thread, and finishes them before the program exits."""

from __future__ import annotations

import atexit
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

T = TypeVar("T")


class SerialExecutor:
    """Runs functions one after the other on its own thread; those submitted before ``close`` are all run."""

    def __init__(self, name: str) -> None:
        self._work: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._closed = False
        self._closing = threading.Lock()
        self._pending = 0
        self._idle = threading.Event()
        self._idle.set()
        # A daemon thread, so that an error elsewhere cannot keep the process alive; atexit still drains it.
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()
        atexit.register(self.close)

    def submit(self, function: Callable[[], T]) -> Future[T]:
        """Run a function on the thread; the future carries its result or its exception.

        Raises:
            RuntimeError: The executor is closed.
        """
        future: Future[T] = Future()
        # Under the lock, so that nothing is queued after the end marker, where it would never run.
        with self._closing:
            if self._closed:
                raise RuntimeError("the project is closed")
            self._pending += 1
            self._idle.clear()
            self._work.put(lambda: _settle(future, function))
        return future

    def wait_until_idle(self, limit_s: float) -> None:
        """Wait until everything that was submitted has been run, at most for a time; costs nothing if so."""
        if not self._idle.is_set():
            self._idle.wait(limit_s)

    def close(self) -> None:
        """Finish what was submitted, then end the thread."""
        with self._closing:
            if not self._closed:
                self._closed = True
                self._work.put(None)
        # Without the lock, which the thread needs after each function.
        self._thread.join()
        atexit.unregister(self.close)

    def _run(self) -> None:
        while (work := self._work.get()) is not None:
            work()
            with self._closing:
                self._pending -= 1
                if not self._pending:
                    self._idle.set()


def _settle(future: Future[T], function: Callable[[], T]) -> None:
    # The future was cancelled while it was queued.
    if not future.set_running_or_notify_cancel():
        return
    try:
        result = function()
    except BaseException as error:  # noqa: BLE001 - it is the future's, whoever waits for it
        future.set_exception(error)
    else:
        future.set_result(result)
