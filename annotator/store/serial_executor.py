"""The store lane: the one thread that writes, first come first served, drained at exit."""

from __future__ import annotations

import atexit
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

T = TypeVar("T")


class SerialExecutor:
    """Runs functions one after the other on a thread of its own.

    What was submitted before ``close`` is still run.
    """

    def __init__(self, name: str) -> None:
        self._work: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._closed = False
        self._closing = threading.Lock()
        # A daemon, so that an exception elsewhere cannot keep the process alive; still drained at exit.
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()
        atexit.register(self.close)

    def submit(self, function: Callable[[], T]) -> Future[T]:
        """Run a function on the lane; the future carries its result or its exception.

        Raises:
            RuntimeError: The lane was closed.
        """
        future: Future[T] = Future()
        # The lock: nothing may be queued behind the end, where nobody would ever run it.
        with self._closing:
            if self._closed:
                raise RuntimeError("the project is closed")
            self._work.put(lambda: _settle(future, function))
        return future

    def close(self) -> None:
        """Finish what was submitted, then end the thread."""
        with self._closing:
            if not self._closed:
                self._closed = True
                self._work.put(None)
        self._thread.join()
        atexit.unregister(self.close)

    def _run(self) -> None:
        while (work := self._work.get()) is not None:
            work()


def _settle(future: Future[T], function: Callable[[], T]) -> None:
    # Somebody cancelled it while it waited.
    if not future.set_running_or_notify_cancel():
        return
    try:
        result = function()
    except BaseException as error:  # noqa: BLE001 - it is the future's, whoever waits for it
        future.set_exception(error)
    else:
        future.set_result(result)
