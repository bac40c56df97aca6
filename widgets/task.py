"""A long task of the window, with progress, rate and cancellation."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal
from shiboken6 import isValid

from annotator.progress import Progress, ProgressUpdate
from widgets.bridge import Bridge
from widgets.translation import tr


class Task(QObject):
    """A long task from start to end.

    Attributes:
        is_gesture: Whether it is a single edit, which is always saved: closing the window neither
            asks about it nor cancels it.

        is_command: Whether its success changes the project, which makes earlier messages obsolete.
        ends_quietly: Whether closing the window ends it without a question, since nothing of it is lost.

    Signals (all on the GUI thread):
        stepped: Emitted for each step; carries the ``ProgressUpdate``.
        finished: Emitted on success; carries the result.
        failed: Emitted on failure; carries the exception, ``Cancelled`` if the user cancelled it.
    """

    stepped = Signal(object)
    finished = Signal(object)
    failed = Signal(object)
    _reported = Signal(object)

    def __init__(self, title: str, *, bridge: Bridge, has_page: bool = False) -> None:
        """Create a task that has not started.

        Args:
            title: Title of the task.
            bridge: Delivers results of other threads to the GUI thread.
            has_page: Whether a page shows it while no project is open, so that the status bar does not
                have to.
        """
        super().__init__()
        self.title, self.has_page = title, has_page
        self.is_gesture = self.is_command = self.ends_quietly = False
        self.step: ProgressUpdate | None = None
        self.progress = Progress(self._report)
        self.is_cancelling = self.is_superseded = False
        self._bridge = bridge
        # Queued, and to a bound method, for the reason given in ``widgets/bridge.py``.
        self._reported.connect(self._on_reported, Qt.ConnectionType.QueuedConnection)

    def follow(self, future: Future[Any]) -> None:
        """Follow a future until it is done."""
        self._bridge.wait_for(future, done=self._on_done, failed=self._on_failed)

    def cancel(self) -> None:
        """Request cancellation at the next step; the changes of the task are discarded."""
        self.is_cancelling = True
        self.progress.cancel()

    def supersede(self) -> None:
        """Cancel the task because a newer request replaces it; no message is shown."""
        self.is_superseded = True
        self.cancel()

    def _report(self, step: ProgressUpdate) -> None:
        # Called on the worker thread: emitting a signal is the only safe access to this object.
        self._reported.emit(step)

    def _on_reported(self, step: ProgressUpdate) -> None:
        self.step = step
        self.stepped.emit(step)

    def _on_done(self, result: object) -> None:
        self.finished.emit(result)

    def _on_failed(self, error: BaseException) -> None:
        self.failed.emit(error)


def while_exists(owner: QObject, call: Callable[..., object]) -> Callable[..., None]:
    """Return a function that calls another one as long as its owner exists.

    A task of a single edit outlives the screen that began it when the project is closed at once, and Qt
    disconnects methods of a deleted object, but no partial functions.

    Args:
        owner: The object that the function acts on.
        call: The function.
    """

    def call_if_exists(*values: object) -> None:
        if isValid(owner):
            call(*values)

    return call_if_exists


def describe(step: ProgressUpdate) -> str:
    """Return the progress as text: "1,200 of 1,827 · 940/s · 1 s left"."""
    parts = [
        tr("{done} of {total}", done=f"{step.done:,}", total=f"{step.total:,}")
        if step.total
        else f"{step.done:,}"
    ]
    if step.rate:
        parts.append(tr("{rate}/s", rate=f"{step.rate:,.0f}" if step.rate >= 10 else f"{step.rate:.1f}"))
    if step.left_s is not None and step.done < (step.total or 0):
        parts.append(tr("{time} left", time=describe_duration(step.left_s)))
    return " · ".join(parts)


def describe_duration(seconds: float) -> str:
    """Return a duration in the best unit: "8 s", "3 min", "2.5 h"."""
    if seconds < 90:
        return tr("{n} s", n=max(1, round(seconds)))
    if seconds < 5400:
        return tr("{n} min", n=round(seconds / 60))
    return tr("{n} h", n=f"{seconds / 3600:.1f}")
