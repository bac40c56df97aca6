"""The readers of an open project: one for each thread that asks, and a thread for questions that can wait."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import TypeVar

from annotator.queries.reader import Reader
from annotator.store.connection import convert_disk_errors
from annotator.store.serial_executor import SerialExecutor

T = TypeVar("T")


class ProjectReaders:
    """Opens a reader per thread when it is first needed, and closes all of them.

    Args:
        path: The project file.

    Attributes:
        absent_media: Ids of the media whose files are not at their place now; queries show them as missing.
    """

    def __init__(self, path: Path) -> None:
        self.absent_media: frozenset[str] = frozenset()
        self._path = path
        self._thread = SerialExecutor("vantage-reading")
        self._readers: dict[int, Reader] = {}
        self._lock = threading.Lock()
        self._is_closed = False

    def of_thread(self) -> Reader:
        """Return the calling thread's reader.

        Raises:
            RuntimeError: The readers were closed.
        """
        thread = threading.get_ident()
        with self._lock:
            if self._is_closed:
                raise RuntimeError("the project is closed")
            # The id of an ended thread can be reused by a later one, which then takes over its reader. Two
            # threads never share a reader at the same time.
            if thread not in self._readers:
                self._readers[thread] = Reader.open(self._path)
            reader = self._readers[thread]
        reader.media.take_absent(self.absent_media)
        return reader

    def query(self, question: Callable[[Reader], T]) -> Future[T]:
        """Answer a question on the reading thread; see ``Session.query``."""

        def answer() -> T:
            with convert_disk_errors():
                return question(self.of_thread())

        return self._thread.submit(answer)

    def finish_queries(self) -> None:
        """Answer what was asked so far, then end the reading thread."""
        self._thread.close()

    def close(self) -> None:
        """Close all readers; from now on there are none."""
        with self._lock:
            self._is_closed = True
            for reader in self._readers.values():
                reader.close()
            self._readers.clear()
